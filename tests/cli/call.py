"""A verb's call over a fake door, with streams that a test can read."""

from __future__ import annotations

import asyncio
import errno
import json
import threading
from dataclasses import dataclass
from typing import Any

from quarterdeck.cli.console import Console, OutputLost
from quarterdeck.cli.loop import Call, Signals
from tests.cli.builders import START_MS
from tests.cli.fake_door import FakeDoor


class MemorySink:
    """A stream in memory; `is_broken` makes every write fail as a closed pipe does, `is_full` as a full disk."""

    def __init__(
        self, *, is_terminal: bool = False, columns: int = 100, lines: int = 24, encoding: str = "utf-8"
    ) -> None:
        self.is_terminal = is_terminal
        self.is_broken = False
        self.is_full = False
        self.written = b""
        self.columns, self.lines = columns, lines
        self._encoding = encoding
        self._lock = threading.Lock()

    def write(self, content: bytes) -> None:
        if self.is_broken:
            raise BrokenPipeError
        if self.is_full:
            raise OutputLost(errno.ENOSPC, "No space left on device")
        with self._lock:
            self.written += content

    def encode(self, text: str) -> bytes:
        return text.encode(self._encoding, "backslashreplace")

    def size(self) -> tuple[int, int]:
        return self.columns, self.lines

    @property
    def text(self) -> str:
        return self.written.decode("utf-8")


class FakeSource:
    """Hands out one fake door, and remembers how it was opened."""

    def __init__(self, door: FakeDoor) -> None:
        self.door = door
        self.opened: list[bool] = []

    def prepare(self) -> None:
        return

    async def open(self, *, read_only: bool) -> Any:
        self.opened.append(read_only)
        return self.door

    def close(self) -> None:
        return


@dataclass
class Desk:
    """A call and what it wrote."""

    call: Call
    out: MemorySink
    err: MemorySink
    source: FakeSource
    signals: Signals

    def document(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out.text)

    async def wait_said(self, words: str) -> None:
        """Returns once stderr holds the words."""
        async with asyncio.timeout(10):
            while words not in self.err.text:
                await asyncio.sleep(0.005)  # a condition with a deadline: another thread writes


def desk(
    door: FakeDoor,
    *,
    as_json: bool = False,
    is_terminal: bool = False,
    stdin_fd: int | None = None,
    now_s: float = 10,
) -> Desk:
    """A call for tests that run the verb's coroutine themselves."""
    out, err = MemorySink(is_terminal=is_terminal), MemorySink(is_terminal=is_terminal)
    console = Console(out, err, stdin_fd, as_json, now_ms=lambda: START_MS + int(now_s * 1000))
    task = asyncio.current_task()
    assert task is not None
    signals = Signals(task.cancel, console.say)
    source = FakeSource(door)
    return Desk(Call(console, signals, source), out, err, source, signals)
