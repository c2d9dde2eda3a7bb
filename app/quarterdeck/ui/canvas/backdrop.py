"""What the view paints below and instead of its items: the dot grid, and all nodes in one go at far zoom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem

from quarterdeck.domain.ids import NodeId
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens

if TYPE_CHECKING:
    from quarterdeck.ui.canvas.view import CanvasView

GRID = 24
TILE = 240
GRID_ZOOM_MIN = 0.45
SIGN_ZOOM_MIN = 0.12
"""Nearer than this a state's icon of 16 px stands on each node; farther away a card has no room for it, and a shape tells the state."""


class Backdrop:
    """Owned by one view."""

    def __init__(self, view: CanvasView, theme: Theme) -> None:
        self._view, self._theme = view, theme
        self._dots: tuple[tuple[str, float], QPixmap] | None = None

    def paint_ground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        """The canvas colour, and dots every 24 px of the scene while they are apart enough."""
        t = self._theme.tokens
        if self._view.zoom < GRID_ZOOM_MIN:
            painter.fillRect(rect, QColor(t.canvas))
            return
        painter.save()
        painter.resetTransform()
        painter.setBrushOrigin(self._view.mapFromScene(QPointF(0, 0)))
        painter.fillRect(self._view.viewport().rect(), QBrush(self._dot_tile(t)))
        painter.restore()

    def _dot_tile(self, t: Tokens) -> QPixmap:
        """Opaque, and many dots wide: filling a canvas with it is one copy of memory."""
        key = (t.name, round(self._view.zoom, 3))
        if self._dots is None or self._dots[0] != key:
            side = max(8, round(GRID * self._view.zoom))
            ratio, many = self._view.devicePixelRatioF(), max(1, TILE // side)
            tile = QPixmap(round(side * many * ratio), round(side * many * ratio))
            tile.setDevicePixelRatio(ratio)
            tile.fill(QColor(t.canvas))
            brush = QPainter(tile)
            brush.setRenderHint(QPainter.RenderHint.Antialiasing)
            brush.setPen(Qt.PenStyle.NoPen)
            brush.setBrush(QColor(t.dot))
            for place in range(many * many):
                at = QPointF(place % many, place // many) * side
                brush.drawEllipse(at + QPointF(side / 2, side / 2), 1.0, 1.0)
            brush.end()
            self._dots = (key, tile)
        return self._dots[1]

    def paint_far(self, painter: QPainter, exposed: list[QRectF]) -> None:
        """Wires and nodes as plain lines and rectangles by family (performance 12). exposed: in scene coordinates."""
        t, canvas = self._theme.tokens, self._view.canvas
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for ground in (*canvas.frames, *canvas.notes):
            painter.save()
            painter.translate(ground.pos())
            ground.paint(painter, QStyleOptionGraphicsItem(), None)
            painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        canvas.far.paint_wires(painter, t)
        room = 10 / self._view.zoom
        has_signs = self._view.zoom >= SIGN_ZOOM_MIN
        seen: dict[NodeId, QRectF] | None = None
        if has_signs or len(exposed) > 1:
            around = [part.adjusted(-room, -room, room, room) for part in exposed]
            seen = dict(pair for part in around for pair in canvas.far.within(part))
        canvas.far.paint_cards(painter, t, seen)
        if not has_signs:
            canvas.far.paint_marks(painter, t, seen)
        self._paint_chosen(painter, t)
        if has_signs and seen is not None:
            self._paint_signs(painter, t, seen)

    def _paint_chosen(self, painter: QPainter, t: Tokens) -> None:
        item = self._view.canvas.nodes.get(self._view.chosen) if self._view.chosen is not None else None
        if item is not None:
            pen = QPen(QColor(t.accent), 3)
            pen.setCosmetic(True)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(item.card_rect().translated(item.pos()))

    def _paint_signs(self, painter: QPainter, t: Tokens, seen: dict[NodeId, QRectF]) -> None:
        """A 16 px icon on each node: a state is never told by colour alone."""
        ratio = self._view.devicePixelRatioF()
        world = painter.worldTransform()
        painter.resetTransform()
        signs: dict[str, QPixmap] = {}
        zoom, dx, dy = world.m11(), world.dx() - 8, world.dy() - 8
        draw, at = painter.drawPixmap, self._view.canvas.far.signs
        for x, y, icon, family in map(at.__getitem__, seen):
            sign = signs.get(icon)
            if sign is None:
                colour = t.on_accent if family is Family.RUNNING else t.tones[family].text
                sign = signs[icon] = pixmap(icon, colour, 16, ratio)
            draw(int(x * zoom + dx), int(y * zoom + dy), sign)
        painter.setWorldTransform(world)
