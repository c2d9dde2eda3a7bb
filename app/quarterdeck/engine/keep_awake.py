"""Keeps the machine awake exactly while an agent lives, where the person asked for it (`[power] keep_awake`, case 128).

The port is `Inhibitor`; adapters are modules of their own. Nothing is started before an agent is (ruling 25), and agents
never wait for more than its start: where it cannot be had, that is said once, and they work without it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

log = logging.getLogger(__name__)


class CannotInhibit(Exception):
    """The system gives no way to keep it awake; says why in words."""


class Inhibitor(Protocol):
    """One way to keep a machine awake. Blocking; called from worker threads, never twice at once."""

    def begin(self) -> None:
        """Keep it awake from here. Raises CannotInhibit."""

    def end(self) -> None:
        """Let it sleep; idempotent."""


class KeepAwake:
    """Counts living agents. `make`: the inhibitor to use, or None where the person does not want it; asked each time the
    first agent begins, from a worker thread.
    """

    def __init__(self, make: Callable[[], Inhibitor | None]) -> None:
        self._make = make
        self._agents = 0
        self._turn = asyncio.Lock()
        self._held: Inhibitor | None = None
        self._was_asked = False
        """Since no agent lived: what was refused then is not asked for again for each of them."""
        self._told = False

    @asynccontextmanager
    async def while_alive(self) -> AsyncIterator[None]:
        """Around the whole life of one agent."""
        self._agents += 1
        try:
            await self._surely_follow()
            yield
        finally:
            self._agents -= 1
            await self._surely_follow()

    async def _surely_follow(self) -> None:
        """To its end also where an agent's task is cancelled meanwhile: what was begun is known, and so is ended."""
        task = asyncio.get_running_loop().create_task(self._follow(), name="keep awake")
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise

    async def _follow(self) -> None:
        """Begin or end, as the count says once it is this call's turn."""
        async with self._turn:
            if self._agents and not self._was_asked:
                self._was_asked = True
                self._held = await asyncio.to_thread(self._begin)
            elif not self._agents:
                self._was_asked = False
                held, self._held = self._held, None
                if held is not None:
                    await asyncio.to_thread(self._end, held)

    def _begin(self) -> Inhibitor | None:
        try:
            inhibitor = self._make()
            if inhibitor is not None:
                inhibitor.begin()
        except CannotInhibit as error:
            self._tell(str(error))
            return None
        except Exception as error:  # noqa: BLE001 - told; no agent fails for want of it
            self._tell(f"{type(error).__name__}: {error}")
            return None
        return inhibitor

    def _end(self, held: Inhibitor) -> None:
        try:
            held.end()
        except Exception:
            log.exception("the computer may be kept awake until this process ends")

    def _tell(self, why: str) -> None:
        """Once in the life of the process."""
        if not self._told:
            self._told = True
            log.warning("The computer is not kept awake while agents are at work: %s", why)
