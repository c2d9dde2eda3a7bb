"""The outline: table `Agents` mirrors the canvas row by row, for the keyboard and for screen readers (design §9)."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.agents_columns import AgentsColumns, ResizedTable
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import fit_headings, label, set_text
from quarterdeck.ui.present_nodes import AgentRow
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme, ui_font
from quarterdeck.ui.tokens import Tokens
from quarterdeck.ui.words import NOT_KNOWN

tr = Texts("AgentsDock")

HEIGHT = 150
NODE, RUN, STATE, WHY, TURNS, TIME, COST = range(7)
FLOORS = {NODE: (120, 260), STATE: (112, 110)}
"""These yield to *Why*: the title down to 120 px until it has 260, the state only where it had less than 110. The others are never cut."""
MOST_W = {NODE: 240, WHY: 260}


class AgentsModel(RowsModel[AgentRow]):
    """One row for each slot of each shown run."""

    headings = (
        tr.later("Agent"),
        tr.later("Run"),
        tr.later("State"),
        tr.later("Why"),
        tr.later("Turns"),
        tr.later("Time"),
        tr.later("Cost"),
    )

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parent = parent

    def cell(self, row: AgentRow, column: int, role: int) -> Any:
        tone = self._theme.tokens.tones[row.badge.family]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.AccessibleTextRole:
                return self.words(row)[column]
            case Qt.ItemDataRole.ToolTipRole if column in {NODE, STATE, WHY}:
                return self.words(row)[column] or None
            case Qt.ItemDataRole.DecorationRole if column == STATE:
                return QIcon(pixmap(row.badge.icon, tone.text, 14, self._parent.devicePixelRatioF()))
            case Qt.ItemDataRole.ForegroundRole if column == STATE:
                return QColor(tone.text)
            case Qt.ItemDataRole.ForegroundRole if column not in {NODE, COST}:
                return QColor(self._theme.tokens.muted)
            case Qt.ItemDataRole.TextAlignmentRole if column in {TURNS, TIME, COST}:
                return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            case _:
                return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole and section in {TURNS, TIME, COST}:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return super().headerData(section, orientation, role)

    def words(self, row: AgentRow) -> tuple[str, ...]:
        """What each column says of it."""
        turns = str(row.turns) if row.turns or row.elapsed else ""
        return (row.title, row.run, row.badge.word, row.reason, turns, row.elapsed, row.cost)


class AgentsPanel(QWidget):
    """Dock content: table `Agents`."""

    slot_chosen = Signal(object)
    """(RunId, SlotId)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = AgentsModel(theme, self)
        self.table = ResizedTable(self)
        self.table.setModel(self.model)
        self._set_up_table()
        self.empty = label(NOT_KNOWN, "muted", self)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self._is_setting = False
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        theme.theme_changed.connect(self._on_theme_changed)

    def _set_up_table(self) -> None:
        table = self.table
        table.setAccessibleName("Agents")
        table.setObjectName("Agents")
        table.setFont(ui_font(12))
        table.setStyleSheet("QTableView { background: transparent; }")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setShowGrid(False)
        table.setTabKeyNavigation(False)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(22)
        table.verticalHeader().setDefaultSectionSize(26)
        self._columns = AgentsColumns(table, ui_font(12), FLOORS, MOST_W, stretch=WHY, yields=TURNS)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setStretchLastSection(False)
        fit_headings(header)
        header.setSectionResizeMode(WHY, QHeaderView.ResizeMode.Stretch)

    def sizeHint(self) -> QSize:
        return QSize(640, HEIGHT)

    def show_rows(self, rows: tuple[AgentRow, ...], chosen: tuple[RunId, SlotId] | None) -> None:
        """Exchange the rows and mark the chosen slot."""
        self._is_setting = True
        try:
            self.model.set_rows(rows)
            self._columns.follow(map(self.model.words, rows))
            place = self.model.row_of_key(chosen) if chosen is not None else -1
            selection = self.table.selectionModel()
            if place < 0:
                selection.clearSelection()
            elif not selection.isRowSelected(place, QModelIndex()):
                flag = QItemSelectionModel.SelectionFlag
                selection.setCurrentIndex(self.model.index(place, 0), flag.ClearAndSelect | flag.Rows)
        finally:
            self._is_setting = False
        self._stack.setCurrentIndex(1 if rows else 0)

    def say_none(self, words: str) -> None:
        """What is said where no run is shown."""
        set_text(self.empty, words)

    def _on_selection_changed(self) -> None:
        if self._is_setting:
            return
        indexes = self.table.selectionModel().selectedRows()
        row = self.model.row_at(indexes[0]) if indexes else None
        if row is not None:
            self.slot_chosen.emit(row.key)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        if self.model.rows:
            last = self.model.index(len(self.model.rows) - 1, COST)
            self.model.dataChanged.emit(self.model.index(0, 0), last)
