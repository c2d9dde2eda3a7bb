"""Reading what agents sign in with, outside of every run's turn: a keyring may wait for its person (ID5, case 14).

One look for each agent of a run at a time, each in a thread of its own, so that one that waits takes no thread of others and holds up
no exit. What was read is held for a moment only, until its claim takes it (ruling 27). On the engine's loop.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.sign_in_reading import SignIn, SignInReading

T = TypeVar("T")
log = logging.getLogger(__name__)
IN_TURN_S = 0.05
"""A run's turn waits so long for a file or a keyring that is open; what takes longer is waited for outside of it."""
SHARED_S = 1.0
"""Slots of one agent that are claimed together read its sign-in once."""
HELD_S = 10.0
"""For a claim that waited for it; then it is read anew."""


@dataclass(eq=False, slots=True)
class Look:
    """One reading. used_s: when a claim took it first, by the loop's clock; None: not yet."""

    run: RunId
    agent: AgentSpec
    answer: asyncio.Future[SignIn]
    used_s: float | None = None

    async def wait(self) -> None:
        """Until it is there, or could not be read."""
        await asyncio.wait([self.answer])


class SignInLooks:
    """See the module. One for each process that owns runs."""

    def __init__(self, reading: SignInReading) -> None:
        self._reading = reading
        self._looks: list[Look] = []

    async def of(self, run: RunId, agent: AgentSpec, *, anew: bool = False) -> SignIn | Look:
        """The sign-in of an agent of a run, or the look that waits for it longer than a turn may. anew: not what was read before. Raises
        what the reading raised.
        """
        if not self._reading.is_slow(agent):
            return self._reading.of_agent(agent)
        look = next((one for one in self._looks if (one.run, one.agent) == (run, agent)), None)
        if look is not None and look.answer.done() and (anew or self._is_used_up(look)):
            self._looks.remove(look)
            look = None
        if look is None:
            look = self._begin(run, agent)
            await asyncio.wait([look.answer], timeout=IN_TURN_S)
        if not look.answer.done():
            return look
        if look.used_s is None:
            look.used_s = asyncio.get_running_loop().time()
        return look.answer.result()

    def _is_used_up(self, look: Look) -> bool:
        return look.used_s is not None and asyncio.get_running_loop().time() - look.used_s >= SHARED_S

    def _begin(self, run: RunId, agent: AgentSpec) -> Look:
        loop = asyncio.get_running_loop()
        look = Look(run, agent, in_a_thread_of_its_own(lambda: self._reading.of_agent(agent)))
        self._looks.append(look)

        def forget() -> None:
            if look in self._looks:
                self._looks.remove(look)

        look.answer.add_done_callback(lambda _: loop.call_later(HELD_S, forget))
        return look


async def once_read(ask: Callable[[bool], Awaitable[T | Look]]) -> T:
    """What `ask` answers once no look is under way any more: it is asked for a sign-in that is read anew, and after each wait for
    what was read. Outside of every run's turn.
    """
    answer = await ask(True)
    while isinstance(answer, Look):
        await answer.wait()
        answer = await ask(False)
    return answer


def in_a_thread_of_its_own(read: Callable[[], SignIn]) -> asyncio.Future[SignIn]:
    """What `read` gives or raises. No thread of the loop's executor is taken, and the process does not wait for it at its end."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[SignIn] = loop.create_future()

    def told(found: SignIn | None, error: Exception | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        elif found is not None:
            answer.set_result(found)

    def reading() -> None:
        found, failed = None, None
        try:
            found = read()
        except Exception as error:  # noqa: BLE001 - told to who waits for it
            failed = error
        try:
            loop.call_soon_threadsafe(told, found, failed)
        except RuntimeError:
            log.info("a sign-in was read after the end of those who wanted it")

    threading.Thread(target=reading, name="quarterdeck-sign-in", daemon=True).start()
    return answer
