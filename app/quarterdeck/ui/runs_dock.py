"""The run list: table `Runs` with sections Live, Pinned and Earlier. Cells carry words; a delegate paints each row whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.icons import SPACED_SIZE, pixmap, spaced_icon
from quarterdeck.ui.language import Texts
from quarterdeck.ui.painting import begin_row, paint_chip, paint_letter, set_font, whole_or_dots
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.rows_model import ROW_ROLE, Index, RowsModel
from quarterdeck.ui.runs_bar import paint_bar
from quarterdeck.ui.runs_filter import RunsFilter, filtered, kept_text, totals_text
from quarterdeck.ui.runs_head import RunsHead
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import NOT_KNOWN

tr = Texts("RunsDock")

HEADING_H, LIVE_H, EARLIER_H = 28, 74, 48
MARGIN, PAD, PIN_SIZE = 10, 12, 12
WIDTH = 292
BESIDE_W_MIN = 24
NOTHING_FITS = tr.later("No run fits the filter.")


class RunsModel(RowsModel[RunRow]):
    """Rows of the run list; a heading is a row that cannot be chosen."""

    headings = (tr.later("Run"), tr.later("State"), tr.later("When"), tr.later("Spend"))

    def cell(self, row: RunRow, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self._words(row)[column]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.spoken if column == 0 else self._words(row)[column]
        if role == Qt.ItemDataRole.ToolTipRole and row.run_id:
            pinned = tr("Pinned: it stays above every cap") if row.is_pinned else ""
            return "\n".join(part for part in (row.run_id, row.when, row.spend, pinned) if part)
        return None

    def _words(self, row: RunRow) -> tuple[str, str, str, str]:
        if row.run_id is None:
            return row.heading, "", "", ""
        name = f"{row.letter} · {row.short}" if row.letter else row.short
        return name, row.badge.word if row.badge else "", row.when, row.spend

    def flags(self, index: Index) -> Qt.ItemFlag:
        row = self.row_at(index) if index.isValid() else None
        if row is None:
            return Qt.ItemFlag.NoItemFlags
        if row.run_id is None:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren


class RunsDelegate(QStyledItemDelegate):
    """Paints the whole row in each cell, clipped to the cell: a row is one card, whatever its columns."""

    def __init__(self, theme: Theme, view: QTableView) -> None:
        super().__init__(view)
        self._theme = theme
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: RunRow | None = index.data(ROW_ROLE)
        if row is None or row.run_id is None:
            return QSize(40, HEADING_H)
        return QSize(40, LIVE_H if row.is_live else EARLIER_H)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: RunRow | None = index.data(ROW_ROLE)
        if row is None:
            return
        cell: QRect = option.rect
        state: QStyle.StateFlag = option.state
        whole = QRect(0, cell.top(), self._view.viewport().width(), cell.height())
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        begin_row(painter)
        painter.setClipRect(cell)
        if row.run_id is None:
            self._paint_heading(painter, whole, row)
        else:
            self._paint_run(painter, whole, row, chosen)
        painter.restore()

    def _paint_heading(self, painter: QPainter, whole: QRect, row: RunRow) -> None:
        set_font(painter, 11, QFont.Weight.DemiBold)
        painter.setPen(QColor(self._theme.tokens.faint))
        at = whole.adjusted(MARGIN + 2, 0, -MARGIN, -4)
        painter.drawText(at, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, row.heading.upper())

    def _paint_run(self, painter: QPainter, whole: QRect, row: RunRow, chosen: bool) -> None:
        t = self._theme.tokens
        card = whole.adjusted(MARGIN, 3 if row.is_live else 1, -MARGIN, -3 if row.is_live else -1)
        running = t.tones[Family.RUNNING]
        painter.setBrush(QColor(running.tint if chosen else t.card))
        painter.setPen(QPen(QColor(running.border if chosen else t.line), 1))
        painter.drawRoundedRect(card.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        inner = card.adjusted(PAD, 0, -PAD, 0)
        if row.is_live:
            self._paint_live(painter, inner, row, chosen)
        else:
            self._paint_earlier(painter, inner, row)

    def _paint_live(self, painter: QPainter, at: QRect, row: RunRow, chosen: bool) -> None:
        t = self._theme.tokens
        top = QRect(at.left(), at.top() + 8, at.width(), 24)
        left = top.left()
        if row.letter:
            paint_letter(painter, QRect(left, top.top() + 2, 20, 20), row.letter, t, filled=chosen)
            left += 28
        chip_w = paint_chip(painter, top, row.badge, t) if row.badge else 0
        if row.foreign:
            drawn = pixmap("terminal", t.muted, 14, painter.device().devicePixelRatioF())
            painter.drawPixmap(left, top.top() + 5, drawn)
            left += 20
        if row.is_pinned:
            left += self._paint_pin(painter, left, top.top() + 5)
        right = top.right() - chip_w - 6
        left += _line(painter, QRect(left, top.top(), right - left, 24), row.short, t.text, 13, True) + 8
        if row.beside and right - left >= BESIDE_W_MIN:
            _line(painter, QRect(left, top.top(), right - left, 24), row.beside, t.muted, 12, False)
        second = QRect(at.left(), at.top() + 33, at.width(), 20)
        used = _amount(painter, second, row.spend, t, t.text)
        room = second.adjusted(0, 0, -used - 8, 0)
        _line(painter, room, _fitting(painter, row, room.width()), t.muted, 12, False)
        paint_bar(painter, QRect(at.left(), at.bottom() - 13, at.width(), 5), row, t)

    def _paint_pin(self, painter: QPainter, left: int, top: int) -> int:
        """Gives the width that it took."""
        ratio = painter.device().devicePixelRatioF()
        painter.drawPixmap(left, top, pixmap("pin", self._theme.tokens.muted, PIN_SIZE, ratio))
        return PIN_SIZE + 4

    def _paint_earlier(self, painter: QPainter, at: QRect, row: RunRow) -> None:
        t = self._theme.tokens
        ratio = painter.device().devicePixelRatioF()
        if row.badge is not None:
            tone = t.tones[row.badge.family]
            drawn = pixmap(row.badge.icon, tone.text, 16, ratio)
            painter.drawPixmap(at.left(), at.center().y() - 7, drawn)
        words = at.adjusted(26, 5, 0, 0)
        set_font(painter, 12)
        metrics = painter.fontMetrics()
        needed = metrics.horizontalAdvance(row.moment) + metrics.horizontalAdvance(row.spend) + 8
        is_long = needed > words.width()  # its line is whole where the amount stands above it
        amount_at = QRect(words.left(), words.top(), words.width(), 18) if is_long else at
        used = _amount(painter, amount_at, row.spend, t, t.muted)
        room = words.width() - used - 8
        left = words.left() + (
            self._paint_pin(painter, words.left(), words.top() + 3) if row.is_pinned else 0
        )
        id_at = QRect(left, words.top(), words.left() + room - left, 18)
        left += _line(painter, id_at, row.short, t.text, 13, True)
        if row.beside:
            beside = QRect(left + 8, words.top(), words.left() + room - left - 8, 18)
            _line(painter, beside, row.beside, t.muted, 12, False)
        second = words.width() if is_long else room
        _line(painter, QRect(words.left(), words.top() + 18, second, 18), row.moment, t.muted, 12, False)


class RunsPanel(QWidget):
    """Dock content: head with filter, table `Runs`, words where there is nothing, and what is kept at the foot."""

    run_chosen = Signal(object)
    """RunId."""

    def __init__(self, theme: Theme, actions: Sequence[QAction] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._all: tuple[RunRow, ...] = ()
        self._chosen: RunId | None = None
        self._size_bytes: int | None = None
        self._is_setting = self._has_new_rows = False
        self._live = 0
        self._none: str = NOT_KNOWN
        self.head = RunsHead(theme, actions, self)
        self.model = RunsModel(self)
        self.table = _table(self, self.model)
        self._delegate = RunsDelegate(theme, self.table)
        self.table.setItemDelegate(self._delegate)
        self.empty = label(NOT_KNOWN, "muted", self, wrap=True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setContentsMargins(16, 0, 16, 0)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.table)
        self.totals = label("", "muted", self, wrap=True)
        self.kept = label("", "muted", self, wrap=True)
        self._lay_out()
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.model.rowsInserted.connect(self._on_rows_inserted)
        self.head.filter_changed.connect(self._on_filter_changed)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.head)
        layout.addLayout(self._make_mark())
        layout.addWidget(self._stack, 1)
        for foot in (self.totals, self.kept):
            foot.setContentsMargins(12, 4, 12, 4)
            layout.addWidget(foot)

    def _make_mark(self) -> QHBoxLayout:
        """Above the list, while interrupted runs wait for an answer."""
        self.owed = button("", tr("Interrupted runs, not answered"), "owed", self)
        self.owed.hide()
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 2, MARGIN, 4)
        row.addWidget(self.owed)
        return row

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 640)

    def find_here(self) -> None:
        """Ctrl+F: the filter."""
        self.head.open_filter()

    def show_rows(self, rows: tuple[RunRow, ...], chosen: RunId | None) -> None:
        """Exchange the rows and mark the chosen run."""
        if len(rows) != len(self._all):
            self.head.show_workflows(
                rows
            )  # a run keeps its workflow: only another number of runs brings another
        self._all, self._chosen = rows, chosen
        self._show()

    def show_owed(self, count: int) -> None:
        """How many interrupted runs nobody has answered."""
        words = tr.count("{n} interrupted runs, not answered", "{n} interrupted run, not answered", count)
        set_text(self.owed, words)
        self.owed.setAccessibleDescription(words)
        self.owed.setVisible(count > 0)

    def show_size(self, size_bytes: int) -> None:
        """How much is kept, as measured last."""
        self._size_bytes = size_bytes
        self._show_foot()

    def _show(self) -> None:
        rows = filtered(self._all, self.head.wanted())
        self._is_setting = True
        try:
            self.model.set_rows(rows)
            live = sum(row.is_live for row in rows)
            if self._has_new_rows or live != self._live:  # new rows come in the height of the table's default
                self._set_heights(rows)
            self._has_new_rows, self._live = False, live
            self._mark(self._chosen)
        finally:
            self._is_setting = False
        self._stack.setCurrentIndex(1 if rows else 0)
        set_text(self.empty, NOTHING_FITS if self._all else self._none)
        self._show_foot()

    def say_none(self, words: str) -> None:
        """What is said where there is no run at all."""
        self._none = words
        if not self._all:
            set_text(self.empty, words)

    def _show_foot(self) -> None:
        runs = sum(row.run_id is not None for row in self._all)
        set_text(self.totals, totals_text(self.model.rows, runs) if self.head.wanted().is_on else "")
        self.totals.setVisible(bool(self.totals.text()))
        set_text(self.kept, kept_text(runs, self._size_bytes))
        self.kept.setAccessibleName(self.kept.text())

    def _on_rows_inserted(self) -> None:
        self._has_new_rows = True

    def _on_filter_changed(self, _wanted: RunsFilter) -> None:
        self._show()

    def _set_heights(self, rows: tuple[RunRow, ...]) -> None:
        for place, row in enumerate(rows):
            height = HEADING_H if row.run_id is None else LIVE_H if row.is_live else EARLIER_H
            if self.table.rowHeight(place) != height:
                self.table.setRowHeight(place, height)

    def _mark(self, chosen: RunId | None) -> None:
        place = self.model.row_of_key(chosen) if chosen is not None else -1
        selection = self.table.selectionModel()
        if place < 0:
            selection.clearSelection()
        elif not selection.isRowSelected(place, QModelIndex()):
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            selection.setCurrentIndex(self.model.index(place, 0), flags)

    def _on_selection_changed(self) -> None:
        if self._is_setting:
            return
        indexes = self.table.selectionModel().selectedRows()
        row = self.model.row_at(indexes[0]) if indexes else None
        if row is not None and row.run_id is not None:
            self.run_chosen.emit(row.run_id)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.table.viewport().update()
        self.owed.setIcon(spaced_icon("unplug", tokens.tones[Family.INTERRUPTED].text))
        self.owed.setIconSize(SPACED_SIZE)


def _table(parent: QWidget, model: RunsModel) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName("Runs")
    table.setObjectName("Runs")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.verticalHeader().hide()
    table.horizontalHeader().hide()
    table.verticalHeader().setMinimumSectionSize(20)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
    return table


def _fitting(painter: QPainter, row: RunRow, width: int) -> str:
    """When it was, in the longest form that has room; where none has, the shortest is cut."""
    set_font(painter, 12)
    forms = (row.moment, *row.briefs)
    metrics = painter.fontMetrics()
    return next((form for form in forms if metrics.horizontalAdvance(form) <= width), forms[-1])


def _line(painter: QPainter, at: QRect, text: str, colour: str, pixels: int, bold: bool) -> int:
    """Draw one line, cut where room is short; gives the width it took."""
    set_font(painter, pixels, QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    painter.setPen(QColor(colour))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, at.width())
    painter.drawText(at, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
    return painter.fontMetrics().horizontalAdvance(shown)


def _amount(painter: QPainter, at: QRect, text: str, t: Tokens, colour: str) -> int:
    """Draw an amount at the right, whole or not at all; gives the width it took."""
    set_font(painter, 12, QFont.Weight.DemiBold if colour == t.text else QFont.Weight.Normal)
    painter.setPen(QColor(colour))
    shown = whole_or_dots(painter.fontMetrics(), text, at.width())
    painter.drawText(at, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
    return painter.fontMetrics().horizontalAdvance(shown)
