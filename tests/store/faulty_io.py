"""DurableIO that counts, fails or kills at its k-th operation. Other rooms' sweeps use it as well."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable

from quarterdeck.store.durable_io import DurableIO


class UnsyncedIO(DurableIO):
    """Syncs are counted but not done: neither a fault nor SIGKILL makes a difference there, and sweeps get fast."""

    def fdatasync(self, fd: int) -> None:
        self.before("fdatasync", f"fd:{fd}")

    def fsync(self, fd: int) -> None:
        self.before("fsync", f"fd:{fd}")

    def fsync_folder(self, folder: str | os.PathLike[str]) -> None:
        self.before("fsync_folder", os.fspath(folder))


class CountingIO(DurableIO):
    """Remembers the name of every operation, and calls `watch` before each."""

    def __init__(self, watch: Callable[[str, str], None] | None = None) -> None:
        self.operations: list[str] = []
        self._watch = watch

    def before(self, operation: str, target: str) -> None:
        self.operations.append(operation)
        if self._watch is not None:
            self._watch(operation, target)


class FaultyIO(UnsyncedIO):
    """Operation number `at` (from 1) fails with `error`; so do the `times - 1` after it (None: until `heal`).

    operations: only these count (None: all). torn: a failing write takes half of its bytes first.
    """

    def __init__(
        self,
        at: int | None = None,
        error: int = errno.EIO,
        *,
        operations: frozenset[str] | None = None,
        times: int | None = 1,
        torn: bool = False,
    ) -> None:
        self.count = 0
        self.failed = 0
        self._operations = operations
        self._torn = torn
        self.arm(at, error, times=times)

    def arm(self, at: int | None, error: int = errno.EIO, *, times: int | None = 1) -> None:
        """Count from 0 again and fail at `at`."""
        self.count, self._at, self._error, self._times = 0, at, error, times

    def heal(self) -> None:
        """Nothing fails any more."""
        self._at = None

    def before(self, operation: str, target: str) -> None:
        if operation != "write" and self._is_due(operation):
            raise OSError(self._error, os.strerror(self._error), target)

    def write_some(self, fd: int, view: memoryview) -> int:
        if self._is_due("write"):
            if self._torn:
                os.write(fd, view[: len(view) // 2])
            raise OSError(self._error, os.strerror(self._error))
        return super().write_some(fd, view)

    def _is_due(self, operation: str) -> bool:
        if self._operations is not None and operation not in self._operations:
            return False
        self.count += 1
        if self._at is None or self.count < self._at:
            return False
        if self._times is not None and self.count >= self._at + self._times:
            return False
        self.failed += 1
        return True


class ShortIO(DurableIO):
    """Every write call takes at most `most` bytes: nothing fails, nothing may be lost."""

    def __init__(self, most: int = 7) -> None:
        self._most = most

    def write_some(self, fd: int, view: memoryview) -> int:
        return super().write_some(fd, view[: self._most])


class KillingIO(UnsyncedIO):
    """Sends SIGKILL to its own process before operation number `at`; torn: a write leaves half of its bytes first."""

    def __init__(self, at: int, *, torn: bool = False) -> None:
        self.count = 0
        self._at, self._torn = at, torn

    def before(self, operation: str, target: str) -> None:
        self.count += 1
        if self.count == self._at and not (self._torn and operation == "write"):
            os.kill(os.getpid(), signal.SIGKILL)

    def write_some(self, fd: int, view: memoryview) -> int:
        taken = 0
        if self._torn and self.count + 1 == self._at:
            taken = os.write(fd, view[: len(view) // 2])
        self.before("write", f"fd:{fd}")
        if self.count == self._at:
            os.kill(os.getpid(), signal.SIGKILL)
        return taken + os.write(fd, view[taken:])
