"""Finding a literal text in a transcript of any length. Blocking; it only reads.

The C library's strstr does the work where there is one: it is ten to twenty times as fast as bytes.find. It keeps the
interpreter for a tenth of a millisecond a block; other threads run while the next block is read, so that the window keeps
moving. (Letting go of the interpreter for each look as well costs more than it gives: every look then waits to get it
back.)
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from quarterdeck.store.transcript_file import Source

SEARCH_BLOCK_BYTES = 512 * 1024
"""Searched at a time: it fits the processor's cache."""
OFFSETS_MAX = 10_000
"""Places that one call tells; it counts all of them."""


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
    free = dict.fromkeys(wanted, start)
    count, place = 0, start
    while place < stop:
        span = min(SEARCH_BLOCK_BYTES, stop - place)
        block = source.read(place, span + over)
        if not match_case:
            block = block.lower()
        if len(offsets) < OFFSETS_MAX:
            hits = sorted(_hits(block, wanted, span, place, free))
            offsets += hits[: OFFSETS_MAX - len(offsets)]
            count += len(hits)
        else:
            count += sum(block.count(n, max(0, free[n] - place), span + len(n) - 1) for n in wanted)
        place += span
    return Found(tuple(offsets), count, place, size)


def _hits(block: bytes, needles: list[bytes], span: int, place: int, free: dict[bytes, int]) -> Iterator[int]:
    """Offsets in the file of the needles that begin in the first `span` bytes; `free`: where each may begin again."""
    find = _finder(block)
    for needle in needles:
        at = find(needle, max(0, free[needle] - place))
        while 0 <= at < span:
            free[needle] = place + at + len(needle)
            yield place + at
            at = find(needle, at + len(needle))


Find = Callable[[bytes, int], int]


def _finder(block: bytes) -> Find:
    """The fastest way to find in these bytes: strstr knows no zero byte but the last."""
    if _library is None:
        return block.find
    base = ctypes.cast(ctypes.c_char_p(block), ctypes.c_void_p).value or 0
    if _library.strlen(base) != len(block):
        return block.find
    strstr = _library.strstr

    def find(needle: bytes, start: int) -> int:
        if b"\0" in needle or start > len(block):
            return -1
        at = strstr(base + start, needle)
        return -1 if at is None else int(at) - base

    return find


def _loaded() -> ctypes.PyDLL | None:
    """The C library; None where this system does not give it so, and bytes.find does the same, slower."""
    try:
        library = ctypes.PyDLL(None)
        library.strstr.restype = ctypes.c_void_p
        library.strstr.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
        library.strlen.restype = ctypes.c_size_t
        library.strlen.argtypes = [ctypes.c_void_p]
    except (OSError, TypeError, AttributeError):
        return None
    return library


_library = _loaded()
