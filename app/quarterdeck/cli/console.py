"""Where a verb writes and what it knows of its terminal. The only place that touches file descriptors 0, 1 and 2.

`Sink` writes at once and may block: right for a verb that only prints. `PacedWriter` writes from a thread of its own,
so that a reader who does not read (a stopped terminal, a slow pipe) never holds up a loop that supervises agents.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import json
import os
import queue
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from quarterdeck.cli.masking import Masks

WAITING_MAX = 256
COLUMNS_UNKNOWN = 100_000
"""Width of a table that goes to no terminal: nothing is cut there."""


NOBODY_READS = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ESHUTDOWN, errno.EBADF})
"""What says that a stream's reader has gone, or that there never was one (a closed descriptor)."""


class OutputLost(OSError):
    """What was to be written is lost although somebody wants it: a full disk, a limit, a fault of the device."""


class Sink(Protocol):
    """One stream. `write` raises BrokenPipeError where nobody reads any more, OutputLost for every other fault."""

    is_terminal: bool

    def write(self, content: bytes) -> None:
        """Write whole, at once."""

    def encode(self, text: str) -> bytes:
        """Text in the stream's own encoding; what it cannot say is written as an escape."""

    def size(self) -> tuple[int, int]:
        """Columns and lines, as they are now."""


class FdSink:
    """A file descriptor, written past Python's own buffers."""

    def __init__(self, fd: int, encoding: str) -> None:
        self._fd = fd
        self._encoding = encoding
        try:
            self.is_terminal = os.isatty(fd)
        except OSError:  # the descriptor is closed: like /dev/null
            self.is_terminal = False

    def write(self, content: bytes) -> None:
        """Write whole. Raises BrokenPipeError, also where the terminal has gone (EIO), and OutputLost."""
        view = memoryview(content)
        while view:
            try:
                view = view[os.write(self._fd, view) :]
            except BlockingIOError:  # somebody made the terminal non-blocking; it is shared between processes
                _wait_writable(self._fd)
            except OSError as error:
                if error.errno in NOBODY_READS or (error.errno == errno.EIO and self.is_terminal):
                    raise BrokenPipeError(error.errno, error.strerror) from error
                raise OutputLost(error.errno, error.strerror) from error

    def encode(self, text: str) -> bytes:
        """Text in the stream's own encoding."""
        return text.encode(self._encoding, "backslashreplace")

    def size(self) -> tuple[int, int]:
        """Columns and lines of the terminal."""
        if not self.is_terminal:
            return COLUMNS_UNKNOWN, 24
        try:
            found = os.get_terminal_size(self._fd)
        except OSError:
            return shutil.get_terminal_size()
        return found.columns or 80, found.lines or 24


def _wait_writable(fd: int) -> None:
    import select

    select.select([], [fd], [], 1.0)


def boot_clock_ms() -> int:
    """Milliseconds of the boot-time clock, as in `Moment.boot_ms`."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return int(time.clock_gettime(clock) * 1000)


@dataclass
class Console:
    """The three streams of one call. `as_json`: stdout carries one document, also for a refusal."""

    out: Sink
    err: Sink
    stdin_fd: int | None
    as_json: bool = False
    now_ms: Callable[[], int] = field(default=boot_clock_ms)
    masks: Masks = field(default_factory=Masks)
    """What is hidden in all that is written here."""

    def say(self, text: str) -> None:
        """A sentence for the person, on stderr. A stderr that has gone takes nothing away from the verb."""
        with contextlib.suppress(BrokenPipeError, OutputLost):
            self.err.write(self.err.encode(self.masks.text(text) + "\n"))

    def print_text(self, text: str) -> None:
        """Words that are the verb's answer, on stdout."""
        self.out.write(self.out.encode(self.masks.text(text)))

    def print_document(self, document: Any) -> None:
        """The one JSON document of this call."""
        self.out.write(json_bytes(self.masks.value(document), indent=self.out.is_terminal))

    @property
    def is_interactive(self) -> bool:
        """A person can be asked here."""
        return self.stdin_fd is not None and os.isatty(self.stdin_fd) and self.err.is_terminal


def json_bytes(document: Any, *, indent: bool = False) -> bytes:
    """UTF-8 JSON and a newline; a lone surrogate (a strange file name) is written as an escape."""
    text = json.dumps(
        document, ensure_ascii=False, indent=2 if indent else None, separators=None if indent else (",", ":")
    )
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(document, indent=2 if indent else None).encode() + b"\n"


class PacedWriter:
    """Writes to one sink from one thread; belongs to one loop. After the first fault everything is dropped."""

    def __init__(self, sink: Sink, masks: Masks | None = None) -> None:
        self.sink = sink
        self._masks = masks or Masks()
        self.fault: BrokenPipeError | OutputLost | None = None
        """Why nothing is written any more."""
        self._waiting: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._count = 0
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Event()
        # A daemon: a terminal that is stopped for good must not keep the process when its agents have ended.
        self._thread = threading.Thread(target=self._write_all, name="quarterdeck-writer", daemon=True)
        self._thread.start()

    @property
    def is_idle(self) -> bool:
        """Everything that was given is written: a frame drawn now is seen now."""
        return self._count == 0

    def offer(self, text: str) -> None:
        """Queue text without waiting. For sentences and frames; their number is bounded by what they tell."""
        self._offer(self.sink.encode(self._masks.text(text)))

    async def put(self, content: bytes) -> None:
        """Queue bytes; waits while WAITING_MAX pieces are not written yet."""
        while self._count >= WAITING_MAX and self.fault is None:
            self._room.clear()
            await self._room.wait()
        self._offer(content)

    async def drained(self, within_s: float) -> None:
        """Returns when all is written, or after `within_s` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while self._count:
                    self._room.clear()
                    await self._room.wait()

    def close(self) -> None:
        """End the thread; what it cannot write within a second is given up."""
        self._waiting.put(None)
        self._thread.join(1.0)

    def _offer(self, content: bytes) -> None:
        self._count += 1
        self._waiting.put(content)

    def _write_all(self) -> None:
        while (content := self._waiting.get()) is not None:
            try:
                if self.fault is None:
                    self.sink.write(content)
            except (BrokenPipeError, OutputLost) as fault:
                self.fault = fault
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._written)

    def _written(self) -> None:
        self._count -= 1
        self._room.set()
