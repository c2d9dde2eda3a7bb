"""What a person is shown of a slot: its one word and its reason (ruling 28), and the joined status behind them."""

from __future__ import annotations

from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState, SlotRecord
from quarterdeck.domain.states import AttemptStatus, Evidence, Hold, SlotState

_WORD_OF_STATUS = {
    AttemptStatus.STARTING: "Starting",
    AttemptStatus.RUNNING: "Running",
    AttemptStatus.PAUSED: "Paused",
    AttemptStatus.STOPPING: "Stopping",
}
EVIDENCE_WORDS: dict[Evidence, str] = {
    Evidence.EXIT_FILE: "its keeper recorded that everything had ended",
    Evidence.OTHER_BOOT: "the computer was started again since",
    Evidence.NAMESPACE_GONE: "the process space that it lived in is gone",
    Evidence.NO_TRACE: "no trace found",
    Evidence.NEVER_STARTED: "never started",
    Evidence.COULD_NOT_STOP: "processes are left",
}
"""How the end of an attempt is known, in the words that a person reads (design §4, ruling 24)."""
_WORD_OF_STATE = {SlotState.DONE: "Done", SlotState.FAILED: "Failed", SlotState.CANCELLED: "Skipped"}


def _lost_word(state: RunState, attempt: AttemptRecord, fold: AttemptFold | None) -> str:
    """A lost attempt is a survivor, or is still ending, or could not be stopped (ruling 1, design §4)."""
    if fold is not None and fold.exit is not None and not fold.exit.get("tree_empty", True):
        return "Could not stop"
    if state.is_live and fold is not None and fold.ending is not None:
        return "Still ending"
    return "Still alive"


def display_of(state: RunState, slot: SlotRecord, fold: AttemptFold | None, needs_you: bool) -> str:
    """The one word of a slot (ruling 28)."""
    if slot.state is SlotState.PENDING:
        return _pending_word(state, slot, needs_you)
    if slot.state is SlotState.RETRY_WAIT:
        if slot.reopened is not None:
            return "Re-opened, waiting to start"
        if slot.is_shown_failed:
            return "Failed"
        retries = slot.hold is Hold.TIMER and state.stop_requested is None
        return "Retrying" if retries else "Stopped"
    attempt = state.prior_of(slot)
    if slot.state is not SlotState.CLAIMED or attempt is None:
        return _WORD_OF_STATE[slot.state]
    status = attempt_status(state, attempt, fold)
    if status is AttemptStatus.LOST:
        return _lost_word(state, attempt, fold)
    return "Needs you" if needs_you and status is AttemptStatus.RUNNING else _WORD_OF_STATUS[status]


def _pending_word(state: RunState, slot: SlotRecord, needs_you: bool) -> str:
    if slot.is_blocked:
        return "Failed"
    if needs_you:
        return "Needs you"
    goes_on = state.is_live and state.stop_requested is None and state.sitting.go_on
    return "Waiting" if goes_on else "Not started"


def attempt_status(state: RunState, attempt: AttemptRecord, fold: AttemptFold | None) -> AttemptStatus:
    """The attempt's status as it is shown (A15 rows 3, 5, 7). One that ended by itself runs until that is journaled: nobody stops it."""
    if attempt.is_terminal or attempt.status is AttemptStatus.LOST:
        return attempt.status
    asked_to_stop = attempt.stop_requested is not None or state.stop_requested is not None
    if asked_to_stop or (fold is not None and fold.ending is not None):
        return AttemptStatus.STOPPING
    if fold is None or fold.started is None:
        return attempt.status
    return AttemptStatus.PAUSED if fold.paused and fold.exit is None else AttemptStatus.RUNNING


def attempt_reason(attempt: AttemptRecord) -> str:
    """Why an attempt ended, or why it is lost; empty while nothing is to be said. A pause is remembered (C9)."""
    if attempt.ended is None:
        return attempt.lost_message
    words = attempt.ended.message
    if attempt.pause_requested and attempt.status is AttemptStatus.INTERRUPTED:
        words = f"{words} (was paused)" if words else "was paused"
    return words


def slot_reason(slot: SlotRecord, attempt: AttemptRecord | None) -> str:
    """Why the slot stands as it does, in words: its last refusal, answer, or end."""
    if slot.refusal is not None:
        return slot.refusal.message
    if slot.answer is not None:
        return f"answered: {slot.answer.choice}"
    if slot.state is SlotState.CANCELLED:
        return "its condition was not met"
    reason = attempt_reason(attempt) if attempt is not None else ""
    return f"{reason}; stopped before its next try" if slot.retry_cancelled else reason
