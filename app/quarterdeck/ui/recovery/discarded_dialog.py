"""The runs that were discarded and can still be brought back, newest first, each with its button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button, label, resize_within_screen, rule, set_text
from quarterdeck.ui.tips import tip

tr = Texts("DiscardedDialog")


@dataclass(frozen=True, slots=True)
class DiscardedLine:
    """One run."""

    run: RunId
    name: str
    words: str


class DiscardedDialog(QDialog):
    """Opened with `open()`."""

    back_asked = Signal(object)
    """RunId."""

    def __init__(self, lines: Sequence[DiscardedLine], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[RunId, QPushButton] = {}
        self._rows: list[QWidget] = []
        self.setWindowTitle(tr("Discarded runs"))
        self.setAccessibleName(tr("Discarded runs dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._none = label(tr("No run was discarded within the last seven days."), "muted", self, wrap=True)
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()
        page = QWidget(self)
        page.setProperty("look", "page")
        self._list = QVBoxLayout(page)
        self._list.setContentsMargins(0, 0, 8, 0)
        self._list.setSpacing(4)
        self._list.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        self.shut = button(tr("Close"), tr("Close discarded runs"), "", self)
        self.shut.setDefault(True)
        self.shut.clicked.connect(self.reject)
        feet = QHBoxLayout()
        feet.addStretch(1)
        feet.addWidget(self.shut)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(tr("Discarded runs"), "big", self))
        column.addWidget(self._none)
        column.addWidget(self._said)
        column.addWidget(scroll, 1)
        column.addWidget(rule(self))
        column.addLayout(feet)
        resize_within_screen(self, 560, 420)
        self.show_lines(lines)
        self.shut.setFocus()

    def show_lines(self, lines: Sequence[DiscardedLine]) -> None:
        """Follow what can be brought back."""
        for row in self._rows:
            row.deleteLater()
        self._rows, self.buttons = [], {}
        self._none.setVisible(not lines)
        for place, line in enumerate(lines):
            row = self._row(line)
            self._rows.append(row)
            self._list.insertWidget(place, row)

    def say(self, words: str) -> None:
        """Why a run did not come back."""
        set_text(self._said, words)
        self._said.setVisible(bool(words))

    def _row(self, line: DiscardedLine) -> QWidget:
        made = QWidget(self)
        row = QHBoxLayout(made)
        row.setContentsMargins(0, 4, 0, 4)
        name, words = ElidedLabel("heading", made), ElidedLabel("muted", made)
        name.setText(line.name)
        words.setText(line.words)
        words.setToolTip(tip(line.run))
        pair = QVBoxLayout()
        pair.setSpacing(1)
        pair.addWidget(name)
        pair.addWidget(words)
        back = button(tr("Bring back"), tr("Bring back {run}", run=line.run), "", made)
        back.clicked.connect(self._on_back)
        self.buttons[line.run] = back
        row.addLayout(pair, 1)
        row.addWidget(back)
        return made

    def _on_back(self) -> None:
        sender = self.sender()
        for run, made in self.buttons.items():
            if made is sender:
                made.setEnabled(False)
                self.back_asked.emit(run)
