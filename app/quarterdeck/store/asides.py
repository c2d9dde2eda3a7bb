"""Run folders that left the list: discarded ones, kept for a while, and those that are being deleted.

`discarded/<run>.<wall ms>` may come back; `leaving/<name>` is on its way out. Each step is one rename, made durable, so a
kill finds a folder whole in one place; only what lies in `leaving` is ever taken apart. What the ledger must say before
that, and who may ask for it, is the engine's. A run's owner lock is held by whoever moves it.
"""

from __future__ import annotations

import logging
import os
import re
import stat
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.domain.ids import RunId
from quarterdeck.store.durable_io import DurableIO, make_folder
from quarterdeck.store.errors import disk_errors
from quarterdeck.store.locks import short_lock

log = logging.getLogger(__name__)
_NAME = re.compile(r"([A-Za-z0-9][A-Za-z0-9_-]{0,99})(?:\.([0-9]{1,16}))?")
DISCARDED, LEAVING = "discarded", "leaving"


@dataclass(frozen=True, slots=True)
class Aside:
    """One folder. at_ms: when it was discarded (Unix milliseconds); None: it was evicted."""

    run: RunId
    at_ms: int | None
    folder: Path


class Asides:
    """All of a store. Blocking. `lock` is held for every move together with its ledger line."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder
        self.stuck: dict[Path, str] = {}
        """Folders that could not be deleted, as of the last try, and why."""

    def lock(self) -> AbstractContextManager[None]:
        """One who moves at a time, over all processes."""
        return short_lock(self._io, self._folder / "aside.lock")

    def discard(self, run: RunId, at_ms: int) -> Aside:
        """From the runs to the discarded ones. StoreDown leaves it where it was, or moved and not yet durable."""
        return self._move(self._runs(run), DISCARDED, Aside(run, at_ms, self._folder))

    def send_off(self, run: RunId) -> Aside:
        """From the runs to what is deleted next."""
        return self._move(self._runs(run), LEAVING, Aside(run, None, self._folder))

    def send_off_discarded(self, aside: Aside) -> Aside:
        """From the discarded ones to what is deleted next."""
        return self._move(aside.folder, LEAVING, aside)

    def bring_back(self, aside: Aside) -> None:
        """To the runs again, whole. StoreDown, also where a run of that id is there (ENOTEMPTY)."""
        target = self._runs(aside.run)
        with disk_errors(target):
            self._io.replace(aside.folder, target)
            self._io.fsync_folder(target.parent)
            self._io.fsync_folder(aside.folder.parent)

    def discarded(self) -> tuple[Aside, ...]:
        """Oldest first."""
        found = (aside for aside in self._list(DISCARDED) if aside.at_ms is not None)
        return tuple(sorted(found, key=lambda aside: (aside.at_ms or 0, aside.run)))

    def leaving(self) -> tuple[Aside, ...]:
        """What a process was about to delete, or another one deletes now."""
        return tuple(self._list(LEAVING))

    def delete(self, aside: Aside) -> bool:
        """Takes a leaving folder apart; what another process removed meanwhile is no error. False where something in it cannot
        be removed: it has left all the same, `stuck` says why it still lies there, and the others go on.
        """
        if aside.folder.parent.name != LEAVING:
            raise ValueError(f"{aside.folder} is not on its way out")
        try:
            remove_tree(self._io, aside.folder)
        except OSError as error:
            if aside.folder not in self.stuck:
                log.warning("%s could not be deleted and is tried again later: %s", aside.folder, error)
            self.stuck[aside.folder] = (
                f"it has left the store and cannot be deleted: {error.strerror or error}"
            )
            return False
        self.stuck.pop(aside.folder, None)
        return True

    def _runs(self, run: RunId) -> Path:
        return self._folder / "runs" / run

    def _list(self, place: str) -> list[Aside]:
        folder = self._folder / place
        with disk_errors(folder):
            try:
                names = sorted(os.listdir(folder))
            except FileNotFoundError:
                return []
        found = ((name, _NAME.fullmatch(name)) for name in names)
        return [
            Aside(RunId(match[1]), int(match[2]) if match[2] else None, folder / name)
            for name, match in found
            if match is not None
        ]

    def _move(self, source: Path, place: str, aside: Aside) -> Aside:
        name = aside.run if aside.at_ms is None else f"{aside.run}.{aside.at_ms}"
        target = self._folder / place / name
        with disk_errors(source):
            make_folder(self._io, target.parent)
            self._io.replace(source, target)
            self._io.fsync_folder(target.parent)
            self._io.fsync_folder(source.parent)
        return Aside(aside.run, aside.at_ms, target)


def remove_tree(io: DurableIO, folder: Path) -> None:
    """Removes a folder with all that is in it; links are removed, not followed."""
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            _remove(io, os.path.join(place, name))
        for name in folders:
            _remove(io, os.path.join(place, name))
    _remove(io, os.fspath(folder))


def _remove(io: DurableIO, path: str) -> None:
    try:
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        (io.rmdir if is_folder else io.unlink)(path)
    except FileNotFoundError:
        return


@dataclass(frozen=True, slots=True)
class FolderSize:
    """Bytes of a run's folder: all but transcripts, and transcripts."""

    size_bytes: int
    transcript_bytes: int


def measure_run(folder: Path) -> FolderSize:
    """Sizes of the files by their entries; what vanishes meanwhile is left out."""
    size = transcripts = 0
    for place, _, files in os.walk(folder):
        for name in files:
            try:
                found = os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
            if name == "transcript":
                transcripts += found
            else:
                size += found
    return FolderSize(size, transcripts)
