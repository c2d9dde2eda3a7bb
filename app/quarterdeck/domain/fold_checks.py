"""What the fold of a journal asks of a state and an event: whether a record is there and may still move, and whose an entry is."""

from __future__ import annotations

from quarterdeck.domain.errors import IllegalTransition, UnknownRecord
from quarterdeck.domain.events import (
    AttemptEnded,
    AttemptLost,
    CommandRefused,
    Event,
    RunEnded,
    RunStopRequested,
    SlotCancelled,
)
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.states import EndReason, Phase


def slot_of(state: RunState, slot_id: SlotId) -> SlotRecord:
    """The slot, else UnknownRecord."""
    slot = state.slots.get(slot_id)
    if slot is None:
        raise UnknownRecord(f"run {state.run_id}: no slot {slot_id}")
    return slot


def attempt_of(state: RunState, slot_id: SlotId, attempt_id: AttemptId) -> AttemptRecord:
    """The attempt, if it is that slot's; else UnknownRecord."""
    attempt = state.attempts.get(attempt_id)
    if attempt is None or attempt.slot_id != slot_id:
        raise UnknownRecord(f"run {state.run_id}: no attempt {attempt_id} of slot {slot_id}")
    return attempt


def open_attempt(state: RunState, slot_id: SlotId, attempt_id: AttemptId, event: str) -> AttemptRecord:
    """The attempt, if it has not ended; else IllegalTransition with E_TERMINAL (I7)."""
    attempt = attempt_of(state, slot_id, attempt_id)
    if attempt.is_terminal:
        raise IllegalTransition("attempt", attempt_id, attempt.status, event, Code.E_TERMINAL)
    return attempt


def need_live(state: RunState, event: str) -> None:
    """IllegalTransition unless the run is live."""
    if state.phase is not Phase.LIVE:
        raise IllegalTransition("run", state.run_id, state.phase, event)


def need_not_closed(state: RunState, event: str) -> None:
    """IllegalTransition once the run was discarded."""
    if state.phase is Phase.CLOSED:
        raise IllegalTransition("run", state.run_id, state.phase, event, Code.E_TERMINAL)


def concludes(event: Event) -> bool:
    """Whether it is no sign that the owner was there: settling writes such entries, too, and a refusal moves nothing."""
    if isinstance(event, RunStopRequested):
        return event.reason is EndReason.APP_CLOSED
    return isinstance(event, (AttemptEnded, AttemptLost, SlotCancelled, CommandRefused))


def is_settled(state: RunState, event: RunEnded) -> bool:
    """Whether the sitting's owner was lost. Earlier versions did not say so: there an owner that is told to close stops the
    run first and waits for the ends of its agents, while settling says last why there are none.
    """
    if event.settled is not None:
        return event.settled
    stop = state.stop_requested
    return stop is not None and stop.reason is EndReason.APP_CLOSED and not state.sitting.has_ended_after_stop
