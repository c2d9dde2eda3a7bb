"""Runs that a person pinned: `pinned/<run>`, one small file for each, which says who pinned it and when.

That the file is there is the pin, whatever is in it: it appears by one rename and goes by one unlink, so a kill leaves a
run pinned or not. It lies beside the runs and not in them, so that a list knows all pins by one look. Who may pin, and
what a pin holds back, is the engine's; who changes one, or acts on one that is not there, holds the lock of `asides`.
"""

from __future__ import annotations

import os
from pathlib import Path

from quarterdeck.domain.ids import RunId
from quarterdeck.store.durable_io import DurableIO, make_folder, replace_file
from quarterdeck.store.errors import disk_errors
from quarterdeck.store.index_lines import RUN_NAME
from quarterdeck.store.lines import frame
from quarterdeck.store.regular import lies_there

PINNED = "pinned"


class PinnedRuns:
    """All pins of a store. Blocking; every method may raise StoreDown."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder / PINNED

    def add(self, run: RunId, actor: str, at_ms: int) -> None:
        """Durable when this returns; a run that is pinned stays as it is pinned. at_ms: Unix milliseconds."""
        with disk_errors(self._folder):
            make_folder(self._io, self._folder)
            if self.has(run):
                self._io.fsync_folder(self._folder)  # whoever pinned it may have been killed before that
            else:
                replace_file(
                    self._io, self._folder / run, frame({"run": run, "actor": actor, "at_ms": at_ms})
                )

    def remove(self, run: RunId) -> None:
        """Durable when this returns; a run that is not pinned is no error."""
        with disk_errors(self._folder):
            if not self._folder.is_dir():
                return
            if self.has(run):
                self._io.unlink(self._folder / run)
            self._io.fsync_folder(self._folder)

    def has(self, run: RunId) -> bool:
        """Whether it is pinned now."""
        return lies_there(self._folder / run)

    def load(self) -> frozenset[RunId]:
        """All that are pinned now."""
        with disk_errors(self._folder):
            try:
                names = os.listdir(self._folder)
            except FileNotFoundError:
                return frozenset()
        return frozenset(RunId(name) for name in names if RUN_NAME.fullmatch(name))
