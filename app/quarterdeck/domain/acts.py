"""Guards of what a person does to an attempt or a whole run: A15 rows 5, 7 and 16.

As in `domain.guards`, a guard changes nothing: it answers with the event to journal, with a refusal in the words that a
person reads, or with None where there is nothing to journal, because the same was asked before. Whoever calls sends the
order to the agent's shim in any case but a refusal.
"""

from __future__ import annotations

from quarterdeck.domain.attempt_table import ATTEMPT_TABLE, AttemptMove
from quarterdeck.domain.events import (
    AttemptContinueRequested,
    AttemptPauseRequested,
    AttemptStopRequested,
    RetryCancelled,
    RunDiscarded,
    RunStopRequested,
)
from quarterdeck.domain.guards import NO_SUCH_RUN, is_other_actor, no_such_node
from quarterdeck.domain.ids import SlotId, TenantId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.run_table import RUN_TABLE, RunMove, run_standing
from quarterdeck.domain.states import AttemptStatus, EndReason, Hold, Outcome, SlotState, status_word

_NOT_WHILE = {
    AttemptMove.PAUSE: "only a running agent can be paused",
    AttemptMove.CONTINUE: "only a paused agent can go on",
    AttemptMove.STOP: "there is nothing to stop",
}


def judge_pause(
    state: RunState, slot_id: SlotId, shown: AttemptStatus | None, actor: str
) -> Refusal | AttemptPauseRequested | None:
    """Row 5: a running agent can be paused. shown: status of the slot's newest attempt as the view has it.

    What counts is what was asked last: a pause whose report is still to come is not asked twice, and one may follow a
    continue that is still to come.
    """
    slot = state.slots.get(slot_id)
    if slot is None:
        return no_such_node(state, slot_id)
    attempt = _living(state, slot, shown)
    if attempt is None or not _is_at_work(shown):
        return _wrong_state(slot, shown, AttemptMove.PAUSE)
    if not attempt.pause_requested:
        return AttemptPauseRequested(slot_id, attempt.attempt_id, actor)
    return None if shown is AttemptStatus.RUNNING else _wrong_state(slot, shown, AttemptMove.PAUSE)


def judge_continue(
    state: RunState, slot_id: SlotId, shown: AttemptStatus | None, actor: str
) -> Refusal | AttemptContinueRequested | None:
    """Row 5: a paused agent can go on, also one whose pause was asked and is not reported yet."""
    slot = state.slots.get(slot_id)
    if slot is None:
        return no_such_node(state, slot_id)
    attempt = _living(state, slot, shown)
    if attempt is None or not _is_at_work(shown):
        return _wrong_state(slot, shown, AttemptMove.CONTINUE)
    if attempt.pause_requested:
        return AttemptContinueRequested(slot_id, attempt.attempt_id, actor)
    return None if shown is AttemptStatus.PAUSED else _wrong_state(slot, shown, AttemptMove.CONTINUE)


def judge_stop(
    state: RunState,
    slot_id: SlotId,
    shown: AttemptStatus | None,
    actor: str,
    reason: EndReason = EndReason.PERSON,
) -> Refusal | AttemptStopRequested | RetryCancelled | None:
    """Row 7, case 17: an attempt that has not ended is to end; a slot that waits for its timed retry is not to retry.

    The answer is the event to journal. None: stopped before, nothing changes (idempotent). Refused is the stop of a slot
    at which nothing is and nothing was stopped.
    """
    slot = state.slots.get(slot_id)
    if slot is None:
        return no_such_node(state, slot_id)
    if slot.state is SlotState.RETRY_WAIT and slot.hold is Hold.TIMER:
        return RetryCancelled(slot_id, actor)
    attempt = _living(state, slot, shown)
    if attempt is not None:
        is_new = attempt.stop_requested is None
        return AttemptStopRequested(slot_id, attempt.attempt_id, actor, reason) if is_new else None
    return None if _was_stopped(state, slot) else _wrong_state(slot, shown, AttemptMove.STOP)


def judge_stop_run(
    state: RunState, actor: str, reason: EndReason = EndReason.PERSON
) -> Refusal | RunStopRequested | None:
    """ID5, case 17: a live run is to end. None: that was asked before, or it ended by a stop (idempotent)."""
    if state.is_live:
        return RunStopRequested(actor, reason) if state.stop_requested is None else None
    if state.outcome is Outcome.STOPPED:
        return None
    outcome = state.outcome.value if state.outcome is not None else "over"
    return Refusal(Code.E_TERMINAL, f"The run has ended ({outcome}); there is nothing to stop.")


def refuse_discarder(state: RunState, tenant: TenantId, actor: str) -> Refusal | None:
    """C7: only its owner discards a run, whatever state it is in."""
    if state.tenant != tenant:
        return Refusal(Code.E_TENANT, NO_SUCH_RUN)
    if is_other_actor(state, actor):
        message = f"This run belongs to {state.owner}; only they can discard it."
        return Refusal(Code.E_ACTOR, message, (("actor", actor),))
    return None


def judge_discard(state: RunState | None, tenant: TenantId, actor: str) -> Refusal | RunDiscarded:
    """Row 16, C7: an ended run without a survivor, by its owner."""
    if state is None:
        return Refusal(Code.E_RUN, NO_SUCH_RUN)
    if (refused := refuse_discarder(state, tenant, actor)) is not None:
        return refused
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


# ------------------------------------------------------------------------------------------- what they look at


def _living(state: RunState, slot: SlotRecord, shown: AttemptStatus | None) -> AttemptRecord | None:
    """The slot's newest attempt where it has not ended, neither in the journal nor as it is shown."""
    attempt = state.prior_of(slot)
    if attempt is None or attempt.is_terminal or shown is None:
        return None
    return attempt if (shown, AttemptMove.STOP) in ATTEMPT_TABLE else None


def _is_at_work(shown: AttemptStatus | None) -> bool:
    return shown in (AttemptStatus.RUNNING, AttemptStatus.PAUSED)


def _was_stopped(state: RunState, slot: SlotRecord) -> bool:
    prior = state.prior_of(slot)
    if prior is None or slot.state is not SlotState.RETRY_WAIT or slot.reopened is not None:
        return False
    was_asked = prior.stop_requested is not None or prior.status is AttemptStatus.STOPPED
    return was_asked or slot.retry_cancelled


def _wrong_state(slot: SlotRecord, shown: AttemptStatus | None, move: AttemptMove) -> Refusal:
    now = status_word(shown)
    message = f"{slot.title} is {now}; {_NOT_WHILE[move]}."
    return Refusal(Code.E_ATTEMPT_STATE, message, (("slot", slot.slot_id), ("status", now)))
