"""The small map at the corner: every node by its state, and the part that is seen, which can be dragged."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QFrame, QWidget

from quarterdeck.ui.canvas.far_plan import strokes
from quarterdeck.ui.canvas.node_item import NodeItem
from quarterdeck.ui.canvas.view import CanvasView
from quarterdeck.ui.language import Texts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens

tr = Texts("CanvasMinimap")

SIZE = QSize(180, 110)
EDGE = 5
SIDE_MIN = 2.0
"""No node is painted smaller."""
SHAPE_MIN = 5.0
"""A node that is less high is told by its colour alone."""


class Minimap(QFrame):
    """A picture for the eye: the outline says the same to a screen reader, and keys move the canvas itself."""

    def __init__(self, theme: Theme, view: CanvasView, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._view = theme, view
        self.setProperty("look", "float")
        self.setAccessibleName(tr("Map of the workflow"))
        self.setFixedSize(SIZE)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._grip: QPointF | None = None
        """Where in the seen part the mouse holds it, in scene coordinates."""
        self._map: QPixmap | None = None
        self._to_map = QTransform()
        self._drawn: dict[str, QRectF] = {}
        """Where each node stands in the map as it is drawn."""
        view.view_moved.connect(self.update)
        view.nodes_changed.connect(self._on_nodes_changed)
        theme.theme_changed.connect(self._on_theme_changed)

    def seen(self) -> QRectF:
        """The part of the scene that the canvas shows."""
        return self._view.mapToScene(self._view.viewport().rect()).boundingRect()

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._map = None
        self.update()

    def _on_nodes_changed(self, items: tuple[NodeItem, ...]) -> None:
        if not items or self._map is None or any(self._leaves_paint(item) for item in items):
            self._map = None
        else:
            brush = QPainter(self._map)
            for item in items:
                self._paint_node(brush, item)
            brush.end()
        self.update()

    def _leaves_paint(self, item: NodeItem) -> bool:
        """Whether the node is not where it was drawn: what it covered then would stay."""
        return self._drawn.get(item.face.node_id) != _place(item)

    # ------------------------------------------------------------------ painting

    def _draw_map(self) -> QPixmap:
        whole = self._view.canvas.content_rect()
        room = QRectF(self.rect()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
        by = min(room.width() / max(1.0, whole.width()), room.height() / max(1.0, whole.height()), 0.2)
        self._to_map = QTransform.fromTranslate(room.center().x(), room.center().y())
        self._to_map.scale(by, by)
        self._to_map.translate(-whole.center().x(), -whole.center().y())
        ratio = self.devicePixelRatioF()
        drawn = QPixmap(self.size() * ratio)
        drawn.setDevicePixelRatio(ratio)
        drawn.fill(Qt.GlobalColor.transparent)
        brush = QPainter(drawn)
        self._drawn.clear()
        for item in self._view.canvas.nodes.values():
            self._paint_node(brush, item)
        brush.end()
        return drawn

    def _paint_node(self, brush: QPainter, item: NodeItem) -> None:
        t, family = self._theme.tokens, item.face.loudest.family
        colour = QColor(t.wire if family is Family.NEUTRAL else t.tones[family].border)
        card = self._to_map.mapRect(_place(item))
        card.setSize(card.size().expandedTo(QRectF(0, 0, SIDE_MIN, SIDE_MIN).size()))
        brush.fillRect(card, colour)
        if card.height() >= SHAPE_MIN:
            brush.setPen(QPen(QColor(t.card), 0))
            brush.drawLines(strokes(card.adjusted(1, 1, -2, -2), family))
        self._drawn[item.face.node_id] = _place(item)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._map is None:
            self._map = self._draw_map()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._map)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shown = self._to_map.mapRect(self.seen()).intersected(QRectF(self.rect()).adjusted(3, 3, -3, -3))
        painter.setPen(QPen(QColor(self._theme.tokens.accent), 1.5))
        painter.drawRoundedRect(shown, 3, 3)
        painter.end()

    # ------------------------------------------------------------------ moving the canvas

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            there, seen = self._in_scene(event.position()), self.seen()
            if seen.contains(there):
                self._grip = there - seen.center()
            else:
                self._grip = QPointF(0, 0)
                self._view.look_at(there)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None:
            self._view.look_at(self._in_scene(event.position()) - self._grip)
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None
        event.accept()

    def _in_scene(self, point: QPointF) -> QPointF:
        back, is_possible = self._to_map.inverted()
        return back.map(point) if is_possible else QPointF()


def _place(item: NodeItem) -> QRectF:
    return item.card_rect().translated(item.pos())
