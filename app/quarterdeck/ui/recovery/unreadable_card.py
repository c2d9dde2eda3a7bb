"""Records that cannot be read: named, never dropped in silence; *Show file* opens the folder that holds them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button, label, set_text
from quarterdeck.ui.present_recovery import UnreadableLine
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens

tr = Texts("UnreadableCard")

SHOWN_MAX = 20


def _heading(lines: tuple[UnreadableLine, ...]) -> str:
    in_part = sum(line.in_part for line in lines)
    if not in_part:
        return tr.count("{n} records could not be read", "{n} record could not be read", len(lines))
    if in_part == len(lines):
        return tr.count(
            "{n} records could be read in part only", "{n} record could be read in part only", in_part
        )
    return tr("{count} records could not be read, or in part only", count=f"{len(lines):,}")


class UnreadableCard(QFrame):
    """Hidden while everything can be read."""

    file_asked = Signal(object)
    """Path."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[UnreadableLine, ...] = ()
        self._lines: list[QWidget] = []
        self._paths: dict[QPushButton, Path] = {}
        self.setProperty("look", "card")
        self._sign = QLabel(self)
        self._words = label("", "", self)
        self._words.setProperty("tone", str(Family.FAILED))
        self._list = QVBoxLayout()
        self._list.setSpacing(4)
        self._list.addWidget(self._words)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._list, 1)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.hide()

    def show_lines(self, lines: tuple[UnreadableLine, ...]) -> None:
        """Follow what cannot be read."""
        self.setVisible(bool(lines))
        if lines == self._shown:
            return
        self._shown = lines
        set_text(self._words, _heading(lines))
        for old in self._lines:
            old.deleteLater()
        self._lines, self._paths = [], {}
        for line in lines[:SHOWN_MAX]:
            made = self._line(line)
            self._lines.append(made)
            self._list.addWidget(made)

    def _line(self, line: UnreadableLine) -> QWidget:
        made = QWidget(self)
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 0, 0, 0)
        words = ElidedLabel("muted", made)
        words.setText(line.words)
        words.setToolTip(tip(f"{line.words}\n{line.folder}"))
        show = button(tr("Show file"), tr("Show file of {run}", run=line.run_id), "quiet", made)
        show.clicked.connect(self._on_show)
        self._paths[show] = line.folder
        row.addWidget(words, 1)
        row.addWidget(show)
        return made

    def _on_show(self) -> None:
        sender = self.sender()
        if isinstance(sender, QPushButton) and sender in self._paths:
            self.file_asked.emit(self._paths[sender])

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.FAILED]
        self._sign.setPixmap(pixmap("triangle-alert", tone.text, 16, self.devicePixelRatioF()))
