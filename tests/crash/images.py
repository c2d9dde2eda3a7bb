"""Images of a file as a crash may leave it, and a naive reader of the framing that judges them. Imports nothing of the product.

Five families: `cut` (the file ends early), `nuls` (a tail of NULs, in place or beyond the end), `sectors` (blocks of 512
bytes that never arrived: NULs, or what lay there before), `reordered` (of what was not yet synced, any later part is there and an
earlier one is not; whole lines that changed places) and `flips` (bits that changed by themselves).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.store.naive import is_good

SECTOR = 512


@dataclass(frozen=True)
class Image:
    """What the disk gives back. untouched: so many bytes from the start are what was written."""

    family: str
    content: bytes
    untouched: int


def lines_with_ends(content: bytes) -> list[bytes]:
    *whole, rest = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


@dataclass(frozen=True)
class Naive:
    """prefix: good lines from the start. good: all good lines, wherever. tail_begins: where the good prefix ends."""

    prefix: list[dict[str, Any]]
    good: list[dict[str, Any]]
    tail_begins: int


def read_naively(content: bytes, *, numbered: bool) -> Naive:
    """By the documents: a line is a JSON object whose last key is the CRC-32 of the bytes before it."""
    prefix: list[dict[str, Any]] = []
    good: list[dict[str, Any]] = []
    at, is_prefix = 0, True
    for line in lines_with_ends(content):
        bare = line.removesuffix(b"\n")
        if not is_good(bare):
            is_prefix = False
            continue
        obj = json.loads(bare)
        del obj["crc"]
        good.append(obj)
        if numbered and obj.get("seq") != len(prefix) + 1:
            is_prefix = False
        if is_prefix:
            prefix.append(obj)
            at += len(line)
    return Naive(prefix, good, at)


def whole_before(lines: list[bytes], untouched: int) -> int:
    """How many lines lie before the damage, their ends aside."""
    count = at = 0
    for line in lines:
        if at + len(line.removesuffix(b"\n")) > untouched:
            return count
        at += len(line)
        count += 1
    return count


def _first_difference(before: bytes, after: bytes) -> int:
    shared = min(len(before), len(after))
    if before[:shared] == after[:shared]:
        return shared
    low, high = 0, shared
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if before[:middle] == after[:middle] else (low, middle - 1)
    return low


def _image(family: str, content: bytes, damaged: bytes) -> Image:
    return Image(family, damaged, _first_difference(content, damaged))


def cut(content: bytes, chance: random.Random) -> Image:
    at = chance.randrange(len(content) + 1)
    if chance.random() < 0.2:  # at, before or after the end of a line
        ends = [n + 1 for n, byte in enumerate(content) if byte == 10] or [len(content)]
        at = max(0, min(len(content), chance.choice(ends) + chance.choice((-1, 0, 1))))
    return _image("cut", content, content[:at])


def nuls(content: bytes, chance: random.Random) -> Image:
    at = chance.randrange(len(content) + 1)
    fill = chance.choice((len(content) - at, chance.randrange(1, 4096), -at % SECTOR or SECTOR, 64 * 1024))
    return _image("nuls", content, content[:at] + b"\0" * fill)


def _pieces(content: bytes) -> int:
    return (len(content) + SECTOR - 1) // SECTOR


def _with_sectors(content: bytes, lost: set[int], fill: Callable[[int], bytes]) -> bytes:
    parts = []
    for number in range(_pieces(content)):
        part = content[number * SECTOR : (number + 1) * SECTOR]
        parts.append(fill(number)[: len(part)] if number in lost else part)
    return b"".join(parts)


def sectors(content: bytes, chance: random.Random) -> Image:
    count = chance.randint(1, min(4, _pieces(content)))
    lost = set(chance.sample(range(_pieces(content)), count))
    old = chance.choice(
        (
            lambda number: b"\0" * SECTOR,
            lambda number: chance.randbytes(SECTOR),
            lambda number: content[(number // 2) * SECTOR :][:SECTOR].ljust(SECTOR, b"\0"),
        )
    )
    return _image("sectors", content, _with_sectors(content, lost, old))


def reordered(content: bytes, chance: random.Random) -> Image:
    lines = lines_with_ends(content)
    if len(lines) > 2 and chance.random() < 0.3:
        one, other = sorted(chance.sample(range(len(lines)), 2))
        lines[one], lines[other] = lines[other], lines[one]
        return _image("reordered", content, b"".join(lines))
    synced = chance.randrange(len(content))
    first = synced // SECTOR
    late = range(first, _pieces(content))
    lost = {number for number in late if chance.random() < 0.5} or {first}
    kept = content[synced : (first + 1) * SECTOR]  # what a sector held when it was synced stays
    damaged = bytearray(_with_sectors(content, lost, lambda number: b"\0" * SECTOR))
    damaged[first * SECTOR : synced] = content[first * SECTOR : synced]
    assert len(kept) <= SECTOR
    if chance.random() < 0.3:  # the size arrived late as well
        del damaged[chance.randrange(synced, len(content)) :]
    return _image("reordered", content, bytes(damaged))


def flips(content: bytes, chance: random.Random) -> Image:
    damaged = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8, 64))):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    return _image("flips", content, bytes(damaged))


FAMILIES = (cut, nuls, sectors, reordered, flips)
