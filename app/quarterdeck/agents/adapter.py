"""What an adapter is: the wire of one kind of agent turned into reports, and answers and messages turned into its wire.

An adapter is fed the agent's raw bytes as the shim reads them and gives reports as plain dicts without `seq` and times
(domain/reports.py names their fields). A permission request is told with options of `domain.permissions`, and with all of it
that a person must read: what is byte-identical is asked once where it was allowed for the run. It touches no disk: where an agent names a file, the report says so (`source`
with a path or a text) and the shim keeps and hashes it. Everything an agent writes is untrusted. It lives in the shim, so
it imports the standard library and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from quarterdeck.domain.reports import Report

LINE_BYTES_MAX = 16 * 1024 * 1024
"""A longer line is not parsed (ruling 22)."""
HEAD_BYTES = 100
"""How much of a line that is not kept is known."""
OUTPUT_BYTES_MAX = 16 * 1024 * 1024
"""More text than this is cut, and said to be cut."""
TAIL_CHARS = 2000


NESTING_MAX = 100


class Adapter(Protocol):
    """The wire of one agent, for the life of one attempt."""

    def begin(self) -> bytes:
        """The first bytes for the agent's stdin, once it has started; b"" for most. Called once, before all else."""
        ...

    def feed(self, stream: str, chunk: bytes) -> Iterable[Report]:
        """Reports that these bytes of `stdout` or `stderr` complete; chunks end anywhere."""
        ...

    def take_input(self) -> bytes:
        """What this wire owes the agent since the last call (a handshake, replies to its requests); asked after begin and feed."""
        ...

    def answer(self, request_id: str, answer: object) -> bytes | None:
        """What goes to the agent's stdin for an answered approval; None where this wire has no answers."""
        ...

    def take_due(self) -> Iterable[Report]:
        """Reports that an answer made due; asked after `answer`, and written before the agent hears it (EFF1)."""
        ...

    def say(self, text: str) -> bytes | None:
        """What goes to the agent's stdin for a person's message; b"" where it waits until the agent's turn is over, None where this
        wire takes none, or not now.
        """
        ...

    def take_said(self) -> int:
        """How many of the messages that waited go out with what `take_input` gave last, oldest first; asked after it."""
        ...

    def end_begins(self) -> None:
        """What is left of the agent is being ended: the end of a call that is told from now on is of our making (EFF2)."""
        ...

    def cancel(self) -> bytes:
        """What the agent is told before it is ended, which begins with it; b"" where this wire has no such words."""
        ...

    @property
    def has_spoken(self) -> bool:
        """Whether the agent's model said something, where turns and usage do not tell it: its sign-in works (ruling 27)."""
        ...

    @property
    def is_over(self) -> bool:
        """The work is done and the program only waits for more: its stdin is closed, and it is ended where it stays."""
        ...

    def finish(self) -> Iterable[Report]:
        """Reports that only the end of the streams completes, such as the final text. Called once."""
        ...

    def tail(self) -> str:
        """The last text that the agent wrote, at most TAIL_CHARS characters, for showing while it works."""
        ...


class ListensOnly:
    """What an adapter says whose agent is told nothing but its prompt: the part of Adapter that most leave as it is."""

    def begin(self) -> bytes:
        """Nothing comes first."""
        return b""

    def take_input(self) -> bytes:
        """Nothing is owed."""
        return b""

    def answer(self, request_id: str, answer: object) -> bytes | None:
        """It asks nothing."""
        return None

    def take_due(self) -> Iterable[Report]:
        """An answer makes nothing due."""
        return ()

    def say(self, text: str) -> bytes | None:
        """It takes no messages."""
        return None

    def take_said(self) -> int:
        """None waits."""
        return 0

    def end_begins(self) -> None:
        """It tells of no calls, or knows itself how they ended."""

    def cancel(self) -> bytes:
        """It is ended without a word."""
        self.end_begins()
        return b""

    @property
    def has_spoken(self) -> bool:
        """Its turns and usage tell it."""
        return False

    @property
    def is_over(self) -> bool:
        """It ends by itself."""
        return False


def nests_too_deep(value: object, brackets: int) -> bool:
    """Whether a parsed JSON value is nested so deep that writing it again could fail. `brackets`: how many its text has."""
    if brackets <= NESTING_MAX:
        return False
    level = [value]
    for _ in range(NESTING_MAX):
        inner = [item for item in level if isinstance(item, dict | list)]
        level = [part for item in inner for part in (item.values() if isinstance(item, dict) else item)]
        if not level:
            return False
    return True


class Tail:
    """Keeps the end of a text that arrives in pieces."""

    def __init__(self) -> None:
        self._kept = b""

    def add(self, piece: bytes) -> None:
        """Append bytes of UTF-8 text."""
        self._kept = (self._kept + piece[-4 * TAIL_CHARS :])[-4 * TAIL_CHARS :]

    def text(self) -> str:
        """At most TAIL_CHARS characters."""
        return self._kept.decode("utf-8", "replace")[-TAIL_CHARS:]


@dataclass(frozen=True, slots=True)
class OverLong:
    """A line that was not kept: how long it was, and how it begins."""

    size_bytes: int
    head: bytes


class LineSplitter:
    """Cuts chunks into lines without a limit on their length, in bounded memory (ruling 22).

    Lines that were not kept are handed out once, by `take_over_long`.
    """

    def __init__(self, limit: int = LINE_BYTES_MAX) -> None:
        self._limit = limit
        self._part = bytearray()
        self._skipped = 0
        self._head = b""
        self._over_long: list[OverLong] = []

    def split(self, chunk: bytes) -> list[bytes]:
        """Complete lines, without their newline."""
        lines: list[bytes] = []
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            self._end_line(chunk[start:end], lines)
            start = end + 1
        self._keep(chunk[start:])
        return lines

    def rest(self) -> list[bytes]:
        """The unfinished last line, at the end of the stream."""
        lines: list[bytes] = []
        if self._part or self._skipped:
            self._end_line(b"", lines)
        return lines

    def take_over_long(self) -> list[OverLong]:
        """The lines that were too long, since the last call."""
        taken, self._over_long = self._over_long, []
        return taken

    def _keep(self, piece: bytes) -> None:
        if self._skipped or len(self._part) + len(piece) > self._limit:
            if not self._skipped:
                self._head = bytes((self._part + piece[:HEAD_BYTES])[:HEAD_BYTES])
            self._skipped += len(self._part) + len(piece)
            self._part = bytearray()
        else:
            self._part += piece

    def _end_line(self, piece: bytes, lines: list[bytes]) -> None:
        self._keep(piece)
        if self._skipped:
            self._over_long.append(OverLong(self._skipped, self._head))
            self._skipped = 0
        else:
            lines.append(bytes(self._part))
            self._part = bytearray()
