"""Whether the data folder takes a write, where it matters to runs that another process records (JNL8).

How their owner fares is known to the owner alone; that nothing can be written here is known to everybody who tries. So a run of
another process is `recording` None, not known, until a write is refused, and then False. Blocking.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.views import RunView
from quarterdeck.engine.publishing import probe_disk
from quarterdeck.engine.reading import read_run
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDown, StoreError

TRY_EVERY_S = 4.0


class FolderWatch:
    """Owned by whoever looks at the store again and again. clock: seconds that only grow."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._tried_s: float | None = None
        self.fault = ""
        """Why the folder took nothing when that was tried last, with its path; empty: it took it, or nobody needs to know."""

    def look(self, *, is_needed: bool) -> None:
        """Try a write, every few seconds while it is needed."""
        if not is_needed:
            self.fault, self._tried_s = "", None
            return
        if self._tried_s is not None and self._clock() - self._tried_s < TRY_EVERY_S:
            return
        self._tried_s = self._clock()
        self.fault = no_room(self._store.folder) or _refused(self._store)


def no_room(folder: Path) -> str:
    """Why nothing more can be written there, as far as that is seen without writing; empty: nothing says so."""
    try:
        room = os.statvfs(folder)
    except OSError as error:
        return _words(folder, error.errno or errno.EIO)
    if room.f_flag & os.ST_RDONLY:
        return _words(folder, errno.EROFS)
    blocks, files = (room.f_bfree, room.f_ffree) if os.geteuid() == 0 else (room.f_bavail, room.f_favail)
    is_full = (room.f_blocks > 0 and blocks == 0) or (room.f_files > 0 and files == 0)
    return _words(folder, errno.ENOSPC) if is_full else ""


def read_told(store: Store, run: RunId, watch: FolderWatch | None) -> RunView | None:
    """A run as its files say, and, where another process records it, that its folder takes nothing. watch: None where nobody
    tries, and nothing is written to find out. Raises StoreError.
    """
    view = read_run(store, run)
    if view is None or not (view.is_live and view.foreign and view.recording is None):
        return view
    fault = watch.fault if watch is not None else no_room(store.folder)
    return replace(view, recording=False, waits_for=fault) if fault else view


def _refused(store: Store) -> str:
    try:
        probe_disk(store)
    except StoreDown as error:
        return _words(store.folder, error.errno)
    except StoreError as error:
        return str(error)
    return ""


def _words(folder: Path, number: int) -> str:
    return f"{folder}: {os.strerror(number)}"
