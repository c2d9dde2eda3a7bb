"""Expression edges of one run: worked out once their source gave an output, and remembered for that output.

An expression that cannot be worked out is neither met nor unmet: its edge stays open, and the node behind it is told to
fail with the reason in words, so that a slip in a file never passes for a condition that was not met.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.ids import AttemptId, NodeId, SlotId
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState, SlotRecord
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.workflow import Edge
from quarterdeck.engine.node_values import DecidedNode, decided_nodes, node_values
from quarterdeck.engine.run_plan import RunPlan
from quarterdeck.engine.templates import TemplateProblem, is_true
from quarterdeck.store.data_folder import Store

PLAIN = frozenset({"success", "failure", "always"})
_Known = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """An edge whose answer is not known yet, with what its expression may ask about."""

    edge: Edge
    key: _Known
    nodes: tuple[DecidedNode, ...]


@dataclass(frozen=True, slots=True)
class BadCondition:
    """An edge whose expression cannot be worked out; `slot_id` is the one behind it."""

    slot_id: SlotId
    message: str


class RunConditions:
    """`look` is bound to a state and callable as `domain.scheduling.Conditions`; `work_out` reads files (blocking)."""

    def __init__(self, store: Store, plan: RunPlan) -> None:
        self._store, self._plan = store, plan
        self._edges = tuple(e for e in plan.workflow.edges if e.when not in PLAIN and e.loop is None)
        self._known: dict[_Known, bool | None] = {}
        self._state: RunState | None = None

    def __call__(self, edge: Edge) -> bool | None:
        slot = None if self._state is None else _slot(self._state, edge.source)
        return None if slot is None else self._known.get(_key(edge, slot))

    def open_questions(self, state: RunState, folds: Mapping[AttemptId, AttemptFold]) -> tuple[Question, ...]:
        """What is to be worked out before `state` is judged; from here on it is the state that is asked about."""
        self._state = state
        found = []
        for edge in self._edges:
            slot = _slot(state, edge.source)
            if slot is None or slot.state not in (SlotState.DONE, SlotState.FAILED):
                continue
            if _key(edge, slot) not in self._known:
                wanted = self._plan.upstream(edge.source) | {edge.source}
                found.append(Question(edge, _key(edge, slot), decided_nodes(state, folds, wanted)))
        return tuple(found)

    def work_out(self, state: RunState, questions: tuple[Question, ...]) -> tuple[BadCondition, ...]:
        """Answer them; those that cannot be answered, also because a file is gone, are told once and stay open. Blocking."""
        bad = []
        for question in questions:
            try:
                self._known[question.key] = self._holds(state, question)
            except (TemplateProblem, OSError) as problem:
                self._known[question.key] = None
                source = self._plan.workflow.node(question.edge.source)
                words = f"The condition after {source.title} (“{question.edge.when[:80]}”) cannot be worked out: {problem}"
                bad += [
                    BadCondition(slot.slot_id, words)
                    for slot in state.slots.values()
                    if slot.node_id == question.edge.target
                ]
        return tuple(bad)

    def _holds(self, state: RunState, question: Question) -> bool:
        values = node_values(state.run_id, question.nodes, self._store.attempts)
        context: dict[str, Any] = {
            "inputs": self._plan.inputs,
            "nodes": values,
            "output": values[question.edge.source]["output"],
            "run": {"id": state.run_id},
        }
        return is_true(question.edge.when, context)


def _slot(state: RunState, node_id: NodeId) -> SlotRecord | None:
    return next((slot for slot in state.slots.values() if slot.node_id == node_id), None)


def _key(edge: Edge, slot: SlotRecord) -> _Known:
    return edge.source, edge.target, edge.when, slot.prior or str(slot.state)
