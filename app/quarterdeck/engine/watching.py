"""Looking for what other processes do: changes seen in the files, and sessions that died meanwhile, settled (REC17)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.catalog import Catalog, Found
from quarterdeck.engine.folder_watch import FolderWatch
from quarterdeck.engine.settling import LeftAlone, settle_dead_sessions
from quarterdeck.engine.unowned import settle_unowned
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError
from quarterdeck.store.machine import now

log = logging.getLogger(__name__)
LOOK_EVERY_S = 1.0
TEND_EVERY_S = 3600.0
LOOK_SHARE = 10
"""A look that took long is followed by a pause of so many times its length."""


class StoreWatch:
    """One task that looks, from `start` to `close`. tell: called on the loop with {run that changed: its sequence}."""

    def __init__(self, store: Store, catalog: Catalog, tell: Callable[[dict[RunId, int]], None]) -> None:
        self._store, self._catalog, self._tell = store, catalog, tell
        self._task: asyncio.Task[None] | None = None
        self._left = LeftAlone()
        self.folder = FolderWatch(store)
        """Whether the data folder takes a write, while runs of other processes live."""
        catalog.for_good = self._left.for_good
        self._tended_s: float | None = None

    def start(self) -> None:
        """Begin to look."""
        self._task = asyncio.get_running_loop().create_task(self._look(), name="watch other processes")

    async def _look(self) -> None:
        """Nothing that one look meets ends the looking: the list stays as it was known, and the next look may read it."""
        told = ""
        pause_s = LOOK_EVERY_S
        while True:
            await asyncio.sleep(pause_s)
            begun_s = time.monotonic()
            try:
                is_needed = any(line.is_live and line.foreign for line in self._catalog.all(()))
                await asyncio.to_thread(self.folder.look, is_needed=is_needed)
                begun_s = (
                    time.monotonic()
                )  # a disk that takes its time for a write makes no look a seldom one
                self._tell(self._catalog.merge(await asyncio.to_thread(self._look_once)))
                told = ""
            except Exception as error:  # noqa: BLE001 - logged; a look is done again
                told = _log_once(error, told)
            pause_s = max(LOOK_EVERY_S, LOOK_SHARE * (time.monotonic() - begun_s))

    def _look_once(self) -> Found:
        """Settle what died, then see what the files say; blocking."""
        try:
            if self._store.sessions.dead():
                settle_dead_sessions(self._store, now, self._left)
        except StoreError as error:
            log.info("what a dead session left cannot be settled now: %s", error)
        except Exception:
            log.exception("what a dead session left could not be settled")
        self._tend()
        return self._without_unowned(self._catalog.read_if_changed())

    def _without_unowned(self, found: Found) -> Found:
        """Runs whose owner is gone and that no session answers for are settled, too, and the list is read once more."""
        try:
            touched = settle_unowned(self._store, found.left, now, self._left)
        except StoreError as error:
            log.info("what nobody owns cannot be settled now: %s", error)
            return found
        return self._catalog.read() if touched else found

    def _tend(self) -> None:
        """Discards past their time, moves that were cut off, the caps: at the first look and then seldom (STO6, ruling 17)."""
        if self._tended_s is not None and time.monotonic() - self._tended_s < TEND_EVERY_S:
            return
        self._tended_s = time.monotonic()
        from quarterdeck.engine.bounding import current_limits, tend

        try:
            tend(self._store, current_limits(self._store), now())
        except StoreError as error:
            log.info("the store cannot be tended now: %s", error)

    async def close(self) -> None:
        """End the looking; idempotent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None


def _log_once(error: Exception, told: str) -> str:
    """Log what a look met, once as long as it stays the same."""
    words = f"{type(error).__name__}: {error}"
    if words != told:
        is_disk = isinstance(error, (StoreError, OSError))
        log.warning("the store cannot be looked at: %s", words, exc_info=None if is_disk else error)
    return words
