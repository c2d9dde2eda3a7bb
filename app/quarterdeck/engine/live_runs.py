"""The runs that this process owns and that are or were live in its life: actors, their tasks, their views."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from quarterdeck.domain.commands import ReassignSlot
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.states import EndReason
from quarterdeck.domain.views import RunView
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.door import FeedEvent
from quarterdeck.engine.feed import Publisher
from quarterdeck.engine.launching import Launched
from quarterdeck.engine.reopening import Reopened, reopen_run
from quarterdeck.engine.run_actor import RunActor, RunOver
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.run_orders import RunOrders
from quarterdeck.store.errors import StoreDown

T = TypeVar("T")
OVER = Refusal(Code.E_ATTEMPT_STATE, "The run has ended; nothing was changed.")


class LiveRuns:
    """Owns one task for each live run of this process; `close` ends them all."""

    def __init__(self, context: EngineContext | None, catalog: Catalog) -> None:
        self._context, self._catalog = context, catalog
        self._actors: dict[RunId, RunActor] = {}
        self._tasks: dict[RunId, asyncio.Task[RunView]] = {}
        self.publisher = context.publisher if context is not None else Publisher()

    @property
    def actor(self) -> str:
        """On whose behalf commands are given where nobody is named."""
        return self._need_context().actor

    # ------------------------------------------------------------------------------- beginning

    def begin(self, launched: Launched) -> RunId:
        """Start the actor of a run that was just journaled."""
        context = self._need_context()
        state = advance(None, launched.entry)
        book = RunBook(launched.plan, launched.journal, state, context.publisher, context.now)
        book.tell_header(launched.entry)
        self._start(RunActor(context, book, launched.owner), None)
        return state.run_id

    async def claim(self, run: RunId, slot: SlotId, go_on: bool) -> AttemptId | Refusal:
        """A person's claim, in a live run of this process or in one that ended."""
        context = self._need_context()
        if self.is_live(run):
            return await self.order(run, lambda orders: orders.claim(slot, context.actor, go_on))
        opened = await self._reopen(run)
        if isinstance(opened, Refusal):
            return opened
        book = RunBook(opened.plan, opened.journal, opened.state, context.publisher, context.now)
        book.folds.update(opened.folds)
        actor = RunActor(context, book, opened.owner)
        answer: asyncio.Future[AttemptId | Refusal] = asyncio.get_running_loop().create_future()

        async def first() -> None:
            answer.set_result(await self._orders(actor).claim(slot, context.actor, go_on))

        self._start(actor, first)
        return await answer

    async def reassign(self, command: ReassignSlot) -> Refusal | None:
        """Re-open a slot in a live run of this process or in one that ended; starts nothing (SLT14)."""
        context = self._need_context()
        if self.is_live(command.run_id):
            return await self.order(command.run_id, lambda orders: orders.reassign(command))
        opened = await self._reopen(command.run_id)
        if isinstance(opened, Refusal):
            return opened
        book = RunBook(opened.plan, opened.journal, opened.state, context.publisher, context.now)
        book.folds.update(opened.folds)
        actor = RunActor(context, book, opened.owner)
        return await actor.do_at_rest(lambda: self._orders(actor).reassign(command))

    async def _reopen(self, run: RunId) -> Reopened | Refusal:
        task = self._tasks.get(run)
        if task is not None:
            await asyncio.wait([task])
        context = self._need_context()
        return await asyncio.to_thread(reopen_run, context, run)

    def _start(self, actor: RunActor, first: Callable[[], Awaitable[None]] | None) -> None:
        run = actor.book.run_id
        self._actors[run] = actor
        task = asyncio.get_running_loop().create_task(actor.run(first), name=f"run {run}")
        self._tasks[run] = task
        task.add_done_callback(lambda done: self._on_ended(run, done))
        self.publisher.mark(run)

    def _on_ended(self, run: RunId, task: asyncio.Task[RunView]) -> None:
        if not task.cancelled() and task.exception() is None:
            self._catalog.put(task.result())
        self.publisher.mark(run)

    # ------------------------------------------------------------------------------- orders and views

    def is_live(self, run: RunId) -> bool:
        """Whether this process owns the run and its sitting is open."""
        task = self._tasks.get(run)
        return task is not None and not task.done()

    async def order(self, run: RunId, do: Callable[[RunOrders], Awaitable[T]]) -> T | Refusal:
        """Have something done in the run's own turn; a run that ended meanwhile is a refusal."""
        actor = self._actors[run]
        try:
            return await actor.ask(lambda: do(self._orders(actor)))
        except RunOver:
            return OVER
        except StoreDown as error:
            return Refusal(Code.E_STORE, f"The store cannot be written: {error}")

    def stop_at_once(self, run: RunId, slot: SlotId | None) -> None:
        """Tell agents to end before the order's turn comes: a stop never waits for a disk (case 14)."""
        self._actors[run].stop_at_once(slot, EndReason.PERSON)

    def view(self, run: RunId) -> RunView | None:
        """The run from memory; None where this process never owned it."""
        actor = self._actors.get(run)
        return None if actor is None else actor.book.view()

    def views(self) -> tuple[RunView, ...]:
        """Every run of this process's life."""
        return tuple(actor.book.view() for actor in self._actors.values())

    async def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        """The run's events; none where this process never owned it."""
        actor = self._actors.get(run)
        if actor is not None:
            async for event in actor.book.stream():
                yield event

    async def wait_ended(self, run: RunId) -> RunView:
        """The view of the ended run. KeyError where this process never owned it."""
        return await asyncio.shield(self._tasks[run])

    # ------------------------------------------------------------------------------- the end

    async def close(self, why: EndReason, finish_within_s: float) -> None:
        """Let live runs finish for so long, then end them and wait until each end is proved and recorded."""
        live = [task for task in self._tasks.values() if not task.done()]
        if live and finish_within_s > 0:
            await asyncio.wait(live, timeout=finish_within_s)
        for run in [run for run, task in self._tasks.items() if not task.done()]:
            self._actors[run].stop_at_once(None, why)
            await self.order(run, lambda orders: orders.stop_run(self.actor, why))
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    def _orders(self, actor: RunActor) -> RunOrders:
        return RunOrders(self._need_context(), actor.book, actor.supervision, actor.claims)

    def _need_context(self) -> EngineContext:
        if self._context is None:
            raise RuntimeError("this engine was opened for reading only")
        return self._context
