"""What a person allowed the shown agent for the run, each with a button that takes it back. Shows and asks."""

from __future__ import annotations

import functools

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from quarterdeck.domain.allowed import AllowedView
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label
from quarterdeck.ui.words import one_line, shown_plainly, time_text

tr = Texts("AllowedList")

QUESTION_SHOWN_MAX = 300


class AllowedList(QWidget):
    """Made anew only where something of it changed."""

    withdraw_asked = Signal(object)
    """The RequestId whose answer allowed it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: tuple[AllowedView, ...] = ()
        self.buttons: list[QPushButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self.setAccessibleName(tr("Allowed for this run"))

    def show_allowed(self, allowed: tuple[AllowedView, ...]) -> None:
        """Those that stand, oldest first."""
        if allowed == self._shown:
            return
        self._shown = allowed
        while (item := self._column.takeAt(0)) is not None:
            if (part := item.widget()) is not None:
                part.hide()
                part.deleteLater()
        self.buttons = []
        for one in allowed:
            self._column.addWidget(self._row(one))

    def _row(self, one: AllowedView) -> QWidget:
        row = QWidget(self)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        asked = one_line(shown_plainly(one.question), QUESTION_SHOWN_MAX) or tr("a request, by its bytes")
        by = tr("by {actor}, {time}", actor=one_line(one.actor, 40), time=time_text(one.at))
        words = label(breakable(f"{asked}\n{by}"), "", row, wrap=True)
        words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words.setMinimumWidth(10)
        made = button(tr("Withdraw"), tr("Withdraw: {what}", what=one_line(asked, 80)), "quiet", row)
        made.clicked.connect(functools.partial(self.withdraw_asked.emit, one.request_id))
        self.buttons.append(made)
        line.addWidget(words, 1)
        line.addWidget(made, 0, Qt.AlignmentFlag.AlignTop)
        return row
