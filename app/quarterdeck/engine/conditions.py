"""Expression edges of one run: worked out once their source gave an output, and remembered for the sitting.

An expression that cannot be worked out does not hold; why is told as a problem of the run's events.
"""

from __future__ import annotations

import asyncio
from typing import Any

from quarterdeck.domain.ids import AttemptId, NodeId
from quarterdeck.domain.run_state import SlotRecord
from quarterdeck.domain.states import SlotState
from quarterdeck.domain.workflow import Edge
from quarterdeck.engine.node_values import DecidedNode, decided_nodes, node_values
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.templates import TemplateProblem, is_true
from quarterdeck.store.data_folder import Store

PLAIN = frozenset({"success", "failure", "always"})


class RunConditions:
    """Callable as `domain.scheduling.Conditions`; `work_out` evaluates what became answerable, off the loop."""

    def __init__(self, store: Store, book: RunBook) -> None:
        self._store, self._book = store, book
        self._edges = tuple(e for e in book.plan.workflow.edges if e.when not in PLAIN and e.loop is None)
        self._known: dict[tuple[Edge_, AttemptId | str], bool] = {}

    def __call__(self, edge: Edge) -> bool | None:
        slot = self._slot(edge.source)
        return self._known.get((_key(edge), _version(slot)))

    async def work_out(self) -> None:
        """Evaluate every expression whose source is decided and whose answer is not known yet."""
        for edge in self._edges:
            slot = self._slot(edge.source)
            if slot.state not in (SlotState.DONE, SlotState.FAILED) or self(edge) is not None:
                continue
            wanted = self._book.plan.upstream(edge.source) | {edge.source}
            nodes = decided_nodes(self._book.state, self._book.folds, wanted)
            self._known[_key(edge), _version(slot)] = await asyncio.to_thread(self._holds, edge, nodes)

    def _holds(self, edge: Edge, nodes: tuple[DecidedNode, ...]) -> bool:
        values = node_values(self._book.run_id, nodes, self._store.attempts)
        context: dict[str, Any] = {
            "inputs": self._book.plan.inputs,
            "nodes": values,
            "output": values[edge.source]["output"],
            "run": {"id": self._book.run_id},
        }
        try:
            return is_true(edge.when, context)
        except TemplateProblem:
            return False

    def _slot(self, node_id: NodeId) -> SlotRecord:
        return next(slot for slot in self._book.state.slots.values() if slot.node_id == node_id)


Edge_ = tuple[str, str, str]


def _key(edge: Edge) -> Edge_:
    return edge.source, edge.target, edge.when


def _version(slot: SlotRecord) -> AttemptId | str:
    return slot.prior or str(slot.state)
