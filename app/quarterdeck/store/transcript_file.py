"""Reading a transcript of any length: lines around a place, and finding a text. Blocking; it only reads.

Nothing is indexed: a page is found from a byte offset by looking for the ends of lines near it, so a transcript of a
gigabyte opens as fast as one of a kilobyte, and one that grows needs no keeping up. A line of up to LINE_WHOLE_MAX
bytes is given whole; a longer one in pieces, cut between characters.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

PAGE_BYTES = 32 * 1024
LINE_WHOLE_MAX = 1024 * 1024
PIECE_BYTES = 8 * 1024
SEARCH_BLOCK_BYTES = 1024 * 1024
"""Searched at a time: a block fits the processor's cache, and no look holds the interpreter for long."""
OFFSETS_MAX = 10_000
"""Places that one call of `find_all` tells; it counts all of them."""


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
    """The file as a source for the length of the block; None where it is missing. Raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
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


# ------------------------------------------------------------------------------------------- finding


@dataclass(frozen=True, slots=True)
class Found:
    """What a part of a search found: all places up to OFFSETS_MAX, how many there are, and how far it looked."""

    offsets: tuple[int, ...]
    count: int
    searched_to: int
    size_bytes: int


def find_all(source: Source, needles: tuple[bytes, ...], match_case: bool, start: int, limit: int) -> Found:
    """Every place in [start, start + limit) where one of the needles begins; they may not overlap themselves.

    Without `match_case` the letters A–Z are taken as a–z; other letters count as they are.
    """
    size = source.size()
    wanted = [n if match_case else n.lower() for n in dict.fromkeys(needles) if n]
    over = max((len(n) for n in wanted), default=1) - 1
    stop = min(size, start + limit)
    offsets: list[int] = []
    free = dict.fromkeys(wanted, 0)
    count, place = 0, start
    while place < stop:
        block = source.read(place, min(SEARCH_BLOCK_BYTES, stop - place) + over)
        span = min(SEARCH_BLOCK_BYTES, stop - place)
        if not match_case:
            block = block.lower()
        hits = []
        for needle in wanted:
            places = list(_places(block, needle, span, max(0, free[needle] - place)))
            if places:
                free[needle] = place + places[-1] + len(needle)
            hits += places
        hits.sort()
        count += len(hits)
        offsets += [place + at for at in hits[: max(0, OFFSETS_MAX - len(offsets))]]
        place += span
    return Found(tuple(offsets), count, place, size)


def _places(block: bytes, needle: bytes, span: int, start: int) -> Iterator[int]:
    """Where the needle begins from `start` on within the first `span` bytes of the block."""
    at = _find(block, needle, start)
    while 0 <= at < span:
        yield at
        at = _find(block, needle, at + len(needle))


def _loaded_memmem() -> Callable[[int, int, bytes, int], int | None] | None:
    """memmem of the C library: three to seven times as fast as bytes.find, and it lets other threads run."""
    try:
        found = ctypes.CDLL(None).memmem
    except (OSError, TypeError, AttributeError):
        return None  # a system without it: bytes.find does the same, slower
    found.restype = ctypes.c_void_p
    found.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return found


_memmem = _loaded_memmem()
_NEEDLE_BYTES_MIN = 3
"""Below it bytes.find, which looks for single bytes, is as fast."""


def _find(block: bytes, needle: bytes, start: int) -> int:
    if _memmem is None or len(needle) < _NEEDLE_BYTES_MIN:
        return block.find(needle, start)
    base = ctypes.cast(ctypes.c_char_p(block), ctypes.c_void_p).value or 0
    at = _memmem(base + start, max(0, len(block) - start), needle, len(needle))
    return -1 if at is None else at - base
