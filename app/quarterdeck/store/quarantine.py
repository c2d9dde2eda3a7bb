"""Damaged files of the store, moved out of the way whole: `damaged/<name>.<wall ms>` in the data folder (cases 101, 103).

Nothing here is ever overwritten or deleted: what a file still holds may be all that is left of something.
"""

from __future__ import annotations

import os
from pathlib import Path

from quarterdeck.store.durable_io import DurableIO, make_folder, replace_file
from quarterdeck.store.errors import disk_errors
from quarterdeck.store.machine import now

FOLDER = "damaged"


class Quarantine:
    """The damaged files of a store. Blocking; whoever moves a file holds the lock under which it is written."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder

    def take(self, path: Path, name: str = "") -> Path:
        """Moves a file there, durable when this returns; where it lies now. `name`: in place of its own."""
        with disk_errors(path):
            target = self._free(name or path.name)
            self._io.replace(path, target)
            self._io.fsync_folder(target.parent)
            self._io.fsync_folder(path.parent)
        return target

    def keep(self, content: bytes, name: str) -> Path:
        """Writes there what a file holds that goes on in its place without what is damaged."""
        with disk_errors(self._folder):
            target = self._free(name)
            replace_file(self._io, target, content)
        return target

    def _free(self, name: str) -> Path:
        folder = self._folder / FOLDER
        make_folder(self._io, folder)
        at_ms = now().wall_ms
        while os.path.lexists(target := folder / f"{name}.{at_ms}"):
            at_ms += 1
        return target

    def files(self) -> tuple[Path, ...]:
        """What lies there, by name."""
        folder = self._folder / FOLDER
        with disk_errors(folder):
            try:
                return tuple(folder / name for name in sorted(os.listdir(folder)))
            except FileNotFoundError:
                return ()
