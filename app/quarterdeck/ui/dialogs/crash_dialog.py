"""Simulate a crash…: says what will happen before it does. Cancel is the default."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, fit_dialog, label, set_text

tr = Texts("CrashDialog")

PARTS = (
    tr.later(
        "This window ends at once, by SIGKILL, as if it had crashed: nothing is saved first and no agent is asked. What was recorded up to then is all that is left."
    ),
    tr.later(
        "Its practice agents notice within some seconds and end as well. They call no model and cost nothing; no other agent is at work here."
    ),
    tr.later(
        "Then start Quarterdeck again: it restarts nothing, tells what was interrupted, and lets you resume agents one by one. After three crashes within five minutes it opens the records only, without a workspace."
    ),
)


class CrashDialog(QDialog):
    """Opened with `open()`."""

    crash_asked = Signal()

    def __init__(self, live: int, parent: QWidget | None = None) -> None:
        """live: how many runs will be interrupted."""
        super().__init__(parent)
        self.setWindowTitle(tr("Simulate a crash"))
        self.setAccessibleName(tr("Crash dialog"))
        self.cancel = button(tr("Cancel"), tr("Cancel the crash"), "", self)
        self.cancel.setDefault(True)
        self.crash = button(tr("End Quarterdeck now"), tr("End Quarterdeck now"), "danger", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        self.title = label("", "big", self, wrap=True)
        self.show_live(live)
        column.addWidget(self.title)
        for words in PARTS:
            column.addWidget(label(words, "muted", self, wrap=True))
        column.addSpacing(4)
        column.addLayout(dialog_feet(self.cancel, self.crash))
        self.cancel.clicked.connect(self.reject)
        self.crash.clicked.connect(self._on_crash)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit_dialog(self, 540)
        self.cancel.setFocus()

    def show_live(self, live: int) -> None:
        """How many practice runs it would interrupt now; none: it is not offered any more."""
        title = tr.count(
            "Simulate a crash with {n} practice runs live?",
            "Simulate a crash with {n} practice run live?",
            live,
        )
        set_text(self.title, title)
        self.crash.setEnabled(live > 0)

    def _on_crash(self) -> None:
        self.crash.setEnabled(False)
        self.crash_asked.emit()
        self.accept()
