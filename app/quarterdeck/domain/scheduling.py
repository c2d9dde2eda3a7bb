"""What happens next in a live run: a pure function of graph, journal fold and conditions. No clock, no chance.

Rules where the pages leave room:
- A node runs when every incoming edge is satisfied, and is skipped as soon as one can never be. Skipping propagates
  through `success`, `failure` and expressions. `always` means whatever became of the source: it is satisfied by a skipped
  source too, so that a joining node runs although one branch was not taken.
- A slot that is exhausted counts as failed for `failure` and `always`; it becomes failed for good (FailSlotStep) in the
  same step in which such an edge lets its target start (ruling 2). Until then a person may take it up, so a `success` edge
  from it stays open and its target stays pending.
- An approval node that was answered with a choice of `REJECTING` counts as a failure for `success` and `failure`; an
  expression over its output (the choice) is asked either way.
- A stopped, interrupted or refused slot decides nothing: everything behind it waits (ruling 1).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from quarterdeck.domain.ids import NodeId, RequestId, SlotId
from quarterdeck.domain.run_state import RunState, SlotRecord
from quarterdeck.domain.states import Hold, SlotState
from quarterdeck.domain.workflow import Edge, Workflow

REJECTING = frozenset({"reject", "rejected", "deny", "denied", "no"})
"""Choices of an approval node, in any case of letters, that mean no."""
APPROVAL_OPTIONS = ("Approve", "Reject")

Conditions = Callable[[Edge], bool | None]
"""Whether an expression edge holds, asked only once its source gave an output; None: not worked out yet."""


@dataclass(frozen=True, slots=True)
class ClaimStep:
    """Ask for a claim of the slot."""

    slot_id: SlotId
    cause: Literal["schedule", "retry"]


@dataclass(frozen=True, slots=True)
class SkipStep:
    """A condition is not met: journal SlotCancelled."""

    slot_id: SlotId


@dataclass(frozen=True, slots=True)
class FailSlotStep:
    """An edge is about to be followed from the exhausted slot: journal SlotFailed, before the step that follows it."""

    slot_id: SlotId


@dataclass(frozen=True, slots=True)
class AskStep:
    """An approval node is reached: journal ApprovalAsked."""

    slot_id: SlotId


Step = ClaimStep | SkipStep | FailSlotStep | AskStep


class NodeEnd(StrEnum):
    """What became of a node, as its outgoing edges see it."""

    SUCCESS = "success"
    FAILURE = "failure"
    EXHAUSTED = "exhausted"
    """A failure that a person may still take up."""
    SKIPPED = "skipped"


class EdgeState(StrEnum):
    """Whether an edge lets its target start."""

    SATISFIED = "satisfied"
    OPEN = "open"
    IMPOSSIBLE = "impossible"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A node with the edges that come into it; edges that go back (`loop`) are left out."""

    node_id: NodeId
    is_approval: bool
    incoming: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """Dependencies of a workflow, nodes in the order of its file."""

    nodes: dict[NodeId, GraphNode]

    @staticmethod
    def of(workflow: Workflow) -> Graph:
        """The graph of a checked workflow."""
        incoming: dict[NodeId, list[Edge]] = {node.id: [] for node in workflow.nodes}
        for edge in workflow.edges:
            if edge.loop is None:
                incoming[edge.target].append(edge)
        return Graph(
            {n.id: GraphNode(n.id, n.kind == "approval", tuple(incoming[n.id])) for n in workflow.nodes}
        )


def never(edge: Edge) -> bool | None:
    """Conditions for a workflow whose edges hold no expression."""
    return None


def node_request_id(slot_id: SlotId) -> RequestId:
    """The request of an approval node, which has no attempt to be named by."""
    return RequestId(f"{slot_id}:approval")


# ------------------------------------------------------------------------------------------- nodes and edges


