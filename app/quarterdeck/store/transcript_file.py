"""Reading a transcript of any length: lines around a place. Blocking; it only reads.

Nothing is indexed: a page is found from a byte offset by looking for the ends of lines near it, so a transcript of a
gigabyte opens as fast as one of a kilobyte, and one that grows needs no keeping up. A line of up to LINE_WHOLE_MAX
bytes is given whole; a longer one in pieces, cut between characters.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quarterdeck.store.regular import open_regular

PAGE_BYTES = 16 * 1024
LINE_WHOLE_MAX = 1024 * 1024
PIECE_BYTES = 8 * 1024


class Source(Protocol):
    """Bytes that may grow."""

    def size(self) -> int:
        """Bytes that are there now."""

    def read(self, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset`."""


class FileSource:
    """An open file. Reads by position: several may read at a time."""

    def __init__(self, descriptor: int) -> None:
        self._fd = descriptor

    def size(self) -> int:
        """Bytes that are there now."""
        return os.fstat(self._fd).st_size

    def read(self, offset: int, count: int) -> bytes:
        """Up to `count` bytes from `offset`."""
        return os.pread(self._fd, max(0, count), offset)


@contextmanager
def opened(path: Path) -> Iterator[FileSource | None]:
    """The file as a source for the length of the block; None where it is missing. Raises OSError, StoreDamaged."""
    try:
        descriptor = open_regular(path)
    except FileNotFoundError:
        yield None
        return
    try:
        yield FileSource(descriptor)
    finally:
        os.close(descriptor)


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line, or a piece of a very long one. `end` is where the next begins; `content` is without its newline."""

    offset: int
    end: int
    content: bytes
    starts: bool = True
    """False: a piece that goes on from one before it."""
    ends: bool = True
    """False: its newline is not there: it goes on in the next piece, or is still being written."""


@dataclass(frozen=True, slots=True)
class RawPage:
    """Lines from `start` up to `end`, of a file that had `size_bytes` when they were read."""

    start: int
    end: int
    size_bytes: int
    lines: tuple[RawLine, ...]


def page_after(source: Source, at: int, limit: int = PAGE_BYTES) -> RawPage:
    """Lines from `at` on, which is where a line or a piece begins; about `limit` bytes, at least one line."""
    size = source.size()
    at = min(max(0, at), size)
    data = source.read(at, min(limit, size - at))
    if len(data) < size - at:
        cut = data.rfind(b"\n") + 1
        if not cut:
            more = source.read(at, LINE_WHOLE_MAX)
            cut = more.find(b"\n") + 1 or (0 if len(more) == LINE_WHOLE_MAX else len(more))
            data = more if cut else data
        data = data[: cut or _between_characters(data, len(data))]
    return RawPage(at, at + len(data), size, tuple(_lines(data, at, _is_line_start(source, at))))


def page_before(source: Source, end: int, limit: int = PAGE_BYTES) -> RawPage:
    """Lines that end at `end`, which is where a line or a piece ends (or the end of the file)."""
    size = source.size()
    end = min(max(0, end), size)
    start = _line_start_between(source, max(0, end - limit), end)
    if start is None:
        start = _line_start_between(source, max(0, end - LINE_WHOLE_MAX), end)
    if start is None:
        low = end - min(limit, end)
        start = low + _next_character(source.read(low, 4))
    data = source.read(start, end - start)
    return RawPage(start, end, size, tuple(_lines(data, start, _is_line_start(source, start))))


def page_around(source: Source, at: int, limit: int = PAGE_BYTES) -> RawPage:
    """Lines from the one that holds `at` on."""
    at = min(max(0, at), source.size())
    if not _is_line_start(source, at):
        found = _last_line_start(source, max(0, at - LINE_WHOLE_MAX), at)
        if found is not None and (page := page_after(source, found, limit)).end > at:
            return page
        at = max(0, at - _back_to_character(source, at))
    return page_after(source, at, limit)


def _is_line_start(source: Source, at: int) -> bool:
    return at == 0 or source.read(at - 1, 1) == b"\n"


def _line_start_between(source: Source, low: int, end: int) -> int | None:
    """The first place in [low, end) where a line begins; None where there is none."""
    if low == 0:
        return 0
    before = source.read(
        low - 1, end - low
    )  # up to the last byte but one: a line that begins at `end` is no line of it
    found = before.find(b"\n")
    return low + found if found >= 0 else None


def _last_line_start(source: Source, low: int, at: int) -> int | None:
    """The last place in [low, at] where a line begins."""
    found = source.read(low, at - low).rfind(b"\n")
    return low + found + 1 if found >= 0 else 0 if low == 0 else None


def _lines(data: bytes, at: int, starts: bool) -> Iterator[RawLine]:
    place = 0
    while place < len(data):
        found = data.find(b"\n", place)
        stop = found if found >= 0 else len(data)
        ends = found >= 0
        if stop - place > LINE_WHOLE_MAX or not starts or (not ends and stop - place > PIECE_BYTES):
            yield from _pieces(data, place, stop, at, starts, ends)
        else:
            yield RawLine(at + place, at + stop + ends, data[place:stop], starts, ends)
        place, starts = stop + ends, True


def _pieces(data: bytes, place: int, stop: int, at: int, starts: bool, ends: bool) -> Iterator[RawLine]:
    while True:
        cut = stop if stop - place <= PIECE_BYTES else _between_characters(data, place + PIECE_BYTES)
        is_last = cut >= stop
        yield RawLine(at + place, at + cut + (ends and is_last), data[place:cut], starts, ends and is_last)
        if is_last:
            return
        place, starts = cut, False


def _between_characters(data: bytes, place: int) -> int:
    """`place`, or up to three bytes before it, so that no character of UTF-8 is cut."""
    for back in range(4):
        if place - back <= 0:
            break
        if place - back >= len(data):
            lead = next((i for i in range(1, 4) if i <= len(data) and data[-i] & 0xC0 != 0x80), 0)
            whole = {0xC0: 2, 0xE0: 3, 0xF0: 4}
            need = next((n for mask, n in reversed(whole.items()) if lead and data[-lead] & mask == mask), 1)
            return place - lead if lead and need > lead else place
        if data[place - back] & 0xC0 != 0x80:
            return place - back
    return place


def _next_character(data: bytes) -> int:
    return next((i for i, byte in enumerate(data) if byte & 0xC0 != 0x80), 0)


def _back_to_character(source: Source, at: int) -> int:
    low = max(0, at - 3)
    data = source.read(low, at - low + 1)
    return next((i for i in range(len(data)) if data[-1 - i] & 0xC0 != 0x80), 0)
