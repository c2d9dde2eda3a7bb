"""The actor of one live run: it alone moves the run's state, one message at a time.

Messages are shim mail and orders of a person. After each, the scheduler is asked what follows, until nothing does; when
nothing runs and nothing can start, the sitting ends and the run is published. The box is bounded by what shims and people
send: totals are conflated in the book and never queued.
"""

from __future__ import annotations

import asyncio
from asyncio import TaskGroup
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from quarterdeck.domain.budget import RUN_SCOPE, is_spent, is_warning_due
from quarterdeck.domain.commands import ClaimSlot
from quarterdeck.domain.events import (
    ApprovalAsked,
    BudgetWarned,
    ClaimRefused,
    RunEnded,
    RunStopRequested,
    SlotCancelled,
    SlotFailed,
)
from quarterdeck.domain.guards import judge_claim
from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.outcome import judge_outcome
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.scheduling import (
    AskStep,
    ClaimStep,
    FailSlotStep,
    SkipStep,
    Step,
    has_capacity,
    is_settled,
    next_steps,
    next_wakeup,
)
from quarterdeck.domain.states import EndReason
from quarterdeck.domain.views import RunView
from quarterdeck.engine.claiming import Claims
from quarterdeck.engine.conditions import RunConditions
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.minting import mint_attempt_id, mint_command_id
from quarterdeck.engine.publishing import publish
from quarterdeck.engine.run_book import AGAIN_AFTER_S, RunBook
from quarterdeck.engine.shim_link import (
    DurableReached,
    FactArrived,
    RecordingChanged,
    ShimGone,
    TotalsArrived,
)
from quarterdeck.engine.supervision import Mail, StartFailed, Supervision, stop_order
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.locks import HeldLock

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """Something that a person asked, to be done in the actor's turn; its future carries the answer."""

    do: Callable[[], Awaitable[Any]]
    answer: asyncio.Future[Any]


class RunOver(Exception):
    """The run's sitting ended before the order was its turn."""


