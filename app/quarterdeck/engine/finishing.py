"""How a closing process waits for its runs to finish. Loaded with every engine, so it imports next to nothing."""

from __future__ import annotations

import asyncio
from asyncio import TaskGroup
from collections.abc import Iterable

from quarterdeck.domain.views import RunView


class Patience:
    """The wait of a closing process for its runs to finish: it can be cut short, or taken back while it lasts."""

    def __init__(self) -> None:
        self.hurry = asyncio.Event()
        self._changed = asyncio.Event()
        self._is_waiting = self._is_taken_back = False

    def take_back(self) -> bool:
        """Nothing is ended and the process goes on. False where nothing waits, or it was cut short."""
        self._is_taken_back = self._is_waiting and not self.hurry.is_set()
        if self._is_taken_back:
            self._changed.set()
        return self._is_taken_back

    async def wait(self, live: Iterable[asyncio.Task[RunView]], within_s: float) -> bool:
        """Until all have ended, for so long, or until it is cut short; whether ending is still wanted."""
        self._is_waiting = True
        self._changed.clear()
        async with TaskGroup() as group:
            waits = (
                group.create_task(self.hurry.wait()),
                group.create_task(self._changed.wait()),
                group.create_task(asyncio.wait(tuple(live))),
            )
            await asyncio.wait(waits, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
            for wait in waits:
                wait.cancel()
        taken_back, self._is_waiting, self._is_taken_back = self._is_taken_back, False, False
        return not taken_back
