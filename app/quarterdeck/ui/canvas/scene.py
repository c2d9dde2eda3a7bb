"""The scene: one item a node, one an edge, made from the workflow and fed with faces. It knows no run."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF
from PySide6.QtWidgets import QGraphicsScene

from quarterdeck.domain.ids import NodeId
from quarterdeck.domain.workflow import Edge
from quarterdeck.ui.canvas.edge_item import EdgeItem
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.node_item import NodeItem
from quarterdeck.ui.present_nodes import NodeFace

MARGIN = 600.0


class CanvasScene(QGraphicsScene):
    """Rebuilt when the drawn workflow changes, updated in place otherwise."""

    def __init__(self, look: CanvasLook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.nodes: dict[NodeId, NodeItem] = {}
        self.edges: list[EdgeItem] = []
        self._drawn: tuple[tuple[NodeId, ...], tuple[Edge, ...]] = ((), ())

    def show_faces(
        self,
        faces: tuple[NodeFace, ...],
        edges: tuple[Edge, ...],
        passed: frozenset[tuple[NodeId, NodeId]],
    ) -> bool:
        """Show these nodes and wires; True where the scene was built anew."""
        wanted = (tuple(f.node_id for f in faces), edges)
        is_new = wanted != self._drawn
        if is_new:
            self._build(faces, edges)
            self._drawn = wanted
        for face in faces:
            item = self.nodes[face.node_id]
            if item.face is not face:
                item.show_face(face)
        for wire in self.edges:
            wire.show_passed((wire.edge.source, wire.edge.target) in passed)
        return is_new

    def _build(self, faces: tuple[NodeFace, ...], edges: tuple[Edge, ...]) -> None:
        self.clear()
        self.nodes = {face.node_id: NodeItem(face, self._look) for face in faces}
        for item in self.nodes.values():
            self.addItem(item)
        self.edges = [
            EdgeItem(edge, self.nodes[edge.source], self.nodes[edge.target], self._look)
            for edge in edges
            if edge.source in self.nodes and edge.target in self.nodes
        ]
        for wire in self.edges:
            self.addItem(wire)
        self.setSceneRect(self.content_rect().adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN))

    def content_rect(self) -> QRectF:
        """The rectangle of all nodes; empty where there are none."""
        whole = QRectF()
        for item in self.nodes.values():
            whole = whole.united(item.card_rect().translated(item.pos()))
        return whole

    def neighbour(self, node: NodeId, dx: int, dy: int) -> NodeId | None:
        """Where an arrow key leads: along wires sideways, to the next node above or below otherwise."""
        if dx > 0:
            nearby = [w.edge.target for w in self.edges if w.edge.source == node and w.edge.loop is None]
        elif dx < 0:
            nearby = [w.edge.source for w in self.edges if w.edge.target == node and w.edge.loop is None]
        else:
            nearby = []
        here = self.nodes[node].pos()
        if nearby:
            return min(nearby, key=lambda n: abs(self.nodes[n].pos().y() - here.y()))
        return self._nearest(node, dx, dy)

    def _nearest(self, node: NodeId, dx: int, dy: int) -> NodeId | None:
        here, best, least = self.nodes[node].pos(), None, float("inf")
        for other, item in self.nodes.items():
            away = item.pos() - here
            ahead, aside = (away.x() * dx, abs(away.y())) if dx else (away.y() * dy, abs(away.x()))
            if other != node and ahead > 1 and ahead + 2 * aside < least:
                best, least = other, ahead + 2 * aside
        return best
