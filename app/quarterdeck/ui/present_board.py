"""The shown runs as one board: faces of nodes, rows of the outline, wires that something went through.

A step of a big run moves few slots. The board keeps what it made and makes anew what moved: slots are compared by
identity (the engine keeps the views of slots that did not change), growing times by the second. It gives what a fresh
board gives (tests/ui/test_present.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from quarterdeck.domain.ids import NodeId, RunId
from quarterdeck.domain.layout import arrange
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import RunView, SlotView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.ui.present_nodes import AgentRow, NodeFace, agent_row, is_ticking, node_face

Slots = tuple[SlotView, ...]
Wires = frozenset[tuple[NodeId, NodeId]]


@dataclass(frozen=True, slots=True)
class Boarded:
    """What the board shows. Values that did not change are the same objects as before."""

    faces: tuple[NodeFace, ...]
    """One a node, in the file's order."""
    agents: tuple[AgentRow, ...]
    """Node by node, within a node run by run."""
    passed: Wires
    """Edges whose source is done and whose target has begun in a shown run."""


class Board:
    """One for each window."""

    def __init__(self) -> None:
        self._asked: tuple[object, ...] = ()
        self._second = -1
        self._runs: list[_RunPart] = []
        self._workflow: Workflow | None = None
        self._places: dict[NodeId, tuple[float, float]] = {}
        self._node_at: dict[NodeId, int] = {}
        self._faces: list[NodeFace] = []
        self._agents: list[AgentRow] = []
        self._agent_at: list[list[int]] = []
        """For each run, the outline's place of each of its slots."""
        self._shown = Boarded((), (), frozenset())

    def show(
        self,
        workflow: Workflow | None,
        views: tuple[RunView, ...],
        letters: Mapping[RunId, str],
        now: Moment,
    ) -> Boarded:
        """The board of these views. `views`: shown runs, oldest launch first."""
        named = tuple((v.run_id, letters.get(v.run_id, "") if v.is_live else "") for v in views)
        asked = (id(workflow), workflow, named)
        if asked != self._asked or not all(p.fits(v.slots) for p, v in zip(self._runs, views, strict=True)):
            self._asked, self._second = asked, now.boot_ms // 1000
            self._begin(workflow, views, named, now)
        else:
            self._move(views, now)
        return self._shown

    # ------------------------------------------------------------------ all anew

    def _begin(
        self,
        workflow: Workflow | None,
        views: tuple[RunView, ...],
        named: tuple[tuple[RunId, str], ...],
        now: Moment,
    ) -> None:
        if workflow is not self._workflow:
            self._workflow = workflow
            self._places = places_of(workflow) if workflow is not None else {}
        self._runs = [_RunPart(run, letter, v.slots) for (run, letter), v in zip(named, views, strict=True)]
        nodes = workflow.nodes if workflow is not None else ()
        self._node_at = {node.id: at for at, node in enumerate(nodes)}
        self._faces = [self._face(at, now) for at in range(len(nodes))]
        self._begin_agents(now)
        self._shown = Boarded(tuple(self._faces), tuple(self._agents), self._passed())

    def _begin_agents(self, now: Moment) -> None:
        place: dict[NodeId, int] = {}
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
            moved = part.take(view.slots)
            begun = begun or part.has_begun_more
            touched = set(moved) | part.ticking if has_ticked else set(moved)
            for s in touched:
                self._agents[self._agent_at[r][s]] = self._agent(r, s, now)
                nodes.add(view.slots[s].node_id)
        if nodes:
            for at in sorted(self._node_at[n] for n in nodes if n in self._node_at):
                self._faces[at] = self._face(at, now)
            self._shown = Boarded(
                tuple(self._faces), tuple(self._agents), self._passed() if begun else self._shown.passed
            )

    def _face(self, at: int, now: Moment) -> NodeFace:
        assert self._workflow is not None
        node = self._workflow.nodes[at]
        present = tuple((p.run, p.letter, p.by_node[node.id]) for p in self._runs if node.id in p.by_node)
        return node_face(self._workflow, node, self._places[node.id], present, now)

    def _agent(self, r: int, s: int, now: Moment) -> AgentRow:
        part = self._runs[r]
        return agent_row(part.run, part.letter, part.slots[s], now)

    def _passed(self) -> Wires:
        if self._workflow is None:
            return frozenset()
        return frozenset(
            (e.source, e.target)
            for e in self._workflow.edges
            for part in self._runs
            if e.source in part.done and e.target in part.started
        )


class _RunPart:
    """The slots of one shown run, grouped by node, and which of their times grow."""

    def __init__(self, run: RunId, letter: str, slots: Slots) -> None:
        self.run, self.letter, self.slots = run, letter, slots
        grouped: defaultdict[NodeId, list[SlotView]] = defaultdict(list)
        for slot in slots:
            grouped[slot.node_id].append(slot)
        self.by_node: dict[NodeId, Slots] = {node: tuple(own) for node, own in grouped.items()}
        self.ticking = {s for s, slot in enumerate(slots) if is_ticking(slot)}
        self.done: set[NodeId] = set()
        self.started: set[NodeId] = set()
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

    def take(self, slots: Slots) -> list[int]:
        """Take the slots of a later moment; the numbers of those that moved."""
        old, self.slots = self.slots, slots
        moved = (
            [] if slots is old else [s for s, (a, b) in enumerate(zip(old, slots, strict=True)) if a is not b]
        )
        nodes = {slots[s].node_id for s in moved}
        for s in moved:
            before, after = old[s], slots[s]
            self.by_node[after.node_id] = tuple(
                [after if x is before else x for x in self.by_node[after.node_id]]
            )
            (self.ticking.add if is_ticking(after) else self.ticking.discard)(s)
        self.has_begun_more = self._judge(nodes)
        return moved

    def _judge(self, nodes: Iterable[NodeId]) -> bool:
        """Which of these nodes are done or have begun; whether that changed."""
        changed = False
        for node in nodes:
            slots = self.by_node[node]
            is_done = all(s.state is SlotState.DONE for s in slots)
            has_begun = is_done or any(s.attempts or s.state is SlotState.DONE for s in slots)
            for known, holds in ((self.done, is_done), (self.started, has_begun)):
                if (node in known) != holds:
                    changed = True
                    (known.add if holds else known.discard)(node)
        return changed


def places_of(workflow: Workflow) -> dict[NodeId, tuple[float, float]]:
    """Where every node stands: as the file says, the others laid out among them."""
    pinned = {n.id: n.position for n in workflow.nodes if n.position is not None}
    wires = [(e.source, e.target) for e in workflow.edges if e.loop is None]
    return arrange([n.id for n in workflow.nodes], wires, pinned)
