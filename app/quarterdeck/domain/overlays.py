"""What only the process that has a run knows of it, put on its view: nothing here is in journal, reports or record. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.views import RunView, SlotView


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
