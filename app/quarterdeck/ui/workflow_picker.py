"""The picker of the top bar: the workflows of the folder, each with its status as icon and word (OWN3, REC1).

It keeps no status: what is said of each comes with the facts, as that of the shown workflow does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QSizePolicy, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.language import Texts
from quarterdeck.ui.painting import CHIP_H, begin_row, font_of, paint_chip, set_font
from quarterdeck.ui.parts import Picker
from quarterdeck.ui.present_statuses import Listed
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.words import one_line

tr = Texts("WorkflowPicker")

ROW_H, MARGIN, GAP = 36, 12, 20
LIST_W_MAX = 720
LISTED_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Listed, or None where nothing is known of the workflow."""


class WorkflowPicker(Picker):
    """Item data: the path as text (user role), the status (LISTED_ROLE), and what a screen reader says."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("look", "title")
        self.setAccessibleName(tr("Workflow"))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.currentTextChanged.connect(self.updateGeometry)
        self.setItemDelegate(WorkflowDelegate(theme, self))
        self._said: dict[int, tuple[str, Listed | None]] = {}

    def show_files(self, files: Iterable[LoadedWorkflow | BrokenWorkflow]) -> None:
        """Fill it with the workflows of the folder; their status comes with the next facts."""
        self.clear()
        self._said = {}
        for file in files:
            self.addItem(file_name(file), str(file.path))
            self.setItemData(self.count() - 1, tip(str(file.path)), Qt.ItemDataRole.ToolTipRole)

    def show_listed(self, ids: Mapping[Path, WorkflowId], listed: Mapping[WorkflowId, Listed]) -> None:
        """Follow the facts; only what differs is touched."""
        for place in range(self.count()):
            workflow = ids.get(Path(str(self.itemData(place))))
            status = listed.get(workflow) if workflow is not None else None
            said = (self.itemText(place), status)
            if self._said.get(place) != said:
                self._said[place] = said
                self.setItemData(place, status, LISTED_ROLE)
                words = ", ".join(filter(None, (said[0], status.words if status is not None else "")))
                self.setItemData(place, words, Qt.ItemDataRole.AccessibleTextRole)

    def showPopup(self) -> None:
        widest = max(
            (list_width(self.itemText(n), self.itemData(n, LISTED_ROLE)) for n in self._places()), default=0
        )
        room = self.screen().availableGeometry().width() - 40
        self.view().setMinimumWidth(min(max(widest, self.width()), LIST_W_MAX, room))
        super().showPopup()

    def _places(self) -> range:
        return range(self.count())


class WorkflowDelegate(QStyledItemDelegate):
    """Name at the left; number live and the state's chip at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, ROW_H)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = self._theme.tokens
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        begin_row(painter)
        painter.fillRect(rect, QColor(t.card))
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(t.hover))
            painter.setPen(QColor(t.accent))
            painter.drawRoundedRect(rect.toRectF().adjusted(3.5, 2.5, -3.5, -2.5), 6, 6)
        words = rect.adjusted(MARGIN, 0, -MARGIN, 0)
        status: Listed | None = index.data(LISTED_ROLE)
        if status is not None:
            words.setRight(words.right() - paint_chip(painter, words, status.badge, t) - 8)
            words.setRight(words.right() - self._live(painter, words, status))
        set_font(
            painter, 13, QFont.Weight.DemiBold if index.row() == self._current() else QFont.Weight.Normal
        )
        painter.setPen(QColor(t.text))
        name = painter.fontMetrics().elidedText(
            str(index.data(Qt.ItemDataRole.DisplayRole)), Qt.TextElideMode.ElideRight, words.width()
        )
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
        painter.restore()

    def _live(self, painter: QPainter, at: QRect, status: Listed) -> int:
        """How many are live, right in front of the chip; gives the width it took."""
        words = live_words(status)
        if not words:
            return 0
        set_font(painter, 12, QFont.Weight.Normal)
        painter.setPen(QColor(self._theme.tokens.muted))
        painter.drawText(at, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)
        return painter.fontMetrics().horizontalAdvance(words) + 8

    def _current(self) -> int:
        picker = self.parent()
        return picker.currentIndex() if isinstance(picker, WorkflowPicker) else -1


def live_words(status: Listed) -> str:
    """`2 live`; empty where none is."""
    return tr("{count} live", count=f"{status.live:,}") if status.live else ""


def list_width(name: str, status: Listed | None) -> int:
    """How wide a row must be for all of its words."""
    width = QFontMetrics(font_of(13, QFont.Weight.DemiBold)).horizontalAdvance(name) + 2 * MARGIN
    if status is not None:
        chip = (
            QFontMetrics(font_of(12, QFont.Weight.DemiBold)).horizontalAdvance(status.badge.word)
            + CHIP_H
            + 20
        )
        live = QFontMetrics(font_of(12, QFont.Weight.Normal)).horizontalAdvance(live_words(status)) + 8
        width += chip + live + GAP
    return width


def file_name(file: LoadedWorkflow | BrokenWorkflow) -> str:
    """What a workflow file is called in the window."""
    if isinstance(file, LoadedWorkflow):
        return one_line(file.workflow.name, 80)
    return tr("{name} – does not load", name=one_line(file.path.name, 70))
