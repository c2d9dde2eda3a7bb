"""How tables of the bottom dock and of the spend page look, and the cell that shows a run's letter or a state's chip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QIcon, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from quarterdeck.ui.badges import Badge
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.painting import begin_row, paint_chip, paint_letter
from quarterdeck.ui.parts import fit_headings
from quarterdeck.ui.theme import Theme, ui_font
from quarterdeck.ui.tokens import Family

LETTER_ROLE = int(Qt.ItemDataRole.UserRole) + 2
FILLED_ROLE = int(Qt.ItemDataRole.UserRole) + 4
"""Whether the letter is that of the run looked at."""
BADGE_ROLE = int(Qt.ItemDataRole.UserRole) + 3
ROW_H = 26
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


def plain_table(
    parent: QWidget,
    model: QAbstractItemModel,
    name: str,
    widths: Sequence[int],
    stretch: int,
    row_h: int = ROW_H,
) -> QTableView:
    """A table of rows that are chosen whole; Tab leaves it. widths: of each column; `stretch`: the one that grows."""
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(name)
    table.setObjectName(name)
    table.setFont(ui_font(12))
    table.setStyleSheet("QTableView { background: transparent; }")
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.setWordWrap(False)
    table.verticalHeader().hide()
    table.verticalHeader().setMinimumSectionSize(20)
    table.verticalHeader().setDefaultSectionSize(row_h)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setMinimumSectionSize(24)
    for column, width in enumerate(widths):
        header.resizeSection(column, width)
    fit_headings(header)
    header.setSectionResizeMode(stretch, QHeaderView.ResizeMode.Stretch)
    return table


def tinted(theme: Theme, name: str, family: Family, parent: QWidget) -> QIcon:
    """An icon of a family's colour; of neutral things in the colour of secondary text."""
    tokens = theme.tokens
    colour = tokens.muted if family is Family.NEUTRAL else tokens.tones[family].text
    return QIcon(pixmap(name, colour, 14, parent.devicePixelRatioF()))


class MarkDelegate(QStyledItemDelegate):
    """Paints a run's letter (LETTER_ROLE) or a state's chip (BADGE_ROLE) in its cell."""

    def __init__(self, theme: Theme, view: QTableView) -> None:
        super().__init__(view)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(40, ROW_H)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect
        state: Any = option.state
        t = self._theme.tokens
        begin_row(painter)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(t.tones[Family.RUNNING].tint))
        badge: Badge | None = index.data(BADGE_ROLE)
        letter = index.data(LETTER_ROLE)
        if badge is not None:
            paint_chip_left(painter, rect, badge, self._theme)
        elif letter:
            at = QRect(rect.left() + 8, rect.center().y() - 8, 18 if len(letter) == 1 else 24, 18)
            paint_letter(painter, at, letter, t, filled=bool(index.data(FILLED_ROLE)))
        else:
            painter.setPen(QColor(t.muted))
            painter.setFont(ui_font(11))
            words = str(index.data() or "")
            painter.drawText(rect.adjusted(8, 0, -2, 0), Qt.AlignmentFlag.AlignVCenter, words)
        painter.restore()


def paint_chip_left(painter: QPainter, at: QRect, badge: Badge, theme: Theme) -> None:
    """A state's chip at the left end of its cell."""
    painter.save()
    painter.setClipRect(at)
    exact = QFontMetrics(ui_font(12, QFont.Weight.DemiBold)).horizontalAdvance(badge.word) + 34
    paint_chip(painter, QRect(at.left() + 8, at.top(), exact, at.height()), badge, theme.tokens)
    painter.restore()