def slot_end(slot: SlotRecord) -> NodeEnd | None:
    """What became of a slot; None while that is open."""
    if slot.state is SlotState.DONE:
        is_no = slot.answer is not None and slot.answer.choice.strip().lower() in REJECTING
        return NodeEnd.FAILURE if is_no else NodeEnd.SUCCESS
    if slot.state is SlotState.FAILED:
        return NodeEnd.FAILURE
    if slot.state is SlotState.CANCELLED:
        return NodeEnd.SKIPPED
    waits = slot.state is SlotState.RETRY_WAIT and slot.hold is Hold.PERSON and slot.reopened is None
    return NodeEnd.EXHAUSTED if waits and slot.exhausted else None


def node_ends(state: RunState) -> dict[NodeId, NodeEnd | None]:
    """What became of each node. One with several slots: open while one is; else the worst of them."""
    by_node: dict[NodeId, list[NodeEnd | None]] = {}
    for slot in state.slots.values():
        by_node.setdefault(slot.node_id, []).append(slot_end(slot))
    return {node_id: worst_end(ends) for node_id, ends in by_node.items()}


def worst_end(ends: list[NodeEnd | None]) -> NodeEnd | None:
    """What became of a node whose slots came to these ends."""
    if None in ends:
        return None
    for end in (NodeEnd.EXHAUSTED, NodeEnd.FAILURE, NodeEnd.SUCCESS):
        if end in ends:
            return end
    return NodeEnd.SKIPPED


def edge_state(edge: Edge, end: NodeEnd | None, is_approval: bool, conditions: Conditions) -> EdgeState:
    """How an edge stands, given what became of its source."""
    if end is None:
        return EdgeState.OPEN
    if edge.when == "always":
        return EdgeState.SATISFIED
    if end is NodeEnd.SKIPPED:
        return EdgeState.IMPOSSIBLE
    if edge.when in ("success", "failure"):
        return _plain_edge(edge.when, end)
    if end is NodeEnd.SUCCESS or (is_approval and end is NodeEnd.FAILURE):
        holds = conditions(edge)
        if holds is None:
            return EdgeState.OPEN
        return EdgeState.SATISFIED if holds else EdgeState.IMPOSSIBLE
    return EdgeState.OPEN if end is NodeEnd.EXHAUSTED else EdgeState.IMPOSSIBLE


def _plain_edge(when: str, end: NodeEnd) -> EdgeState:
    if when == "failure":
        return EdgeState.IMPOSSIBLE if end is NodeEnd.SUCCESS else EdgeState.SATISFIED
    if end is NodeEnd.EXHAUSTED:
        return EdgeState.OPEN
    return EdgeState.SATISFIED if end is NodeEnd.SUCCESS else EdgeState.IMPOSSIBLE


def node_readiness(
    graph: Graph, node: GraphNode, ends: dict[NodeId, NodeEnd | None], conditions: Conditions
) -> EdgeState:
    """Whether a node may start (also what `deps_done` of a claim asks), must wait, or is never to run."""
    result = EdgeState.SATISFIED
    for edge in node.incoming:
        source = graph.nodes[edge.source]
        stands = edge_state(edge, ends.get(edge.source), source.is_approval, conditions)
        if stands is EdgeState.IMPOSSIBLE:
            return stands
        if stands is EdgeState.OPEN:
            result = stands
    return result


def deps_done(graph: Graph, state: RunState, slot_id: SlotId, conditions: Conditions = never) -> bool:
    """Whether what the slot depends on is done, for `judge_claim`."""
    node = graph.nodes[state.slots[slot_id].node_id]
    return node_readiness(graph, node, node_ends(state), conditions) is EdgeState.SATISFIED


# ------------------------------------------------------------------------------------------- steps


def has_capacity(state: RunState) -> bool:
    """Whether another agent of this run may run now (`max_parallel`)."""
    limit = state.header.max_parallel
    return limit is None or len(state.open_attempts) < limit


