"""What templates and agents may know of the nodes that ran before: `{id: {"output", "status", "artifacts"}}`.

`decided_nodes` takes what is needed out of the run's state, on the loop; `node_values` reads it, from a worker thread:
large outputs lie in a file of the attempt.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.domain.ids import AttemptId, NodeId, RunId
from quarterdeck.domain.outputs import lost_words
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import AttemptStatus, SlotState
from quarterdeck.store.attempts import AttemptFolder, Attempts
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

_DECIDED = frozenset({SlotState.DONE, SlotState.FAILED, SlotState.CANCELLED, SlotState.RETRY_WAIT})


class OutputLost(OSError):
    """An output was told and could not be kept, or its file is gone, or something else lies in its place: nobody may take it for an empty one. The message is for a person."""


@dataclass(frozen=True, slots=True)
class DecidedNode:
    """A node whose slot is decided. `fold` is of its last attempt, which has ended and changes no more."""

    node_id: NodeId
    status: str
    attempt_id: AttemptId | None
    fold: AttemptFold | None
    answer: str | None


def decided_nodes(
    state: RunState, folds: Mapping[AttemptId, AttemptFold], wanted: Collection[NodeId] | None = None
) -> tuple[DecidedNode, ...]:
    """Every decided node, or those of `wanted`."""
    return tuple(
        DecidedNode(
            slot.node_id,
            str(state.attempts[slot.prior].status) if slot.prior else str(slot.state),
            slot.prior,
            folds.get(slot.prior) if slot.prior else None,
            slot.answer.choice if slot.answer is not None else None,
        )
        for slot in state.slots.values()
        if slot.state in _DECIDED and (wanted is None or slot.node_id in wanted)
    )


def node_values(run: RunId, nodes: Iterable[DecidedNode], attempts: Attempts) -> dict[str, Any]:
    """Values by node id; blocking."""
    return {node.node_id: _value(run, node, attempts) for node in nodes}


def _value(run: RunId, node: DecidedNode, attempts: Attempts) -> dict[str, Any]:
    if node.attempt_id is None or node.fold is None:
        return {"output": node.answer, "status": node.status, "artifacts": {}}
    folder = attempts.folder(run, node.attempt_id)
    is_lost = bool(lost_words(node.fold.output_report)) and node.status != AttemptStatus.SUCCEEDED
    return {
        "output": None if is_lost else read_output(node.fold, folder),  # who handles a failure must start
        "status": node.status,
        "artifacts": artifact_paths(node.fold, folder),
    }


def read_output(fold: AttemptFold, folder: AttemptFolder) -> Any:
    """The output of an attempt, from its file where it was too large for a report; None where there is none.

    Raises OutputLost where one was told and could not be kept, OSError where its file cannot be read.
    """
    report = fold.output_report
    if lost := lost_words(report):
        raise OutputLost(lost)
    if report is None or not report.get("stored"):
        return fold.output
    try:
        text = read_regular(folder.path / "artifacts" / str(report["stored"])).decode("utf-8", "replace")
    except FileNotFoundError as gone:
        raise OutputLost(f"The file that holds the output is gone: {gone.filename}") from gone
    except StoreDamaged as damage:
        raise OutputLost(str(damage)) from damage
    try:
        return json.loads(text)
    except ValueError:
        return text


def artifact_paths(fold: AttemptFold, folder: AttemptFolder) -> dict[str, str]:
    """Where each artifact lies: the copy that was kept, else the path that the agent named."""
    return {
        artifact.name: str(folder.path / "artifacts" / artifact.stored)
        if artifact.stored
        else artifact.path or ""
        for artifact in fold.artifacts
    }
