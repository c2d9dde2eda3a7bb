"""What befalls a whole machine, for lives in forked children: a night of sleep, a disk that is full or fails to sync, a power cut.

One piece of memory is shared by the nursery and all that it forks (app, fork server, keepers), so each of them meets the same thing at
once. Injected where the product reads its clocks (`store.machine`) and writes durably (`DurableIO`).
"""

from __future__ import annotations

import errno
import io
import mmap
import os
import random
import shutil
import struct
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from quarterdeck.engine import sleep_watch
from quarterdeck.store import machine
from quarterdeck.store.durable_io import DurableIO

NIGHT_MS = 8 * 3_600_000
FULL, NO_SYNC = errno.ENOSPC, errno.EIO
_FAILS = {
    FULL: frozenset({"write", "allocate", "mkdir"}),
    NO_SYNC: frozenset({"fsync", "fdatasync", "fsync_folder"}),
}
_SHAPE = struct.Struct("qqqq")
_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Weather:
    """slept_ms: since it was made. error: what the disk answers (0: it is well). keeps_synced: what is synced is noted, for a power
    cut. boots: how often the machine started again.
    """

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, _SHAPE.size)
        self._synced = Path()
        self._real_open = open

    def _get(self, place: int) -> int:
        return int(_SHAPE.unpack(self._shared[: _SHAPE.size])[place])

    def _set(self, place: int, value: int) -> None:
        values = list(_SHAPE.unpack(self._shared[: _SHAPE.size]))
        values[place] = value
        self._shared[: _SHAPE.size] = _SHAPE.pack(*values)

    def install(self) -> None:
        """Once, in the nursery, before anything is forked."""
        sleep_watch.LOOK_EVERY_S = 0.05
        machine.time = SimpleNamespace(  # type: ignore[assignment]
            clock_gettime_ns=lambda clock: (
                time.clock_gettime_ns(clock) + (self._get(0) * 1_000_000 if clock == _BOOT_CLOCK else 0)
            ),
            time_ns=lambda: time.time_ns() + self._get(0) * 1_000_000,
            CLOCK_MONOTONIC=time.CLOCK_MONOTONIC,
        )
        machine.open = self._open  # type: ignore[attr-defined]
        DurableIO.before = self._before  # type: ignore[method-assign,assignment]
        os.fsync = os.fdatasync = self._sync  # type: ignore[assignment]

    def _open(self, path: str, *given: Any, **more: Any) -> Any:
        if path.endswith("/boot_id") and self._get(3):
            return io.StringIO(f"boot-{self._get(3)}\n")
        return self._real_open(path, *given, **more)

    def _before(self, operation: str, target: str) -> None:
        error = self._get(1)
        if error and operation in _FAILS[error]:
            raise OSError(error, os.strerror(error), target)

    def _sync(self, fd: int) -> None:
        """Notes what is safe now. A file system in memory gives no number twice."""
        if not self._get(2) or not self._synced.is_dir():
            return
        path = Path(os.readlink(f"/proc/self/fd/{fd}"))
        if path.is_file():
            new = self._synced / f".{os.getpid()}.{time.monotonic_ns()}"
            shutil.copyfile(path, new)
            new.rename(self._synced / str(os.fstat(fd).st_ino))

    # ------------------------------------------------------------------ what befalls

    def begin(self, synced: Path, *, keeps_synced: bool) -> None:
        """A new point: all is well. synced: a folder for copies of what was synced."""
        for place in range(4):
            self._set(place, 0)
        machine.boot_id.cache_clear()
        synced.mkdir()
        self._synced = synced
        self._set(2, int(keeps_synced))

    def sleep_a_night(self) -> None:
        self._set(0, self._get(0) + NIGHT_MS)

    def fail(self, error: int) -> None:
        """From now on, for everybody."""
        self._set(1, error)

    def calm(self) -> None:
        self._set(1, 0)

    def cut_power(self, store: Path, chance: random.Random) -> int:
        """All are dead: every file goes back to what was synced, and a part of the rest, or NULs for it. How many files lost bytes."""
        lost = 0
        for path in [path for path in store.rglob("*") if path.is_file()]:
            content, safe = path.read_bytes(), self._synced / str(path.stat().st_ino)
            kept = safe.read_bytes() if safe.exists() else b""
            if content == kept:
                continue
            rest = content[len(kept) :] if content.startswith(kept) else b""
            torn = rest[: chance.randrange(len(rest) + 1)]
            kept += chance.choice((b"", torn, torn + bytes(len(rest) - len(torn))))
            lost += kept != content
            path.write_bytes(kept)
        self._set(2, 0)
        self._set(3, self._get(3) + 1)
        machine.boot_id.cache_clear()
        return lost
