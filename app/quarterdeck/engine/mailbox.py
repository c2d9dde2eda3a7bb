"""The box of one run's actor: what shims and people send it, in order, and each attempt's newest totals.

Bounded: totals are kept once for each attempt, however many arrive; facts wait at their socket while `ROOM` messages lie
here, so a frozen actor slows the shims' sockets (they conflate) and fills no memory. Orders and ends are never held up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from quarterdeck.domain.ids import AttemptId

ROOM = 2_000
M = TypeVar("M")


class RunOver(Exception):
    """The run's sitting ended before the order had its turn."""


@dataclass(frozen=True, slots=True)
class Order:
    """Something that a person asked, to be done in the actor's turn; its future carries the answer."""

    do: Callable[[], Awaitable[Any]]
    answer: asyncio.Future[Any]

    async def carry_out(self) -> None:
        """Do it; an error goes to who asked, never to the actor. Nobody waits any more: it is left out."""
        if self.answer.cancelled():
            return
        try:
            result = await self.do()
        except Exception as error:  # noqa: BLE001 - told to who asked; the fold is unchanged by a refused entry
            if not self.answer.cancelled():
                self.answer.set_exception(error)
            return
        if not self.answer.cancelled():
            self.answer.set_result(result)


class Mailbox(Generic[M]):
    """One reader, the actor; many writers, all on its loop."""

    def __init__(self) -> None:
        self._mail: deque[M | Order] = deque()
        self._totals: dict[AttemptId, dict[str, Any]] = {}
        self._filled = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    @property
    def is_empty(self) -> bool:
        """Whether no message waits; totals are not messages."""
        return not self._mail

    def put(self, mail: M | Order) -> None:
        """Add a message; never waits."""
        self._mail.append(mail)
        if len(self._mail) >= ROOM:
            self._has_room.clear()
        self._filled.set()

    def put_totals(self, attempt: AttemptId, totals: dict[str, Any]) -> None:
        """Keep the newest totals of an attempt."""
        self._totals[attempt] = totals
        self._filled.set()

    async def wait_room(self) -> None:
        """Returns while fewer than `ROOM` messages wait; asked by those who read sockets."""
        await self._has_room.wait()

    async def wait_filled(self) -> None:
        """Returns once something is there."""
        await self._filled.wait()

    def take(self) -> M | Order | None:
        """The oldest message; None where there is none."""
        mail = self._mail.popleft() if self._mail else None
        if len(self._mail) < ROOM:
            self._has_room.set()
        if not self._mail and not self._totals:
            self._filled.clear()
        return mail

    def take_totals(self) -> dict[AttemptId, dict[str, Any]]:
        """The newest totals of every attempt that sent some since the last call."""
        taken, self._totals = self._totals, {}
        if not self._mail:
            self._filled.clear()
        return taken

    def refuse_orders(self) -> None:
        """Tell everyone who still waits that the run is over; all else is dropped."""
        while self._mail:
            mail = self._mail.popleft()
            if isinstance(mail, Order) and not mail.answer.done():
                mail.answer.set_exception(RunOver())
        self._totals.clear()
        self._has_room.set()
