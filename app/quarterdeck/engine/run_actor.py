"""The actor of one live run: it alone moves the run's state, one message at a time.

Messages are shim mail and orders of a person. After each, the scheduler is asked what follows, until nothing does; when
nothing runs and nothing can start, the sitting ends and the run is published.

A fault of our own (an exception that nobody expected) ends this run and no other: it is logged, the sockets of its agents
close, so that they end, and the run is settled by evidence like one whose app died (`faults`).
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import TaskGroup
from collections.abc import Awaitable, Callable
from typing import TypeVar

from quarterdeck.domain.budget import RUN_SCOPE, is_spent, is_warning_due
from quarterdeck.domain.budget_words import REASON_OF
from quarterdeck.domain.events import (
    BudgetWarned,
    ClaimRefused,
    SlotCancelled,
    SlotFailed,
)
from quarterdeck.domain.figures import source_of
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.reports import APPROVAL
from quarterdeck.domain.scheduling import (
    AskStep,
    ClaimStep,
    FailSlotStep,
    SkipStep,
    Step,
    is_settled,
    next_steps,
    next_wakeup,
)
from quarterdeck.domain.states import AttemptStatus, EndReason
from quarterdeck.domain.views import RunView
from quarterdeck.engine.answering import Answering
from quarterdeck.engine.claiming import Claims
from quarterdeck.engine.conditions import RunConditions
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.mailbox import Mailbox, Order, RunOver
from quarterdeck.engine.publishing import probe_disk
from quarterdeck.engine.run_book import AGAIN_AFTER_S, RunBook
from quarterdeck.engine.run_ending import RunEnding
from quarterdeck.engine.shim_link import DurableReached, FactArrived, RecordingChanged, TotalsArrived
from quarterdeck.engine.sign_in_gate import SignInGate
from quarterdeck.engine.supervision import (
    AnswerDue,
    AttemptLooked,
    Mail,
    RereadDue,
    SignInsMoved,
    StartFailed,
    Supervision,
    stop_order,
)
from quarterdeck.engine.under_shared import UnderShared
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.locks import HeldLock

T = TypeVar("T")
log = logging.getLogger(__name__)


class RunActor:
    """See the module. `run` is one task, owned by `LiveRuns`; it returns the view of the ended run and never fails."""

    def __init__(self, context: EngineContext, book: RunBook, owner: HeldLock) -> None:
        self.book = book
        self.conditions = RunConditions(context.store, book.plan)
        self._context = context
        self._ending = RunEnding(context, book, owner)
        self._box: Mailbox[Mail] = Mailbox()
        self._is_over = False
        self._stepped_seq = 0
        self._gate = SignInGate(context, book, lambda: self._box.put(SignInsMoved()))
        self.supervision = Supervision(context, book, None, self._box)
        self.claims = Claims(context, book, self.supervision, self._gate)
        self.answering = Answering(book, self.supervision, None, self._box)
        self.shared = UnderShared(context.budgets, book, self.supervision, self.claims)

    async def run(self, first: Callable[[], Awaitable[None]] | None = None) -> RunView:
        """Until the sitting is over and its record is durable. `first` is done before anything is scheduled; where it
        leaves the run at rest (a refused claim), nothing else is done.
        """
        try:
            await self._serve(first)
            await self._ending.publish()
            await asyncio.to_thread(self._ending.let_go)
        except asyncio.CancelledError:
            await asyncio.to_thread(self._ending.let_go, forget=False)
            raise
        except Exception as error:  # noqa: BLE001 - logged, and the run says so
            await self._ending.end_after_fault(error)
        finally:
            self._is_over = True
            self._gate.close()
            self._box.refuse_orders()
        self.book.finish(self.book.view())
        return self.book.view()

    async def do_at_rest(self, do: Callable[[], Awaitable[T]]) -> T:
        """Do something in an ended run that starts no agent and opens no sitting; then let go of the run."""
        try:
            answer = await do()
            await self._ending.publish_once()
            return answer
        finally:
            self._is_over = True
            await asyncio.to_thread(self._ending.let_go)
            self.book.finish(self.book.view())

    def stop_at_once(self, slot: SlotId | None, why: EndReason) -> None:
        """Tell agents to end without waiting for the actor's turn; the stop itself is journaled in its turn."""
        order = stop_order(why)
        if slot is None:
            self.supervision.send_all(order)
            return
        record = self.book.state.slots.get(slot)
        if record is not None and record.prior is not None:
            self.supervision.send(record.prior, order)

    async def ask(self, do: Callable[[], Awaitable[T]]) -> T:
        """Have something done in the actor's turn. Raises RunOver where the sitting ended first."""
        if self._is_over:
            raise RunOver
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._box.put(Order(do, answer))
        return await answer

    # ------------------------------------------------------------------------------- the loop

    async def _serve(self, first: Callable[[], Awaitable[None]] | None) -> None:
        async with TaskGroup() as tasks:
            self.supervision = Supervision(self._context, self.book, tasks, self._box)
            self.claims = Claims(self._context, self.book, self.supervision, self._gate)
            self.answering = Answering(self.book, self.supervision, tasks, self._box)
            self.shared = UnderShared(self._context.budgets, self.book, self.supervision, self.claims)
            if first is not None:
                await first()
                self._is_over = not self.book.state.is_live
            await self._take_all()
            await self._step()
            while not self._is_over:
                await self._wait()
                await self._take_all()
                await self._step()
            self.supervision.let_go()
            self.answering.let_go()

    async def _wait(self) -> None:
        """Until something came, or a timed retry is due, or the disk is to be asked again."""
        try:
            async with asyncio.timeout(self._until_wakeup_s()):
                await self._box.wait_filled()
        except TimeoutError:
            await self._ask_disk()

    def _until_wakeup_s(self) -> float | None:
        if not self.book.is_disk_well:
            return AGAIN_AFTER_S
        due = [next_wakeup(self.book.state, self._gate.held), *self._gate.held.values()]
        due_ms = min((one for one in due if one is not None), default=None)
        return None if due_ms is None else max(0.0, (due_ms - self.book.now().boot_ms) / 1000)

    async def _ask_disk(self) -> None:
        """Recording resumes by itself, also where nothing is left to be recorded (JNL8). Raises StoreDown once the process
        gives up: a run without an agent has nothing else to end it.
        """
        if self.book.is_disk_well:
            return
        store = self._context.store
        try:
            await asyncio.wrap_future(store.writer.run(lambda: probe_disk(store)))
        except StoreError:
            if self.book.gives_up:
                raise
            return  # Still down; the view says so, and it is asked again.
        self.book.set_down(None)

    async def _take_all(self) -> None:
        while (mail := self._box.take()) is not None:
            await self._take(mail)
        moved = self._box.take_totals()
        for attempt, totals in moved.items():
            self.book.take_totals(attempt, self._gate.masked(totals))
            self._gate.hear_totals(attempt, totals.get("has_spoken") is True)
        if moved:
            await self._watch_budgets([attempt for attempt in moved if attempt in self.book.live])

    async def _take(self, mail: Mail | Order) -> None:
        match mail:
            case Order():
                await mail.carry_out()
            case FactArrived(attempt, report):
                if self.book.take_fact(attempt, report):
                    self._gate.hear(attempt, report)
                if report.get("in_file"):
                    self.supervision.reread_once_written(mail)
                elif report["kind"] == APPROVAL:
                    self.answering.look(attempt)
            case RereadDue():
                await self.supervision.reread(mail)
                self.answering.look(mail.attempt_id)
            case AnswerDue():
                await self.answering.answer_due(mail)
            case TotalsArrived() | DurableReached() | SignInsMoved():
                pass  # The first two are kept apart by the supervision; the last only wakes, and the gate knows why.
            case RecordingChanged(attempt, recording):
                self.book.set_muted(attempt, not recording)
            case StartFailed():
                await self.supervision.end_failed_start(mail)
                self._gate.hear_end(mail.attempt_id)
            case AttemptLooked():
                self.book.set_muted(mail.attempt_id, False)
                await self.supervision.end(mail)
                self._gate.hear_end(mail.attempt_id)
                await self.shared.follow_cap(mail.attempt_id)

    # ------------------------------------------------------------------------------- what follows

    async def _step(self) -> None:
        """Take the steps that are due. What arrives meanwhile is taken before the next one: a stop never waits for forty
        claims (case 17). Nothing is asked while the journal has not moved: totals of forty agents cost nothing here.
        """
        graph, conditions = self.book.plan.graph, self.conditions
        while not self._is_over and self._may_follow():
            await self.work_out_conditions()
            self._gate.reopen()
            state, held = self.book.state, len(self._gate.held)
            seq = state.seq
            steps = next_steps(graph, state, self.book.now().boot_ms, conditions, self._gate.held)
            for step in steps:
                if await self._take_step(step) and not self._box.is_empty:
                    return
            if self.book.state.seq == seq and len(self._gate.held) == held:
                self._gate.settle()
                self._stepped_seq = 0 if steps else seq  # a step that the disk refused is taken again
                break
        if not self._is_over and self._is_settled():
            await self._end()

    def _may_follow(self) -> bool:
        due_ms = next_wakeup(self.book.state, self._gate.held)
        is_due = self._gate.is_due or (due_ms is not None and due_ms <= self.book.now().boot_ms)
        return is_due or self._stepped_seq != self.book.state.seq or not self.book.is_disk_well

    def _is_settled(self) -> bool:
        """Also settled: a stopped run whose only open attempts are survivors. It is not live because of them (ruling 1)."""
        state = self.book.state
        if is_settled(self.book.plan.graph, state, self.conditions):
            return True
        lost = all(attempt.status is AttemptStatus.LOST for attempt in state.open_attempts)
        return state.stop_requested is not None and lost

    async def work_out_conditions(self) -> None:
        """Evaluate every expression that became answerable, off the loop."""
        state = self.book.state
        questions = self.conditions.open_questions(state, self.book.folds)
        if not questions:
            return
        for bad in await asyncio.to_thread(self.conditions.work_out, state, questions):
            if state.is_live:
                await self.book.record_surely(ClaimRefused(bad.slot_id, Code.E_WORKFLOW.value, bad.message))

    async def _take_step(self, step: Step) -> bool:
        """Whether the step moved the run; a disk that is down leaves it for later."""
        try:
            match step:
                case SkipStep(slot):
                    await self.book.record(SlotCancelled(slot))
                case FailSlotStep(slot):
                    await self.book.record(SlotFailed(slot))
                case AskStep(slot):
                    await self.book.record(await self.claims.question_of(slot))
                case ClaimStep():
                    await self._claim(step)
        except StoreDown:
            return False
        return True

    async def _claim(self, step: ClaimStep) -> None:
        if self.book.state.stop_requested is not None:
            return
        if (spent := self.claims.spent_limit()) is not None:
            await self.shared.stop(REASON_OF[spent[0]])
            return
        await self.claims.take(step)

    async def _watch_budgets(self, spenders: list[AttemptId]) -> None:
        """Warn at 80 % once, and end everything when the run's own limit is reached (ruling 12)."""
        state = self.book.state
        await self.claims.warn_of_attempt_budgets(spenders)
        if state.budget_usd is None:
            return
        spent = self.book.spent_usd()
        if spent is not None and is_warning_due(state, RUN_SCOPE, spent, state.budget_usd):
            await self.book.record_surely(
                BudgetWarned(
                    RUN_SCOPE,
                    spent,
                    state.budget_usd,
                    source_of(self.book.figures_of(one).cost_source for one in state.attempts),
                )
            )
        if is_spent(spent, state.budget_usd) and state.stop_requested is None:
            await self.shared.stop(EndReason.RUN_BUDGET)

    # ------------------------------------------------------------------------------- the end

    async def _end(self) -> None:
        await self._ending.record_end()
        self._is_over = True
