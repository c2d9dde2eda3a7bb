"""The one card of a first run: what is open, and an offer to look for agent programs. Nothing is started before the click."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from quarterdeck.engine.household import AgentProgram
from quarterdeck.ui.icons import icon, pixmap
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line

tr = Texts("FirstCard")

OPENED = tr.later(
    "Practice night is open: its agents are practice agents. They need no key, call no model and cost nothing. Run starts it."
)
OFFER = tr.later(
    "Quarterdeck can look which agent programs are installed here, and ask each for its version."
)


class FirstCard(QFrame):
    """Above the canvas while Practice night was opened by itself."""

    look_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("look", "card")
        self.setAccessibleName(tr("Welcome"))
        self._sign = QLabel(self)
        self._said = label(OFFER, "muted", self, wrap=True)
        self.look = button(tr("Look for agent programs"), tr("Look for agent programs"), "", self)
        self._shut = QToolButton(self)
        self._shut.setAccessibleName(tr("Dismiss welcome"))
        self._shut.clicked.connect(self.hide)
        self._list = QGridLayout()
        self._list.setHorizontalSpacing(18)
        self._list.setVerticalSpacing(4)
        self._list.setColumnStretch(2, 1)
        self._rows: list[QLabel] = []
        self._lay_out()
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.hide()

    def show_programs(self, found: tuple[AgentProgram, ...]) -> None:
        """List what was found: name, version, place; and which of the known ones were not."""
        for old in self._rows:
            old.deleteLater()
        self._rows = []
        there = [program for program in found if program.path]
        for row, program in enumerate(there):
            self._add(row, program)
        missing = ", ".join(program.name for program in found if not program.path)
        words = (
            tr("None of the agent programs that Quarterdeck knows is installed here.") if not there else ""
        )
        if there and missing:
            words = tr("Not found in PATH: {missing}.", missing=missing)
        set_text(self._said, words)
        self._said.setVisible(bool(words))
        self.look.setText(tr("Look again"))
        self.look.setEnabled(True)

    def _add(self, row: int, program: AgentProgram) -> None:
        told = program.version or in_words(program.fault)
        parts = (
            label(program.name, "heading", self),
            label(one_line(told, 120), "value" if program.version else "problem", self, wrap=False),
            label(one_line(program.path, 300), "mono", self),
        )
        parts[2].setFont(mono_font(12))
        parts[2].setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for column, part in enumerate(parts):
            part.setAccessibleName(part.text())
            self._list.addWidget(part, row, column)
        self._rows += parts

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(label(OPENED, "", self, wrap=True), 1)
        head.addWidget(self._shut, 0, Qt.AlignmentFlag.AlignTop)
        foot = QHBoxLayout()
        foot.setContentsMargins(34, 0, 0, 0)
        foot.addWidget(self._said, 1)
        foot.addWidget(self.look)
        self._list.setContentsMargins(34, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 10, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addLayout(self._list)
        column.addLayout(foot)

    def begin_look(self) -> None:
        """Say that it is being looked, and ask for it; not twice at a time."""
        if not self.look.isEnabled():
            return
        self.look.setEnabled(False)
        self.look.setText(tr("Looking…"))
        self.look_asked.emit()

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.RUNNING]
        self._sign.setPixmap(pixmap("graduation-cap", tone.text, 22, self.devicePixelRatioF()))
        self._shut.setIcon(icon("x", tokens.muted))
