"""The shown runs as one board: faces of nodes, rows of the outline, wires that something went through.

A step of a big run moves few slots. The board keeps what it made and makes anew what moved: slots are compared by
identity (the engine keeps the views of slots that did not change), growing times by the second. It gives what a fresh
board gives (tests/ui/test_present.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import NodeId, RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.scheduling import NodeEnd
from quarterdeck.domain.views import RunView, SlotView
from quarterdeck.domain.workflow import Edge, Workflow
from quarterdeck.ui.present_graph import Drawn, Graphs, Places, draw
from quarterdeck.ui.present_nodes import AgentRow, NodeFace, agent_row, is_ticking, node_face
from quarterdeck.ui.present_wires import Passed, end_of_node, has_begun, is_passed, is_to_come
from quarterdeck.ui.slot_moves import shows_the_same

Slots = tuple[SlotView, ...]
NO_GRAPHS: Graphs = {}


@dataclass(frozen=True, slots=True)
class Boarded:
    """What the board shows. Values that did not change are the same objects as before."""

    faces: tuple[NodeFace, ...]
    """One a drawn node, in the order of its workflow."""
    agents: tuple[AgentRow, ...]
    """Node by node, within a node run by run."""
    passed: Passed
    """Edges whose condition was met and whose target has begun, by all shown runs that have them."""
    drawn: Drawn
    """Nodes, wires, frames and notes, whatever the runs do."""


class Board:
    """One for each window."""

    def __init__(self) -> None:
        self._asked: tuple[object, ...] = ()
        self._second = -1
        self._runs: list[_RunPart] = []
        self._graphs: tuple[Workflow | None, ...] = ()
        """What each run began with. Held, so that no other object takes the identity of one that was asked for."""
        self._workflow: Workflow | None = None
        self._drawn_of: tuple[object, ...] = ()
        self._drawn = Drawn()
        self._places = Places()
        self._node_at: dict[NodeId, int] = {}
        self._faces: list[NodeFace] = []
        self._agents: list[AgentRow] = []
        self._agent_at: list[list[int]] = []
        """For each run, the outline's place of each of its slots."""
        self._shown = Boarded((), (), Passed(), Drawn())

    def show(
        self,
        workflow: Workflow | None,
        views: tuple[RunView, ...],
        letters: Mapping[RunId, str],
        now: Moment,
        graphs: Graphs = NO_GRAPHS,
    ) -> Boarded:
        """The board of these views. `views`: shown runs, oldest launch first; `workflow`: what the open file says."""
        named = tuple((v.run_id, letters.get(v.run_id, "") if v.is_live else "") for v in views)
        pinned = tuple([graphs.get(v.pins.workflow) for v in views])
        drawn_of = (id(workflow), *dict.fromkeys([_drawn_key(v, graphs) for v in reversed(views)]))
        asked = (drawn_of, named, tuple(map(id, pinned)))
        if asked != self._asked or not all(p.fits(v.slots) for p, v in zip(self._runs, views, strict=True)):
            if drawn_of != self._drawn_of or None in pinned:  # its slots tell how such a run is drawn
                self._drawn, self._drawn_of = draw(workflow, views, graphs, self._places), drawn_of
            self._workflow, self._graphs = workflow, pinned
            self._asked, self._second = asked, now.boot_ms // 1000
            self._begin(views, named, now)
        else:
            self._move(views, now)
        return self._shown

    # ------------------------------------------------------------------ all anew

    def _begin(self, views: tuple[RunView, ...], named: tuple[tuple[RunId, str], ...], now: Moment) -> None:
        fallback = self._workflow
        self._runs = [
            _RunPart(run, letter, v.slots, graph or fallback)
            for (run, letter), v, graph in zip(named, views, self._graphs, strict=True)
        ]
        nodes = self._drawn.nodes
        self._node_at = {drawn.node.id: at for at, drawn in enumerate(nodes)}
        self._faces = [self._face(at, now) for at in range(len(nodes))]
        self._begin_agents(now)
        self._shown = self._boarded(self._passed())

    def _boarded(self, passed: Passed) -> Boarded:
        return Boarded(tuple(self._faces), tuple(self._agents), passed, self._drawn)

    def _begin_agents(self, now: Moment) -> None:
        place = dict(self._node_at)
        for part in self._runs:
            for slot in part.slots:
                place.setdefault(slot.node_id, len(place))
        order = sorted(
            (
                (place[slot.node_id], r, s)
                for r, part in enumerate(self._runs)
                for s, slot in enumerate(part.slots)
            )
        )
        self._agents = [self._agent(r, s, now) for _, r, s in order]
        self._agent_at = [[0] * len(part.slots) for part in self._runs]
        for at, (_, r, s) in enumerate(order):
            self._agent_at[r][s] = at

    # ------------------------------------------------------------------ what moved

    def _move(self, views: tuple[RunView, ...], now: Moment) -> None:
        second = now.boot_ms // 1000
        has_ticked, self._second = second != self._second, second
        nodes: set[NodeId] = set()
        begun = False
        for r, (part, view) in enumerate(zip(self._runs, views, strict=True)):
            moved = part.take(view.slots, now)
            begun = begun or part.has_begun_more
            touched = set(moved) | part.ticking if has_ticked else set(moved)
            for s in touched:
                self._agents[self._agent_at[r][s]] = self._agent(r, s, now)
                nodes.add(view.slots[s].node_id)
        if nodes:
            for at in sorted(self._node_at[n] for n in nodes if n in self._node_at):
                self._faces[at] = self._face(at, now)
            self._shown = self._boarded(self._passed() if begun else self._shown.passed)

    def _face(self, at: int, now: Moment) -> NodeFace:
        drawn = self._drawn.nodes[at]
        node = drawn.node
        present = tuple((p.run, p.letter, p.by_node[node.id]) for p in self._runs if node.id in p.by_node)
        return node_face(drawn.source, node, drawn.place, present, now)

    def _agent(self, r: int, s: int, now: Moment) -> AgentRow:
        part = self._runs[r]
        return agent_row(part.run, part.letter, part.slots[s], now)

    def _passed(self) -> Passed:
        went = frozenset(wire for part in self._runs for wire in part.passed())
        return Passed(went, went.difference(*(part.to_come() for part in self._runs)))