class RunActor:
    """See the module. `run` is one task, owned by the service; it returns the view of the ended run."""

    def __init__(self, context: EngineContext, book: RunBook, owner: HeldLock) -> None:
        self.book = book
        self._context, self._owner = context, owner
        self._box: asyncio.Queue[Mail | Order] = asyncio.Queue()
        self._conditions = RunConditions(context.store, book)
        self._is_over = False
        self._is_wired = False
        self.supervision: Supervision
        self.claims: Claims

    async def run(self, first: Callable[[], Awaitable[None]] | None = None) -> RunView:
        """Until the sitting is over and its record is durable. `first` is done before anything is scheduled."""
        async with TaskGroup() as tasks:
            self._wire(tasks)
            if first is not None:
                await first()
            while not self._box.empty():
                await self._take(self._box.get_nowait())
            await self._step()
            while not self._is_over:
                await self._take_next()
                await self._step()
        view = self.book.view()
        await self._publish(view)
        await asyncio.to_thread(self._let_go)
        self._refuse_rest()
        return view

    async def do_at_rest(self, do: Callable[[], Awaitable[T]]) -> T:
        """Do something in an ended run that starts no agent and opens no sitting; then let go of the run."""
        try:
            async with TaskGroup() as tasks:
                self._wire(tasks)
                return await do()
        finally:
            self._is_over = True
            await asyncio.to_thread(self._let_go)

    def stop_at_once(self, slot: SlotId | None, why: EndReason) -> None:
        """Tell agents to end without waiting for the actor's turn; the stop itself is journaled in its turn."""
        if not self._is_wired:
            return  # No agent exists yet, and the order is in the box before the first is started.
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
        self._box.put_nowait(Order(do, answer))
        return await answer

    def _wire(self, tasks: TaskGroup) -> None:
        self.supervision = Supervision(self._context, self.book, tasks, self._box.put_nowait)
        self.claims = Claims(self._context, self.book, self.supervision, self._conditions)
        self._is_wired = True

    # ------------------------------------------------------------------------------- messages

    async def _take_next(self) -> None:
        try:
            async with asyncio.timeout(self._until_wakeup_s()):
                mail = await self._box.get()
        except TimeoutError:
            return
        await self._take(mail)
        while not self._box.empty():
            await self._take(self._box.get_nowait())

    def _until_wakeup_s(self) -> float | None:
        if not self.book.recording:
            return AGAIN_AFTER_S
        due_ms = next_wakeup(self.book.state)
        return None if due_ms is None else max(0.0, (due_ms - self.book.now().boot_ms) / 1000)

    async def _take(self, mail: Mail | Order) -> None:
        match mail:
            case Order():
                await _do(mail)
            case FactArrived(attempt, report):
                self.book.take_fact(attempt, report)
                if attempt in self.book.incomplete:
                    await self.supervision.reread(attempt)
            case TotalsArrived(attempt, totals):
                self.book.take_totals(attempt, totals)
                await self._watch_budgets()
            case DurableReached():
                pass  # An end is journaled once the shim is gone: by then its reports are closed and durable.
            case RecordingChanged(_, recording):
                self.book.set_recording(recording)
            case StartFailed():
                await self.supervision.end_failed_start(mail)
            case ShimGone(attempt):
                await self.supervision.end(attempt)

    # ------------------------------------------------------------------------------- what follows

    async def _step(self) -> None:
        state, graph = self.book.state, self.book.plan.graph
        while not self._is_over:
            now_ms = self.book.now().boot_ms
            await self._conditions.work_out()
            steps = next_steps(graph, state, now_ms, self._conditions)
            done = [await self._take_step(step) for step in steps]
            if not any(done):
                break
        if not self._is_over and is_settled(graph, state, self._conditions):
            await self._end()

    async def _take_step(self, step: Step) -> bool:
        """Whether the step moved the run; a disk that is down leaves it for later."""
        try:
            match step:
                case SkipStep(slot):
                    await self.book.record(SlotCancelled(slot))
                case FailSlotStep(slot):
                    await self.book.record(SlotFailed(slot))
                case AskStep(slot):
                    await self.book.record(self._asked(step))
                case ClaimStep():
                    return await self._claim(step)
        except StoreDown:
            return False
        return True

    def _asked(self, step: AskStep) -> ApprovalAsked:
        return self.claims.question_of(step.slot_id)

    async def _claim(self, step: ClaimStep) -> bool:
        command = ClaimSlot(
            command_id=mint_command_id(),
            tenant=self._context.tenant,
            run_id=self.book.run_id,
            slot_id=step.slot_id,
            actor=self.book.state.header.actor,
            attempt_id=mint_attempt_id(),
            cause=step.cause,
        )
        if is_spent(self.book.spent_usd(), self.book.state.budget_usd):
            await self._stop_for_budget()
            return True
        granted = judge_claim(
            self.book.state,
            self._context.tenant,
            command,
            deps_done=True,
            capacity=has_capacity(self.book.state),
            now_ms=self.book.now().boot_ms,
        )
        if isinstance(granted, Refusal):
            await self.book.record(ClaimRefused(step.slot_id, granted.code.value, granted.message))
            return True
        await self.claims.make(granted)
        return True

    async def _watch_budgets(self) -> None:
        """Warn at 80 % once, and end everything when the run's own limit is reached (ruling 12)."""
        state = self.book.state
        await self.claims.warn_of_attempt_budgets()
        if state.budget_usd is None:
            return
        spent = self.book.spent_usd()
        if spent is not None and is_warning_due(state, RUN_SCOPE, spent, state.budget_usd):
            await self.book.record_surely(BudgetWarned(RUN_SCOPE, spent, state.budget_usd))
        if is_spent(spent, state.budget_usd) and state.stop_requested is None:
            await self._stop_for_budget()

    async def _stop_for_budget(self) -> None:
        self.supervision.send_all(stop_order(EndReason.RUN_BUDGET))
        if self.book.state.stop_requested is None:
            await self.book.record_surely(
                RunStopRequested(self.book.state.header.actor, EndReason.RUN_BUDGET)
            )

    # ------------------------------------------------------------------------------- the end

    async def _end(self) -> None:
        outcome, exit_code, message = judge_outcome(self.book.state)
        end_seq = await self._next_end_seq()
        await self.book.record_surely(RunEnded(outcome, end_seq, exit_code, message))
        self._is_over = True

    async def _next_end_seq(self) -> int:
        while True:
            try:
                return await asyncio.wrap_future(
                    self._context.store.writer.run(self._context.store.next_end_seq)
                )
            except StoreDown:
                self.book.set_recording(False)
                await asyncio.sleep(AGAIN_AFTER_S)

    async def _publish(self, view: RunView) -> None:
        """Record, index, ledger; waits for the disk. Doing it twice adds nothing."""
        store = self._context.store
        while True:
            try:
                await asyncio.wrap_future(store.writer.run(lambda: publish(store, view)))
                return
            except StoreError:
                self.book.set_recording(False)
                await asyncio.sleep(AGAIN_AFTER_S)

    def _let_go(self) -> None:
        self.book.close()
        self._owner.release()
        self._context.session.forget_run(self.book.run_id)

    def _refuse_rest(self) -> None:
        while not self._box.empty():
            mail = self._box.get_nowait()
            if isinstance(mail, Order) and not mail.answer.done():
                mail.answer.set_exception(RunOver())


async def _do(order: Order) -> None:
    """Carry out one order; its error goes to who asked, never to the actor."""
    if order.answer.cancelled():
        return
    try:
        result = await order.do()
    except StoreError as error:
        if not order.answer.cancelled():
            order.answer.set_exception(error)
        return
    if not order.answer.cancelled():
        order.answer.set_result(result)
