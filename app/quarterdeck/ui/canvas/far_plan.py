"""All nodes and wires as plain lines and rectangles by family: what the far zoom paints in one go.

Kept up while the scene changes, so that a frame of five thousand nodes builds nothing (performance 12).
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from quarterdeck.domain.ids import NodeId
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.tokens import Family, Tokens

CELL = 1_200.0
"""Cards are sought by squares of this side; a card is smaller."""
MARKS: dict[Family, tuple[tuple[float, float, float, float], ...]] = {
    Family.RUNNING: ((0.4, 0.2, 0.4, 0.8), (0.4, 0.2, 0.6, 0.5), (0.4, 0.8, 0.6, 0.5)),
    Family.NEEDS: ((0.5, 0.1, 0.5, 0.6), (0.5, 0.78, 0.5, 0.92)),
    Family.DONE: ((0.36, 0.5, 0.46, 0.8), (0.46, 0.8, 0.64, 0.2)),
    Family.FAILED: ((0.0, 0.0, 1.0, 1.0), (0.0, 1.0, 1.0, 0.0)),
    Family.INTERRUPTED: ((0.0, 1.0, 0.3, 0.0), (0.35, 1.0, 0.65, 0.0), (0.7, 1.0, 1.0, 0.0)),
}
"""The strokes of each family in shares of a card: a triangle, !, a check, a cross, hatching; nothing where nothing happens."""
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
        self._marks: dict[Family, list[QLineF]] = {}
        self._strokes: dict[NodeId, list[QLineF]] = {}
        """Of the nodes whose shape was drawn, as they stand."""
        self._has_moved = False

    def put(self, node: NodeId, badge: Badge, card: QRectF) -> None:
        """A node's state and place."""
        family, middle = badge.family, card.center()
        self.signs[node] = (middle.x(), middle.y(), badge.icon, family)
        before = self._family.get(node)
        if before is not None and self._rects[before][node] != card:
            self._has_moved = True
        if before is not family or self._rects[family][node] != card:
            self._strokes.pop(node, None)
        if before is not None and before is not family:
            del self._rects[before][node]
            self._forget(before)
        self._family[node] = family
        self._rects[family][node] = card
        self._forget(family)
        cell = (int(card.left() // CELL), int(card.top() // CELL))
        self._cells.setdefault(cell, {})[node] = card

    def take_moved(self) -> bool:
        """Whether a card took another place or size since this was asked last."""
        moved, self._has_moved = self._has_moved, False
        return moved

    def _forget(self, family: Family) -> None:
        self._shown.pop(family, None)
        self._marks.pop(family, None)

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

    def paint_marks(self, painter: QPainter, t: Tokens, only: dict[NodeId, QRectF] | None = None) -> None:
        """On every node, or only these, a shape that tells the family where there is no room for an icon."""
        painter.save()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Fifteen thousand smooth strokes take a fifth of a second, plain ones of a pixel a few milliseconds (P14).
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for family in MARKS:
            if lines := self._lines_of(family, only):
                colour = t.on_accent if family is Family.RUNNING else t.tones[family].text
                painter.setPen(QPen(QColor(colour), 0))
                painter.drawLines(lines)
        painter.restore()

    def _lines_of(self, family: Family, only: dict[NodeId, QRectF] | None) -> list[QLineF]:
        if only is None and family in self._marks:
            return self._marks[family]
        lines: list[QLineF] = []
        for node, card in self._rects[family].items() if only is None else only.items():
            if self._family[node] is family:
                if node not in self._strokes:
                    self._strokes[node] = strokes(card, family)
                lines += self._strokes[node]
        if only is None:
            self._marks[family] = lines
        return lines

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


def strokes(card: QRectF, family: Family) -> list[QLineF]:
    """The shape that tells a family where there is no room for an icon, on a card of any size; none for one that has none."""
    x, y, wide, high = card.x(), card.y(), card.width(), card.height()
    return [
        QLineF(x + a * wide, y + b * high, x + c * wide, y + d * high) for a, b, c, d in MARKS.get(family, ())
    ]
