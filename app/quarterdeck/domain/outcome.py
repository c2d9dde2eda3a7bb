"""How a sitting ends: outcome, exit code and words, the first that fits by ruling 1."""

from __future__ import annotations

from quarterdeck.domain.budget_words import BUDGET_WORDS
from quarterdeck.domain.run_state import RunState, SlotRecord
from quarterdeck.domain.states import EndReason, Outcome, SlotState

EXIT_DONE, EXIT_FAILED, EXIT_STOPPED, EXIT_WAITS = 0, 1, 3, 4
WAITS_FOR_A_PERSON = "waits for a person"
_FINISHED = frozenset({SlotState.DONE, SlotState.FAILED, SlotState.CANCELLED})


def judge_outcome(state: RunState) -> tuple[Outcome, int, str]:
    """(outcome, exit code of `run`, message) of a live run whose attempts have all ended (design §8).

    Stopped by a person, interrupted by the end of the app, failed on an unhandled failure, stopped while a slot waits for
    a person, else completed: only if every slot is done, skipped, or failed with its failure handled (case 142).
    """
    stop = state.stop_requested
    if stop is not None and stop.reason is EndReason.APP_CLOSED:
        return Outcome.INTERRUPTED, EXIT_STOPPED, "app closed"
    if stop is not None and stop.reason is EndReason.TIME_OVER:
        return Outcome.STOPPED, EXIT_STOPPED, "the time for finishing was over"
    if stop is not None and stop.reason not in BUDGET_WORDS:
        return Outcome.STOPPED, EXIT_STOPPED, "stopped by you"
    failed = next((slot for slot in state.slots.values() if slot.is_shown_failed), None)
    if failed is not None:
        return Outcome.FAILED, EXIT_FAILED, f"{failed.title}: {_why(state, failed)}"
    if stop is not None:
        return Outcome.STOPPED, EXIT_WAITS, BUDGET_WORDS[stop.reason]
    waiting = next((slot for slot in state.slots.values() if slot.state not in _FINISHED), None)
    if waiting is not None:
        return Outcome.STOPPED, EXIT_WAITS, f"{WAITS_FOR_A_PERSON} ({_first_waiting(state).title})"
    return Outcome.COMPLETED, EXIT_DONE, "done"


def _why(state: RunState, slot: SlotRecord) -> str:
    if slot.refusal is not None:
        return slot.refusal.message
    prior = state.prior_of(slot)
    return prior.ended.message if prior is not None and prior.ended is not None else "failed"


def _first_waiting(state: RunState) -> SlotRecord:
    """The slot that a person must act on: one that waits itself, before one that only stands behind another."""
    open_slots = [slot for slot in state.slots.values() if slot.state not in _FINISHED]
    asking = [slot for slot in open_slots if slot.state is SlotState.RETRY_WAIT or slot.is_asking]
    return (asking or open_slots)[0]
