"""Why a question cannot be answered now, in words for the person who tried: answered, ended, replaced, unknown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.domain.states import TERMINAL_ATTEMPT
from quarterdeck.domain.views import AnsweredView, ApprovalView, RunView, SlotView


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
