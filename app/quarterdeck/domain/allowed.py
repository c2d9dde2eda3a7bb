"""What a person allowed an agent for the whole run, as long as it is not withdrawn: a value, and when it may be withdrawn. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RequestId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.question_events import PermissionWithdrawn
from quarterdeck.domain.refusal import Code, Refusal

if TYPE_CHECKING:
    from quarterdeck.domain.run_state import RunState

QUESTION_CHARS_MAX = 1_000
"""Of the question's words that are journaled with such an answer."""


@dataclass(frozen=True, slots=True)
class AllowedView:
    """One answer "for this run" that stands: later byte-identical requests of the slot are answered by it.

    question: its words, cut; empty in a journal of an earlier version. exact: SHA-256 of what was asked.
    """

    request_id: RequestId
    question: str
    choice: str
    actor: str
    at: Moment
    exact: str


def allowed_of(state: RunState, slot: SlotId) -> tuple[AllowedView, ...]:
    """Those of a slot, oldest first."""
    return tuple(
        AllowedView(e.request_id, e.question, e.choice, e.actor, state.standing_at[e.request_id], e.exact)
        for (of, _), e in state.standing.items()
        if of == slot
    )


def judge_withdraw(state: RunState, request: RequestId, actor: str) -> Refusal | PermissionWithdrawn:
    """By the id of the answered request, or the agent's own id of it where that is the only one. What runs already goes on."""
    standing = [answer for answer in state.standing.values() if answer.request_id == request]
    short = [answer for answer in state.standing.values() if answer.request_id.partition(":")[2] == request]
    found = standing or short
    if len(found) != 1:
        words = "Nothing that was allowed for this run stands under that id."
        return Refusal(Code.E_REQUEST, words, (("request", request),))
    return PermissionWithdrawn(found[0].slot_id, found[0].request_id, actor)
