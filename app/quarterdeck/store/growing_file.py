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
    """Cuts a tail without line end (JNL6); returns the size. Only the end of the file is read."""
    size = os.fstat(fd).st_size
    at = size
    tail = b""
    while at and b"\n" not in tail:
        start = max(0, at - _TAIL_BYTES)
        tail = os.pread(fd, at - start, start) + tail
        at = start
    if tail.endswith(b"\n") or not tail:
        return size
    keep = at + tail.rfind(b"\n") + 1
    rest = tail[tail.rfind(b"\n") + 1 :]
    read = parse_lines(rest)
    if read.objects:  # a valid line whose end alone is missing
        keep += read.good_bytes
    if keep != size:
        io.truncate(fd, keep)
    if read.objects:
        io.write(fd, b"\n")
        keep += 1
    return keep
