"""A person's message to an agent at work: whether it may be sent now. Pure; as in `domain.acts`, a guard changes nothing."""

from __future__ import annotations

from quarterdeck.domain.events import MessageSent
from quarterdeck.domain.guards import no_such_node
from quarterdeck.domain.ids import MessageId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import AttemptStatus, status_word
from quarterdeck.domain.views import AttemptView

KINDS_THAT_LISTEN = frozenset({"claude-code", "gemini", "acp"})
"""Kinds of agents whose programs take messages while they work. Any other says so in its session report, or takes none."""
MESSAGE_CHARS_MAX = 100_000


def takes_messages(kind: str, has_said_so: bool) -> bool:
    """Whether a person can say something to an agent of that kind while it works."""
    return has_said_so or kind in KINDS_THAT_LISTEN


def can_be_told(attempt: AttemptView) -> bool:
    """Whether that attempt takes a message now."""
    return attempt.takes_messages and attempt.status is AttemptStatus.RUNNING


def judge_message(
    state: RunState, slot_id: SlotId, newest: AttemptView | None, text: str, actor: str, message: MessageId
) -> Refusal | MessageSent:
    """newest: the slot's newest attempt as it is shown. The text goes as it is; it must say something."""
    slot = state.slots.get(slot_id)
    if slot is None:
        return no_such_node(state, slot_id)
    if not text.strip() or len(text) > MESSAGE_CHARS_MAX:
        words = f"Say something, in at most {MESSAGE_CHARS_MAX:,} characters."
        return Refusal(Code.E_INPUT, words, (("slot", slot_id),))
    if newest is None or newest.status is not AttemptStatus.RUNNING:
        now = status_word(newest.status if newest is not None else None)
        words = f"{slot.title} is {now}; only an agent at work takes a message."
        return Refusal(Code.E_ATTEMPT_STATE, words, (("slot", slot_id), ("status", now)))
    if not newest.takes_messages and newest.session_id is None and not newest.figures.turns:
        words = (
            f"{slot.title} has not said yet that it takes messages: it may be starting, or take none. "
            "Nothing was sent; say it again once it has begun."
        )
        return Refusal(Code.E_ATTEMPT_STATE, words, (("slot", slot_id), ("kind", newest.agent_kind)))
    if not newest.takes_messages:
        words = f"The program of {slot.title} takes no messages while it works; nothing was sent."
        return Refusal(Code.E_ATTEMPT_STATE, words, (("slot", slot_id), ("kind", newest.agent_kind)))
    return MessageSent(slot_id, newest.attempt_id, newest.epoch, message, text, actor)
