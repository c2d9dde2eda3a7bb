"""Transitions of an effect (A10, A15) as data.

Reported states are taken as the agent says them, with one caution: a `sent` after an answer is a new sending, whose
outcome is open again; an `intended` after anything else says nothing new. END is the end of the attempt (EFF2,
ruling 13). The settling moves come from a probe or a person and may be repeated (EFF6).
"""

from __future__ import annotations

from enum import StrEnum

from quarterdeck.domain.states import EffectState
from quarterdeck.domain.transitions import next_state


class EffectMove(StrEnum):
    """What moves an effect."""

    INTEND = "intended"
    SEND = "sent"
    CONFIRM = "confirmed"
    REFUSE = "refused"
    END = "end"
    SETTLE_CONFIRMED = "settle_confirmed"
    SETTLE_ABSENT = "settle_absent"
    SETTLE_UNKNOWN = "settle_unknown"
    ACCEPT = "accept"


NOT_BEGUN = "nobody answered whether it may; it was not begun"
"""The detail of an effect that waited for a person's leave when its agent ended."""

MOVE_OF_REPORT: dict[str, EffectMove] = {
    "intended": EffectMove.INTEND,
    "sent": EffectMove.SEND,
    "confirmed": EffectMove.CONFIRM,
    "refused": EffectMove.REFUSE,
}
MOVE_OF_SETTLEMENT: dict[str, EffectMove] = {
    "confirmed": EffectMove.SETTLE_CONFIRMED,
    "absent": EffectMove.SETTLE_ABSENT,
    "unknown": EffectMove.SETTLE_UNKNOWN,
    "accepted_by_person": EffectMove.ACCEPT,
}

_REPORTED = (EffectState.INTENDED, EffectState.SENT, EffectState.CONFIRMED, EffectState.REFUSED)
_SETTLED = {
    EffectMove.SETTLE_CONFIRMED: EffectState.CONFIRMED,
    EffectMove.SETTLE_ABSENT: EffectState.ABSENT,
    EffectMove.SETTLE_UNKNOWN: EffectState.UNKNOWN,
    EffectMove.ACCEPT: EffectState.ACCEPTED_BY_PERSON,
}

EFFECT_TABLE: dict[tuple[EffectState, EffectMove], EffectState] = {
    **{(state, EffectMove.INTEND): state for state in _REPORTED},
    **{(state, EffectMove.SEND): EffectState.SENT for state in _REPORTED},
    **{(state, EffectMove.CONFIRM): EffectState.CONFIRMED for state in _REPORTED},
    **{(state, EffectMove.REFUSE): EffectState.REFUSED for state in _REPORTED},
    **{(state, EffectMove.END): state for state in EffectState},
    (EffectState.SENT, EffectMove.END): EffectState.UNKNOWN,
    **{(state, move): end for state in EffectState for move, end in _SETTLED.items()},
}

OPEN_EFFECT = frozenset({EffectState.SENT, EffectState.UNKNOWN})
"""States that forbid a timed retry (ruling 4) and stay on the resume screen (EFF7)."""


def effect_after(key: str, state: EffectState, move: EffectMove) -> EffectState:
    """The state after the move. Raises IllegalTransition. No state of an effect is terminal: a probe may be repeated."""
    return next_state("effect", EFFECT_TABLE, (), key, state, move)
