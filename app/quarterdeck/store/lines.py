"""Framed JSON lines: how every append-only file is written and read. Standard library only (the shim uses it).

A line is the JSON object without its closing brace, `,"crc":"%08x"}`, newline; the checksum is `zlib.crc32` over
all bytes before `,"crc":`. Ordinary tools read it as JSON.

Reading has prefix semantics (JNL2): objects are given up to the first damage, and damage is always told. A *torn tail*
is what a kill, a full disk or a power cut leaves at the very end: an unfinished line, or one with a block of NULs, with
no valid line after it. It is no damage; whoever appends next cuts it first (JNL6, case 104). Nothing is written here.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import IO, Any, NamedTuple
from zlib import crc32

from quarterdeck.store.regular import open_regular, read_regular

_TRAILER = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
_TRAILER_BYTES = len(b',"crc":"00000000"}')
_encode = json.JSONEncoder(
    separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode
_HOLE = b"\0" * 8

_TAIL_BYTES = 64 * 1024
Loads = Callable[[bytes], Any]


class DamagedLine(ValueError):
    """The bytes are no framed line; the message says why."""


class Damage(NamedTuple):
    """`length` bytes at `offset` that are not what was written."""

    offset: int
    length: int
    reason: str


class LinesRead(NamedTuple):
    """What a file holds.

    objects: those before the first damage, in order, each without its `crc`. good_bytes: where they end in the file.
    torn_bytes: length of a torn tail (0: none). damage: all damaged places, first one first. after_damage: valid
    objects that come after the first damage; not to be trusted where order matters.
    """

    objects: tuple[dict[str, Any], ...]
    good_bytes: int
    torn_bytes: int
    damage: tuple[Damage, ...]
    after_damage: tuple[dict[str, Any], ...] = ()


def frame(obj: dict[str, Any]) -> bytes:
    """The line of a non-empty object that has no `crc` of its own. ValueError on NaN, TypeError on foreign types."""
    if "crc" in obj or not obj:
        raise ValueError("a framed object is not empty and has no crc of its own")
    text = _encode(obj)
    try:
        body = text.encode("utf-8")
    except UnicodeEncodeError:  # lone surrogates stay what they are, as escapes
        body = json.dumps(obj, separators=(",", ":"), allow_nan=False).encode("ascii")
    return frame_body(body)


def frame_body(body: bytes) -> bytes:
    """The line of an encoded, non-empty JSON object."""
    head = body[:-1]
    return b'%b,"crc":"%08x"}\n' % (head, crc32(head))


def check_line(line: bytes) -> bytes:
    """The JSON bytes of a line, without crc and newline. Raises DamagedLine; the JSON itself is not parsed here."""
    if line.endswith(b"\n"):
        line = line[:-1]
    head, trailer = line[:-_TRAILER_BYTES], line[-_TRAILER_BYTES:]
    found = _TRAILER.fullmatch(trailer)
    if found is None:
        raise DamagedLine("no checksum at its end")
    if int(found[1], 16) != crc32(head):
        raise DamagedLine("checksum does not match")
    return head + b"}"


def unframe(line: bytes, loads: Loads = json.loads) -> dict[str, Any]:
    """The object of a line, without `crc`. Raises DamagedLine."""
    try:
        obj = loads(check_line(line))
    except DamagedLine:
        raise
    except (ValueError, RecursionError) as error:
        raise DamagedLine("not JSON, or nested too deeply") from error
    if not isinstance(obj, dict):
        raise DamagedLine("not an object")
    return obj


def read_lines(
    path: str | os.PathLike[str], *, numbered: bool = False, loads: Loads = json.loads
) -> LinesRead:
    """Everything of a file; a missing file is an empty one. OSError where it cannot be read, StoreDamaged where it is no file.

    numbered: lines carry `seq` 1, 2, 3 …; a gap or repetition is damage.
    """
    try:
        content = read_regular(path)
    except FileNotFoundError:
        content = b""
    return parse_lines(content, numbered=numbered, loads=loads)


def iter_lines(
    path: str | os.PathLike[str],
    *,
    numbered: bool = False,
    loads: Loads = json.loads,
    on_damage: Callable[[Damage], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """The objects of `read_lines`, one at a time: in memory is one line, however long the file. Errors as there.

    on_damage: is told the first damaged place once everything before it was given; a torn tail is none.
    """
    try:
        fd = open_regular(path)
    except FileNotFoundError:
        return
    expected, at = 1, 0
    with open(fd, "rb") as file:
        for line in file:
            obj, length = _whole(line, loads), len(line)
            is_last = obj is None
            if obj is None:  # only its line end may be missing; what follows is torn or damaged
                obj, length = _leading_record(line, loads) or (None, 0)
            if obj is None or (numbered and obj.get("seq") != expected):
                is_last, length = True, 0
            else:
                yield obj
            if is_last:
                break
            expected, at = expected + 1, at + length
        else:
            return
        rest = line[length:]
        if on_damage is None or not rest or (length and rest == b"\n"):
            return
        if (damage := _first_damage(file, rest, at + length, loads)) is not None:
            on_damage(damage)


def _first_damage(file: IO[bytes], line: bytes, at: int, loads: Loads) -> Damage | None:
    """As `_survey` judges it, from the line at byte `at` on; None: what is left is a torn tail."""
    first: Damage | None = None
    while line:
        try:
            unframe(line, loads)
        except DamagedLine as error:
            first = first or Damage(at, len(line), str(error))
            if not _is_torn(line) or _record_after_hole(line, loads) is not None:
                return first
        else:
            return first or Damage(at, len(line), "a line that does not follow the one before it")
        if not line.endswith(b"\n"):
            return None  # what is being written now is no part of this reading
        at += len(line)
        line = file.readline()
    return None


def find_line(
    path: str | os.PathLike[str], kind: str, start: int = 0, loads: Loads = json.loads
) -> tuple[dict[str, Any] | None, int]:
    """The first whole line of that kind from byte `start` on, and where to look on for it later; None: there is none yet.

    Only lines that name the kind are parsed, and lines before them are not checked. Errors as of `read_lines`.
    """
    named = b'"kind":"%b"' % kind.encode()
    try:
        fd = open_regular(path)
    except FileNotFoundError:
        return None, start
    with open(fd, "rb") as file:
        file.seek(start)
        is_whole = True
        for line in file:
            obj = _whole(line, loads) if named in line else None
            if obj is not None and obj.get("kind") == kind:
                return obj, start
            is_whole = (
                is_whole and line.endswith(b"\n") and b"\0" not in line
            )  # else it may be in the writing
            start += len(line) if is_whole else 0
    return None, start


def last_line(path: str | os.PathLike[str], loads: Loads = json.loads) -> tuple[dict[str, Any] | None, bool]:
    """The object of the last line if it is sound, and whether nothing cut or damaged ends the file (a missing or empty one
    ends well). Only the end of the file is read. Errors as of `read_lines`.
    """
    try:
        fd = open_regular(path)
    except FileNotFoundError:
        return None, True
    with open(fd, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        tail, wanted = b"", _TAIL_BYTES
        while len(tail) < size and b"\n" not in tail[:-1]:
            file.seek(max(0, size - wanted))
            tail, wanted = file.read(wanted), wanted * 4
    obj = _whole(tail[tail.rfind(b"\n", 0, -1) + 1 :], loads) if tail else None
    return obj, obj is not None or not tail


def parse_lines(
    content: bytes, *, numbered: bool = False, loads: Loads = json.loads, first_seq: int = 1
) -> LinesRead:
    """As `read_lines`, of bytes; `first_seq` is the number that the first line must carry where numbered."""
    objects: list[dict[str, Any]] = []
    at, expected = 0, first_seq
    for line in content.split(b"\n")[:-1]:
        head = line[:-_TRAILER_BYTES]  # as in `unframe`, but at the speed of a replay of millions of lines
        if line[-_TRAILER_BYTES:] != b',"crc":"%08x"}' % crc32(head):
            break
        try:
            obj = loads(head + b"}")
        except (ValueError, RecursionError):
            break
        if type(obj) is not dict or (numbered and obj.get("seq") != expected):
            break
        objects.append(obj)
        at += len(line) + 1
        expected += 1
    if at == len(content):
        return LinesRead(tuple(objects), at, 0, ())
    return _judge_rest(content, at, objects, expected if numbered else None, loads)


def _whole(line: bytes, loads: Loads) -> dict[str, Any] | None:
    """The object of a sound line with its end; as `unframe`, at the speed of a replay."""
    head = line[: -_TRAILER_BYTES - 1]
    if line[-_TRAILER_BYTES - 1 :] != b',"crc":"%08x"}\n' % crc32(head):
        return None
    try:
        obj = loads(head + b"}")
    except (ValueError, RecursionError):
        return None
    return obj if type(obj) is dict else None


def _judge_rest(
    content: bytes, at: int, objects: list[dict[str, Any]], expected: int | None, loads: Loads
) -> LinesRead:
    """The file from its first line that does not fit: a torn tail, or damage with what follows it."""
    whole = _leading_record(content[at:], loads)  # a newline alone may be missing or damaged
    if whole is not None and (expected is None or whole[0].get("seq") == expected):
        objects.append(whole[0])
        at += whole[1]
        if content[at : at + 1] == b"\n":
            at += 1
    if at == len(content):
        return LinesRead(tuple(objects), at, 0, ())
    damage, after, torn = _survey(content, at, loads)
    if not damage:
        return LinesRead(tuple(objects), at, torn, ())
    return LinesRead(tuple(objects), at, torn, tuple(damage), tuple(after))


def _survey(content: bytes, start: int, loads: Loads) -> tuple[list[Damage], list[dict[str, Any]], int]:
    """Bad places and valid objects from `start` on, and the length of the torn tail."""
    bad: list[Damage] = []
    after: list[dict[str, Any]] = []
    at, size = start, len(content)
    torn_at = start  # where the last run of torn lines begins
    while at < size:
        end = content.find(b"\n", at) + 1 or size
        line, torn_before = content[at:end], torn_at
        torn_at = end
        try:
            after.append(unframe(line, loads))
            if at == start:
                bad.append(Damage(at, end - at, "a line that does not follow the one before it"))
        except DamagedLine as error:
            bad.append(Damage(at, end - at, str(error)))
            buried = _record_after_hole(line, loads)
            if buried is not None:
                after.append(buried)
            elif _is_torn(line):
                torn_at = torn_before
        at = end
    return [place for place in bad if place.offset < torn_at], after, size - torn_at


def _is_torn(line: bytes) -> bool:
    """A bad line that a cut explains: it has no end, or a hole of NULs where pages never reached the disk."""
    return not line.endswith(b"\n") or _HOLE in line


def _record_after_hole(line: bytes, loads: Loads) -> dict[str, Any] | None:
    """A valid record that a block of NULs has fused with: the block is then in the middle, not at the end."""
    hole = line.rfind(_HOLE)
    if hole < 0:
        return None
    try:
        return unframe(line[hole + len(_HOLE) :].lstrip(b"\0"), loads)
    except DamagedLine:
        return None


def _leading_record(rest: bytes, loads: Loads) -> tuple[dict[str, Any], int] | None:
    """A valid record at the very beginning of bytes whose line end is missing, with its length."""
    line_end = rest.find(b"\n")
    limit = line_end if line_end >= 0 else len(rest)
    for found in _TRAILER.finditer(rest, 0, limit):
        if int(found[1], 16) == crc32(rest[: found.start()]):
            try:
                return unframe(rest[: found.end()], loads), found.end()
            except DamagedLine:
                return None
    return None
