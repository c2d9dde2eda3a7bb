"""What is looked at while runs of this process are live: whether the machine slept, and what runs may spend together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from quarterdeck.engine.budget_watch import BudgetWatch
from quarterdeck.engine.catalog import Catalog
from quarterdeck.engine.context import EngineContext
from quarterdeck.engine.sleep_watch import SleepWatch

if TYPE_CHECKING:
    from quarterdeck.engine.run_actor import RunActor


class LiveWatches:
    """Each is one task, from `begin` until no run is live or `close`. live: the actors of live runs."""

    def __init__(self, context: EngineContext, catalog: Catalog, live: Callable[[], list[RunActor]]) -> None:
        self._sleep = SleepWatch(context, live)
        self._budgets = BudgetWatch(context.budgets, live)
        context.budgets.live = lambda: [actor.book for actor in live()]
        context.budgets.others = lambda: [line for line in catalog.all(()) if line.is_live and line.foreign]

    def begin(self) -> None:
        """Look from here on; where it is looked already, nothing."""
        self._sleep.begin()
        self._budgets.begin()

    async def close(self) -> None:
        """End the looking; idempotent."""
        await self._sleep.close()
        await self._budgets.close()
