"""Answers to agents' questions: a person's, once; and those that an answer "for this run" gives later, byte for byte.

Every answer is durable before the agent hears it, rests on a question that is durable, and names what it was for: attempt,
epoch, request and the exact bytes. It is called in the turn of the run's actor, so nothing moves while it judges.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import TaskGroup
from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol

from quarterdeck.domain.allowed import QUESTION_CHARS_MAX
from quarterdeck.domain.asked import covering, unanswered
from quarterdeck.domain.events import ApprovalAnswered
from quarterdeck.domain.ids import AttemptId, RequestId, SlotId
from quarterdeck.domain.not_open import meant_by, why_not_open
from quarterdeck.domain.permissions import is_for_run, told_to_agent
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import AttemptRecord
from quarterdeck.domain.views import ApprovalView
from quarterdeck.engine.mailbox import Mailbox
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.supervision import LOOK_AGAIN_S, AnswerDue, Mail, Supervision
from quarterdeck.store.errors import StoreDown

log = logging.getLogger(__name__)
DURABLE_WITHIN_S = 2.0
NOT_ON_DISK = "The question is not on the disk yet, which takes nothing now; answer again once it does."


class Refuse(Protocol):
    """Journals a refusal and gives it back (ruling 14)."""

    def __call__(
        self, command: str, slot: SlotId | None, refusal: Refusal, actor: str
    ) -> Awaitable[Refusal]: ...


class Answering:
    """The answers of one run. `tasks` holds one task for each answer that is due; None in a run at rest, which owes none."""

    def __init__(
        self, book: RunBook, supervision: Supervision, tasks: TaskGroup | None, box: Mailbox[Mail]
    ) -> None:
        self._book, self._supervision, self._tasks, self._box = book, supervision, tasks, box
        self._due: set[RequestId] = set()
        self._waiting: set[asyncio.Task[None]] = set()

    def let_go(self) -> None:
        """The sitting is over: nothing more is answered."""
        for task in self._waiting:
            task.cancel()

    # ------------------------------------------------------------------------------- a person's

    async def answer(self, request: RequestId, choice: str, actor: str, refuse: Refuse) -> Refusal | None:
        """Answer an open question once (case 122); what is not open any more is explained."""
        found = self._question(request)
        if isinstance(found, Refusal):
            return await refuse("answer", None, found, actor)
        if found.choices and choice not in found.choices:
            words = f"Answer with one of: {', '.join(found.choices)}."
            return await refuse("answer", found.slot_id, Refusal(Code.E_REQUEST, words), actor)
        if not await self._is_recorded(found):
            return Refusal(Code.E_STORE, NOT_ON_DISK)
        for_run = found.attempt_id is not None and is_for_run(choice) and not found.whole_chars
        event = ApprovalAnswered(
            found.slot_id,
            found.attempt_id,
            found.epoch,
            found.request_id,
            choice,
            actor,
            exact=found.exact,
            asked_seq=self._asked_seq(found),
            for_run=for_run,
            question=found.question[:QUESTION_CHARS_MAX] if for_run else "",
        )
        await self._give(event, told_to_agent(found.options, choice))
        if for_run and found.attempt_id is not None:
            self.look(found.attempt_id)
        return None

    def _question(self, request: RequestId) -> ApprovalView | Refusal:
        """The open question of that id, or of the agent's own id or node where it is the only one."""
        view = self._book.view()
        found = meant_by(view, request)
        if len(found) == 1:
            return found[0]
        return Refusal(Code.E_REQUEST, why_not_open(view, request, found), (("request", request),))

    async def _is_recorded(self, asked: ApprovalView) -> bool:
        """A decision that rests on a report waits until the shim's durable mark has reached it (design §5)."""
        if asked.attempt_id is None or asked.attempt_id not in self._book.folds:
            return True
        return await self._supervision.marks.wait_durable(
            asked.attempt_id, self._asked_seq(asked), DURABLE_WITHIN_S
        )

    def _asked_seq(self, asked: ApprovalView) -> int:
        fold = self._book.folds.get(asked.attempt_id) if asked.attempt_id is not None else None
        if fold is None or asked.attempt_id is None:
            return 0
        own = fold.open_questions.own_id_of(asked.request_id.removeprefix(f"{asked.attempt_id}:"))
        return int(fold.open_questions[own]["seq"]) if own is not None else 0

    async def _give(self, event: ApprovalAnswered, told: str) -> None:
        """Journal an answer, then hand it to the agent; its keeper checks that the question is still the same."""
        attempt = event.attempt_id
        fold = self._book.folds.get(attempt) if attempt is not None else None
        name = event.request_id.removeprefix(f"{attempt}:")
        own = fold.open_questions.own_id_of(name) if fold is not None else None
        await self._book.record(event)
        if attempt is not None:
            order = {"do": "answer", "id": own if own is not None else name, "answer": told}
            self._supervision.send(attempt, {**order, "asked_seq": event.asked_seq})

    # ------------------------------------------------------------------------------- for the run

    def look(self, attempt_id: AttemptId) -> None:
        """Something was told by an agent: what an answer "for this run" covers is answered once it is durable."""
        fold, record = self._book.folds.get(attempt_id), self._book.state.attempts.get(attempt_id)
        if fold is None or record is None or not self._may_answer(record):
            return
        for request, own in tuple(unanswered(self._book.state, record, fold)):
            if request not in self._due and covering(self._book.state, record, fold, own) is not None:
                self._due.add(request)
                seq = int(fold.open_questions[own]["seq"])
                self._do(self._put_once_durable(AnswerDue(attempt_id, request), seq))

    async def answer_due(self, due: AnswerDue) -> None:
        """Answer a covered question, if it is still open and covered. A disk that is down is asked again later."""
        fold, record = self._book.folds.get(due.attempt_id), self._book.state.attempts.get(due.attempt_id)
        if fold is None or record is None or not self._may_answer(record):
            self._due.discard(due.request_id)
            return
        for request, own in tuple(unanswered(self._book.state, record, fold)):
            answer = covering(self._book.state, record, fold, own)
            if request == due.request_id and answer is not None:
                await self._answer_covered(due, record, own, answer)
                return
        self._due.discard(due.request_id)

    async def _answer_covered(
        self, due: AnswerDue, record: AttemptRecord, own: str, answer: ApprovalAnswered
    ) -> None:
        report = self._book.folds[due.attempt_id].open_questions[own]
        options = tuple(str(option) for option in report.get("options") or ())
        event = ApprovalAnswered(
            record.slot_id,
            due.attempt_id,
            record.epoch,
            due.request_id,
            answer.choice,
            answer.actor,
            exact=answer.exact,
            asked_seq=int(report["seq"]),
            because=answer.request_id,
        )
        try:
            await self._give(event, told_to_agent(options, answer.choice))
        except StoreDown:
            log.warning("an answer for the run %s waits for its disk", self._book.run_id)
            self._do(self._put_later(due))
            return
        self._due.discard(due.request_id)

    async def _put_once_durable(self, due: AnswerDue, seq: int) -> None:
        """The answer is given once the question is durable; one whose agent has ended is let go of then."""
        attempt, marks = due.attempt_id, self._supervision.marks
        record = self._book.state.attempts[attempt]
        await marks.wait_until(lambda: marks.has_reached(attempt, seq) or record.is_terminal)
        self._box.put(due)

    async def _put_later(self, due: AnswerDue) -> None:
        await asyncio.sleep(LOOK_AGAIN_S)
        self._box.put(due)

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        assert self._tasks is not None, "a run at rest owes no answer"
        task = self._tasks.create_task(work, name=f"answer of run {self._book.run_id}")
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    def _may_answer(self, record: AttemptRecord) -> bool:
        state = self._book.state
        is_ending = state.stop_requested is not None or record.stop_requested is not None
        is_gone = record.attempt_id in self._book.orphaned
        return state.is_live and not record.is_terminal and not is_ending and not is_gone
