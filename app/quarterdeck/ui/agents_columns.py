"""How wide the columns of table `Agents` are: what they hold, with a least; *Why* gets the rest, and *Turns* yields to it first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView

PAD = 4
STEP = 8
"""Widths go by such steps, so that a clock which ticks moves no column."""
LOOKED_AT_MAX = 500
"""Rows of which the words are measured."""
MEASURED_MAX = 20 * LOOKED_AT_MAX
"""Texts whose width is known: of three looks at the most rows, each cell another text."""
NARROW = 800
FITS_MAX = 3


class PressedHeader(QHeaderView):
    """Knows whether a person holds it."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.is_pressed = False

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.is_pressed = True
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        self.is_pressed = False


class ResizedTable(QTableView):
    """Says when what is seen of it has another size."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class AgentsColumns(QObject):
    """Owned by the table. A column that a person dragged stays as it was left, and with it all others."""

    def __init__(
        self,
        table: ResizedTable,
        font: QFont,
        floors: Mapping[int, tuple[int, int]],
        most: Mapping[int, int],
        *,
        stretch: int,
        yields: int,
    ) -> None:
        """floors: columns that yield, in this order, each down to so many pixels, so that the one that stretches has what its words
        need, or so many. most: what a column takes at most. yields: left out first.
        """
        super().__init__(table)
        self._table, self._floors, self._most = table, floors, most
        self._stretch, self._yields = stretch, yields
        self._metrics = QFontMetrics(font)
        self._measured: dict[str, int] = {}
        self._needs: dict[tuple[int, int], int] = {}
        self._wanted: dict[int, int] = {}
        self._is_fitting = self._is_due = self._is_by_hand = False
        self._header = PressedHeader(table)
        table.setHorizontalHeader(self._header)
        table.resized.connect(self._fit)
        self._header.sectionResized.connect(self._on_section_resized)

    def follow(self, rows: Iterable[Sequence[str]]) -> None:
        """The words of the rows that are shown, by column."""
        if len(self._measured) > MEASURED_MAX:
            self._measured.clear()
        longest: dict[int, tuple[int, int, str]] = {}
        for place, words in zip(range(LOOKED_AT_MAX), rows, strict=False):
            for column, text in enumerate(words):
                if (width := self._width(text)) > longest.get(column, (0, 0, ""))[0]:
                    longest[column] = width, place, text
        columns = range(self._table.model().columnCount())
        wanted = {column: self._needed(column, *longest.get(column, (0, 0, ""))) for column in columns}
        if wanted != self._wanted:
            self._wanted = wanted
            self._fit()

    def _needed(self, column: int, width: int, place: int, text: str) -> int:
        """What the longest cell of a column takes, with all that is around its words."""
        if not text:
            return 0
        key = column, width
        if key not in self._needs:
            hint = self._table.sizeHintForIndex(self._table.model().index(place, column)).width()
            self._needs[key] = -(-(hint + PAD) // STEP) * STEP
        return self._needs[key]

    def _width(self, text: str) -> int:
        if text not in self._measured:
            self._measured[text] = self._metrics.horizontalAdvance(text)
        return self._measured[text]

    def _fit(self) -> None:
        """What comes while it fits, such as a bar that goes, is followed once it has."""
        self._is_due = True
        if self._is_fitting or self._is_by_hand or not self._wanted:
            return
        self._is_fitting = True
        try:
            for _ in range(FITS_MAX):
                if self._is_due and self._table.viewport().width() > 0:
                    self._is_due = False
                    self._fit_once()
        finally:
            self._is_fitting = False

    def _fit_once(self) -> None:
        header, room = self._header, self._table.viewport().width()
        widths = {
            column: min(max(wanted, header.sectionSizeHint(column)), self._most.get(column, wanted + room))
            for column, wanted in self._wanted.items()
        }
        asked = widths.pop(self._stretch)
        is_left_out = room < NARROW and sum(widths.values()) + asked > room
        if is_left_out:
            widths.pop(self._yields)
        for column, (floor, wished) in self._floors.items():
            missing = sum(widths.values()) + min(asked, wished) - room
            widths[column] -= min(max(0, missing), max(0, widths[column] - floor))
        self._table.setColumnHidden(self._yields, is_left_out)
        for column, width in widths.items():
            header.resizeSection(column, width)

    def _on_section_resized(self, _column: int, _before: int, _after: int) -> None:
        self._is_by_hand = self._is_by_hand or self._header.is_pressed
