"""How a run's sitting ends in this process: its last entry, its record, its lock; also after a fault of ours."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace

from quarterdeck.domain.events import RunEnded
from quarterdeck.domain.outcome import judge_outcome
from quarterdeck.domain.states import Phase
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.faults import settle_after_fault, view_of_fault
from quarterdeck.engine.publishing import publish
from quarterdeck.engine.run_book import RunBook
from quarterdeck.store.errors import StoreDown, StoreError
from quarterdeck.store.locks import HeldLock

log = logging.getLogger(__name__)


class RunEnding:
    """Used by the run's actor alone. Holds the run's lock until `let_go`."""

    def __init__(self, context: EngineContext, book: RunBook, owner: HeldLock) -> None:
        self._context, self._book, self._owner = context, book, owner

    async def record_end(self) -> None:
        """Judge the outcome and journal it; waits for the disk."""
        outcome, exit_code, message = judge_outcome(self._book.state)
        end_seq = await self._next_end_seq()
        await self._book.record_surely(RunEnded(outcome, end_seq, exit_code, message, settled=False))

    async def _next_end_seq(self) -> int:
        store = self._context.store
        while True:
            try:
                return await asyncio.wrap_future(store.writer.run(store.next_end_seq))
            except StoreDown as error:
                await self._book.wait_for_disk(error)

    async def publish(self) -> None:
        """Record, index, ledger; waits for the disk. Doing it twice adds nothing. What cannot be kept is said of the run."""
        store, view = self._context.store, self._book.view()
        while True:
            try:
                unkept = await asyncio.wrap_future(store.writer.run(lambda: publish(store, view)))
            except StoreDown as error:
                await self._book.wait_for_disk(error)
            else:
                self._book.set_down(None)
                if unkept:
                    self._book.finish(replace(self._book.view(), recording=False, fault=unkept))
                return

    async def publish_once(self) -> None:
        """What was said of an ended run goes into its record and its line too, where the disk takes it now: the journal is the
        truth (ruling 15), but a line that is behind costs a reading of the journal at each start.
        """
        store, view = self._context.store, self._book.view()
        if view.phase is not Phase.ENDED:
            return
        try:
            await asyncio.wrap_future(store.writer.run(lambda: publish(store, view)))
        except StoreError as error:
            log.info("run %s: its record stays behind its journal: %s", view.run_id, error)

    async def end_after_fault(self, error: Exception) -> None:
        """Log it, settle the run by its evidence, and show what came of that."""
        book = self._book
        if book.gives_up and _is_of_the_disk(error):
            log.warning(
                "run %s is not recorded to its end; the next start settles it: %s", book.run_id, error
            )
            settled = None
        else:
            log.error("run %s is ended after a fault", book.run_id, exc_info=error)
            settled = await asyncio.to_thread(settle_after_fault, self._context, book)
        if settled is not None:
            book.state = settled.state
            for entry in settled.entries:
                book.tell_entry(entry)
        book.finish(settled.view if settled is not None else view_of_fault(book.view()))
        await asyncio.to_thread(self.let_go, forget=settled is not None)

    def let_go(self, *, forget: bool = True) -> None:
        """Release journal and lock; blocking. forget: nothing of the run is left for recovery. Every decision was durable
        before it was acted on, so a disk that refuses the last sync takes nothing back.
        """
        try:
            self._book.journal.close()
        except StoreError as error:
            log.warning("run %s: its journal could not be closed: %s", self._book.run_id, error)
        finally:
            self._owner.release()
        if forget:
            self._context.session.forget_run(self._book.run_id)


def _is_of_the_disk(error: Exception) -> bool:
    """Whether nothing but a disk that is down ended the actor; what its task group raised comes as a group."""
    if isinstance(error, ExceptionGroup):
        return error.split(StoreDown)[1] is None
    return isinstance(error, StoreDown)