def _drawn_key(view: RunView, graphs: Graphs) -> tuple[object, ...]:
    """What decides how a run is drawn: what it began with, or itself where that is not known."""
    revision = view.pins.workflow
    graph = graphs.get(revision)
    return (id(graph),) if graph is not None else (view.run_id, view.workflow_id, revision in graphs)


class _RunPart:
    """The slots of one shown run, grouped by node, which of their times grow, and what it began with."""

    def __init__(self, run: RunId, letter: str, slots: Slots, graph: Workflow | None) -> None:
        self.run, self.letter, self.slots = run, letter, slots
        self._edges: tuple[Edge, ...] = graph.edges if graph is not None else ()
        self._asking = {n.id for n in graph.nodes if n.kind == "approval"} if graph is not None else set()
        grouped: defaultdict[NodeId, list[SlotView]] = defaultdict(list)
        for slot in slots:
            grouped[slot.node_id].append(slot)
        self.by_node: dict[NodeId, Slots] = {node: tuple(own) for node, own in grouped.items()}
        self.ticking = {s for s, slot in enumerate(slots) if is_ticking(slot)}
        self._ends: dict[NodeId, NodeEnd | None] = {}
        self._began: dict[NodeId, bool] = {}
        self._judge(self.by_node)
        self.has_begun_more = True

    def fits(self, slots: Slots) -> bool:
        """Whether these are the same slots at another time."""
        old = self.slots
        return slots is old or (
            len(slots) == len(old)
            and all(
                a is b or (a.slot_id, a.node_id) == (b.slot_id, b.node_id)
                for a, b in zip(old, slots, strict=True)
            )
        )

    def take(self, slots: Slots, now: Moment) -> list[int]:
        """Take the slots of a later moment; the numbers of those that show something else now."""
        old, self.slots = self.slots, slots
        moved = (
            [] if slots is old else [s for s, (a, b) in enumerate(zip(old, slots, strict=True)) if a is not b]
        )
        for s in moved:
            before, after = old[s], slots[s]
            self.by_node[after.node_id] = tuple(
                [after if x is before else x for x in self.by_node[after.node_id]]
            )
        seen = [s for s in moved if not shows_the_same(old[s], slots[s], now)]
        for s in seen:
            (self.ticking.add if is_ticking(slots[s]) else self.ticking.discard)(s)
        self.has_begun_more = self._judge({slots[s].node_id for s in seen})
        return seen

    def _judge(self, nodes: Iterable[NodeId]) -> bool:
        """What became of these nodes and which have begun; whether that changed."""
        changed = False
        for node in nodes:
            slots = self.by_node[node]
            end, began = end_of_node(slots), has_begun(slots)
            if self._ends.get(node) is not end or self._began.get(node, False) != began:
                changed = True
            self._ends[node], self._began[node] = end, began
        return changed

    def passed(self) -> Iterator[tuple[NodeId, NodeId]]:
        """Wires that something went through in this run."""
        for edge in self._edges:
            end, began = self._ends.get(edge.source), self._began.get(edge.target, False)
            if is_passed(edge, end, is_approval=edge.source in self._asking, target_began=began):
                yield edge.source, edge.target

    def to_come(self) -> Iterator[tuple[NodeId, NodeId]]:
        """Wires that this run has yet to come to."""
        for edge in self._edges:
            end, began = self._ends.get(edge.target), self._began.get(edge.target, False)
            if is_to_come(edge, end, target_began=began):
                yield edge.source, edge.target