def next_steps(
    graph: Graph,
    state: RunState,
    now_ms: int,
    conditions: Conditions = never,
    held: Container[SlotId] = frozenset(),
) -> tuple[Step, ...]:
    """What is to be done now, in order. Take the steps, fold what they journaled, and ask again until nothing comes.

    Nothing in a run that is not live or is being stopped (case 17). In a sitting that a person opened without going on,
    only timed retries (ruling 3, C10). At most as many claims as `max_parallel` leaves. now_ms: boot time. held: slots that
    wait for their sign-in, and take no place of another (AUT4); they are startable all the same (`is_settled`).
    """
    if not state.is_live or state.stop_requested is not None:
        return ()
    limit = state.header.max_parallel
    room = len(state.slots) if limit is None else max(0, limit - len(state.open_attempts))
    steps: list[Step] = []
    for step in _retries(state, now_ms):
        if room > 0 and step.slot_id not in held:
            steps.append(step)
            room -= 1
    if state.sitting.go_on:
        steps.extend(_new_starts(graph, state, conditions, room, held))
    return tuple(steps)


def _retries(state: RunState, now_ms: int) -> Iterator[ClaimStep]:
    for slot in state.slots.values():
        if _is_timed(slot) and slot.retry_at_ms is not None and slot.retry_at_ms <= now_ms:
            yield ClaimStep(slot.slot_id, "retry")


def _is_timed(slot: SlotRecord) -> bool:
    return slot.state is SlotState.RETRY_WAIT and slot.hold is Hold.TIMER and not slot.is_blocked


def _new_starts(
    graph: Graph,
    state: RunState,
    conditions: Conditions,
    room: int,
    held: Container[SlotId] = frozenset(),
) -> Iterator[Step]:
    ends = node_ends(state)
    failed: set[SlotId] = set()
    for slot in state.slots.values():
        if slot.state is not SlotState.PENDING or slot.asked is not None:
            continue
        node = graph.nodes[slot.node_id]
        ready = node_readiness(graph, node, ends, conditions)
        if ready is EdgeState.IMPOSSIBLE:
            yield SkipStep(slot.slot_id)
        if ready is not EdgeState.SATISFIED or slot.is_blocked or slot.slot_id in held:
            continue
        if not node.is_approval and room <= 0:
            continue
        yield from _followed(state, node, ends, failed)
        if node.is_approval:
            yield AskStep(slot.slot_id)
        else:
            room -= 1
            yield ClaimStep(slot.slot_id, "schedule")


def _followed(
    state: RunState, node: GraphNode, ends: dict[NodeId, NodeEnd | None], failed: set[SlotId]
) -> Iterator[FailSlotStep]:
    """Exhausted slots that are failed for good by starting the node, each once."""
    sources = {edge.source for edge in node.incoming if ends.get(edge.source) is NodeEnd.EXHAUSTED}
    for slot in state.slots.values():
        is_source = slot.node_id in sources and slot_end(slot) is NodeEnd.EXHAUSTED
        if is_source and slot.slot_id not in failed:
            failed.add(slot.slot_id)
            yield FailSlotStep(slot.slot_id)


def next_wakeup(state: RunState, held: Container[SlotId] = frozenset()) -> int | None:
    """Boot time in milliseconds of the next timed retry; None where none is due in this sitting. held: as in `next_steps`."""
    if not state.is_live or state.stop_requested is not None:
        return None
    timed = (slot for slot in state.slots.values() if _is_timed(slot) and slot.slot_id not in held)
    times = [slot.retry_at_ms for slot in timed if slot.retry_at_ms is not None]
    return min(times, default=None)


def is_settled(graph: Graph, state: RunState, conditions: Conditions = never) -> bool:
    """Whether a live run is at its end: nothing runs, nothing is asked, and nothing can start by itself."""
    if not state.is_live:
        return True
    if state.open_attempts:
        return False
    if state.stop_requested is not None:
        return True
    if next_wakeup(state) is not None:
        return False
    if not state.sitting.go_on:
        return True
    if any(slot.is_asking for slot in state.slots.values()):
        return False
    return next(_new_starts(graph, state, conditions, room=1), None) is None
