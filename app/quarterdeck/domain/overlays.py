"""What only the process that has a run knows of it, put on its view: nothing here is in journal, reports or record. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus
from quarterdeck.domain.views import RunView, SlotView

ORPHANED = "its keeper is gone; what it began is being ended"


def overlaid(
    view: RunView,
    waits: Mapping[SlotId, str],
    orphaned: Collection[AttemptId],
    refused: Mapping[AttemptId, int],
) -> RunView:
    """The view with all of them; what is empty costs nothing."""
    view = with_waits(view, waits) if waits else view
    view = with_orphaned(view, orphaned) if orphaned else view
    return with_refused(view, refused) if refused else view


def with_refused(view: RunView, refused: Mapping[AttemptId, int]) -> RunView:
    """The view with the number of refused reports at each attempt that had some; those of no attempt of the run are left out."""

    def told(slot: SlotView) -> SlotView:
        if not any(attempt.attempt_id in refused for attempt in slot.attempts):
            return slot
        numbered = (replace(a, refused_reports=refused.get(a.attempt_id, 0)) for a in slot.attempts)
        return replace(slot, attempts=tuple(numbered))

    return replace(view, slots=tuple(map(told, view.slots)))


def with_waits(view: RunView, waits: Mapping[SlotId, str]) -> RunView:
    """The view with what each slot waits for that nothing else says: its sign-in is tried by another agent, or limited."""

    def told(slot: SlotView) -> SlotView:
        return replace(slot, reason=waits[slot.slot_id]) if slot.slot_id in waits else slot

    return replace(view, slots=tuple(map(told, view.slots)))


def with_orphaned(view: RunView, orphaned: Collection[AttemptId]) -> RunView:
    """The view with these attempts, whose keepers are gone and whose processes are being ended, shown as stopping: nobody is there
    any more who could hear an answer.
    """

    def told(slot: SlotView) -> SlotView:
        newest = slot.attempts[-1] if slot.attempts else None
        if newest is None or newest.attempt_id not in orphaned:
            return slot
        if newest.status in TERMINAL_ATTEMPT or newest.status is AttemptStatus.LOST:
            return slot
        attempts = (*slot.attempts[:-1], replace(newest, status=AttemptStatus.STOPPING, reason=ORPHANED))
        return replace(slot, display="Stopping", reason=ORPHANED, attempts=attempts, approvals=())

    return replace(view, slots=tuple(map(told, view.slots)))
