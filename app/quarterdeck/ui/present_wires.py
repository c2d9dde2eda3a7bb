"""Which wires something went through: the condition of the edge was met, and its target has begun. Pure.

Judged by `domain.scheduling`, the rule by which the engine starts nodes. A view does not tell what an expression gave, or
whether a person said yes or no; but a node is only ever begun once all edges that lead to it are met, so where the source
has come to such an end, the target's beginning tells it.

A wire is green where something went through it in a shown run and no shown run has yet to come to it: green is *Done*,
and what one run is done with says nothing of the others (OWN3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quarterdeck.domain.ids import NodeId
from quarterdeck.domain.scheduling import EdgeState, NodeEnd, edge_state, worst_end
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.views import SlotView
from quarterdeck.domain.workflow import Edge

Wires = frozenset[tuple[NodeId, NodeId]]


@dataclass(frozen=True, slots=True)
class Passed:
    """The wires of all shown runs."""

    went: Wires = frozenset()
    """Something went through in a shown run; when it just did, dots run along the wire."""
    green: Wires = frozenset()
    """Of these, the ones that no shown run has yet to come to."""


_ENDS = {
    SlotState.DONE: NodeEnd.SUCCESS,
    SlotState.FAILED: NodeEnd.FAILURE,
    SlotState.CANCELLED: NodeEnd.SKIPPED,
}


def end_of_node(slots: Iterable[SlotView]) -> NodeEnd | None:
    """What became of a node, as its outgoing edges see it; None while that is open."""
    return worst_end([_end_of(slot) for slot in slots])


def has_begun(slots: Iterable[SlotView]) -> bool:
    """Whether the scheduler has reached the node: an attempt, an open question, or done."""
    return any(slot.attempts or slot.approvals or slot.state is SlotState.DONE for slot in slots)


def is_passed(edge: Edge, end: NodeEnd | None, *, is_approval: bool, target_began: bool) -> bool:
    """Whether something went through the edge. `end`: its source's; is_approval: a person is the source."""
    if not target_began or edge.loop is not None:
        return False
    if is_approval and end is NodeEnd.SUCCESS:
        return True
    return edge_state(edge, end, is_approval, lambda _: True) is EdgeState.SATISFIED


def is_to_come(edge: Edge, end: NodeEnd | None, *, target_began: bool) -> bool:
    """Whether something may yet go through the edge in this run. `end`: its target's, None while that is open."""
    return edge.loop is None and end is None and not target_began


def _end_of(slot: SlotView) -> NodeEnd | None:
    if slot.state is SlotState.RETRY_WAIT and slot.reopened is None and slot.display == "Failed":
        return NodeEnd.EXHAUSTED
    return _ENDS.get(slot.state)
