"""The runs that this process owns and that are or were live in its life: actors, their tasks, their views.

Runs enter one at a time, by a launch or by a person who takes up an ended one, and none enters once `close` has begun.
Of ended runs the newest few are kept, for readers of events that come late; everything else is read from disk.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from quarterdeck.domain.commands import SwitchAgent
from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.states import EndReason
from quarterdeck.domain.views import RunView
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.door import FeedEvent
from quarterdeck.engine.finishing import Patience
from quarterdeck.engine.launching import Checked, launch_run
from quarterdeck.engine.live_watches import LiveWatches
from quarterdeck.engine.mailbox import RunOver
from quarterdeck.engine.no_runs import CLOSING, OVER
from quarterdeck.engine.reopening import reopen_run
from quarterdeck.engine.room import StoreRoom
from quarterdeck.engine.run_actor import RunActor
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.run_orders import RunOrders
from quarterdeck.engine.shared_budgets import SharedBudgets
from quarterdeck.engine.shutdown import end_all
from quarterdeck.engine.sign_in_looks import Look, once_read
from quarterdeck.store.errors import StoreDown

T = TypeVar("T")
Claim = Callable[[RunOrders], Awaitable[AttemptId | Refusal | Look]]
"""A person's claim, as it is asked of a run's orders."""
log = logging.getLogger(__name__)
ENDED_KEPT = 16


class LiveRuns:
    """Owns one task for each live run of this process; `close` ends them all."""

    def __init__(self, context: EngineContext, catalog: Catalog) -> None:
        self._context, self._catalog = context, catalog
        self._actors: dict[RunId, RunActor] = {}
        self._tasks: dict[RunId, asyncio.Task[RunView]] = {}
        self._entering = asyncio.Lock()
        self._entries: set[asyncio.Task[object]] = set()
        self._is_closing = False
        self.budgets: SharedBudgets | None = context.budgets
        self._watches = LiveWatches(context, catalog, self._live_actors)
        self._room = StoreRoom(context.store, context.now)
        self.patience = Patience()
        self.publisher = context.publisher

    @property
    def actor(self) -> str:
        """On whose behalf commands are given where nobody is named."""
        return self._context.actor

    # ------------------------------------------------------------------------------- entering

    async def launch(self, checked: Checked, actor: str) -> RunId | Refusal:
        """Journal a new run and start its actor. A caller that goes away meanwhile changes nothing."""
        return await self._enter(lambda context: self._launch(context, checked, actor))

    async def claim(
        self, run: RunId, slot: SlotId, go_on: bool, actor: str, command_id: CommandId
    ) -> AttemptId | Refusal:
        """A person's claim, in a live run of this process or in one that ended. No run waits while its sign-in is read."""
        return await once_read(
            lambda anew: self._claim_once(
                run, lambda orders: orders.claim(slot, actor, go_on, command_id, anew=anew)
            )
        )

    async def switch(self, run: RunId, command: SwitchAgent) -> Refusal | None:
        """Another agent for a slot that waits, in a live run or in one that ended; no run waits, as with `claim`."""
        return await once_read(
            lambda anew: self.order_or_at_rest(run, lambda orders: orders.switch(command, anew=anew))
        )

    async def _claim_once(self, run: RunId, claim: Claim) -> AttemptId | Refusal | Look:
        return await self._here_or_at_rest(
            run, lambda: self._ask(run, claim), lambda context: self._claim_at_rest(context, run, claim)
        )

    async def order_or_at_rest(self, run: RunId, do: Callable[[RunOrders], Awaitable[T]]) -> T | Refusal:
        """Have something done that starts no agent, in a live run of this process or in one that ended."""

        async def here() -> T | Refusal:
            return await self._ask(run, do)

        async def at_rest(context: EngineContext) -> T | Refusal:
            actor = await self._reopen(context, run)
            if isinstance(actor, Refusal):
                return actor
            self._keep(actor)
            try:
                return await actor.do_at_rest(lambda: do(_orders_of(self._context, actor)))
            except StoreDown as error:
                return _store_down(error)
            finally:
                self._catalog.put(actor.book.view())

        return await self._here_or_at_rest(run, here, at_rest)

    async def _here_or_at_rest(
        self,
        run: RunId,
        here: Callable[[], Awaitable[T | Refusal]],
        at_rest: Callable[[EngineContext], Awaitable[T | Refusal]],
    ) -> T | Refusal:
        """In the run's own turn; where its sitting is over, or ends before that turn, at rest once it has ended."""
        while self.is_live(run):
            try:
                return await here()
            except RunOver:  # it ended meanwhile; what is asked for is asked of the ended run
                await asyncio.wait([self._tasks[run]])

        async def enter(context: EngineContext) -> T | Refusal:
            return await (here() if self.is_live(run) else at_rest(context))

        try:
            return await self._enter(enter)
        except RunOver:
            return OVER

    async def _enter(self, do: Callable[[EngineContext], Awaitable[T | Refusal]]) -> T | Refusal:
        """One after the other, and to its end also where the caller is cancelled: a journaled run has an actor."""

        async def entering() -> T | Refusal:
            async with self._entering:
                return CLOSING if self._is_closing else await do(self._context)

        task = asyncio.get_running_loop().create_task(entering(), name="a run enters")
        self._entries.add(task)
        task.add_done_callback(self._entries.discard)
        return await asyncio.shield(task)

    async def _launch(self, context: EngineContext, checked: Checked, actor: str) -> RunId | Refusal:
        launched = await asyncio.to_thread(launch_run, context, checked, actor)
        if isinstance(launched, Refusal):
            return launched
        state = advance(None, launched.entry)
        book = RunBook(launched.plan, launched.journal, state, context.publisher, context.now)
        book.tell_entry(launched.entry)
        self._start(RunActor(context, book, launched.owner), None)
        return state.run_id

    async def _claim_at_rest(
        self, context: EngineContext, run: RunId, claim: Claim
    ) -> AttemptId | Refusal | Look:
        actor = await self._reopen(context, run)
        if isinstance(actor, Refusal):
            return actor
        answer: asyncio.Future[AttemptId | Refusal | Look] = asyncio.get_running_loop().create_future()

        async def first() -> None:
            try:
                answer.set_result(await claim(_orders_of(self._context, actor)))
            except StoreDown as error:
                answer.set_result(_store_down(error))
            except Exception as error:
                answer.set_exception(error)
                raise

        self._start(actor, first)
        return await answer

    async def _reopen(self, context: EngineContext, run: RunId) -> RunActor | Refusal:
        opened = await asyncio.to_thread(reopen_run, context, run)
        if isinstance(opened, Refusal):
            return opened
        book = RunBook(opened.plan, opened.journal, opened.state, context.publisher, context.now)
        book.folds.update(opened.folds)
        book.refused.update(opened.refused)
        return RunActor(context, book, opened.owner)

    def _start(self, actor: RunActor, first: Callable[[], Awaitable[None]] | None) -> None:
        run = actor.book.run_id
        task = asyncio.get_running_loop().create_task(self._live(actor, first), name=f"run {run}")
        self._keep(actor)
        self._tasks[run] = task
        task.add_done_callback(lambda done: self._on_ended(actor, done))
        self.publisher.mark(run)
        self._watches.begin()

    async def _live(self, actor: RunActor, first: Callable[[], Awaitable[None]] | None) -> RunView:
        """The run is in the list before it stops being live, so that no look at it finds neither (OWN5)."""
        view = await actor.run(first)
        self._catalog.put(view)
        self._room.count(view)
        return view

    def _keep(self, actor: RunActor) -> None:
        """The newest ended runs stay in memory, the older ones are on disk."""
        run = actor.book.run_id
        self.forget(run)
        self._actors[run] = actor
        ended = [known for known in self._actors if known != run and not self.is_live(known)]
        for known in ended[:-ENDED_KEPT]:
            self.forget(known)

    def _on_ended(self, actor: RunActor, task: asyncio.Task[RunView]) -> None:
        if task.cancelled():
            log.warning("run %s was given up", actor.book.run_id)
        elif (error := task.exception()) is not None:
            log.error("run %s met a fault at its end", actor.book.run_id, exc_info=error)
        self.publisher.mark(actor.book.run_id)

    def _live_actors(self) -> list[RunActor]:
        return [actor for run, actor in self._actors.items() if self.is_live(run)]

    # ------------------------------------------------------------------------------- orders and views

    def is_live(self, run: RunId) -> bool:
        """Whether this process owns the run and its sitting is open."""
        task = self._tasks.get(run)
        return task is not None and not task.done()

    async def order(self, run: RunId, do: Callable[[RunOrders], Awaitable[T]]) -> T | Refusal:
        """Have something done in the run's own turn; a run that ended meanwhile is a refusal."""
        try:
            return await self._ask(run, do)
        except RunOver:
            return OVER

    async def _ask(self, run: RunId, do: Callable[[RunOrders], Awaitable[T]]) -> T | Refusal:
        """As `order`, but raises RunOver."""
        actor = self._actors[run]
        try:
            return await actor.ask(lambda: do(_orders_of(self._context, actor)))
        except StoreDown as error:
            return _store_down(error)

    def stop_at_once(self, run: RunId, slot: SlotId | None) -> None:
        """Tell agents to end before the order's turn comes: a stop never waits for a disk (case 14)."""
        self._actors[run].stop_at_once(slot, EndReason.PERSON)

    def view(self, run: RunId) -> RunView | None:
        """The run from memory; None where this process never owned it, or let go of it since."""
        return None if (actor := self._actors.get(run)) is None else actor.book.view()

    def live_views(self) -> tuple[RunView, ...]:
        """The live runs of this process."""
        return tuple(actor.book.view() for run, actor in self._actors.items() if self.is_live(run))

    def forget_if_behind(self, run: RunId, seq: int) -> None:
        """Let go of an ended run that another process has moved on since."""
        actor = self._actors.get(run)
        if actor is not None and not self.is_live(run) and actor.book.view().seq < seq:
            self.forget(run)

    def forget(self, run: RunId) -> None:
        """Let go of an ended run's memory."""
        self._actors.pop(run, None)
        self._tasks.pop(run, None)

    def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        """The run's events; none where this process does not hold it."""
        return _events_of(self._actors.get(run))

    async def wait_ended(self, run: RunId) -> RunView | None:
        """The view of the run once it has ended; None where this process does not hold it."""
        if (task := self._tasks.get(run)) is not None:
            await asyncio.wait([task])
        return self.view(run)

    async def close(self, why: EndReason, finish_within_s: float) -> bool:
        """Let live runs finish for so long, then end them until each end is proved and recorded; what a disk that is down
        does not take in time is settled at the next start. False: it was taken back, and everything goes on.
        """
        self._is_closing = True
        if self._entries:
            await asyncio.wait(self._entries)
        await self._watches.close()
        if not await end_all(self._actors, self._tasks, self._end_one, why, finish_within_s, self.patience):
            self._is_closing = False
            self._watches.begin()
            return False
        await self._room.close()
        return True

    async def _end_one(self, run: RunId, why: EndReason) -> None:
        self._actors[run].stop_at_once(None, why)
        await self.order(run, lambda orders: orders.stop_run(self.actor, why))


async def _events_of(actor: RunActor | None) -> AsyncIterator[FeedEvent]:
    if actor is None:
        return
    stream = actor.book.stream()
    try:
        async for event in stream:
            yield event
    finally:
        actor.book.history.drop(stream)


def _orders_of(context: EngineContext, actor: RunActor) -> RunOrders:
    return RunOrders(
        context,
        actor.book,
        actor.supervision,
        actor.claims,
        actor.answering,
        actor.conditions,
        actor.work_out_conditions,
    )


def _store_down(error: StoreDown) -> Refusal:
    return Refusal(Code.E_STORE, f"The store cannot be written: {error}")
