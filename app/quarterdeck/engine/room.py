"""Holding the store to its caps behind the backs of the runs (STO6): one task of the engine, apart from every run's own.

An ended run is durable and let go of when it comes here, so nothing that happens here changes how it ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.states import Phase
from quarterdeck.domain.views import RunView
from quarterdeck.engine.bounding import after_end, current_limits
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError

log = logging.getLogger(__name__)


class StoreRoom:
    """Counts runs that have ended and lets older ones go, one after the other, in a worker thread."""

    def __init__(self, store: Store, now: Callable[[], Moment]) -> None:
        self._store, self._now = store, now
        self._ended: list[RunId] = []
        self._task: asyncio.Task[None] | None = None

    def count(self, view: RunView) -> None:
        """A run has come to its end here; returns at once. One that did not end by its journal is left to a later start."""
        if view.phase is not Phase.ENDED:
            return
        self._ended.append(view.run_id)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(
                self._work(), name="hold the store to its caps"
            )

    async def close(self) -> None:
        """Until what has ended is counted; nothing of the store is used after that."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _work(self) -> None:
        while self._ended:
            await asyncio.to_thread(self._make_room, self._ended.pop(0))

    def _make_room(self, run: RunId) -> None:
        """What refuses leaves it for the next end."""
        try:
            after_end(self._store, run, current_limits(self._store), self._now())
        except StoreError as error:
            log.warning("the store could not be held to its caps: %s", error)
        except Exception:
            log.exception("the store could not be held to its caps")
