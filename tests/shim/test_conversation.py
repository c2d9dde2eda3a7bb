"""What goes both ways between an agent and its shim, by an adapter made up here: its wire says each word of a line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from quarterdeck.agents.adapter import Adapter, ListensOnly
from quarterdeck.domain.endings import facts_of, judge_end
from quarterdeck.domain.reports import Report
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.retry import RetryContext
from quarterdeck.domain.states import AttemptStatus, Evidence
from quarterdeck.shim.conversation import PATIENCE_S, Conversation
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.streams import InputPipe


class Echoing(ListensOnly):
    """Greets, owes a reply to each chunk, is over at `bye`."""

    def __init__(self) -> None:
        self._owed = b""
        self._is_over = False

    def begin(self) -> bytes:
        return b"hello\n"

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        self._owed += b"got " + chunk
        self._is_over = b"bye" in chunk
        return [{"kind": "turn"}]

    def take_input(self) -> bytes:
        owed, self._owed = self._owed, b""
        return owed

    def answer(self, request_id: str, answer: object) -> bytes | None:
        return f"{request_id}={answer}\n".encode() if request_id == "1" else None

    def say(self, text: str) -> bytes | None:
        return text.encode() + b"\n"

    @property
    def is_over(self) -> bool:
        return self._is_over

    def finish(self) -> Iterable[Report]:
        return [{"kind": "output", "value": "done"}]

    def tail(self) -> str:
        return ""


class Kept:
    """Stands for the report stream: keeps what it is given."""

    def __init__(self) -> None:
        self.reports: list[Report] = []

    def take(self, report: Report) -> None:
        self.reports.append(report)

    add = note = take


@contextmanager
def talking(adapter: Adapter | None = None) -> Iterator[tuple[Conversation, Kept, int]]:
    """(conversation, what it reported, the agent's end of its stdin)."""
    read_end, write_end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    kept = Kept()
    talk = Conversation(adapter or Echoing(), cast(ReportStream, kept), InputPipe(write_end, keep_open=True))
    try:
        yield talk, kept, read_end
    finally:
        assert talk.stdin is not None
        talk.stdin.close()
        os.close(read_end)


def test_what_the_wire_owes_follows_the_first_words_and_everything_that_was_heard() -> None:
    with talking() as (talk, kept, agent):
        talk.begin()
        talk.hear("stdout", b"one\n")
        assert os.read(agent, 100) == b"hello\ngot one\n"
        talk.answer({"id": 1, "answer": "Deny"})
        talk.answer({"id": 2, "answer": "Deny"})
        talk.say({"id": "m", "text": "a word"})
        assert os.read(agent, 100) == b"1=Deny\na word\n"
        assert kept.reports == [
            {"kind": "turn"},
            {"kind": "approval_answered", "id": "1", "answer": "Deny", "delivered": True},
            {"kind": "approval_answered", "id": "2", "answer": "Deny", "delivered": False},
            {"kind": "said", "id": "m", "text": "a word", "delivered": True},
        ]


def test_an_agent_whose_work_is_over_gets_end_of_file_and_its_time_and_hears_nothing_more() -> None:
    with talking() as (talk, kept, agent):
        talk.begin()
        assert not talk.is_left(5.0)
        talk.hear("stdout", b"bye\n")
        assert not talk.is_left(10.0)
        assert os.read(agent, 100) == b"hello\ngot bye\n"
        assert os.read(agent, 100) == b""
        talk.say({"id": "late", "text": "too late"})
        assert kept.reports[-1] == {"kind": "said", "id": "late", "text": "too late", "delivered": False}
        assert talk.wait_s(10.5) == PATIENCE_S - 0.5
        assert talk.is_left(10.0 + PATIENCE_S)
        assert talk.is_over


def test_how_a_program_ended_whose_work_was_over_says_nothing() -> None:
    def ended(**fields: Any) -> AttemptStatus:
        fold = AttemptFold()
        fold.apply({"kind": "started", "seq": 1})
        exit_file = {"after_ending": False, "tree_empty": True, **fields}
        end = judge_end(facts_of(fold, Evidence.EXIT_FILE, exit_file=exit_file), RetryContext(0, 1, 0))
        assert not hasattr(end, "left")
        return end.status

    assert ended(code=143, over=True) is AttemptStatus.SUCCEEDED
    assert ended(code=None, signal=9, over=True) is AttemptStatus.SUCCEEDED
    assert ended(code=143) is AttemptStatus.FAILED


class Queueing(Echoing):
    """Keeps what a person says until its turn is over, as agents of the Agent Client Protocol do."""

    def __init__(self) -> None:
        super().__init__()
        self._texts: list[bytes] = []
        self._said = 0

    def say(self, text: str) -> bytes | None:
        self._texts.append(text.encode() + b"\n")
        return b""

    def take_said(self) -> int:
        said, self._said = self._said, 0
        return said

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        if self._texts and chunk == b"turn over\n":
            self._owed += self._texts.pop(0)
            self._said += 1
        return []


def test_a_message_that_waits_is_told_as_delivered_when_the_agent_got_it_and_not_before() -> None:
    with talking(Queueing()) as (talk, kept, agent):
        talk.say({"id": "m1", "text": "one"})
        talk.say({"id": "m2", "text": "two"})
        assert kept.reports == []

        talk.hear("stdout", b"turn over\n")

        assert os.read(agent, 100) == b"one\n"
        assert kept.reports == [{"kind": "said", "id": "m1", "text": "one", "delivered": True}]


def test_a_message_that_waits_when_the_agent_ends_is_told_as_not_delivered() -> None:
    """Case 70: it was said to be delivered, and nobody ever got it."""
    with talking(Queueing()) as (talk, kept, _):
        talk.say({"id": "m1", "text": "one"})
        talk.finish()
        assert kept.reports[-1] == {"kind": "said", "id": "m1", "text": "one", "delivered": False}
