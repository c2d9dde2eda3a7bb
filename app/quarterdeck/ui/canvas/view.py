"""The view of the canvas: pan, zoom, fit, keys along the wires, far zoom in one batch, one timer for motion."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QGraphicsView, QWidget

from quarterdeck.domain.ids import NodeId, RunId
from quarterdeck.domain.workflow import Edge
from quarterdeck.ui.canvas.backdrop import Backdrop
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.motion import Motion
from quarterdeck.ui.canvas.node_item import BATCH_DETAIL, NodeItem
from quarterdeck.ui.canvas.scene import CanvasScene
from quarterdeck.ui.present_nodes import NodeFace
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens

ZOOM_MIN, ZOOM_MAX, ZOOM_STEP = 0.05, 3.0, 1.2
FIT_ZOOM_MAX = 1.0
READABLE, NEARLY_READABLE = 0.605, 0.48
"""A workflow that would be fitted a little too small for words is shown with words, and reaches over the edge."""
FIT_MARGIN = 26
_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


@dataclass(frozen=True, slots=True)
class NodeChosen:
    """A person chose a node, by mouse or key; `run` where it was one run's row. None, None: nothing is chosen."""

    node: NodeId | None
    run: RunId | None = None
    is_opened: bool = False
    """Enter or a double click: the inspector is wanted."""


