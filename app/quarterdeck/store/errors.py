"""Errors of the store. Standard library only: the shim loads it in a bare interpreter.

StoreError
├── StoreDown       the disk does not take (or give) it: full, read-only, broken; carries errno and path (JNL7, JNL8)
├── StoreTooNew     written by a newer version; nothing was touched (JNL9)
├── StoreDamaged    a file whose checksum or shape is wrong; carries path and reason
│   ├── ObjectDamaged
│   └── RecordDamaged
├── RecordTooLarge  a record above the limit; nothing of it was written (STO8)
├── ObjectMissing   a pinned content is gone (E_PIN_MISSING)
├── UnknownRun      no journal of that run
└── InvalidEvent    an event that does not go through a round trip: our bug, never the user's news
DamagedLine (ValueError) lies in `lines`: it is a fact about bytes, not about the store.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

ODD_ENTRY = frozenset({errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.ENXIO})
"""Numbers of a StoreDown that tell of the one entry at its path (a folder, a link, a pipe), not of the disk."""
NOTHING_THERE = ODD_ENTRY | {errno.ENOENT}
"""The same, or there is no entry."""

OF_THE_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Numbers that tell of the disk or of this process as a whole: what was refused for one run is refused for the next."""


class StoreError(Exception):
    """Root of the tree."""


class StoreDown(StoreError):
    """The disk refused. `errno` is the system's number, `path` the file concerned."""

    def __init__(self, number: int, path: str) -> None:
        super().__init__(f"{path}: {os.strerror(number)}")
        self.errno, self.path = number, path


class StoreTooNew(StoreError):
    """A file carries a schema that this version does not know."""

    def __init__(self, path: str, found: object, known: int) -> None:
        super().__init__(
            f"{path} was written by a newer Quarterdeck (format {found}, this version knows {known}). "
            "Update Quarterdeck to open it; nothing was changed."
        )
        self.path, self.found, self.known = path, found, known


class StoreDamaged(StoreError):
    """A file is not what was written. `reason` says in words what is wrong."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path} is damaged: {reason}")
        self.path, self.reason = path, reason


class ObjectDamaged(StoreDamaged):
    """A content does not match its hash."""


class RecordDamaged(StoreDamaged):
    """A record cannot be used; the journal still holds the truth (ruling 15)."""


class RecordTooLarge(StoreError):
    """The record would have `size_bytes`, more than a record may have. An older one stays as it was."""

    def __init__(self, run_id: str, size_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"the record of run {run_id} has {size_bytes} bytes; at most {limit_bytes} are kept")
        self.run_id, self.size_bytes, self.limit_bytes = run_id, size_bytes, limit_bytes


class ObjectMissing(StoreError):
    """No content under this hash."""

    def __init__(self, revision: str) -> None:
        super().__init__(f"pinned content {revision} is missing")
        self.revision = revision


class UnknownRun(StoreError):
    """No journal of this run in the store."""

    def __init__(self, run_id: str) -> None:
        super().__init__(f"run {run_id} is not in this store")
        self.run_id = run_id


class InvalidEvent(StoreError):
    """The event cannot be stored as it is; `reason` says which field."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(f"event {kind} cannot be stored: {reason}")
        self.kind, self.reason = kind, reason


def is_odd_entry(error: StoreError) -> bool:
    """Whether it tells of the one entry at its path (damaged, or no file at all), and not of the disk."""
    return isinstance(error, StoreDamaged) or (isinstance(error, StoreDown) and error.errno in ODD_ENTRY)


@contextmanager
def disk_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turns an OSError of the block into StoreDown with its errno and path."""
    try:
        yield
    except OSError as error:
        raise StoreDown(error.errno or 0, os.fspath(error.filename or path)) from error
