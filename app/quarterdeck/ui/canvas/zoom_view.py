"""A graphics view that is moved by hand: wheel, Ctrl+wheel, middle button, Space, steps, and fitting."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

ZOOM_MIN, ZOOM_MAX, ZOOM_STEP = 0.05, 3.0, 1.2
FIT_ZOOM_MAX = 1.0
FIT_MARGIN, EDGE_MIN = 26, 8
READABLE = 0.605
"""From here on nodes show their words. A workflow that would be fitted a little too small for them takes some of the
margin, never more than there is."""
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
        self._floats = (0, 0)

    def _content_rect(self) -> QRectF:
        """What fitting shows."""
        return self.scene().itemsBoundingRect()

    def _on_zoomed(self) -> None:
        """The zoom is another one."""

    def keep_free(self, above: int, below: int) -> None:
        """Pixels at the upper and lower edge that parts floating over the view take: fitting leaves them free."""
        self._floats = (above, below)

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
        self._fit_rect(self._content_rect(), is_all=True)
        self._again = self.fit

    def open(self) -> None:
        """The first look: everything where that leaves its words readable, else its beginning with words."""
        content = self._content_rect()
        self._fit_rect(content, is_all=True)
        if OVERVIEW <= self.zoom < READABLE:
            self._zoom_about_middle(READABLE)
            begin = content.left() + (self.viewport().width() / 2 - FIT_MARGIN) / READABLE
            self.centerOn(QPointF(min(begin, content.center().x()), content.center().y()))
        self._again = self.open

    def _fit_rect(self, content: QRectF, *, is_all: bool) -> None:
        if content.isEmpty():
            return
        port = self.viewport().size()
        above, below = self._floats if is_all else (0, 0)
        room_w = max(80, port.width() - 2 * FIT_MARGIN)
        room_h = max(80, port.height() - 2 * FIT_MARGIN - above - below)
        wanted = min(room_w / content.width(), room_h / content.height(), FIT_ZOOM_MAX)
        spare = 2 * (FIT_MARGIN - EDGE_MIN)
        if wanted < READABLE <= min((room_w + spare) / content.width(), (room_h + spare) / content.height()):
            wanted = READABLE
        self._zoom_about_middle(wanted)
        self.centerOn(content.center() + QPointF(0, (below - above) / 2 / self.zoom))

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
