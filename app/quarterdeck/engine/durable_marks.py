"""How far each living attempt's reports are on the disk, as its shim says, and what waits for that (design §5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from quarterdeck.domain.ids import AttemptId


class DurableMarks:
    """Of one run; see the module. All on its loop."""

    def __init__(self) -> None:
        self._reached: dict[AttemptId, int] = {}
        self._wanted: dict[AttemptId, int] = {}
        self._moved = asyncio.Event()

    def reach(self, attempt: AttemptId, seq: int) -> None:
        """A mark came."""
        self._reached[attempt] = max(seq, self._reached.get(attempt, 0))
        self._moved.set()

    def forget(self, attempt: AttemptId) -> None:
        """The attempt has ended: nothing is waited for any more."""
        self._reached.pop(attempt, None)
        self._wanted.pop(attempt, None)
        self._moved.set()

    async def wait_until(self, holds: Callable[[], bool]) -> None:
        """Until it holds; asked again after each mark."""
        while not holds():
            self._moved.clear()
            await self._moved.wait()

    async def wait_durable(self, attempt: AttemptId, seq: int, within_s: float) -> bool:
        """Whether the mark reached `seq` in time; a decision on a report waits for it."""
        try:
            async with asyncio.timeout(within_s):
                await self.wait_until(lambda: self._reached.get(attempt, 0) >= seq)
        except TimeoutError:
            return False
        return True

    # ------------------------------------------------------------------ files that are to be read anew

    def want(self, attempt: AttemptId, upto: int) -> bool:
        """Its file is to be read once it holds reports up to `upto`; whether nobody waited for that yet."""
        is_new = attempt not in self._wanted
        self._wanted[attempt] = max(upto, self._wanted.get(attempt, 0))
        return is_new

    def is_behind(self, attempt: AttemptId) -> bool:
        """Whether the file lacks something that it is to be read for."""
        return self._reached.get(attempt, 0) < self._wanted.get(attempt, 0)

    def settle(self, attempt: AttemptId) -> None:
        """It was read."""
        self._wanted.pop(attempt, None)
