"""What a launch would start, and where, readable whole: each command quoted as a shell would have it, on as many lines as it needs.

The text comes from a workflow file that anybody may have written. It is inserted as plain text; what cannot be seen, line
breaks within an argument included, stands as an escape, so one command cannot look like two.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.domain.text import escaped
from quarterdeck.engine.planned import PlannedCommand
from quarterdeck.ui.exact_text import CONTINUED, PiecesText, pieces_of
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button
from quarterdeck.ui.theme import Theme, mono_font, ui_font
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line

tr = Texts("DialogsCommands")

SHOWN_MAX = 4_000
"""Characters of one command until a person asks for all of them."""
INDENT = 14


def command_text(planned: PlannedCommand) -> str:
    """The exact command, quoted, on one line however long it is."""
    if planned.argv:
        return escaped(shlex.join(planned.argv))
    if planned.kind == "practice":
        return tr("practice agent of Quarterdeck")
    return f"{escaped(shlex.quote(planned.program))} ({planned.kind})" if planned.program else planned.kind


class CommandsView(QWidget):
    """A text that scrolls and wraps anywhere; *Show all* where a command is longer than SHOWN_MAX; *Copy*."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._commands: tuple[PlannedCommand, ...] = ()
        self._also: tuple[tuple[str, str], ...] = ()
        self._shows_all = False
        self.text = PiecesText(self)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(tr("Commands that will start"))
        self.text.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        self.text.setMinimumHeight(150)
        self.show_all = button(tr("Show all"), tr("Show all of the commands"), "", self)
        self.copy = button(tr("Copy"), tr("Copy the commands"), "", self)
        self.show_all.hide()
        self.copy.setEnabled(False)
        feet = QHBoxLayout()
        feet.setSpacing(8)
        feet.addStretch(1)
        feet.addWidget(self.show_all)
        feet.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.text, 1)
        column.addLayout(feet)
        self.show_all.clicked.connect(self._on_show_all)
        self.copy.clicked.connect(self._on_copy)
        theme.theme_changed.connect(self._on_theme_changed)

    @property
    def commands(self) -> tuple[PlannedCommand, ...]:
        """What is shown."""
        return self._commands

    def show_commands(self, commands: Sequence[PlannedCommand], also: Sequence[tuple[str, str]] = ()) -> None:
        """Show these, in this order. also: (what it is, foreign text) of everything else that agents are given or find."""
        if (self._commands, self._also) != (tuple(commands), tuple(also)):
            self._commands, self._also, self._shows_all = tuple(commands), tuple(also), False
            self.copy.setEnabled(bool(commands))
            self._write()

    def _write(self) -> None:
        is_cut = False
        self.text.clear()
        cursor = QTextCursor(self.text.document())
        cursor.beginEditBlock()
        for place, planned in enumerate(self._commands):
            command = command_text(planned)
            rest = 0 if self._shows_all else len(command) - SHOWN_MAX
            is_cut = is_cut or rest > 0
            self._write_one(cursor, planned, command[:SHOWN_MAX] if rest > 0 else command, rest, place)
        for title, text in self._also:
            rest = 0 if self._shows_all else len(text) - SHOWN_MAX
            is_cut = is_cut or rest > 0
            self._write_also(cursor, title, text[:SHOWN_MAX] + "…" if rest > 0 else text)
        cursor.endEditBlock()
        self.show_all.setVisible(is_cut)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)

    def _write_one(
        self, cursor: QTextCursor, planned: PlannedCommand, command: str, rest: int, place: int
    ) -> None:
        t = self._theme.tokens
        title, deeper = QTextBlockFormat(), QTextBlockFormat()
        title.setTopMargin(10 if place else 0)
        deeper.setLeftMargin(INDENT)
        if place:
            cursor.insertBlock()
        cursor.setBlockFormat(title)
        cursor.insertText(one_line(planned.node_title, 120), _ink(t.text, is_bold=True))
        cursor.insertBlock(deeper)
        _insert_long(cursor, command, _ink(t.text, is_mono=True), deeper)
        if rest > 0:
            cursor.insertText(
                tr("… {count} more characters: Show all", count=f"{rest:,}"), _ink(t.muted, is_bold=True)
            )
        if planned.program is None and planned.kind == "command":
            cursor.insertBlock(deeper)
            cursor.insertText(tr("program not found"), _ink(t.tones[Family.FAILED].text, is_bold=True))
        cursor.insertBlock(deeper)
        cursor.insertText(tr("in {folder}", folder=escaped(planned.cwd)), _ink(t.muted, is_mono=True))

    def _write_also(self, cursor: QTextCursor, title: str, text: str) -> None:
        t = self._theme.tokens
        over, deeper = QTextBlockFormat(), QTextBlockFormat()
        over.setTopMargin(10)
        deeper.setLeftMargin(INDENT)
        cursor.insertBlock(over)
        cursor.insertText(title, _ink(t.text, is_bold=True))
        cursor.insertBlock(deeper)
        _insert_long(cursor, escaped(text), _ink(t.text, is_mono=True), deeper)

    def _on_show_all(self) -> None:
        self._shows_all = True
        self._write()
        self.text.setFocus()

    def _on_copy(self) -> None:
        lines = [f"{command_text(planned)}\n  {escaped(planned.cwd)}" for planned in self._commands]
        lines += [f"{title}\n  {escaped(text)}" for title, text in self._also]
        QGuiApplication.clipboard().setText("\n".join(lines))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._write()


def _insert_long(cursor: QTextCursor, line: str, ink: QTextCharFormat, look: QTextBlockFormat) -> None:
    """A line of any length, in blocks that Qt can lay out."""
    for number, piece in enumerate(pieces_of(line)):
        if number:
            cursor.insertBlock(look)
            cursor.block().setUserState(CONTINUED)
        cursor.insertText(piece, ink)


def _ink(colour: str, *, is_mono: bool = False, is_bold: bool = False) -> QTextCharFormat:
    made = QTextCharFormat()
    font = mono_font(12) if is_mono else ui_font(13)
    if is_bold:
        font.setWeight(font.Weight.DemiBold)
    made.setFont(font)
    made.setForeground(QColor(colour))
    return made
