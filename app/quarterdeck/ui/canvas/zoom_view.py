"""A graphics view that is moved by hand: wheel, Ctrl+wheel, middle button, Space, steps, and fitting."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

from quarterdeck.ui.canvas.fitting import READABLE, Look, fitted, readable

ZOOM_MIN, ZOOM_MAX, ZOOM_STEP = 0.05, 3.0, 1.2
OVERVIEW = 0.3
"""Below it no readable part would tell enough of the whole."""


class ZoomView(QGraphicsView):
    """Knows where it looks, and nothing of what it shows."""

    zoom_changed = Signal(object)
    """float: 1.0 is 100 %."""
    view_moved = Signal()
    """Another part of the scene is seen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._pan_from: QPoint | None = None
        self._space = False
        self._again: Callable[[], None] | None = None
        """How it was brought to show all, done again in a new size until somebody moves the view by hand."""
        self._floats: tuple[QRectF, ...] = ()

    def _content_rect(self) -> QRectF:
        """What fitting shows."""
        return self.scene().itemsBoundingRect()

    def _on_zoomed(self) -> None:
        """The zoom is another one."""

    def _covers(self, _area: QRectF) -> bool:
        """Whether a part of the scene shows something that must not lie below a float."""
        return False

    def keep_free(self, floats: tuple[QRect, ...]) -> None:
        """Where parts float over the view, in its pixels: fitting puts no node below them."""
        found = tuple(QRectF(part) for part in floats)
        if found != self._floats:
            self._floats = found
            self.fit_again()

    def fit_again(self) -> None:
        """What was fitted is so again, while nobody moved it."""
        if self._again is not None and self.isVisible():
            self._again()

    # ------------------------------------------------------------------ zoom

    @property
    def zoom(self) -> float:
        """1.0 is 100 %."""
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        """Zoom about the point under the mouse, or the middle."""
        self._again = None
        wanted = min(ZOOM_MAX, max(ZOOM_MIN, zoom))
        self.scale(wanted / self.zoom, wanted / self.zoom)
        self._on_zoomed()
        self.zoom_changed.emit(self.zoom)
        self.view_moved.emit()

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
        """Show everything, never larger than 100 %."""
        content = self._content_rect()
        if not content.isEmpty():
            self._show_look(fitted(content, self._port(), self._floats, self._covers))
        self._again = self.fit

    def open(self) -> None:
        """The first look: everything where that leaves its words readable, else its beginning with words."""
        content = self._content_rect()
        if not content.isEmpty():
            port = self._port()
            look = fitted(content, port, self._floats, self._covers)
            if OVERVIEW <= look.zoom < READABLE:
                look = readable(content, port, self._floats, self._covers)
            self._show_look(look)
        self._again = self.open

    def _fit_rect(self, content: QRectF) -> None:
        """Show this part as large as it may be, wherever parts float."""
        if not content.isEmpty():
            self._show_look(fitted(content, self._port(), (), self._covers))

    def _port(self) -> QSizeF:
        return QSizeF(self.viewport().size())

    def _show_look(self, look: Look) -> None:
        self._zoom_about_middle(look.zoom)
        self.setSceneRect(self.scene().sceneRect().united(look.area(self._port())))
        self.centerOn(look.middle)

    def look_at(self, point: QPointF) -> None:
        """Bring a point of the scene to the middle."""
        self._again = None
        self.centerOn(point)

    def _zoom_about_middle(self, zoom: float) -> None:
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorViewCenter)
        self.set_zoom(zoom)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)

    # ------------------------------------------------------------------ moving

    def _scroll_by(self, x: int, y: int) -> None:
        self._again = None
        self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + x)
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + y)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.view_moved.emit()

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

    def _begins_pan(self, event: QMouseEvent) -> bool:
        """Take a press that begins to move the view."""
        is_pan = event.button() is Qt.MouseButton.MiddleButton or (
            event.button() is Qt.MouseButton.LeftButton and self._space
        )
        if is_pan:
            self._pan_from = event.position().toPoint()
            self.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
        return is_pan

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

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = False
            self.viewport().unsetCursor()
        else:
            super().keyReleaseEvent(event)