class CanvasView(QGraphicsView):
    """`Workflow canvas`."""

    node_chosen = Signal(object)
    zoom_changed = Signal(object)
    """float: 1.0 is 100 %."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._look = CanvasLook(theme.tokens)
        self.canvas = CanvasScene(self._look, self)
        self.setScene(self.canvas)
        self.setAccessibleName("Workflow canvas")
        self.setObjectName("Workflow canvas")
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._backdrop = Backdrop(self, theme)
        self._pan_from: QPoint | None = None
        self._space = False
        self._fit_due = False
        self._is_fitted = False
        self._motion = Motion(self, theme, self._look)
        theme.theme_changed.connect(self._on_theme_changed)

    # ------------------------------------------------------------------ content

    def show_faces(
        self,
        faces: tuple[NodeFace, ...],
        edges: tuple[Edge, ...],
        passed: frozenset[tuple[NodeId, NodeId]],
    ) -> None:
        """Show a workflow's nodes and wires; a workflow not drawn before is fitted into the view."""
        if self.canvas.show_faces(faces, edges, passed):
            self._fit_due = True
            self.fit_if_due()
        self._motion.start_or_stop()
        if self.zoom < BATCH_DETAIL:
            self.viewport().update()

    def show_chosen(self, node: NodeId | None, run: RunId | None) -> None:
        """Mark the chosen node and fill the letter of the run looked at."""
        for item_id, item in self.canvas.nodes.items():
            if item.isSelected() != (item_id == node):
                item.setSelected(item_id == node)
        if self._look.run != run:
            self._look.run = run
            self.viewport().update()

    def say(self, text: str) -> None:
        """What a screen reader hears of the whole canvas."""
        if self.accessibleDescription() != text:
            self.setAccessibleDescription(text)

    # ------------------------------------------------------------------ zoom

    @property
    def zoom(self) -> float:
        """1.0 is 100 %."""
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        """Zoom about the point under the mouse, or the middle."""
        self._is_fitted = False
        wanted = min(ZOOM_MAX, max(ZOOM_MIN, zoom))
        self.scale(wanted / self.zoom, wanted / self.zoom)
        self._sharpen()
        self._motion.start_or_stop()
        self.zoom_changed.emit(self.zoom)

    def zoom_in(self) -> None:
        """One step nearer."""
        self._zoom_about_middle(self.zoom * ZOOM_STEP)

    def zoom_out(self) -> None:
        """One step away."""
        self._zoom_about_middle(self.zoom / ZOOM_STEP)

    def zoom_full(self) -> None:
        """100 %."""
        self._zoom_about_middle(1.0)

    def fit(self) -> None:
        """Show all nodes, never larger than 100 %."""
        self._fit(is_readable=False)

    def _fit(self, *, is_readable: bool) -> None:
        content = self.canvas.content_rect()
        if content.isEmpty():
            return
        port = self.viewport().size()
        room_w, room_h = max(80, port.width() - 2 * FIT_MARGIN), max(80, port.height() - 2 * FIT_MARGIN)
        wanted = min(room_w / content.width(), room_h / content.height(), FIT_ZOOM_MAX)
        if is_readable and NEARLY_READABLE <= wanted < READABLE:
            wanted = READABLE
        self._zoom_about_middle(wanted)
        self.centerOn(content.center())
        self._is_fitted = True

    def fit_if_due(self) -> None:
        """Fit once the view has its size after a new workflow was shown, and again while nobody moved it."""
        if (self._fit_due or self._is_fitted) and self.isVisible():
            self._fit_due = False
            self._fit(is_readable=True)

    def _zoom_about_middle(self, zoom: float) -> None:
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self.set_zoom(zoom)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)

    def _sharpen(self) -> None:
        ratio = self.devicePixelRatioF() * max(1.0, self.zoom)
        self._look.ratio = min(6.0, round(ratio * 2) / 2)

    # ------------------------------------------------------------------ painting

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        self._backdrop.paint_ground(painter, rect)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        if self.zoom < BATCH_DETAIL:
            self._backdrop.paint_far(painter)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._look.tokens = tokens
        self.viewport().update()

    # ------------------------------------------------------------------ Qt events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._sharpen()
        self.fit_if_due()
        self._motion.start_or_stop()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._motion.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._sharpen()

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(self.zoom * ZOOM_STEP ** (turned.y() / 120))
            event.accept()
            return
        sideways = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        x, y = (turned.y(), turned.x()) if sideways else (turned.x(), turned.y())
        self._scroll_by(-x, -y)
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_pan = event.button() is Qt.MouseButton.MiddleButton or (
            event.button() is Qt.MouseButton.LeftButton and self._space
        )
        if is_pan:
            self._pan_from = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        elif event.button() is Qt.MouseButton.LeftButton:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._choose_at(event.position().toPoint(), is_opened=False)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose_at(event.position().toPoint(), is_opened=True)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pan_from is not None:
            here = event.position().toPoint()
            moved, self._pan_from = here - self._pan_from, here
            self._scroll_by(-moved.x(), -moved.y())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pan_from = None
        self.viewport().unsetCursor()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in _ARROWS:
            self._choose_beside(*_ARROWS[key])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.modifiers():
            if chosen := self._chosen():
                self.node_chosen.emit(NodeChosen(chosen, None, is_opened=True))
        elif key is Qt.Key.Key_Escape:
            self.node_chosen.emit(NodeChosen(None))
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.viewport().unsetCursor()
        else:
            super().keyReleaseEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._look.has_focus = True
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._look.has_focus = False
        self._space = False
        self.viewport().update()

    # ------------------------------------------------------------------ choosing

    def _scroll_by(self, x: int, y: int) -> None:
        self._is_fitted = False
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + x)
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + y)

    def _choose_at(self, point: QPoint, *, is_opened: bool) -> None:
        item = self.itemAt(point)
        if not isinstance(item, NodeItem):
            self.node_chosen.emit(NodeChosen(None))
            return
        row = item.row_at(item.mapFromScene(self.mapToScene(point)).y())
        self.node_chosen.emit(NodeChosen(item.face.node_id, row.run_id if row else None, is_opened))

    def _choose_beside(self, dx: int, dy: int) -> None:
        chosen = self._chosen()
        if chosen is None:
            beside = next(iter(self.canvas.nodes), None)
        else:
            beside = self.canvas.neighbour(chosen, dx, dy)
        if beside is not None:
            self.ensureVisible(self.canvas.nodes[beside].sceneBoundingRect(), 40, 40)
            self.node_chosen.emit(NodeChosen(beside))

    def _chosen(self) -> NodeId | None:
        return next((i for i, item in self.canvas.nodes.items() if item.isSelected()), None)
