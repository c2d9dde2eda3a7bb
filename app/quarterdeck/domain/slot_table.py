"""Transitions of a slot (A15) as data: the journaled ones. `active` and `held` are projections (design §5)."""

from __future__ import annotations

from enum import StrEnum

from quarterdeck.domain.states import SlotState
from quarterdeck.domain.transitions import next_state


class SlotMove(StrEnum):
    """What moves a slot."""

    CLAIM = "claim"
    FINISH = "finish"
    """Its attempt succeeded and the results are durable."""
    WAIT = "wait"
    """Its attempt ended otherwise."""
    CANCEL_RETRY = "cancel_retry"
    """A person stopped it while it waited for a timed retry."""
    REASSIGN = "reassign"
    FAIL = "fail"
    """A `failure` or `always` edge was followed from it (ruling 2)."""
    SKIP = "skip"
    ASK = "ask"
    """An approval node was reached; shown as held (ruling 6)."""
    ANSWER = "answer"


SLOT_TABLE: dict[tuple[SlotState, SlotMove], SlotState] = {
    (SlotState.PENDING, SlotMove.CLAIM): SlotState.CLAIMED,
    (SlotState.RETRY_WAIT, SlotMove.CLAIM): SlotState.CLAIMED,
    (SlotState.CLAIMED, SlotMove.FINISH): SlotState.DONE,
    (SlotState.CLAIMED, SlotMove.WAIT): SlotState.RETRY_WAIT,
    (SlotState.RETRY_WAIT, SlotMove.CANCEL_RETRY): SlotState.RETRY_WAIT,
    (SlotState.RETRY_WAIT, SlotMove.REASSIGN): SlotState.RETRY_WAIT,
    (SlotState.RETRY_WAIT, SlotMove.FAIL): SlotState.FAILED,
    (SlotState.PENDING, SlotMove.SKIP): SlotState.CANCELLED,
    (SlotState.PENDING, SlotMove.ASK): SlotState.PENDING,
    (SlotState.PENDING, SlotMove.ANSWER): SlotState.DONE,
}

TERMINAL_SLOT = frozenset({SlotState.DONE, SlotState.FAILED, SlotState.CANCELLED})


def slot_after(key: str, state: SlotState, move: SlotMove) -> SlotState:
    """The state after the move. Raises IllegalTransition."""
    return next_state("slot", SLOT_TABLE, TERMINAL_SLOT, key, state, move)
