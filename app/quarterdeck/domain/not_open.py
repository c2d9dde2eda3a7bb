"""Why a question cannot be answered now, in words for the person who tried: answered, ended, replaced, unknown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.domain.states import TERMINAL_ATTEMPT
from quarterdeck.domain.views import AnsweredView, ApprovalView, RunView, SlotView

NOTHING_ANSWERED = "nothing was answered"


def why_not_open(view: RunView, request: str, fitting: Sequence[ApprovalView] = ()) -> str:
    """One sentence and what to do. fitting: the open questions that the request could mean, where it is not one."""
    if fitting:
        names = ", ".join(one.request_id for one in fitting)
        return f"“{request}” fits several open questions, so {NOTHING_ANSWERED}; name one of: {names}."
    for slot in view.slots:
        for said in reversed(slot.answers):
            if request in (said.request_id, _own(said.request_id)):
                return _answered(slot, said)
    for slot in view.slots:
        for attempt in slot.attempts:
            if request.startswith(f"{attempt.attempt_id}:"):
                return _not_asked(view, slot, attempt.status in TERMINAL_ATTEMPT)
    return f"That question is not open; {NOTHING_ANSWERED}. {_open_now(view)}"


def _answered(slot: SlotView, said: AnsweredView) -> str:
    how = "by an answer for this run" if said.because is not None else f"by {said.actor or 'somebody'}"
    return (
        f"That question of {slot.title} was answered “{said.choice}” {how} already. An answer counts once; "
        f"{NOTHING_ANSWERED} now."
    )


def _not_asked(view: RunView, slot: SlotView, has_ended: bool) -> str:
    if has_ended:
        return f"The agent that asked ({slot.title}) has ended, and its question with it; {NOTHING_ANSWERED}."
    return (
        f"{slot.title} does not ask that any more: it has asked something else in its place, or went on; "
        f"{NOTHING_ANSWERED}. {_open_now(view)}"
    )


def _open_now(view: RunView) -> str:
    names = ", ".join(one.request_id for slot in view.slots for one in slot.approvals)
    return f"Open questions: {names}." if names else "No question is open."


def _own(request: str) -> str:
    return request.partition(":")[2]
