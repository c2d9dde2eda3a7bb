"""Tab *Activity*: what happened in live runs, newest first."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.bottom.tables import FILLED_ROLE, LETTER_ROLE, MarkDelegate, plain_table, tinted
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label
from quarterdeck.ui.present_activity import ActivityLog, ActivityRow
from quarterdeck.ui.rows_model import RowsModel
from quarterdeck.ui.theme import Theme, mono_font, ui_font
from quarterdeck.ui.tokens import Tokens
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import short_id

tr = Texts("BottomActivity")

TIME, RUN, WHO, WHAT = range(4)
EVERY_MS = 400
"""While runs are live the list is brought up to date at most so often; the second's tick brings what came last."""


class ActivityModel(RowsModel[ActivityRow]):
    """Time, run, who, what."""

    headings = (tr.later("Time"), tr.later("Run"), tr.later("Who"), tr.later("What"))

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._parent = parent
        self._looked_at: RunId | None = None

    def cell(self, row: ActivityRow, column: int, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (row.time, row.letter or short_id(row.run_id), row.who, row.words)[column]
            case Qt.ItemDataRole.AccessibleTextRole:
                return (
                    row.spoken if column == TIME else self.cell(row, column, int(Qt.ItemDataRole.DisplayRole))
                )
            case Qt.ItemDataRole.ToolTipRole if column == WHAT:
                return row.words
            case Qt.ItemDataRole.DecorationRole if column == WHAT:
                return tinted(self._theme, row.icon, row.family, self._parent)
            case Qt.ItemDataRole.FontRole if column == TIME:
                return mono_font(12)
            case Qt.ItemDataRole.FontRole if column == WHO:
                return ui_font(12, ui_font().Weight.DemiBold)
        if role == FILLED_ROLE:
            return row.run_id == self._looked_at
        return row.letter if role == LETTER_ROLE else None

    def mark(self, run: RunId | None) -> None:
        """The run looked at: its letter is filled."""
        if run != self._looked_at:
            self._looked_at = run
            if self.rows:
                self.dataChanged.emit(self.index(0, RUN), self.index(len(self.rows) - 1, RUN))


class ActivityTab(QWidget):
    """Table `Activity`; a line leads to its agent."""

    slot_chosen = Signal(object)
    """(RunId, SlotId or None)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log = ActivityLog()
        self._followed_ms = -EVERY_MS
        self._letters: dict[RunId, str] = {}
        self.model = ActivityModel(theme, self)
        self.table = plain_table(self, self.model, tr("Activity"), (112, 66, 150, 300), WHAT, 24)
        self.table.horizontalHeader().hide()
        self.table.setItemDelegateForColumn(RUN, MarkDelegate(theme, self.table))
        self.table.activated.connect(self._on_activated)
        empty = label(tr("Nothing has happened since the window opened."), "muted", self)
        empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(empty)
        self._stack.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 0)
        column.addWidget(self._stack)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_news(self, shown: Shown) -> None:
        """Follow the views, whether the tab is seen or not: what is noticed now is told with this time."""
        self.model.mark(shown.run)
        moved = shown.now.boot_ms - self._followed_ms
        letters = {run.run_id: run.letter for run in shown.facts.live}
        is_soon = 0 <= moved < EVERY_MS and letters == self._letters
        if is_soon and any(v.is_live for v in shown.known.views.values()):
            return
        self._followed_ms, self._letters = shown.now.boot_ms, letters
        self.model.set_rows(self._log.follow(shown.known.views, letters, shown.now))
        self._stack.setCurrentIndex(1 if self.model.rows else 0)

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is not None:
            self.slot_chosen.emit((row.run_id, row.slot_id))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.table.viewport().update()
