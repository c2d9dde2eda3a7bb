"""Starting an agent that never began, in a run that has ended: later nodes wait for a person (ruling 3). Cancel is the default."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.no_start import say_off
from quarterdeck.ui.parts import button, dialog_feet, enter_is_harmless, fit_dialog, label
from quarterdeck.ui.words import one_line

tr = Texts("StartDialog")


class StartDialog(QDialog):
    """Opened with `open()`."""

    start_asked = Signal(bool)
    """Whether the workflow goes on from there."""

    def __init__(self, title: str, parent: QWidget | None = None, *, is_practice: bool = False) -> None:
        super().__init__(parent)
        enter_is_harmless(self)
        self.setWindowTitle(tr("Start one agent"))
        self.setAccessibleName(tr("Start dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.go_on = QCheckBox(tr("Let the workflow go on from here"), self)
        self.go_on.setAccessibleName(tr("Let the workflow go on from here"))
        self.cancel = button(tr("Cancel"), tr("Cancel start"), "", self)
        self.cancel.setDefault(True)
        self.start = button(tr("Start it"), tr("Start it"), "primary", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(label(tr("Start {agent}?", agent=one_line(title, 80)), "big", self, wrap=True))
        words = tr("It gets what was pinned at the launch and what the agents before it gave.")
        costs = tr("A practice agent costs nothing.") if is_practice else tr("It may cost money.")
        column.addWidget(label(f"{words} {costs}", "muted", self, wrap=True))
        column.addWidget(self.go_on)
        column.addLayout(dialog_feet(self.cancel, self.start))
        self.cancel.clicked.connect(self.reject)
        self.start.clicked.connect(self._on_start)
        fit_dialog(self, 480)
        self.cancel.setFocus()

    def show_no_start(self, why: str) -> None:
        """Why nothing can be started now; empty: it can."""
        say_off(self.start, why)

    def _on_start(self) -> None:
        self.start.setEnabled(False)
        self.start_asked.emit(self.go_on.isChecked())
        self.accept()
