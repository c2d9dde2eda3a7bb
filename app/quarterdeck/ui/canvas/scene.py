"""The scene: one item a node, one an edge, frames and notes; made from the workflow and fed with faces. It knows no run."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QObject, QRectF
from PySide6.QtWidgets import QGraphicsScene

from quarterdeck.domain.ids import NodeId
from quarterdeck.domain.workflow import Edge, Frame, Note
from quarterdeck.ui.canvas.edge_item import EdgeItem
from quarterdeck.ui.canvas.far_plan import FarPlan
from quarterdeck.ui.canvas.ground_items import FrameItem, NoteItem
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.node_item import NodeItem
from quarterdeck.ui.present_nodes import NodeFace
from quarterdeck.ui.present_wires import Passed

MARGIN = 600.0


@dataclass(frozen=True, slots=True)
class Drawing:
    """What of a workflow is drawn, whatever its runs do."""

    edges: tuple[Edge, ...] = ()
    frames: tuple[Frame, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Redrawn:
    """What one showing changed."""

    is_new: bool
    """Another workflow, or another shape of it: everything was built."""
    nodes: tuple[NodeItem, ...] = ()
    """Nodes that look otherwise from afar: another state, or another size."""
    began: tuple[EdgeItem, ...] = ()
    """Wires that something went through since the last showing."""


class CanvasScene(QGraphicsScene):
    """Rebuilt when the drawn workflow changes, updated in place otherwise."""

    def __init__(self, look: CanvasLook, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.nodes: dict[NodeId, NodeItem] = {}
        self.order: list[NodeId] = []
        self.edges: list[EdgeItem] = []
        self.frames: list[FrameItem] = []
        self.notes: list[NoteItem] = []
        self.far = FarPlan()
        self.turning: set[NodeId] = set()
        """Nodes with an icon that turns."""
        self._faces: tuple[NodeFace, ...] = ()
        self._drawing = Drawing()
        self._passed = Passed()

    def show_faces(self, faces: tuple[NodeFace, ...], drawing: Drawing, passed: Passed) -> Redrawn:
        """Show these nodes and wires; only what differs from the last time is touched."""
        if drawing != self._drawing or not _are_same_nodes(self._faces, faces):
            self._build(faces, drawing)
            self._show_passed(passed)
            return Redrawn(True)
        changed = [(old, face) for old, face in zip(self._faces, faces, strict=True) if face is not old]
        self._faces = faces
        has_resized, seen_from_afar = False, []
        for old, face in changed:
            item = self.nodes[face.node_id]
            is_resized = item.show_face(face)
            if is_resized or old.loudest != face.loudest:
                seen_from_afar.append(item)
                self._note(item)
            self._follow_turning(item)
            has_resized = has_resized or is_resized
        if has_resized:
            self._surround()
        return Redrawn(False, tuple(seen_from_afar), self._show_passed(passed))

    def _build(self, faces: tuple[NodeFace, ...], drawing: Drawing) -> None:
        self.clear()
        self._faces, self._drawing, self._passed = faces, drawing, Passed()
        self.far, self.turning = FarPlan(), set()
        self.frames = [FrameItem(frame, self._look) for frame in drawing.frames]
        self.notes = [NoteItem(note, self._look) for note in drawing.notes]
        self.nodes = {face.node_id: NodeItem(face, self._look) for face in faces}
        self.order = [face.node_id for face in faces]
        self.edges = [
            EdgeItem(edge, self.nodes[edge.source], self.nodes[edge.target], self._look)
            for edge in drawing.edges
            if edge.source in self.nodes and edge.target in self.nodes
        ]
        for made in (*self.frames, *self.notes, *self.edges, *self.nodes.values()):
            self.addItem(made)
        for item in self.nodes.values():
            self._note(item)
            self._follow_turning(item)
        self.far.lines = [QLineF(*wire.line()) for wire in self.edges]
        self._surround()
        self.setSceneRect(self.content_rect().adjusted(-MARGIN, -MARGIN, MARGIN, MARGIN))

    def _note(self, item: NodeItem) -> None:
        face = item.face
        self.far.put(face.node_id, face.loudest, item.card_rect().translated(item.pos()))

    def _follow_turning(self, item: NodeItem) -> None:
        (self.turning.add if item.is_turning else self.turning.discard)(item.face.node_id)

    def _surround(self) -> None:
        for frame in self.frames:
            cards = [self.nodes[n] for n in frame.frame.nodes if n in self.nodes]
            frame.surround([item.card_rect().translated(item.pos()) for item in cards])

    def _show_passed(self, passed: Passed) -> tuple[EdgeItem, ...]:
        """Paint what is green now; the wires that something went through just now, in whichever run."""
        if passed == self._passed:
            return ()
        before, self._passed = self._passed, passed
        differing, fresh = passed.green ^ before.green, passed.went - before.went
        began = []
        for wire in self.edges:
            ends = (wire.edge.source, wire.edge.target)
            if ends in differing:
                wire.show_green(ends in passed.green)
            if ends in fresh:
                began.append(wire)
        return tuple(began)

    def content_rect(self) -> QRectF:
        """The rectangle of all nodes, frames and notes; empty where there are none."""
        whole = QRectF()
        for item in self.nodes.values():
            whole = whole.united(item.card_rect().translated(item.pos()))
        for ground in (*self.frames, *self.notes):
            whole = whole.united(ground.sceneBoundingRect())
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
        nearby = [n for n in nearby if n in self.nodes]
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


def _are_same_nodes(old: tuple[NodeFace, ...], new: tuple[NodeFace, ...]) -> bool:
    """The same nodes at the same places, whatever their states."""
    return old is new or (
        len(old) == len(new)
        and all(
            a is b or (a.node_id == b.node_id and a.position == b.position)
            for a, b in zip(old, new, strict=True)
        )
    )
