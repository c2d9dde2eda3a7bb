"""The open questions of all live runs: what the chip counts, and where *next needs you* goes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quarterdeck.domain.ids import RequestId, RunId, SlotId, WorkflowId
from quarterdeck.domain.views import RunView


@dataclass(frozen=True, slots=True)
class Waiting:
    """An open question somewhere: where *next needs you* goes."""

    run_id: RunId
    slot_id: SlotId
    workflow_id: WorkflowId
    request_id: RequestId
    title: str
    """Of who asks, as its workflow says it."""
    question: str
    """As it was asked."""


def waiting_of(views: Iterable[RunView]) -> tuple[Waiting, ...]:
    """The open questions of live runs, oldest run first."""
    return tuple(
        Waiting(run.run_id, slot.slot_id, run.workflow_id, question.request_id, slot.title, question.question)
        for run in sorted(views, key=lambda v: v.launch_seq)
        if run.is_live
        for slot in run.slots
        for question in slot.approvals
    )
