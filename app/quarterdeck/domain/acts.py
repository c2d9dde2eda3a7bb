"""Guards of what a person does to an attempt or a whole run: A15 rows 5, 7 and 16.

As in `domain.guards`, a guard changes nothing: it answers with the event to journal, or with a refusal.
"""

from __future__ import annotations

from quarterdeck.domain.attempt_table import ATTEMPT_TABLE, AttemptMove
from quarterdeck.domain.events import (
    AttemptContinueRequested,
    AttemptPauseRequested,
    AttemptStopRequested,
    RunDiscarded,
)
from quarterdeck.domain.guards import NO_SUCH_RUN, is_other_actor
from quarterdeck.domain.ids import SlotId, TenantId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.run_table import RUN_TABLE, RunMove, run_standing
from quarterdeck.domain.states import AttemptStatus, EndReason


def _living(
    state: RunState, slot_id: SlotId, shown: AttemptStatus, move: AttemptMove
) -> AttemptRecord | Refusal:
    """The slot's newest attempt, if its shown status admits the move."""
    slot = state.slots.get(slot_id)
    if slot is None:
        return Refusal(Code.E_SLOT, f"The run has no node {slot_id}.", (("slot", slot_id),))
    attempt = state.prior_of(slot)
    if attempt is None or attempt.is_terminal or (shown, move) not in ATTEMPT_TABLE:
        now = shown.value.replace("_", " ") if attempt is not None else "not started"
        message = f"{slot.title} is {now}; it cannot be told to {move.value}."
        return Refusal(Code.E_ATTEMPT_STATE, message, (("slot", slot_id), ("status", now)))
    return attempt


def judge_pause(
    state: RunState, slot_id: SlotId, shown: AttemptStatus, actor: str
) -> Refusal | AttemptPauseRequested:
    """Row 5: only a running agent can be paused. shown: its status in the view."""
    attempt = _living(state, slot_id, shown, AttemptMove.PAUSE)
    return (
        attempt if isinstance(attempt, Refusal) else AttemptPauseRequested(slot_id, attempt.attempt_id, actor)
    )


def judge_continue(
    state: RunState, slot_id: SlotId, shown: AttemptStatus, actor: str
) -> Refusal | AttemptContinueRequested:
    """Row 5: only a paused agent can go on."""
    attempt = _living(state, slot_id, shown, AttemptMove.CONTINUE)
    if isinstance(attempt, Refusal):
        return attempt
    return AttemptContinueRequested(slot_id, attempt.attempt_id, actor)


def judge_stop(
    state: RunState, slot_id: SlotId, shown: AttemptStatus, actor: str, reason: EndReason = EndReason.PERSON
) -> Refusal | AttemptStopRequested | None:
    """Row 7: any attempt that has not ended can be stopped; None where that was asked before (idempotent)."""
    attempt = _living(state, slot_id, shown, AttemptMove.STOP)
    if isinstance(attempt, Refusal):
        return attempt
    if attempt.stop_requested is not None:
        return None
    return AttemptStopRequested(slot_id, attempt.attempt_id, actor, reason)


def judge_discard(state: RunState | None, tenant: TenantId, actor: str) -> Refusal | RunDiscarded:
    """Row 16, C7: an ended run without a survivor, by its owner."""
    if state is None or state.tenant != tenant:
        return Refusal(Code.E_RUN if state is None else Code.E_TENANT, NO_SUCH_RUN)
    if is_other_actor(state, actor):
        message = f"This run belongs to {state.owner}; only they can discard it."
        return Refusal(Code.E_ACTOR, message, (("actor", actor),))
    if state.open_attempts:
        names = ", ".join(state.slots[attempt.slot_id].title for attempt in state.open_attempts)
        message = (
            f"Agents of this run may still be alive ({names}); stop them, or end their processes, first."
        )
        return Refusal(Code.E_SURVIVOR, message)
    if (run_standing(state.phase, state.outcome), RunMove.CLOSE) not in RUN_TABLE:
        return Refusal(
            Code.E_TERMINAL, f"The run is {state.phase.value}; only one that has ended can be discarded."
        )
    return RunDiscarded(actor)
