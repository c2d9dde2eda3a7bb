"""Appending to a shared file under its lock: the torn tail is cut first, a failed append is cut off again.

Used for index and ledger, whose lines stand on their own. Journals have an appender of their own (`journal`).
"""

from __future__ import annotations

import os
from pathlib import Path

from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import disk_errors
from quarterdeck.store.lines import parse_lines
from quarterdeck.store.regular import need_regular

_TAIL_BYTES = 64 * 1024


def append_sealed(io: DurableIO, path: Path, content: bytes, *, sync: bool) -> None:
    """Whole lines at the end of the file, or nothing. The caller holds the file's lock. StoreDown, StoreDamaged where no file lies there."""
    with disk_errors(path):
        is_new = not path.exists()
        fd = io.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            need_regular(fd, path)
            start = _seal(io, fd)
            try:
                io.write(fd, content)
                if sync:
                    io.fdatasync(fd)
            except OSError:
                io.truncate(fd, start)
                raise
        finally:
            os.close(fd)
        if is_new and sync:
            io.fsync_folder(path.parent)


def _seal(io: DurableIO, fd: int) -> int:
    """Cuts a torn tail (JNL6) and ends the last line; returns the size. Only the end of the file is read, but for one whose
    last line has its end and is damaged: pages before it may be what never reached the disk.
    """
    size = os.fstat(fd).st_size
    start, tail = _last_lines(fd, size)
    read = parse_lines(tail)
    if tail and not read.objects and start:
        start, tail = 0, os.pread(fd, size, 0)
        read = parse_lines(tail)
    keep = size - read.torn_bytes
    if keep != size:
        io.truncate(fd, keep)
    if keep > start and tail[keep - start - 1 : keep - start] != b"\n":
        io.write(fd, b"\n")
        keep += 1
    return keep


def _last_lines(fd: int, size: int) -> tuple[int, bytes]:
    """Where the last line that has an end begins, and everything from there on."""
    at, tail = size, b""
    while at and tail.count(b"\n") < 2:
        start = max(0, at - _TAIL_BYTES)
        tail = os.pread(fd, at - start, start) + tail
        at = start
    end = tail.rfind(b"\n")
    begin = tail.rfind(b"\n", 0, max(end, 0)) + 1
    return at + begin, tail[begin:]
