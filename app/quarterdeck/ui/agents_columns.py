"""How wide the columns of table `Agents` are: what they hold, with a least; *Why* gets the rest, and *Turns* yields to it first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QTableView

PAD = 22
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
        extra: Mapping[int, int],
        *,
        stretch: int,
        yields: int,
    ) -> None:
        """floors: columns that yield, in this order, each down to so many pixels, so that the one that stretches has what its words
        need, or so many. most: what a column takes at most. extra: what a cell holds beside its words. yields: left out first.
        """
        super().__init__(table)
        self._table, self._floors, self._most, self._extra = table, floors, most, extra
        self._stretch, self._yields = stretch, yields
        self._metrics = QFontMetrics(font)
        self._measured: dict[str, int] = {}
        self._wanted: dict[int, int] = {}
        self._is_fitting = self._is_by_hand = False
        table.viewport().installEventFilter(self)
        table.horizontalHeader().sectionResized.connect(self._on_section_resized)

    def follow(self, rows: Iterable[Sequence[str]]) -> None:
        """The words of the rows that are shown, by column."""
        wanted = dict.fromkeys(range(self._table.model().columnCount()), 0)
        for _, words in zip(range(LOOKED_AT_MAX), rows, strict=False):
            for column, text in enumerate(words):
                wanted[column] = max(wanted[column], self._width(text))
        wanted = {
            column: -(-(width + PAD + self._extra.get(column, 0)) // STEP) * STEP if width else 0
            for column, width in wanted.items()
        }
        if wanted != self._wanted:
            self._wanted = wanted
            self._fit()

    def _width(self, text: str) -> int:
        if text not in self._measured:
            if len(self._measured) > 4 * LOOKED_AT_MAX:
                self._measured.clear()
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
