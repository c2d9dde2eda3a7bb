"""The data folder as a whole: `Store` opens it, counts launches and ends, and hands out the parts.

`store.json` holds schema, tenant and the two counters (rulings 7, design §3); it is replaced under a short lock, so that
two processes never get one number. Nothing is decided about runs here.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import TenantId
from quarterdeck.store.asides import Asides
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.commit import Committer
from quarterdeck.store.durable_io import DurableIO, ReadOnlyIO, make_folder, replace_file, sweep_temps
from quarterdeck.store.errors import StoreDamaged, StoreTooNew, disk_errors
from quarterdeck.store.index import Index
from quarterdeck.store.ledger import Ledger
from quarterdeck.store.lines import frame
from quarterdeck.store.locks import short_lock
from quarterdeck.store.objects import ObjectStore
from quarterdeck.store.pinned_runs import PINNED, PinnedRuns
from quarterdeck.store.quarantine import Quarantine
from quarterdeck.store.records import Records
from quarterdeck.store.runs import Runs
from quarterdeck.store.sessions import Sessions
from quarterdeck.store.settings_part import config_folder
from quarterdeck.store.store_file import STORE_SCHEMA, gathered, migrate, read_store
from quarterdeck.store.trusted import TRUSTED, TrustedContents

log = logging.getLogger(__name__)
MADE_AGAIN = (
    "%s was missing and was made again from the runs that are kept; some numbers of runs are left out"
)
DATA_DIR_VARIABLE = "QUARTERDECK_DATA_DIR"
_FOLDERS = ("sessions", "objects", "runs")


def default_folder() -> Path:
    """`QUARTERDECK_DATA_DIR`, else the user's data folder of this system."""
    chosen = os.environ.get(DATA_DIR_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    import platformdirs

    return Path(platformdirs.user_data_path("quarterdeck", appauthor=False))


class Store:
    """One data folder. Made by `open`; `close` ends its writer thread after everything queued is durable.

    All parts are blocking and belong off any event loop. Journals append through `writer`; work that must keep its place
    behind them goes there too (`writer.run(lambda: …)`). All else is durable by itself, on whatever worker thread.
    """

    def __init__(self, folder: Path, io: DurableIO, tenant: TenantId, newer: str = "") -> None:
        self.folder, self.io, self.tenant = folder, io, tenant
        self.newer = newer
        """Why this store is only read, in one sentence; empty where it is of this version."""
        self.config: Callable[[], Path] = config_folder
        """The folder of the settings that hold for it: this user's, unless whoever opened it says otherwise. Blocking."""
        self.writer = Committer()
        self.quarantine = Quarantine(io, folder)
        self.asides = Asides(io, folder)
        self.pinned = PinnedRuns(io, folder)
        self.trusted = TrustedContents(io, folder)
        self.runs = Runs(io, self.writer, folder / "runs")
        self.attempts = Attempts(io, self.runs.folder)
        self.objects = ObjectStore(io, folder / "objects")
        self.records = Records(io, self.runs.folder, self.quarantine)
        self.index = Index(io, folder, self.runs, self.records, self.quarantine)
        self.ledger = Ledger(io, folder)
        self.sessions = Sessions(io, folder / "sessions", self.quarantine)

    @staticmethod
    def open(folder: Path, io: DurableIO | None = None, *, create: bool = True) -> Store:
        """The store in `folder`, made (0700) where it is missing. Raises StoreDown.

        create=False writes nothing at all: on an empty machine the store is empty, its tenant is `""`.
        An existing store that cannot be written opens as well; each write then says StoreDown. So does one of a newer
        schema, which says why in `newer` (JNL9). A damaged `store.json` is set aside and made again.
        """
        io = io or DurableIO()
        if not create:
            content = _read_or_gather(folder)
        else:
            try:
                content = read_store(folder)
            except StoreDamaged:
                content = None
            if _needs_making(folder, content):
                content = _make(io, folder)
        newer = ""
        if content and content["schema"] > STORE_SCHEMA:
            newer = str(StoreTooNew(str(folder), content["schema"], STORE_SCHEMA))
            io = ReadOnlyIO()
        return Store(folder, io, TenantId(content["tenant"] if content else ""), newer)

    def next_launch_seq(self) -> int:
        """The next number of a launch, from 1; durable when this returns. Numbers may be left out, never repeated.

        A `store.json` that was lost or damaged since it was opened, or that was opened for reading alone, is made again first.
        """
        return self._count("launch_seq")

    def next_end_seq(self) -> int:
        """The next number of a run's end (ruling 7), as `next_launch_seq`."""
        return self._count("end_seq")

    def sweep(self) -> int:
        """Removes temp files that dead processes left in the store's own folders (STO10); returns how many.

        Those in a run's folder are swept when the run is opened for writing.
        """
        with disk_errors(self.folder):
            places = [self.folder, *(self.folder / name for name in (*_FOLDERS, PINNED, TRUSTED))]
            return sum(sweep_temps(self.io, place) for place in places if place.is_dir())

    def close(self) -> None:
        """Ends the writer thread. Idempotent."""
        self.writer.close()

    def _count(self, name: str) -> int:
        path = self.folder / "store.json"
        with short_lock(self.io, self.folder / "store.lock"):
            content = _content_of(self.io, self.folder)
            number = int(content[name]) + 1
            with disk_errors(path):
                replace_file(self.io, path, frame(content | {name: number}))
        return number


def _needs_making(folder: Path, content: dict[str, Any] | None) -> bool:
    if content is None or content["schema"] < STORE_SCHEMA:
        return True
    return content["schema"] == STORE_SCHEMA and not all((folder / name).is_dir() for name in _FOLDERS)


def _read_or_gather(folder: Path) -> dict[str, Any] | None:
    """For who writes nothing: a damaged file does not hide the rest."""
    try:
        return read_store(folder)
    except StoreDamaged:
        return gathered(folder)


def _make(io: DurableIO, folder: Path) -> dict[str, Any]:
    """Makes what is missing or damaged, once, however many processes try at a time."""
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_folder(io, folder)
    with short_lock(io, folder / "store.lock"), disk_errors(folder):
        for name in _FOLDERS:
            make_folder(io, folder / name)
        content = _content_of(io, folder)
        if content["schema"] < STORE_SCHEMA:
            content = migrate(io, folder, content)
    return content


def _content_of(io: DurableIO, folder: Path) -> dict[str, Any]:
    """What `store.json` holds, made again where it is missing or damaged. The caller holds the store's lock."""
    path = folder / "store.json"
    try:
        content = read_store(folder)
    except StoreDamaged as error:
        log.warning("%s; it is set aside and made again from the runs that are kept", error)
        content = gathered(folder)
        Quarantine(io, folder).take(path)
        with disk_errors(path):
            replace_file(io, path, frame(content))
    if content is None:
        content = gathered(folder)  # a file that was moved away, or a kill while it was made again
        if content["tenant"] and content["launch_seq"]:
            log.warning(MADE_AGAIN, path)
        with disk_errors(path):
            replace_file(io, path, frame(content))
    return content
