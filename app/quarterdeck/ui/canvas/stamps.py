"""Pictures that many nodes share: cards with their shadow, letters of runs. Drawn once for each look and scale.

A rounded rectangle with smooth edges takes the raster engine 200 µs, a picture of one 10 (performance 12). There is one
picture a look, not one a node.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from quarterdeck.ui.painting import paint_letter
from quarterdeck.ui.tokens import NODE_WIDTH, RADIUS_CARD, Tokens

KEPT_MAX = 160
EDGE = 5.0
"""Room around a card for its shadow and half its border."""


class Stamps:
    """Owned by the canvas's look. All stamps of one scale are forgotten when another takes their place."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, QPixmap] = {}

    def paint_card(
        self, painter: QPainter, height: float, colour: str, width: float, t: Tokens, fill: str
    ) -> None:
        """A card with its shadow, its upper left corner at the origin."""
        area = QRectF(-EDGE, -EDGE, NODE_WIDTH + 2 * EDGE, height + 2 * EDGE)

        def draw(brush: QPainter) -> None:
            card = QRectF(0, 0, NODE_WIDTH, height)
            brush.setPen(Qt.PenStyle.NoPen)
            for depth, alpha in ((3.5, 10), (2.0, 22)):  # the only shadow of the window
                brush.setBrush(QColor(0, 0, 0, alpha * 3 if t.name == "dark" else alpha))
                brush.drawRoundedRect(card.translated(0, depth), RADIUS_CARD, RADIUS_CARD)
            brush.setPen(QPen(QColor(colour), width))
            brush.setBrush(QColor(fill))
            brush.drawRoundedRect(card, RADIUS_CARD, RADIUS_CARD)

        self._stamp(painter, ("card", height, colour, width, fill, t.name), area, draw)

    def paint_letter(self, painter: QPainter, at: QRect, letter: str, t: Tokens, *, filled: bool) -> None:
        """A run's letter in its box."""
        area = QRectF(0, 0, at.width(), at.height())

        def draw(brush: QPainter) -> None:
            paint_letter(brush, QRect(0, 0, at.width(), at.height()), letter, t, filled=filled)

        painter.translate(at.topLeft())
        self._stamp(painter, ("letter", letter, filled, t.name, at.width()), area, draw)
        painter.translate(-at.topLeft())

    def paint_band(self, painter: QPainter, at: QRectF, colour: str) -> None:
        """A filled row with rounded corners."""
        area = QRectF(0, 0, at.width(), at.height())

        def draw(brush: QPainter) -> None:
            brush.setPen(Qt.PenStyle.NoPen)
            brush.setBrush(QColor(colour))
            brush.drawRoundedRect(area, 5, 5)

        painter.translate(at.topLeft())
        self._stamp(painter, ("band", at.width(), at.height(), colour), area, draw)
        painter.translate(-at.topLeft())

    def paint_port(self, painter: QPainter, at: QPointF, radius: float, colour: str, fill: str) -> None:
        """The end of a wire."""
        side = radius + 1.5
        area = QRectF(-side, -side, 2 * side, 2 * side)

        def draw(brush: QPainter) -> None:
            brush.setPen(QPen(QColor(colour), 1.5))
            brush.setBrush(QColor(fill))
            brush.drawEllipse(QPointF(0, 0), radius, radius)

        painter.translate(at)
        self._stamp(painter, ("port", radius, colour, fill), area, draw)
        painter.translate(-at)

    def _stamp(
        self, painter: QPainter, look: Hashable, area: QRectF, draw: Callable[[QPainter], None]
    ) -> None:
        scale = painter.worldTransform().m11() * painter.device().devicePixelRatioF()
        key = (look, round(scale, 4))
        stamp = self._kept.get(key)
        if stamp is None:
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            stamp = self._kept[key] = _drawn(area, scale, draw)
        painter.drawPixmap(area.topLeft(), stamp)


def _drawn(area: QRectF, scale: float, draw: Callable[[QPainter], None]) -> QPixmap:
    stamp = QPixmap(max(1, round(area.width() * scale)), max(1, round(area.height() * scale)))
    stamp.fill(Qt.GlobalColor.transparent)
    brush = QPainter(stamp)
    brush.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    brush.scale(stamp.width() / area.width(), stamp.height() / area.height())
    brush.translate(-area.topLeft())
    draw(brush)
    brush.end()
    stamp.setDevicePixelRatio(scale)
    return stamp
