"""Journal events between a person and an agent at work: questions, their answers, messages. Part of `domain.events.Event`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quarterdeck.domain.ids import AttemptId, MessageId, RequestId, SlotId


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """An approval node was reached: its slot is held without attempt or process until it is answered (ruling 6)."""

    slot_id: SlotId
    request_id: RequestId
    question: str
    options: tuple[str, ...]
    kind: Literal["approval_asked"] = "approval_asked"


@dataclass(frozen=True, slots=True)
class ApprovalAnswered:
    """A person answered an open question, once: bound to attempt, epoch, request and its exact bytes.

    exact: SHA-256 of what was asked; empty of an approval node, and in a journal of an earlier version. asked_seq: the
    report that asked. for_run: later byte-identical requests of the slot are answered so as well. because: such a later
    one, answered without asking again; the request whose answer said so. actor is then who gave that one.
    """

    slot_id: SlotId
    attempt_id: AttemptId | None
    epoch: int
    request_id: RequestId
    choice: str
    actor: str
    exact: str = ""
    asked_seq: int = 0
    for_run: bool = False
    because: RequestId | None = None
    question: str = ""
    """Words of the question, cut, where the answer is for the run: for who looks at it later."""
    kind: Literal["approval_answered"] = "approval_answered"


@dataclass(frozen=True, slots=True)
class PermissionWithdrawn:
    """A person took back what an answer "for this run" allowed: identical requests that come later are asked again."""

    slot_id: SlotId
    request_id: RequestId
    """Of the request whose answer gave it."""
    actor: str
    kind: Literal["permission_withdrawn"] = "permission_withdrawn"


@dataclass(frozen=True, slots=True)
class MessageSent:
    """A person said something to an agent at work: a turn of the person's, durable before the agent hears it."""

    slot_id: SlotId
    attempt_id: AttemptId
    epoch: int
    message_id: MessageId
    text: str
    actor: str
    kind: Literal["message_sent"] = "message_sent"
