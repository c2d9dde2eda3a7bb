"""The attempts of a slot, oldest first: any of them can be chosen, and is shown then (SLT2)."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from quarterdeck.domain.ids import AttemptId
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.painting import begin_row
from quarterdeck.ui.present_agent import AttemptLine
from quarterdeck.ui.rows_model import ROW_ROLE, RowsModel
from quarterdeck.ui.theme import Theme, ui_font
from quarterdeck.ui.tokens import Family, Tokens

tr = Texts("AttemptsList")

ROW_H = 44
ROWS_SEEN_MAX = 5


class AttemptsModel(RowsModel[AttemptLine]):
    """One row for each attempt."""

    headings = (tr.later("Attempt"),)

    def cell(self, row: AttemptLine, column: int, role: int) -> Any:
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title}, {row.line}"
            case Qt.ItemDataRole.ToolTipRole:
                return row.line
            case _:
                return None


class AttemptDelegate(QStyledItemDelegate):
    """Sign and words in the colour of the state, facts below."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(120, ROW_H)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, AttemptLine):
            return
        t = self._theme.tokens
        area: QRect = option.rect
        state: QStyle.StateFlag = option.state
        tone = t.tones[row.badge.family]
        begin_row(painter)
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(QColor(t.tones[Family.RUNNING].border))
            painter.setBrush(QColor(t.tones[Family.RUNNING].tint))
            painter.drawRoundedRect(area.adjusted(1, 1, -2, -2), 6, 6)
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QColor(t.text))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(area.adjusted(1, 1, -2, -2), 6, 6)
        drawn = pixmap(row.badge.icon, tone.text, 16, painter.device().devicePixelRatio())
        painter.drawPixmap(area.left() + 8, area.top() + 6, drawn)
        self._line(painter, area, 4, row.title, ui_font(13, QFont.Weight.DemiBold), tone.text)
        self._line(painter, area, 22, row.line, ui_font(12), t.muted)
        painter.restore()

    def _line(self, painter: QPainter, area: QRect, top: int, text: str, font: QFont, colour: str) -> None:
        room = QRect(area.left() + 32, area.top() + top, area.width() - 40, 18)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class AttemptsList(QListView):
    """A list with the accessible name `Attempts`."""

    attempt_chosen = Signal(object)
    """AttemptId, by a person."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = AttemptsModel(self)
        self.setModel(self.rows)
        self.setItemDelegate(AttemptDelegate(theme, self))
        self.setAccessibleName(tr("Attempts"))
        self.setObjectName("Attempts")
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setProperty("look", "plain")
        self._is_setting = False
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_attempts(self, lines: tuple[AttemptLine, ...], chosen: AttemptId | None) -> None:
        """Show these attempts and mark the one that is shown."""
        self._is_setting = True
        try:
            self.rows.set_rows(lines)
            place = self.rows.row_of_key(chosen) if chosen is not None else -1
            index = self.rows.index(place, 0) if place >= 0 else QModelIndex()
            if self.currentIndex() != index:
                flag = QItemSelectionModel.SelectionFlag.ClearAndSelect
                self.selectionModel().setCurrentIndex(index, flag)
                self.scrollTo(index)
        finally:
            self._is_setting = False
        self.setFixedHeight(ROW_H * max(1, min(len(lines), ROWS_SEEN_MAX)) + 4)

    def _on_current_changed(self, current: QModelIndex) -> None:
        row = self.rows.row_at(current)
        if row is not None and not self._is_setting:
            self.attempt_chosen.emit(row.key)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.viewport().update()
