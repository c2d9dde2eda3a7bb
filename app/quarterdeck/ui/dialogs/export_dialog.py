"""Secrets that an export could not look for: it is written only after a yes, and each is named."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, dialog_feet, fit_dialog, label

tr = Texts("ExportDialog")
LINES_MAX = 12


class ExportDialog(QDialog):
    """Window-modal, opened with `open()`; Cancel is the default, and nothing is written by it."""

    def __init__(self, run: str, secrets: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Export the run"))
        self.setAccessibleName(tr("Secrets in an export dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(10)
        title = tr("Export run {run} although not all secrets could be looked for?", run=run)
        column.addWidget(label(title, "big", self, wrap=True))
        words = tr(
            "Agents may have told a secret that they were given. Of these the value is not known now, so that it was not "
            "taken out of the text. Read the text before you hand it on."
        )
        column.addWidget(label(words, "muted", self, wrap=True))
        more = len(secrets) - LINES_MAX
        shown = [*secrets[:LINES_MAX], tr("and {n} more", n=more)] if more > 0 else list(secrets)
        self.names = label("\n".join(shown), "", self, wrap=True)
        self.names.setAccessibleName(
            tr("Secrets that were not looked for: {secrets}", secrets="; ".join(shown))
        )
        column.addWidget(self.names)
        column.addLayout(self._feet())
        fit_dialog(self, 520)
        self.cancel.setFocus()

    def _feet(self) -> QHBoxLayout:
        self.cancel = button(tr("Cancel"), tr("Cancel the export"), "", self)
        self.cancel.setDefault(True)
        self.accept_ = button(tr("Export all the same"), tr("Export all the same"), "primary", self)
        self.cancel.clicked.connect(self.reject)
        self.accept_.clicked.connect(self.accept)
        return dialog_feet(self.cancel, self.accept_)
