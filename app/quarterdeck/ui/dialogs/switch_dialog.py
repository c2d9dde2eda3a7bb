"""Switch agent…: which other pinned agent takes over a slot that waits. What was done already stays done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QDialog, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, fit_dialog, label, radio
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.words import one_line

tr = Texts("SwitchDialog")


class SwitchDialog(QDialog):
    """Window-modal, opened with `open()`; Cancel is the default."""

    switched = Signal(str)
    """The name of the agent that was chosen."""

    def __init__(self, facts: AgentFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Switch agent"))
        self.setAccessibleName(tr("Switch agent dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.alternatives = facts.alternatives
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        column.addWidget(label(tr("Which agent takes it over?"), "big", self, wrap=True))
        column.addWidget(label(one_line(facts.title, 120), "", self, wrap=True))
        starts = (
            tr("It is started at once, and told what the earlier attempt left.")
            if facts.attempt_id is not None
            else tr("Nothing starts by this: the agent begins when it is its turn and nothing holds it.")
        )
        column.addWidget(label(starts, "muted", self, wrap=True))
        for place, name in enumerate(self.alternatives):
            choice = radio(one_line(name, 80), self)
            choice.setChecked(place == 0)
            self._group.addButton(choice, place)
            column.addWidget(choice)
        self.cancel = button(tr("Cancel"), tr("Cancel switching"), "", self)
        self.cancel.setDefault(True)
        self.accept_ = button(tr("Switch"), tr("Switch agent"), "primary", self)
        self.cancel.clicked.connect(self.reject)
        self.accept_.clicked.connect(self._on_switch)
        column.addLayout(dialog_feet(self.cancel, self.accept_))
        fit_dialog(self, 480)
        self._group.buttons()[0].setFocus()

    def _on_switch(self) -> None:
        self.switched.emit(self.alternatives[self._group.checkedId()])
        self.accept()
