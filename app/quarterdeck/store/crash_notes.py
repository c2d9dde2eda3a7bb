"""When windows were found to have crashed: a short list beside the sessions, for the rule about crash loops (ruling 19).

A dead session's own file goes once what it left is settled; this note stays. Written by whoever settles the session.
"""

from __future__ import annotations

from pathlib import Path

from quarterdeck.domain.ids import SessionId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, StoreError, disk_errors
from quarterdeck.store.lines import DamagedLine, frame, unframe
from quarterdeck.store.locks import short_lock
from quarterdeck.store.regular import read_regular

NOTES_KEPT = 20
NAME = "window-crashes"


class CrashNotes:
    """folder: that of the sessions. Blocking."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._path, self._lock = io, folder / NAME, folder / f"{NAME}.lock"

    def note(self, session_id: SessionId, found_wall_ms: int) -> None:
        """One crash, once for each session: the first time at which it was found stays. Raises StoreDown."""
        with short_lock(self._io, self._lock):
            known = self._read()
            if session_id in known:
                return
            known[session_id] = found_wall_ms
            newest = dict(sorted(known.items(), key=lambda item: item[1])[-NOTES_KEPT:])
            with disk_errors(self._path):
                replace_file(self._io, self._path, frame({"schema": 1, "found_wall_ms": newest}))

    def count_within(self, now_wall_ms: int, within_ms: int) -> int:
        """How many were found within that time of now; a clock that was set makes them older or younger, never an error."""
        try:
            return sum(abs(now_wall_ms - at) <= within_ms for at in self._read().values())
        except StoreError:
            return 0

    def _read(self) -> dict[str, int]:
        with disk_errors(self._path):
            try:
                found = unframe(read_regular(self._path)).get("found_wall_ms")
            except (FileNotFoundError, DamagedLine, StoreDamaged):
                return {}
        if not isinstance(found, dict):
            return {}
        return {str(name): at for name, at in found.items() if isinstance(at, int)}
