"""Watches the limits that runs share (workflow, night) while a run is live: warns once at 80 %, ends what runs at the limit.

The shims hold caps of their own meanwhile, so a window that stalls lets nothing run away: it is late by what other agents
spend, never by what one does.
"""

from __future__ import annotations

import asyncio
import logging
from asyncio import TaskGroup
from collections.abc import Callable
from typing import TYPE_CHECKING

from quarterdeck.engine.mailbox import RunOver
from quarterdeck.store.errors import StoreDown

if TYPE_CHECKING:
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

    def begin(self) -> None:
        """Look from here on; where it looks already, nothing."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look(), name="watch shared budgets")

    async def _look(self) -> None:
        while self._live():
            try:
                await self.look()
            except* Exception as faults:
                log.error("the shared budgets could not be looked at", exc_info=faults)
            await asyncio.sleep(LOOK_EVERY_S)

    async def look(self) -> None:
        """Look once. Agents of every run that is at its limit are told to end before anything is written."""
        await asyncio.to_thread(self._budgets.refresh)
        standings = self._budgets.standings()
        async with TaskGroup() as tasks:
            for actor in self._live():
                workflow = actor.book.state.header.workflow_id
                own = tuple(one for one in standings if one.workflow in (None, workflow))
                if actor.shared.is_due(own):
                    tasks.create_task(_tell(actor, own))

    async def close(self) -> None:
        """End the looking; idempotent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None


async def _tell(actor: RunActor, standings: tuple[Standing, ...]) -> None:
    """In the actor's turn; a disk that is down is asked again at the next look, and a run that ended meanwhile needs none."""
    actor.shared.stop_at_once(standings)
    try:
        await actor.ask(lambda: actor.shared.take(standings))
    except (RunOver, StoreDown):
        return
