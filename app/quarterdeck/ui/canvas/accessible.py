"""The canvas for screen readers: it has one child a node, named with its runs' states, times and costs.

A QGraphicsScene tells nothing by itself. Nodes are no QObjects, so their interfaces are made here and registered; Qt keeps
bare pointers to what Python made, so every interface is held for as long as its canvas lives, and `forget` has all of them
deleted before the canvas goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QAccessibleInterface,
    QColor,
    QWindow,
)
from PySide6.QtWidgets import QAccessibleWidget

from quarterdeck.domain.ids import NodeId
from quarterdeck.ui.tokens import Family

if TYPE_CHECKING:
    from quarterdeck.ui.canvas.node_item import NodeItem
    from quarterdeck.ui.canvas.view import CanvasView
_FACTORY_OF = "CanvasView"
_made: WeakKeyDictionary[QObject, list[CanvasAccessible]] = WeakKeyDictionary()
"""Qt asks again for a canvas whose dynamic meta object has changed, keeps what it got before, and deletes each once."""
_forgotten: WeakSet[QObject] = WeakSet()
_is_installed = False


def install() -> None:
    """Let Qt ask here for the interface of a canvas; once for the process."""
    global _is_installed
    if not _is_installed:
        _is_installed = True
        QAccessible.installFactory(_interface_of)


def _interface_of(name: str, thing: QObject | None) -> QAccessibleInterface | None:
    if name != _FACTORY_OF or thing is None or thing in _forgotten:
        return None
    made = CanvasAccessible(thing)  # type: ignore[arg-type]
    _made.setdefault(thing, []).append(made)
    return made


class CanvasAccessible(QAccessibleWidget):
    """`Workflow canvas`; its children are the nodes in the file's order."""

    def __init__(self, view: CanvasView) -> None:
        super().__init__(view, QAccessible.Role.Canvas, "Workflow canvas")
        self._view = view
        self._nodes: dict[NodeId, NodeAccessible] = {}

    def node(self, node: NodeId) -> NodeAccessible | None:
        """The interface of a node that is drawn."""
        if node not in self._view.canvas.nodes:
            return None
        if node not in self._nodes:
            self._nodes[node] = made = NodeAccessible(self, self._view, node)
            QAccessible.registerAccessibleInterface(made)
        return self._nodes[node]

    def forget(self) -> None:
        """Let Qt delete the nodes' interfaces and this one."""
        for made in (*self._nodes.values(), self):
            QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(made))
        self._nodes.clear()

    # ------------------------------------------------------------------ Qt

    def childCount(self) -> int:
        return len(self._view.canvas.nodes)

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        order = self._view.canvas.order
        return self.node(order[index]) if 0 <= index < len(order) else None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        order = self._view.canvas.order
        return next((i for i, n in enumerate(order) if self._nodes.get(n) is child), -1)

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        node = self._view.node_at(self._view.viewport().mapFromGlobal(QPoint(x, y)))
        return self.node(node) if node is not None else None

    def focusChild(self) -> QAccessibleInterface | None:  # type: ignore[override]
        chosen = self._view.chosen
        return self.node(chosen) if chosen is not None and self._view.hasFocus() else None


class NodeAccessible(QAccessibleInterface):
    """One node: a list item of the canvas.

    It offers no action: `interface_cast` gives a bare pointer, which PySide 6.11 cannot take from Python (the process
    dies when a screen reader asks). Keys on the canvas choose and open nodes instead.
    """

    def __init__(self, canvas: CanvasAccessible, view: CanvasView, node: NodeId) -> None:
        super().__init__()
        self._canvas, self._view, self.node_id = canvas, view, node

    @property
    def _item(self) -> NodeItem | None:
        return self._view.canvas.nodes.get(self.node_id)

    # ------------------------------------------------------------------ Qt

    def isValid(self) -> bool:
        return self._item is not None

    def object(self) -> QObject | None:  # type: ignore[override]
        return None

    def window(self) -> QWindow:
        return self._view.window().windowHandle()

    def parent(self) -> QAccessibleInterface:
        return self._canvas

    def childCount(self) -> int:
        return 0

    def child(self, index: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def childAt(self, x: int, y: int) -> QAccessibleInterface | None:  # type: ignore[override]
        return None

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        return QAccessible.Role.ListItem

    def text(self, kind: QAccessible.Text) -> str:
        item = self._item
        if item is None:
            return ""
        match kind:
            case QAccessible.Text.Name:
                return item.face.heard
            case QAccessible.Text.Description:
                return item.face.subtitle
            case QAccessible.Text.Value:
                return item.face.loudest.word
            case _:
                return ""

    def setText(self, kind: QAccessible.Text, text: str) -> None:
        """Nothing of a node can be written."""

    def rect(self) -> QRect:
        item = self._item
        if item is None:
            return QRect()
        seen = self._view.mapFromScene(item.mapRectToScene(item.card_rect())).boundingRect()
        return QRect(self._view.viewport().mapToGlobal(seen.topLeft()), seen.size())

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        item = self._item
        if item is None:
            state.invalid = True
            return state
        is_chosen = self._view.chosen == self.node_id
        state.selectable = state.focusable = True
        state.selected = is_chosen
        state.focused = is_chosen and self._view.hasFocus()
        state.busy = item.face.loudest.family is Family.RUNNING
        state.offscreen = not self._view.viewport().rect().intersects(self._seen())
        return state

    def _seen(self) -> QRect:
        item = self._item
        assert item is not None
        return self._view.mapFromScene(item.mapRectToScene(item.card_rect())).boundingRect()

    def foregroundColor(self) -> QColor:
        return self._view.palette().windowText().color()

    def backgroundColor(self) -> QColor:
        return self._view.palette().window().color()


def tell_focus(view: CanvasView, node: NodeId) -> None:
    """Tell a screen reader that another node is the one to be read."""
    if not QAccessible.isActive():
        return
    canvas = QAccessible.queryAccessibleInterface(view)
    if isinstance(canvas, CanvasAccessible) and (child := canvas.node(node)) is not None:
        QAccessible.updateAccessibility(QAccessibleEvent(child, QAccessible.Event.Focus))


def forget(view: CanvasView) -> None:
    """The canvas is about to go: no screen reader gets anything of ours any more."""
    _forgotten.add(view)
    for made in _made.pop(view, ()):
        made.forget()
