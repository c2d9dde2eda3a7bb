"""The data folder as a whole: `Store` opens it, counts launches and ends, and hands out the parts.

`store.json` holds schema, tenant and the two counters (rulings 7, design §3); it is replaced under a short lock, so that
two processes never get one number. Nothing is decided about runs here.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import TenantId
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.commit import Committer
from quarterdeck.store.durable_io import DurableIO, make_folder, replace_file, sweep_temps
from quarterdeck.store.errors import StoreDamaged, StoreTooNew, disk_errors
from quarterdeck.store.index import Index
from quarterdeck.store.ledger import Ledger
from quarterdeck.store.lines import DamagedLine, frame, unframe
from quarterdeck.store.locks import short_lock
from quarterdeck.store.objects import ObjectStore
from quarterdeck.store.records import Records
from quarterdeck.store.regular import read_regular
from quarterdeck.store.runs import Runs
from quarterdeck.store.sessions import Sessions

STORE_SCHEMA = 1
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

    def __init__(self, folder: Path, io: DurableIO, tenant: TenantId) -> None:
        self.folder, self.io, self.tenant = folder, io, tenant
        self.writer = Committer()
        self.runs = Runs(io, self.writer, folder / "runs")
        self.attempts = Attempts(io, self.runs.folder)
        self.objects = ObjectStore(io, folder / "objects")
        self.records = Records(io, self.runs.folder)
        self.index = Index(io, folder, self.runs, self.records)
        self.ledger = Ledger(io, folder)
        self.sessions = Sessions(io, folder / "sessions")

    @staticmethod
    def open(folder: Path, io: DurableIO | None = None, *, create: bool = True) -> Store:
        """The store in `folder`, made (0700) where it is missing. Raises StoreTooNew, StoreDamaged, StoreDown.

        create=False writes nothing at all: on an empty machine the store is empty, its tenant is `""`.
        An existing store that cannot be written opens as well; each write then says StoreDown.
        """
        io = io or DurableIO()
        content = _read_store(folder)
        if create and (content is None or not all((folder / name).is_dir() for name in _FOLDERS)):
            content = _make(io, folder)
        return Store(folder, io, TenantId(content["tenant"] if content else ""))

    def next_launch_seq(self) -> int:
        """The next number of a launch, from 1; durable when this returns. Numbers may be left out, never repeated."""
        return self._count("launch_seq")

    def next_end_seq(self) -> int:
        """The next number of a run's end (ruling 7), as `next_launch_seq`."""
        return self._count("end_seq")

    def sweep(self) -> int:
        """Removes temp files that dead processes left in the store's own folders (STO10); returns how many.

        Those in a run's folder are swept when the run is opened for writing.
        """
        with disk_errors(self.folder):
            places = [self.folder, *(self.folder / name for name in _FOLDERS)]
            return sum(sweep_temps(self.io, place) for place in places if place.is_dir())

    def close(self) -> None:
        """Ends the writer thread. Idempotent."""
        self.writer.close()

    def _count(self, name: str) -> int:
        path = self.folder / "store.json"
        with short_lock(self.io, self.folder / "store.lock"):
            content = _read_store(self.folder)
            if content is None:
                raise StoreDamaged(str(path), "it is missing")
            number = int(content[name]) + 1
            with disk_errors(path):
                replace_file(self.io, path, frame(content | {name: number}))
        return number


def _read_store(folder: Path) -> dict[str, Any] | None:
    path = folder / "store.json"
    with disk_errors(path):
        try:
            raw = read_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
    try:
        content = unframe(raw)
        schema, tenant = content["schema"], content["tenant"]
        if not isinstance(schema, int) or not isinstance(tenant, str):
            raise StoreDamaged(str(path), "schema or tenant are of the wrong type")
    except (DamagedLine, KeyError) as error:
        raise StoreDamaged(str(path), str(error)) from error
    if schema > STORE_SCHEMA:
        raise StoreTooNew(str(folder), schema, STORE_SCHEMA)
    return content


def _make(io: DurableIO, folder: Path) -> dict[str, Any]:
    """Makes what is missing, once, however many processes try at a time."""
    with disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_folder(io, folder)
    with short_lock(io, folder / "store.lock"), disk_errors(folder):
        for name in _FOLDERS:
            make_folder(io, folder / name)
        content = _read_store(folder)
        if content is None:
            tenant = f"t-{os.urandom(16).hex()}"
            content = {"schema": STORE_SCHEMA, "tenant": tenant, "launch_seq": 0, "end_seq": 0}
            replace_file(io, folder / "store.json", frame(content))
    return content
