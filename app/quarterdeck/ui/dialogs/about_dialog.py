"""About: version, what the program does not do (telemetry), licences of what it carries, and where its files are."""

from __future__ import annotations

from PySide6.QtCore import Qt, qVersion
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QVBoxLayout, QWidget

import quarterdeck
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.parts import button, fit_dialog, label
from quarterdeck.ui.theme import Theme

tr = Texts("DialogsAboutDialog")

PRIVACY = tr.later(
    "Quarterdeck sends nothing anywhere by itself: no telemetry, no crash reports, no look for updates. The test of a key, when you ask for it, asks the service that the key is for. Records stay on this computer. Agents that you run talk to their own services."
)
CARRIED = (
    ("Quarterdeck", tr.later("MIT licence")),
    ("Inter", tr.later("typeface, SIL Open Font License 1.1")),
    ("JetBrains Mono", tr.later("typeface, SIL Open Font License 1.1")),
    ("Lucide", tr.later("icons, ISC licence")),
    ("Qt for Python", "LGPL 3"),
)

NAMES_W = 110


class AboutDialog(QDialog):
    """Opened with `open()`."""

    def __init__(self, theme: Theme, data: str, settings: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Quarterdeck"))
        self.setAccessibleName(tr("About dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sign = QLabel(self)
        sign.setPixmap(pixmap("ship-wheel", theme.tokens.accent, 40, self.devicePixelRatioF()))
        title = label(f"Quarterdeck {quarterdeck.__version__}", "big", self)
        head = QHBoxLayout()
        head.setSpacing(14)
        head.addWidget(sign)
        head.addWidget(title, 1)
        rows = QVBoxLayout()
        rows.setSpacing(6)
        for name, words in (
            *CARRIED,
            ("Qt", qVersion() or tr("unknown")),
            (tr("Records"), data or tr("not opened")),
            (tr("Settings"), settings or tr("not read")),
        ):
            rows.addLayout(_row(name, words, self))
        self.shut = button(tr("Close"), tr("Close about"), "primary", self)
        self.shut.setDefault(True)
        self.shut.clicked.connect(self.accept)
        feet = QHBoxLayout()
        feet.addStretch(1)
        feet.addWidget(self.shut)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(14)
        column.addLayout(head)
        column.addWidget(label(PRIVACY, "", self, wrap=True))
        column.addLayout(rows)
        column.addLayout(feet)
        fit_dialog(self, 520)
        self.shut.setFocus()


def _row(name: str, words: str, parent: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(16)
    said = label(name, "muted", parent, wrap=True)
    said.setFixedWidth(NAMES_W)
    row.addWidget(said, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(_value(words, parent), 1)
    return row


def _value(words: str, parent: QWidget) -> QLabel:
    made = label(words, "value", parent, wrap=True)
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    made.setAccessibleName(shown(words))
    return made
