"""The event loop of one call: its signals, the engine's life around a verb, the fork server before any thread.

A verb is a coroutine `verb(call) -> exit code`. SIGINT, SIGTERM and SIGHUP cancel it, unless it took the signals over
(`Signals.taken_by`), as the supervision of a run does: there Ctrl+C leaves the run stopped, the other two leave it
interrupted, with its prompt owed (ruling 20).
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from quarterdeck.cli import exits
from quarterdeck.cli.console import Console
from quarterdeck.cli.masking import named_like_secrets

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
Listener = Callable[[signal.Signals], None]


class EngineSource(Protocol):
    """Where a call gets its engine from."""

    def prepare(self) -> None:
        """Called before the loop and before any thread exists."""

    async def open(self, *, read_only: bool) -> Door:
        """A new engine. Raises EngineError."""

    def close(self) -> None:
        """Called after the loop."""


class LocalEngine:
    """The engine in this process. `starts_agents`: the verb may start some, so a fork server is made ready."""

    def __init__(self, starts_agents: bool) -> None:
        self._starts_agents = starts_agents
        self._fork_server: Any = None
        self._log: Any = None

    def prepare(self) -> None:
        """Start the fork server while this process has one thread (design §4)."""
        if self._starts_agents:
            from quarterdeck.shim.client import ForkServer

            self._fork_server = ForkServer.start()

    async def open(self, *, read_only: bool) -> Door:
        """Open the store of this user. Raises EngineError."""
        from quarterdeck.engine.app_log import AppLog
        from quarterdeck.engine.service import Engine

        self._log = self._log or AppLog.start()
        return await Engine.open(fork_server=self._fork_server, kind="terminal", read_only=read_only)

    def close(self) -> None:
        """End the fork server and the log."""
        if self._log is not None:
            self._log.stop()
        if self._fork_server is not None:
            self._fork_server.close()


class Signals:
    """What becomes of a signal while a verb runs. The first one is remembered in `first`."""

    def __init__(self, cancel: Callable[[], object], say: Callable[[str], None]) -> None:
        self.first: signal.Signals | None = None
        self._cancel = cancel
        self._say = say
        self._listener: Listener | None = None

    @property
    def close_reason(self) -> str:
        """The reason with which the engine is closed (ruling 20)."""
        return "app_closed" if self.first in (signal.SIGTERM, signal.SIGHUP) else "person"

    @property
    def exit_code(self) -> int:
        """Of a verb that a signal cancelled."""
        return exits.STOPPED if self.close_reason == "app_closed" else exits.CTRL_C

    def arrive(self, number: int) -> None:
        """One signal, on the loop."""
        arrived = signal.Signals(number)
        is_first = self.first is None
        self.first = self.first or arrived
        if self._listener is not None:
            self._listener(arrived)
        elif is_first:
            self._cancel()
        else:
            self._say("Quarterdeck is still ending; it takes a few seconds at most.")

    @contextmanager
    def taken_by(self, listener: Listener) -> Iterator[None]:
        """Signals go to the listener inside the block."""
        self._listener = listener
        try:
            yield
        finally:
            self._listener = None


@dataclass
class Call:
    """What a verb gets."""

    console: Console
    signals: Signals
    source: EngineSource

    @asynccontextmanager
    async def door(self, *, read_only: bool = False) -> AsyncIterator[Door]:
        """The engine's door, closed in order at the end of the block.

        read_only: no session is begun, so that verbs that only look work on a full disk, and beside any owner.
        """
        door = await self.source.open(read_only=read_only)
        if door.keeping.read_only:
            self.console.say(door.keeping.read_only)
        self.console.masks.add(named_like_secrets(os.environ))
        try:
            yield door
        finally:
            await door.close(reason=self.signals.close_reason)


Verb = Callable[[Call], Awaitable[int]]


def run_call(verb: Verb, console: Console, source: EngineSource) -> int:
    """Run one verb to its exit code. Errors of verb and engine come through."""
    source.prepare()
    try:
        with asyncio.Runner() as runner:
            return runner.run(_guarded(verb, console, source))
    finally:
        source.close()


async def _guarded(verb: Verb, console: Console, source: EngineSource) -> int:
    task = asyncio.current_task()
    assert task is not None
    signals = Signals(task.cancel, console.say)
    with _handlers(signals):
        try:
            return await verb(Call(console, signals, source))
        except asyncio.CancelledError:
            if signals.first is None:
                raise
            return (
                signals.exit_code
            )  # this coroutine is the whole task: nobody above waits for the cancellation


@contextmanager
def _handlers(signals: Signals) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    installed = []
    for number in _ENDING:
        # nohup asked that SIGHUP be ignored; it stays so.
        if number is not signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, signals.arrive, number)
            installed.append(number)
    try:
        yield
    finally:
        for number in installed:
            loop.remove_signal_handler(number)
