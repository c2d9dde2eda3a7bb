"""What the second step of Resume tells: pins, what to check, what will be done again, and what its folder shows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from quarterdeck.ui.facts_grid import FactsGrid, breakable
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label
from quarterdeck.ui.present_evidence import Part
from quarterdeck.ui.present_resume import Check, ResumeFacts
from quarterdeck.ui.recovery.evidence_view import EvidenceView
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family

tr = Texts("ResumeTold")


class ResumeTold(QWidget):
    """Filled as it becomes known."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._grid = FactsGrid(self)
        self._checks: QFrame | None = None
        self._folder: QWidget = label(tr("Looking at its working folder…"), "muted", self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(12)
        self._column.addWidget(self._grid)
        self._column.addWidget(self._folder)

    def show_facts(self, facts: ResumeFacts) -> None:
        """Pins and checks."""
        self._grid.show_facts(facts.facts)
        if self._checks is not None:
            self._checks.deleteLater()
        checks = list(facts.checks)
        if facts.reopened:
            checks.insert(0, Check(facts.reopened))
        checks += [Check(words) for choice in facts.choices for words in choice.differs if choice.is_prior]
        self._checks = _checks(self._theme, checks, self)
        self._column.insertWidget(0, self._checks)

    def show_folder(self, parts: tuple[Part, ...]) -> None:
        """What is seen in the working folder now."""
        self._folder.deleteLater()
        self._folder = EvidenceView(parts, self)
        self._column.addWidget(self._folder)


def _checks(theme: Theme, checks: list[Check], parent: QWidget) -> QFrame:
    """In amber where something is to be looked at before."""
    frame = QFrame(parent)
    is_well = all(check.is_well for check in checks)
    frame.setProperty("notice" if not is_well else "look", str(Family.NEEDS) if not is_well else "inset")
    column = QVBoxLayout(frame)
    column.setContentsMargins(12, 10, 12, 10)
    column.setSpacing(6)
    column.addWidget(label(tr("Check before you start it"), "heading", frame))
    for check in checks:
        column.addLayout(_check(theme, check, frame))
    return frame


def _check(theme: Theme, check: Check, parent: QWidget) -> QHBoxLayout:
    family = Family.DONE if check.is_well else Family.NEEDS
    sign = QLabel(parent)
    name = "circle-check" if check.is_well else "circle-alert"
    sign.setPixmap(pixmap(name, theme.tokens.tones[family].text, 16, parent.devicePixelRatioF()))
    words = label(breakable(check.words), "", parent, wrap=True)
    words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
    words.setAlignment(Qt.AlignmentFlag.AlignTop)
    words.setAccessibleName(check.words)
    row = QHBoxLayout()
    row.setSpacing(8)
    row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
    row.addWidget(words, 1)
    return row
