"""The field and the list of the palette. Up and Down walk, Enter goes there, Esc closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.painting import begin_row, set_font
from quarterdeck.ui.palette.entries import Entry, ranked
from quarterdeck.ui.parts import label, resize_within_screen, set_text
from quarterdeck.ui.rows_model import ROW_ROLE, RowsModel
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip

tr = Texts("PaletteDialog")

WIDTH, HEIGHT, ROW_H = 620, 460, 40


class EntriesModel(RowsModel[Entry]):
    """One column; the delegate paints the whole entry."""

    headings = (tr.later("Found"),)

    def cell(self, row: Entry, column: int, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return row.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            parts = (
                row.title,
                row.kind_words,
                row.detail,
                row.keys,
                "" if row.can else row.why or tr("not possible now"),
            )
            return ", ".join(part for part in parts if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(row.why)
        return None


class Field(QLineEdit):
    """Typing goes here, walking goes to the list."""

    walked = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_PageDown: 8,
            Qt.Key.Key_PageUp: -8,
        }.get(Qt.Key(event.key()), 0)
        if step:
            self.walked.emit(step)
            event.accept()
        else:
            super().keyPressEvent(event)


class EntryDelegate(QStyledItemDelegate):
    """Icon, title, detail, and at the right its keys or its kind."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, ROW_H)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry: Entry | None = index.data(ROW_ROLE)
        if entry is None:
            return
        t = self._theme.tokens
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        begin_row(painter)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(t.hover))
            painter.setPen(QColor(t.accent))
            painter.drawRoundedRect(rect.toRectF().adjusted(4.5, 1.5, -4.5, -1.5), 6, 6)
        inner = rect.adjusted(16, 0, -16, 0)
        tone = t.tones[entry.family].text if entry.family is not None else t.muted
        drawn = pixmap(entry.icon, tone if entry.can else t.faint, 16, painter.device().devicePixelRatioF())
        painter.drawPixmap(inner.left(), inner.center().y() - 7, drawn)
        right = entry.keys or entry.kind_words
        used = _draw(painter, inner, right, 11, t.faint, Qt.AlignmentFlag.AlignRight)
        words = inner.adjusted(28, 0, -used - 12, 0)
        taken = _draw(painter, words, entry.title, 13, t.text if entry.can else t.faint)
        if words.width() > taken + 40:
            detail = entry.detail if entry.can else tr("{detail} · not possible now", detail=entry.detail)
            detail = f"{entry.detail} · {entry.why}" if entry.why else detail
            _draw(painter, words.adjusted(taken + 10, 0, 0, 0), detail, 12, t.muted)
        painter.restore()


class PaletteDialog(QDialog):
    """Opened with `open()`; `chosen` gives the entry after the dialog is gone."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Search"))
        self.setAccessibleName(tr("Search dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._entries = tuple(entries)
        self.field = Field(self)
        self.field.setPlaceholderText(tr("Commands, workflows, runs and agents"))
        self.field.setAccessibleName(tr("Search or run a command"))
        self.field.setMaxLength(200)
        self.model = EntriesModel(self)
        self.found = QListView(self)
        self.found.setModel(self.model)
        self.found.setAccessibleName(tr("Found"))
        self.found.setProperty("look", "plain")
        self.found.setUniformItemSizes(True)
        self.found.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.found.setItemDelegate(EntryDelegate(theme, self.found))
        self.said = label("", "muted", self)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 10)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self.found, 1)
        column.addWidget(self.said)
        self.field.textChanged.connect(self._on_text_changed)
        self.field.walked.connect(self._on_walked)
        self.field.returnPressed.connect(self._on_return)
        self.found.activated.connect(self._on_activated)
        self.found.clicked.connect(self._on_activated)
        self._on_text_changed("")
        self._place(parent)
        self.field.setFocus()

    def current(self) -> Entry | None:
        """The marked entry."""
        return self.model.row_at(self.found.currentIndex()) if self.found.currentIndex().isValid() else None

    def _place(self, parent: QWidget | None) -> None:
        if parent is None:
            self.resize(WIDTH, HEIGHT)
            return
        room = parent.size()
        resize_within_screen(self, min(WIDTH, room.width() - 40), min(HEIGHT, room.height() - 90))
        corner = parent.mapToGlobal(parent.rect().topLeft())
        self.move(corner.x() + (room.width() - self.width()) // 2, corner.y() + 60)

    def _on_text_changed(self, typed: str) -> None:
        found = ranked(self._entries, typed)
        self.model.set_rows(found)
        if found:
            self.found.setCurrentIndex(self.model.index(0, 0))
            self.found.scrollToTop()
        words = tr.count("{n} entries", "{n} entry", len(found)) if found else tr("Nothing is called so.")
        set_text(self.said, words)
        self.said.setAccessibleName(words)

    def _on_walked(self, step: int) -> None:
        rows = len(self.model.rows)
        if rows:
            there = self.found.currentIndex().row() + step
            there = there % rows if abs(step) == 1 else max(0, min(rows - 1, there))
            self.found.setCurrentIndex(self.model.index(there, 0))

    def _on_return(self) -> None:
        self._choose(self.current())

    def _on_activated(self, index: QModelIndex) -> None:
        self._choose(self.model.row_at(index))

    def _choose(self, entry: Entry | None) -> None:
        if entry is not None and entry.can:
            self.accept()
            self.chosen.emit(entry)


def _draw(
    painter: QPainter,
    at: QRect,
    text: str,
    pixels: int,
    colour: str,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> int:
    """Draw one line, cut where room is short; gives the width it took."""
    set_font(painter, pixels, QFont.Weight.Normal)
    painter.setPen(QColor(colour))
    metrics = painter.fontMetrics()
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, at.width())
    painter.drawText(at, side | Qt.AlignmentFlag.AlignVCenter, shown)
    return metrics.horizontalAdvance(shown)
