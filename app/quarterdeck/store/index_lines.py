"""The index's lines as they lie in the file, and the stamps that say whether they still fit; nothing is parsed here.

A line's summary stays the JSON that was written, so that who only prints the list (`quarterdeck runs --json`) makes no
value of it. Standard library only, and little of that: what is imported here is most of what such a process costs (P17).
Whatever is not written exactly as `Index` writes it is left to `Index`, which reads lines with all their damages.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Mapping
from zlib import crc32

INDEX_SCHEMA = 1
RECORD_NAME = "record.json"
RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_HEADER = re.compile(rb'\{"schema":%d,"kind":"index","crc":"[0-9a-f]{8}"\}\n' % INDEX_SCHEMA)
_HEAD = re.compile(rb'\{"run_id":"([A-Za-z0-9][A-Za-z0-9_-]{0,99})","stamp":\[([0-9,-]+)\]')
_SUMMARY = b',"summary":'
_END_BYTES = len(b',"crc":"00000000"}\n')
_SEGMENT = re.compile(r"journal(?:\.([1-9][0-9]*))?\.jsonl")

Stamp = tuple[int, ...]
Line = tuple[Stamp, bytes]
"""Stamp and summary of a run, the summary as JSON text."""


def is_framed(line: bytes) -> bool:
    """Whether a line has its end and the right checksum."""
    return line[-_END_BYTES:] == b',"crc":"%08x"}\n' % crc32(line[:-_END_BYTES])


def has_header(line: bytes) -> bool:
    """Whether this is the first line of an index of our schema."""
    return _HEADER.fullmatch(line) is not None and is_framed(line)


def take_lines(lines: Iterable[bytes], known: dict[str, Line]) -> int:
    """Put the runs of lines (each with its end) into `known`, the last line of a run wins; how many lines there were.

    -1 where a line is none of ours as we write them, or has no end; `known` has then what came before it.
    """
    count = 0
    for line in lines:
        at = line.find(_SUMMARY, 0, 300)
        head = _HEAD.fullmatch(line, 0, at) if at >= 0 else None
        if head is None or line[-_END_BYTES:] != b',"crc":"%08x"}\n' % crc32(line[:-_END_BYTES]):
            return -1
        try:
            stamp = tuple(map(int, head[2].split(b",")))
        except ValueError:
            return -1
        known[head[1].decode("ascii")] = (stamp, line[at + len(_SUMMARY) : -_END_BYTES])
        count += 1
    return count


def stamps(folder: str, known: Mapping[str, Line]) -> dict[str, Stamp]:
    """The stamp of every run in the folder of runs, by name and sorted by it. OSError where it cannot be read.

    known: lines that may fit; what they say of a folder that did not change is not asked again.
    """
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    found: dict[str, Stamp] = {}
    try:
        for name in sorted(os.listdir(fd)):
            line = known.get(name)
            if line is None and RUN_NAME.fullmatch(name) is None:
                continue
            try:
                if line is not None and _is_same(fd, name, line[0]):
                    found[name] = line[0]
                elif stamp := _stamp(fd, name):
                    found[name] = stamp
                elif _has_attempts(folder, name):
                    found[name] = (0,)
            except OSError:  # a run that may not be read: no line fits it, and who reads it is told why
                found[name] = (0,)
    finally:
        os.close(fd)
    return found


def _has_attempts(folder: str, name: str) -> bool:
    """Whether something was claimed there: then it was a run, whose journal and record are gone, and no launch that was cut off."""
    try:
        return bool(os.listdir(f"{folder}/{name}/attempts"))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):  # no folder lies there
            return False
        raise


def stamp_of(folder: str) -> Stamp:
    """Times and sizes of what the summary of the run in that folder rests on; empty where the folder is no run."""
    parent, name = os.path.split(folder)
    try:
        fd = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    try:
        return _stamp(fd, name)
    finally:
        os.close(fd)


def _is_same(runs_fd: int, name: str, stamp: Stamp) -> bool:
    """Whether a run with a record still has this stamp, by three looks. A new segment, and a new record, move the time of
    the folder; what is appended to a segment, or done to it or to a record in its place, does not.
    """
    if len(stamp) != 6:
        return False
    journal = "journal.jsonl" if stamp[3] == 1 else f"journal.{stamp[3]}.jsonl"
    stat = os.stat
    try:
        if stat(name, dir_fd=runs_fd, follow_symlinks=False).st_mtime_ns != stamp[0]:
            return False
        record = stat(f"{name}/{RECORD_NAME}", dir_fd=runs_fd, follow_symlinks=False)
        if record.st_size != stamp[1] or record.st_mtime_ns != stamp[2]:
            return False
        found = stat(f"{name}/{journal}", dir_fd=runs_fd, follow_symlinks=False)
        return (found.st_size, found.st_mtime_ns) == stamp[4:]
    except (FileNotFoundError, NotADirectoryError):
        return False


def _stamp(runs_fd: int, name: str) -> Stamp:
    """Of the journal it is the segment that is read and appended to, the highest, with its number."""
    own, record = _look(runs_fd, name), _look(runs_fd, f"{name}/{RECORD_NAME}")
    if own is None:
        return ()
    number = _highest_segment(runs_fd, name)
    journal = _look(runs_fd, f"{name}/journal.jsonl" if number == 1 else f"{name}/journal.{number}.jsonl")
    if record is None and journal is None:
        return ()
    last = (number, -1, 0) if journal is None else (number, journal.st_size, journal.st_mtime_ns)
    if record is None:
        return (own.st_mtime_ns, -1, 0, *last)
    return (own.st_mtime_ns, record.st_size, record.st_mtime_ns, *last)


def _highest_segment(runs_fd: int, name: str) -> int:
    """Segments are made one after the other and never removed: a look for the second tells whether to list the folder."""
    if _look(runs_fd, f"{name}/journal.2.jsonl") is None:
        return 1
    fd = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=runs_fd)
    try:
        found = (_SEGMENT.fullmatch(file) for file in os.listdir(fd))
        return max(int(match[1] or 1) for match in found if match)
    finally:
        os.close(fd)


def _look(fd: int, path: str) -> os.stat_result | None:
    try:
        return os.stat(path, dir_fd=fd, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself is no folder of a run
            return None
        raise
