"""Which pinned contents somebody needs, and the removal of all others (C5, PIN5). Blocking; called from a worker thread.

Needed is what a run names that is kept, that was discarded and can be brought back, or that is on its way out and may
still be rolled back: its package, workflow and binding, and whatever these name. Where it cannot be told what a run
pinned, nothing is removed at all. Removing is one `unlink` after another, so a kill leaves the rest for the next time.

Runs are looked through first, without a lock. Then, while nobody can pin, only those that have come since: whoever waits
to launch waits for that, not for the whole.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Collection, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path

from quarterdeck.domain.ids import Revision, RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.engine.keeping import Collected
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, disk_errors
from quarterdeck.store.index_lines import RECORD_NAME
from quarterdeck.store.journal import choose_segment
from quarterdeck.store.objects import hashes_in
from quarterdeck.store.regular import read_regular

log = logging.getLogger(__name__)
LOOK_EVERY_MS = 24 * 3_600_000
REMOVE_AT_ONCE = 256
"""Then the lock is given back for who wants to launch."""


class _UnknownPins(Exception):
    """It cannot be told what this run pinned."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"what the run in {folder} pinned cannot be read")


def is_due(store: Store, now: Moment) -> bool:
    """Whether it is a day since it was looked for what nothing needs."""
    looked_ms = store.objects.looked_through_ms()
    return looked_ms is not None and not 0 <= now.wall_ms - looked_ms < LOOK_EVERY_MS


def collect_objects(
    store: Store, now: Moment, *, dry_run: bool = False, leaving: Collection[RunId] = ()
) -> Collected:
    """Remove what nothing needs; dry_run: say what would go. leaving: runs that count as gone. Raises StoreDown."""
    try:
        needs = _Needs(store, leaving)
        with nullcontext() if dry_run else store.asides.lock():
            needs.take_all()
        doomed = {one: size for one, size in store.objects.sizes().items() if one not in needs.found}
        if not dry_run:
            doomed = _remove(store, needs, doomed)
            store.objects.note_looked_through(now.wall_ms)
    except _UnknownPins as error:
        log.warning("pinned contents stay as they are: %s", error)
        return Collected(why_not=str(error))
    return Collected(len(doomed), sum(doomed.values()))


def _remove(store: Store, needs: _Needs, doomed: Mapping[Revision, int]) -> dict[Revision, int]:
    """Returns what was removed: less, where somebody pins now. It is looked for again at the next time."""
    removed: dict[Revision, int] = {}
    names = sorted(doomed)
    for place in range(0, len(names), REMOVE_AT_ONCE):
        held = store.objects.removing()
        if held is None:
            break
        try:
            with store.asides.lock():
                needs.take_new()
            for one in names[place : place + REMOVE_AT_ONCE]:
                if one not in needs.found:
                    store.objects.remove(one)
                    removed[one] = doomed[one]
        finally:
            held.release()
    return removed


class _Needs:
    """What the runs of a store name; each run is looked at once, as what it pinned never changes (I9). The lock of what
    moves runs is held by whoever asks, so that none is on its way from one place to another.
    """

    def __init__(self, store: Store, leaving: Collection[RunId]) -> None:
        self._store = store
        self._known = {str(run) for run in leaving}
        self.found: set[Revision] = set()

    def take_all(self) -> None:
        """Runs that have ended by their lines of the list, all others by their own files. Raises _UnknownPins."""
        for run, text in self._store.index.texts().items():
            if run not in self._known and (named := hashes_in(text)):
                self._known.add(run)
                self._take(named)
        self.take_new()

    def take_new(self) -> None:
        """Runs that were not looked at yet. Raises _UnknownPins."""
        for name, folder in self._folders():
            if name not in self._known:
                self._take(_pinned_by(folder))
                self._known.add(name)

    def _folders(self) -> Iterator[tuple[str, Path]]:
        for run in self._store.runs.ids():
            yield run, self._store.runs.folder(run)
        for aside in (*self._store.asides.discarded(), *self._store.asides.leaving()):
            yield aside.run, aside.folder

    def _take(self, named: set[Revision]) -> None:
        open_ = named - self.found
        while open_:
            one = open_.pop()
            self.found.add(one)
            open_ |= self._store.objects.named_in(one) - self.found


def _pinned_by(folder: Path) -> set[Revision]:
    """By its journal, else by its record. Raises _UnknownPins; a folder that holds neither was never launched."""
    with disk_errors(folder):
        chosen = choose_segment(folder)
    entries = [] if chosen is None else [json.dumps(one).encode() for one in chosen.read.objects]
    found = set().union(*map(hashes_in, entries)) if entries else set()
    if found:
        return found
    with disk_errors(folder):
        try:
            found = hashes_in(read_regular(folder / RECORD_NAME))
        except (FileNotFoundError, NotADirectoryError, StoreDamaged):
            found = set()
    if not found and chosen is not None:
        raise _UnknownPins(folder)
    return found
