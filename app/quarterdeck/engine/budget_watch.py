"""Watches the limits that runs share (workflow, night) while a run is live: warns once at 80 %, ends what runs at the limit.

The shims hold caps of their own meanwhile, so a window that stalls lets nothing run away: it is late by what other agents
spend, never by what one does.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from quarterdeck.engine.mailbox import RunOver
from quarterdeck.store.errors import StoreDown

if TYPE_CHECKING:
    from quarterdeck.domain.ids import RunId
    from quarterdeck.domain.shared_limits import Standing
    from quarterdeck.engine.run_actor import RunActor
    from quarterdeck.engine.shared_budgets import SharedBudgets

LOOK_EVERY_S = 0.5
log = logging.getLogger(__name__)


class BudgetWatch:
    """One task, from `begin` until no run is live or `close`. live: the actors of live runs."""

    def __init__(self, budgets: SharedBudgets, live: Callable[[], list[RunActor]]) -> None:
        self._budgets, self._live = budgets, live
        self._task: asyncio.Task[None] | None = None
        self._telling: dict[RunId, asyncio.Task[None]] = {}
        """One for each run whose actor was told and has not done it yet: a disk that is down holds up no other run."""

    def begin(self) -> None:
        """Look from here on; where it looks already, nothing."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look(), name="watch shared budgets")

    async def _look(self) -> None:
        told = ""
        while self._live():
            try:
                await self.look()
                if told:
                    log.info("the shared budgets can be looked at again")
                told = ""
            except Exception as error:
                said = repr(error)
                if said != told:  # once, as long as it stays the same
                    log.exception("the shared budgets could not be looked at; it is tried again")
                told = said
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Look once. Agents of every run that is at its limit are told to end before anything is written."""
        await asyncio.to_thread(self._budgets.refresh)
        standings = self._budgets.standings()
        for actor in self._live():
            workflow = actor.book.state.header.workflow_id
            own = tuple(one for one in standings if one.workflow in (None, workflow))
            if actor.shared.is_due(own):
                actor.shared.stop_at_once(own)
                self._tell(actor, own)

    def _tell(self, actor: RunActor, standings: tuple[Standing, ...]) -> None:
        run = actor.book.run_id
        if run not in self._telling:
            task = asyncio.get_running_loop().create_task(_take(actor, standings), name=f"budgets of {run}")
            self._telling[run] = task
            task.add_done_callback(lambda _: self._telling.pop(run, None))

    async def close(self) -> None:
        """End the looking; idempotent."""
        tasks = [*self._telling.values(), *([self._task] if self._task is not None else [])]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self._task = None


async def _take(actor: RunActor, standings: tuple[Standing, ...]) -> None:
    """In the actor's turn; a disk that is down is asked again at the next look, and a run that ended meanwhile needs none."""
    try:
        await actor.ask(lambda: actor.shared.take(standings))
    except (RunOver, StoreDown):
        return
