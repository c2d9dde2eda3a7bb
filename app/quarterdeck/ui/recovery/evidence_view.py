"""What a look found, below the row that asked for it: headings and lines, never interpreted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QSizePolicy, QWidget

from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label
from quarterdeck.ui.present_evidence import Part

tr = Texts("EvidenceView")


class EvidenceView(QFrame):
    """Made anew for each look; what it shows was true when it was looked at."""

    def __init__(self, parts: tuple[Part, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "inset")
        self.setAccessibleName(tr("What was found"))
        grid = QGridLayout(self)
        grid.setContentsMargins(12, 10, 12, 10)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for row, part in enumerate(parts):
            grid.addWidget(_heading(part.heading, self), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(_lines(part, self), row, 1)


def _heading(text: str, parent: QWidget) -> QLabel:
    made = label(breakable(text), "muted", parent, wrap=True)
    made.setFixedWidth(168)
    return made


def _lines(part: Part, parent: QWidget) -> QLabel:
    text = "\n".join(breakable(line) for line in part.lines)
    made = label(text, "mono" if part.mono else "value", parent, wrap=True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    made.setAccessibleName(f"{part.heading}: {', '.join(part.lines)}")
    return made
