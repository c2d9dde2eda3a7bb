"""The view of the canvas: what it shows, pan, zoom, fit, keys along the wires, far zoom in one batch."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from quarterdeck.domain.ids import NodeId, RunId
from quarterdeck.ui.canvas.accessible import install as install_accessible
from quarterdeck.ui.canvas.accessible import tell_focus
from quarterdeck.ui.canvas.backdrop import Backdrop
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.motion import Motion
from quarterdeck.ui.canvas.node_item import BATCH_DETAIL, FULL_DETAIL, NodeItem
from quarterdeck.ui.canvas.scene import CanvasScene, Drawing
from quarterdeck.ui.canvas.zoom_view import ZoomView
from quarterdeck.ui.present_nodes import NodeFace
from quarterdeck.ui.present_wires import Passed
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens

PARTS_MAX = 60
"""A picture that is renewed in more places is renewed whole."""
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


class CanvasView(ZoomView):
    """`Workflow canvas`."""

    node_chosen = Signal(object)
    nodes_changed = Signal(object)
    """tuple[NodeItem, ...] that look otherwise; empty: all of them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        install_accessible()
        self._theme = theme
        self.chosen: NodeId | None = None
        """The marked node."""
        self._look = CanvasLook(theme.tokens)
        self.canvas = CanvasScene(self._look, self)
        self.setScene(self.canvas)
        self.setAccessibleName("Workflow canvas")
        self.setObjectName("Workflow canvas")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._backdrop = Backdrop(self, theme)
        self._fit_due = False
        self._motion = Motion(self, theme, self._look)
        theme.theme_changed.connect(self._on_theme_changed)

    # ------------------------------------------------------------------ content

    def show_faces(self, faces: tuple[NodeFace, ...], drawing: Drawing, passed: Passed) -> None:
        """Show a workflow's nodes and wires; a workflow not drawn before is fitted into the view."""
        redrawn = self.canvas.show_faces(faces, drawing, passed)
        if redrawn.is_new:
            self._motion.forget()
            self.chosen = None
            self._fit_due = True
            self.fit_if_due()
            self.viewport().update()
            self.nodes_changed.emit(())
        elif redrawn.nodes:
            self._update_far([item.card_rect().translated(item.pos()) for item in redrawn.nodes])
            self.nodes_changed.emit(redrawn.nodes)
            if self.canvas.far.take_moved():
                self.fit_again()
        self._motion.show_flow(redrawn.began)
        self._motion.start_or_stop()

    def _update_far(self, cards: list[QRectF]) -> None:
        """The far zoom bypasses the scene, so its changed places are told by hand."""
        if self.zoom >= BATCH_DETAIL:
            return
        dirty = QRegion()
        seen = self.viewport().rect()
        for card in cards:
            place = self.mapFromScene(card).boundingRect().adjusted(-10, -10, 10, 10)
            if place.intersects(seen):
                dirty += place
        self.viewport().update(dirty)

    def show_chosen(self, node: NodeId | None, run: RunId | None) -> None:
        """Mark the chosen node and fill the letter of the run looked at."""
        if node != self.chosen:
            for which, is_chosen in ((self.chosen, False), (node, True)):
                if which is not None and (item := self.canvas.nodes.get(which)) is not None:
                    item.setSelected(is_chosen)
                    self._update_far([item.card_rect().translated(item.pos())])
            self.chosen = node
            if node is not None and self.hasFocus():
                tell_focus(self, node)
        if self._look.run != run:
            self._look.run = run
            self.viewport().update()

    def say(self, text: str) -> None:
        """What a screen reader hears of the whole canvas."""
        if self.accessibleDescription() != text:
            self.setAccessibleDescription(text)

    # ------------------------------------------------------------------ zoom

    def fit_chosen(self) -> None:
        """Show the chosen node as large as it may be; all nodes where none is chosen."""
        item = self.canvas.nodes.get(self.chosen) if self.chosen is not None else None
        if item is None:
            self.fit()
            return
        self._fit_rect(item.card_rect().translated(item.pos()))

    def fit_if_due(self) -> None:
        """Look at a new workflow once the view has its size, and again in a new size while nobody moved it."""
        if not self.isVisible():
            return
        again = self.open if self._fit_due else self._again
        self._fit_due = False
        if again is not None:
            again()

    def _content_rect(self) -> QRectF:
        return self.canvas.content_rect()

    def _covers(self, area: QRectF) -> bool:
        nodes = self.canvas.far.within(area)
        return any(card.intersects(area) for _, card in nodes) or any(
            note.sceneBoundingRect().intersects(area) for note in self.canvas.notes
        )

    def _on_zoomed(self) -> None:
        self._sharpen()
        self._motion.start_or_stop()

    def _sharpen(self) -> None:
        ratio = self.devicePixelRatioF() * max(1.0, self.zoom)
        self._look.ratio = min(6.0, round(ratio * 2) / 2)

    # ------------------------------------------------------------------ painting

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        self._backdrop.paint_ground(painter, rect)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Far away all nodes are painted in one go: the scene, and a Python call for each node, are left out."""
        if self.zoom >= BATCH_DETAIL:
            super().paintEvent(event)
            return
        painter = QPainter(self.viewport())
        painter.setClipRegion(event.region())
        parts = list(event.region()) if event.region().rectCount() <= PARTS_MAX else [event.rect()]  # type: ignore[call-overload]
        exposed = [self.mapToScene(part).boundingRect() for part in parts]
        painter.setWorldTransform(self.viewportTransform())
        self._backdrop.paint_ground(painter, self.mapToScene(event.rect()).boundingRect())
        self._backdrop.paint_far(painter, exposed)
        painter.end()

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._look.tokens = tokens
        self.viewport().update()

    # ------------------------------------------------------------------ Qt events

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._sharpen()
        self.fit_if_due()
        self._motion.start_or_stop()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_if_due()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._motion.stop()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._sharpen()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if not self._begins_pan(event) and event.button() is Qt.MouseButton.LeftButton:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._choose_at(event.position().toPoint(), is_opened=False)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._choose_at(event.position().toPoint(), is_opened=True)
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key is Qt.Key.Key_Space and not event.isAutoRepeat():
            self._space = True
            self.viewport().setCursor(Qt.CursorShape.OpenHandCursor)
        elif key in _ARROWS:
            self._choose_beside(*_ARROWS[key])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and not event.modifiers():
            if self.chosen is not None:
                self.choose(self.chosen, is_opened=True)
        elif key is Qt.Key.Key_Escape:
            if self.chosen is not None:
                self.node_chosen.emit(NodeChosen(None))
            else:
                self.focusNextChild()
        else:
            super().keyPressEvent(event)

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

    def node_at(self, point: QPoint) -> NodeId | None:
        """The node at a point of the viewport."""
        if self.zoom < BATCH_DETAIL:
            there = QRectF(self.mapToScene(point), QSizeF(0.1, 0.1))
            return next((node for node, _ in self.canvas.far.within(there)), None)
        item = next((i for i in self.items(point) if isinstance(i, NodeItem)), None)
        return item.face.node_id if item is not None else None

    def choose(self, node: NodeId, *, is_opened: bool) -> None:
        """Choose a node as a click on its header does."""
        self.node_chosen.emit(NodeChosen(node, None, is_opened))

    def _choose_at(self, point: QPoint, *, is_opened: bool) -> None:
        node = self.node_at(point)
        if node is None:
            self.node_chosen.emit(NodeChosen(None))
            return
        item = self.canvas.nodes[node]
        row = item.row_at(item.mapFromScene(self.mapToScene(point)).y()) if self.zoom >= FULL_DETAIL else None
        self.node_chosen.emit(NodeChosen(node, row.run_id if row else None, is_opened))

    def _choose_beside(self, dx: int, dy: int) -> None:
        if self.chosen is None:
            beside = next(iter(self.canvas.nodes), None)
        else:
            beside = self.canvas.neighbour(self.chosen, dx, dy)
        if beside is not None:
            self.ensureVisible(self.canvas.nodes[beside].sceneBoundingRect(), 40, 40)
            self.node_chosen.emit(NodeChosen(beside))
