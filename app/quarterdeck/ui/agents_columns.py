"""How wide the columns of table `Agents` are: what they hold, with a least; *Why* gets the rest, and *Turns* yields to it first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

PAD = 4
STEP = 8
"""Widths go by such steps, so that a clock which ticks moves no column."""
LOOKED_AT_MAX = 500
"""Rows of which the words are measured."""
NARROW = 800


class AgentsColumns(QObject):
    """Owned by the table. A column that a person dragged stays as it was left, and with it all others."""

    def __init__(
        self,
        table: QTableView,
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
        self._is_fitting = self._is_by_hand = False
        table.viewport().installEventFilter(self)
        table.horizontalHeader().sectionResized.connect(self._on_section_resized)

    def follow(self, rows: Iterable[Sequence[str]]) -> None:
        """The words of the rows that are shown, by column."""
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
            if len(self._measured) > 4 * LOOKED_AT_MAX:
                self._measured.clear()
                self._needs.clear()
            self._measured[text] = self._metrics.horizontalAdvance(text)
        return self._measured[text]

    def _fit(self) -> None:
        header, room = self._table.horizontalHeader(), self._table.viewport().width()
        if self._is_by_hand or not self._wanted or room <= 0:
            return
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
        self._is_fitting = True
        try:
            self._table.setColumnHidden(self._yields, is_left_out)
            for column, width in widths.items():
                header.resizeSection(column, width)
        finally:
            self._is_fitting = False

    def _on_section_resized(self, column: int, _before: int, _after: int) -> None:
        if not self._is_fitting and column != self._stretch:
            self._is_by_hand = True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)
