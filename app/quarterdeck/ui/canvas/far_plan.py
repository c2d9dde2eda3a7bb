"""All nodes and wires as plain lines and rectangles by family: what the far zoom paints in one go.

Kept up while the scene changes, so that a frame of five thousand nodes builds nothing (performance 12).
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen

from quarterdeck.domain.ids import NodeId
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.tokens import Family, Tokens

CELL = 1_200.0
"""Cards are sought by squares of this side; a card is smaller."""
Sign = tuple[float, float, str, Family]
"""The middle of a card in the scene, its state's icon and family."""


class FarPlan:
    """Owned by the scene."""

    def __init__(self) -> None:
        self.lines: list[QLineF] = []
        self._rects: dict[Family, dict[NodeId, QRectF]] = {family: {} for family in Family}
        self._family: dict[NodeId, Family] = {}
        self._shown: dict[Family, list[QRectF]] = {}
        self._cells: dict[tuple[int, int], dict[NodeId, QRectF]] = {}
        self.signs: dict[NodeId, Sign] = {}

    def put(self, node: NodeId, badge: Badge, card: QRectF) -> None:
        """A node's state and place."""
        family, middle = badge.family, card.center()
        self.signs[node] = (middle.x(), middle.y(), badge.icon, family)
        before = self._family.get(node)
        if before is not None and before is not family:
            del self._rects[before][node]
            self._shown.pop(before, None)
        self._family[node] = family
        self._rects[family][node] = card
        self._shown.pop(family, None)
        cell = (int(card.left() // CELL), int(card.top() // CELL))
        self._cells.setdefault(cell, {})[node] = card

    def paint_wires(self, painter: QPainter, t: Tokens) -> None:
        """Every wire as a straight line of one pixel."""
        painter.setPen(QPen(QColor(t.wire), 0))
        painter.drawLines(self.lines)

    def paint_cards(self, painter: QPainter, t: Tokens, only: dict[NodeId, QRectF] | None = None) -> None:
        """Every node, or only these."""
        for family in Family:
            cards = self._cards_of(family, only)
            if cards:
                tone = t.tones[family]
                painter.setPen(QPen(QColor(tone.border), 0))
                painter.setBrush(QColor(tone.border if family is Family.RUNNING else tone.tint))
                painter.drawRects(cards)

    def _cards_of(self, family: Family, only: dict[NodeId, QRectF] | None) -> list[QRectF]:
        if only is not None:
            return [card for node, card in only.items() if self._family[node] is family]
        if family not in self._shown:
            self._shown[family] = list(self._rects[family].values())
        return self._shown[family]

    def within(self, area: QRectF) -> Iterable[tuple[NodeId, QRectF]]:
        """Nodes whose card meets the area."""
        left, right = int(area.left() // CELL) - 1, int(area.right() // CELL)
        top, bottom = int(area.top() // CELL) - 1, int(area.bottom() // CELL)
        for column in range(left, right + 1):
            for row in range(top, bottom + 1):
                cards = self._cells.get((column, row), {})
                if area.contains(
                    QRectF(column * CELL, row * CELL, 2 * CELL, 2 * CELL)
                ):  # and all that stand out
                    yield from cards.items()
                    continue
                for node, card in cards.items():
                    if card.intersects(area):
                        yield node, card
