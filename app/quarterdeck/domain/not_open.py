"""Which open question a person means, and why one cannot be answered now, in words: answered, ended, replaced, unknown. Pure.

An id means the question of exactly that id or none: never another that begins alike (case 122).
"""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.domain.states import TERMINAL_ATTEMPT
from quarterdeck.domain.views import AnsweredView, ApprovalView, RunView, SlotView

ATTEMPT_START_MIN = 4
"""Characters of an attempt's id that may stand for it."""


def meant_by(view: RunView, request: str) -> tuple[ApprovalView, ...]:
    """The open questions that the words could mean. Only one of them may be answered: what fits several fits none.

    A whole id (`attempt:name`, whose attempt may be cut short) is that question. Else all of the slot or node of that name,
    else those of that name of the agent's own, or of the attempt that begins so.
    """
    asked = [(slot, question) for slot in view.slots for question in slot.approvals]
    exact = tuple(question for _, question in asked if question.request_id == request)
    if exact:
        return exact
    if any(request in (slot.slot_id, slot.node_id) for slot in view.slots):
        return tuple(one for slot, one in asked if request in (slot.slot_id, slot.node_id))
    start, colon, name = request.partition(":")
    if colon:
        return tuple(one for _, one in asked if _begins(one, start) and _own_name(one) == name)
    return tuple(one for _, one in asked if _own_name(one) == request or _begins(one, request))


def _own_name(question: ApprovalView) -> str:
    return question.request_id.partition(":")[2]


def _begins(question: ApprovalView, start: str) -> bool:
    return len(start) >= ATTEMPT_START_MIN and (question.attempt_id or "").startswith(start)


def why_not_open(view: RunView, request: str, fitting: Sequence[ApprovalView] = ()) -> str:
    """In words, and what is open. fitting: the open questions that the request could mean, where it is not one."""
    if fitting:
        names = ", ".join(one.request_id for one in fitting)
        return f"“{request}” fits several open questions, so nothing was answered; name one of: {names}."
    for slot in view.slots:
        for said in reversed(slot.answers):
            if request in (said.request_id, said.request_id.partition(":")[2]):
                return _answered(slot, said)
    for slot in view.slots:
        for attempt in slot.attempts:
            if request.startswith(f"{attempt.attempt_id}:"):
                return _not_asked(view, slot, attempt.status in TERMINAL_ATTEMPT)
    return f"That question is not open, so nothing was answered; open now: {_open_now(view)}."


def _answered(slot: SlotView, said: AnsweredView) -> str:
    agent, choice = slot.title, said.choice
    if said.because is not None:
        return f"That question of {agent} was answered “{choice}”, as was allowed for this run. Nothing was answered now."
    actor = said.actor or "?"
    return f"That question of {agent} was answered “{choice}” by {actor} already. Nothing was answered now."


def _not_asked(view: RunView, slot: SlotView, has_ended: bool) -> str:
    agent = slot.title
    if has_ended:
        return f"The agent that asked ({agent}) has ended, and its question with it; nothing was answered."
    names = _open_now(view)
    return f"{agent} asks that no more: something else came in its place, or it went on. Nothing was answered; open now: {names}."


def _open_now(view: RunView) -> str:
    return ", ".join(one.request_id for slot in view.slots for one in slot.approvals) or "none"
