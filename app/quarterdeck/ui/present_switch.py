"""Whether another agent can take a slot over while it waits. Pure; the engine judges it again."""

from __future__ import annotations

from quarterdeck.domain.states import Phase, SlotState
from quarterdeck.domain.views import RunView, SlotView


def can_switch(view: RunView, slot: SlotView) -> bool:
    """It waits for its first attempt, or for the time of a retry in a live run, and has another pinned agent."""
    if not slot.alternatives or view.damaged or view.phase is Phase.CLOSED:
        return False
    waits_for_first = slot.state is SlotState.PENDING and not slot.attempts and not slot.approvals
    return waits_for_first or (view.is_live and slot.display == "Retrying")
