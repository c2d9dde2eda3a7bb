"""The models of the spend page's tables: its runs, and two runs compared."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from quarterdeck.ui.bottom.tables import BADGE_ROLE, RIGHT
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_spend import RunLine
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.spend_export import Compared
from quarterdeck.ui.theme import Theme, mono_font, ui_font

tr = Texts("AnalyticsLines")

RUN, STATE, STARTED, TIME, TURNS, SPEND = range(6)


class RunLinesModel(RowsModel[RunLine]):
    """Run, state, started, time, turns, spend."""

    headings = (
        tr.later("Run"),
        tr.later("State"),
        tr.later("Started"),
        tr.later("Time"),
        tr.later("Turns"),
        tr.later("Spend"),
    )

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def cell(self, row: RunLine, column: int, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return (row.short, row.badge.word, row.started, row.time, row.turns, row.spend)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return f"{row.key}\n{row.workflow}"
            case Qt.ItemDataRole.FontRole if column == RUN:
                return mono_font(12)
            case Qt.ItemDataRole.FontRole if column == SPEND:
                return ui_font(12, ui_font().Weight.DemiBold)
            case Qt.ItemDataRole.ForegroundRole if column == STARTED:
                return QColor(self._theme.tokens.muted)
            case Qt.ItemDataRole.TextAlignmentRole if column >= TIME:
                return RIGHT
        return row.badge if role == BADGE_ROLE and column == STATE else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and section >= TIME:
            return RIGHT
        return super().headerData(section, orientation, role)


class ComparedModel(RowsModel[Compared]):
    """Fact, of the one run, of the other; what differs is marked by weight and by a sign."""

    headings = ("", tr.later("First run"), tr.later("Second run"))

    def cell(self, row: Compared, column: int, role: int) -> Any:
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole}:
            mark = " ≠" if row.differs and not row.is_name else ""
            return (f"{row.key}{mark}", row.left, row.right)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return (row.key, row.left, row.right)[column]
        if role == Qt.ItemDataRole.FontRole and column and row.differs:
            return ui_font(12, ui_font().Weight.DemiBold)
        return None
