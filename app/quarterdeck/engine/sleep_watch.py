"""Notices that the machine slept, while a run is live (LSE5): the boot-time clock has gone on, the monotonic one has not.

A sleep is told to be journaled as a gap. It expires nothing and stops nothing: waits of this program count time awake.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING

from quarterdeck.domain.events import MachineSlept
from quarterdeck.engine.mailbox import RunOver
from quarterdeck.engine.run_book import AGAIN_AFTER_S
from quarterdeck.store.errors import StoreDown

if TYPE_CHECKING:
    from quarterdeck.engine.context import EngineContext
    from quarterdeck.engine.run_actor import RunActor

LOOK_EVERY_S = 2.0
SLEPT_MIN_MS = 1_000
"""A smaller step between the two clocks is no sleep that anybody would miss."""
log = logging.getLogger(__name__)


class SleepWatch:
    """One task, from `begin` until no run is live or `close`. live: the actors of live runs."""

    def __init__(self, context: EngineContext, live: Callable[[], list[RunActor]]) -> None:
        self._context, self._live = context, live
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Look from here on; where it looks already, nothing."""
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._look(), name="watch for sleep")

    async def _look(self) -> None:
        before_ms = self._context.slept_ms()
        while self._live():
            await asyncio.sleep(LOOK_EVERY_S)
            now_ms = self._context.slept_ms()
            slept_ms, before_ms = now_ms - before_ms, now_ms
            if slept_ms >= SLEPT_MIN_MS:
                log.info("the computer slept for %.1f s", slept_ms / 1000)
                await self._tell(slept_ms)

    async def _tell(self, slept_ms: int) -> None:
        """Every run that was live when the sleep began; its actor looks at what is due as well."""
        ended_ms = self._context.now().boot_ms
        for actor in self._live():
            if self._was_live(actor, ended_ms - slept_ms):
                await _note(actor, MachineSlept(slept_ms, ended_ms))

    def _was_live(self, actor: RunActor, began_ms: int) -> bool:
        return actor.book.state.sitting.opened_at.boot_ms <= began_ms

    async def close(self) -> None:
        """End the looking; idempotent."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None


async def _note(actor: RunActor, event: MachineSlept) -> None:
    """Journal it in the actor's turn; a disk that is down is asked again, and a run that ended meanwhile needs none."""

    async def record() -> None:
        await actor.book.record(event)

    while True:
        try:
            await actor.ask(record)
        except RunOver:
            return
        except StoreDown:
            await asyncio.sleep(AGAIN_AFTER_S)
        else:
            return
