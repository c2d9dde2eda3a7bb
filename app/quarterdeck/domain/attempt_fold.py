"""What entries about one attempt change, for the fold of a run's journal (`run_fold`): pause, stop, loss, end, effects.

Everything is checked before anything is changed; errors as there.
"""

from __future__ import annotations

from quarterdeck.domain.attempt_table import MOVE_OF_END, AttemptMove, attempt_after
from quarterdeck.domain.errors import BrokenInvariant, UnknownRecord
from quarterdeck.domain.events import (
    AttemptContinueRequested,
    AttemptEnded,
    AttemptLost,
    AttemptPauseRequested,
    AttemptStopRequested,
    EffectSettled,
    MessageSent,
    ProcessEndTried,
)
from quarterdeck.domain.fold_checks import (
    attempt_of,
    need_not_closed,
    open_attempt,
    slot_of,
)
from quarterdeck.domain.lease_table import MOVE_OF_LEASE_END, LeaseMove, lease_after
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.run_state import (
    MESSAGES_KEPT,
    AttemptRecord,
    RunState,
    SlotRecord,
)
from quarterdeck.domain.slot_table import SlotMove, slot_after
from quarterdeck.domain.states import AttemptStatus, Hold, LeaseStatus, SlotState


def pause_requested(state: RunState, event: AttemptPauseRequested, at: Moment) -> None:
    open_attempt(state, event.slot_id, event.attempt_id, event.kind).pause_requested = True


def continue_requested(state: RunState, event: AttemptContinueRequested, at: Moment) -> None:
    open_attempt(state, event.slot_id, event.attempt_id, event.kind).pause_requested = False


def stop_requested(state: RunState, event: AttemptStopRequested, at: Moment) -> None:
    attempt = open_attempt(state, event.slot_id, event.attempt_id, event.kind)
    if attempt.stop_requested is None:
        attempt.stop_requested, attempt.stop_requested_by = event.reason, event.actor


def lost(state: RunState, event: AttemptLost, at: Moment) -> None:
    attempt = attempt_of(state, event.slot_id, event.attempt_id)
    status = attempt_after(attempt.attempt_id, attempt.status, AttemptMove.LOSE)
    lease = _lease_moved(attempt, LeaseMove.SUSPECT)
    attempt.status, attempt.lease, attempt.lost_message = status, lease, event.message
    attempt.lost_at = at


def ended(state: RunState, event: AttemptEnded, at: Moment) -> None:
    need_not_closed(state, event.kind)
    slot = slot_of(state, event.slot_id)
    attempt = attempt_of(state, event.slot_id, event.attempt_id)
    if event.status not in MOVE_OF_END or event.lease not in MOVE_OF_LEASE_END:
        raise UnknownRecord(f"attempt {event.attempt_id}: {event.status}, {event.lease} is no end")
    if event.epoch != attempt.epoch or slot.prior != event.attempt_id:
        raise BrokenInvariant(
            "I2", event.attempt_id, f"its end is of epoch {event.epoch}, not {attempt.epoch}"
        )
    status = attempt_after(attempt.attempt_id, attempt.status, MOVE_OF_END[event.status])
    lease = _lease_moved(attempt, MOVE_OF_LEASE_END[event.lease])
    move = SlotMove.FINISH if event.next_state is SlotState.DONE else SlotMove.WAIT
    if move is SlotMove.WAIT and event.next_state is not SlotState.RETRY_WAIT:
        raise UnknownRecord(f"attempt {event.attempt_id}: its slot cannot go to {event.next_state}")
    after = slot_after(slot.slot_id, slot.state, move)
    attempt.status, attempt.lease, attempt.ended, attempt.ended_at = status, lease, event, at
    attempt.raised_to = state.slot_budgets.get(attempt.slot_id)
    attempt.found_late = not state.is_live
    if state.is_live:
        state.sitting.concluded += (event.attempt_id,)
        state.sitting.has_ended_after_stop = state.stop_requested is not None
    slot.state = after
    if after is SlotState.RETRY_WAIT:
        _wait(state, slot, attempt, event)


def _wait(state: RunState, slot: SlotRecord, attempt: AttemptRecord, event: AttemptEnded) -> None:
    """A timed retry needs a live sitting and its time (C4), and never follows a stop (case 17); all else holds."""
    may_follow = state.is_live and attempt.stop_requested is None
    timed = event.hold is Hold.TIMER and event.retry_at_ms is not None and may_follow
    slot.hold = Hold.TIMER if timed else Hold.PERSON
    slot.retry_at_ms = event.retry_at_ms if timed else None
    slot.exhausted = event.status is AttemptStatus.FAILED and event.hold is not Hold.TIMER


def _lease_moved(attempt: AttemptRecord, move: LeaseMove) -> LeaseStatus:
    if attempt.lease is None:
        raise BrokenInvariant("I1", attempt.attempt_id, "an attempt without a lease")
    return lease_after(attempt.attempt_id, attempt.lease, move)


def effect_settled(state: RunState, event: EffectSettled, at: Moment) -> None:
    need_not_closed(state, event.kind)
    attempt_of(state, event.slot_id, event.attempt_id)
    key = (event.attempt_id, event.effect_id)
    state.settled[key], state.settled_at[key] = event, at


def process_end_tried(state: RunState, event: ProcessEndTried, at: Moment) -> None:
    """Moves nothing: the attempt's end follows from a look at it, never from what was tried."""
    attempt_of(state, event.slot_id, event.attempt_id)


def message_sent(state: RunState, event: MessageSent, at: Moment) -> None:
    """A turn of a person's: kept beside the attempt, moves nothing."""
    open_attempt(state, event.slot_id, event.attempt_id, event.kind)
    before = state.messages.get(event.attempt_id, ())
    state.messages[event.attempt_id] = (*before, (event, at))[-MESSAGES_KEPT:]
