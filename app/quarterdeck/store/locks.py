"""Advisory file locks (flock), held by an open file description: they end with the last process that has it open.

A lock file carries no content. Descriptors are close-on-exec; the one lock that is inherited on purpose, the lease, is
made in `attempts`. Nothing here decides what a lock means.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quarterdeck.store.durable_io import FILE_MODE, DurableIO
from quarterdeck.store.errors import disk_errors

_FLAGS = os.O_RDWR | os.O_CREAT
LOOKERS_MAX = 2_000
"""How often a lock that is only being looked at is tried: some milliseconds."""


class HeldLock:
    """An exclusive lock that is held until `release`, or until the process ends. fd None: nothing is there to be held."""

    def __init__(self, path: Path, fd: int | None) -> None:
        self.path = path
        self._fd: int | None = fd

    @property
    def is_held(self) -> bool:
        """False after release."""
        return self._fd is not None

    def release(self) -> None:
        """Idempotent. The lock file stays: removing it is a right of who holds it (`remove`)."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def remove(self, io: DurableIO) -> None:
        """Removes the lock file while it is held, then releases."""
        with disk_errors(self.path):
            try:
                io.unlink(self.path)
            except FileNotFoundError:
                pass  # someone tidied the folder by hand; there is nothing left to remove
        self.release()


def try_lock(io: DurableIO, path: Path) -> HeldLock | None:
    """The lock, or None where another open file description holds it. Makes the file. StoreDown on disk errors."""
    with disk_errors(path):
        while True:
            fd = io.open(path, _FLAGS, FILE_MODE)
            try:
                is_ours = _lock_past_lookers(fd)
            except BaseException:
                os.close(fd)
                raise
            if not is_ours:
                os.close(fd)
                return None
            if _is_still_named(fd, path):
                return HeldLock(path, fd)
            os.close(fd)  # its holder removed the file in between: lock the one that has the name now


def _lock_past_lookers(fd: int) -> bool:
    """Lock it exclusively, or say that another has it so. Who only looks (`is_locked`) shares it for an instant, and must
    not keep away who wants it: that is tried again at once, so many times that only a looker which hangs outlasts it.
    """
    for _ in range(LOOKERS_MAX):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if _is_exclusive(fd):
                return False
            os.sched_yield()
        else:
            return True
    return False


def _is_exclusive(fd: int) -> bool:
    """Whether another holds it and would not share it."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False


def is_locked(path: Path) -> bool:
    """Whether somebody holds the lock now; False where the file is missing. Writes nothing."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)  # shared, so that two who look do not see each other
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


@contextmanager
def short_lock(io: DurableIO, path: Path) -> Iterator[None]:
    """Waits for the lock and holds it for the block, which must be short: an append or a small replace."""
    with disk_errors(path):
        fd = io.open(path, _FLAGS, FILE_MODE)
    try:
        with disk_errors(path):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


@contextmanager
def shared_lock(io: DurableIO, path: Path) -> Iterator[None]:
    """Holds the lock together with others who share it; waits for who has it alone. It may be held for seconds."""
    with disk_errors(path):
        fd = io.open(path, _FLAGS, FILE_MODE)
    try:
        with disk_errors(path):
            fcntl.flock(fd, fcntl.LOCK_SH)
        yield
    finally:
        os.close(fd)


def _is_still_named(fd: int, path: Path) -> bool:
    try:
        named = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    own = os.fstat(fd)
    return (own.st_dev, own.st_ino) == (named.st_dev, named.st_ino)
