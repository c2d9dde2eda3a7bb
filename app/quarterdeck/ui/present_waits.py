"""Times in which a run waited for a person: what was read of them, with the newest view laid over it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from quarterdeck.domain.ids import RequestId, RunId
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.waits import Wait

Standing = tuple[int | None, bool, tuple[RequestId, ...], int]
"""By what a run's waits are known to have changed: its end, whether it is live, its open questions, its attempts."""


def standing_of(run: RunSummary, view: RunView | None) -> Standing:
    """How a run stands now; of one whose view is not known only its end can change."""
    slots = view.slots if view is not None and run.is_live else ()
    opened = tuple(q.request_id for slot in slots for q in slot.approvals)
    return run.end_seq, run.is_live, opened, sum(len(slot.attempts) for slot in slots)


def all_waits(view: RunView, waits: Iterable[Wait]) -> tuple[Wait, ...]:
    """The view is the newer truth: what it shows as open is open, and what it does not show is open no more."""
    opened = {q.request_id: q for slot in view.slots for q in slot.approvals if view.is_live}
    found = {w.request_id: w for w in waits if w.request_id not in opened and w.answered_at is not None}
    for request, q in opened.items():
        found[request] = Wait(q.slot_id, q.attempt_id, request, q.question, q.asked_at)
    return tuple(sorted(found.values(), key=lambda w: w.asked_at.wall_ms))


def waits_now(
    read: Mapping[RunId, tuple[Wait, ...]], views: Mapping[RunId, RunView]
) -> dict[RunId, tuple[Wait, ...]]:
    """What was read, with the views of live runs laid over it. A run that is not read yet is left out: it is not known."""
    live = {run: all_waits(view, read[run]) for run, view in views.items() if view.is_live and run in read}
    return {**read, **live}
