"""Every run that is known: ended ones from the index, live ones of this process from memory, live ones of others from disk.

The list is a cache of what files say; `refresh` is blocking and runs in a worker thread. Nobody writes a status here:
a workflow's status is projected each time it is asked for (OWN1).
"""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId
from quarterdeck.domain.join import run_view, summary
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.show import run_to_json, summary_from_json
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.disk_views import agent_kinds, read_folds
from quarterdeck.store.data_folder import Store
from quarterdeck.store.journal import JournalRead

log = logging.getLogger(__name__)
READ_EVERY_S = 10.0
READ_SHARE = 50
"""A list that takes long to read, and of which nothing moved, is read again after so many times its length."""

_Stamp = tuple[int, ...]


class Catalog:
    """Summaries by run id. Reading is blocking and belongs in a worker thread; the rest is the loop's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.is_own: Callable[[RunId], bool] = _is_nobody
        """Whether a run is live in this process: its files are not read for the list, its view is known."""
        self._known: dict[RunId, RunSummary] = {}
        self._seqs: dict[RunId, int] = {}
        self._sorted: tuple[RunSummary, ...] | None = None
        self._stamp: _Stamp = ()
        self._read_at_s = 0.0
        self._read_took_s = 0.0
        store.index.summarise_journal = self._summarise

    def refresh(self) -> dict[RunId, int]:
        """Read the list anew; {run whose line changed: its journal sequence, 0 unknown}. Raises StoreError."""
        begun_s = time.monotonic()
        stamp = self._look()
        lines = self._store.index.load()
        fresh = {run: _summary(line) for run, line in lines.items()}
        seqs = {run: int(line.get("seq") or 0) for run, line in lines.items()}
        changed = {run for run, line in fresh.items() if self._known.get(run) != line}
        changed |= {run for run, seq in seqs.items() if self._seqs.get(run) != seq}
        changed |= self._known.keys() - fresh.keys()
        self._known, self._seqs, self._stamp, self._sorted = fresh, seqs, stamp, None
        self._read_at_s = time.monotonic()
        self._read_took_s = self._read_at_s - begun_s
        return {run: seqs.get(run, 0) for run in changed}

    def refresh_if_changed(self) -> dict[RunId, int]:
        """As `refresh`, but a list of which nothing moved is read seldom: a look at it costs three `stat` calls."""
        is_watched = any(line.is_live for line in self._known.values())
        is_old = time.monotonic() - self._read_at_s > max(READ_EVERY_S, READ_SHARE * self._read_took_s)
        stamp = self._look()
        if is_old or is_watched or (stamp != self._stamp and not self._is_all_own(stamp)):
            return self.refresh()
        self._stamp = stamp
        return {}

    def _is_all_own(self, stamp: _Stamp) -> bool:
        """Whether this process alone made what moved since the last look: runs that it launched, ends that it wrote."""
        if not self._stamp or stamp[0] < self._stamp[0]:
            return False
        try:
            names = [RunId(name) for name in os.listdir(self._store.folder / "runs")]
            with open(self._store.folder / "index.jsonl", "rb") as file:
                file.seek(self._stamp[0])
                added = [json.loads(line) for line in file.read(stamp[0] - self._stamp[0]).splitlines()]
            ended = [(RunId(line["run_id"]), int(line["summary"]["seq"])) for line in added]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        are_known = all(name in self._known or self.is_own(name) for name in names)
        are_ours = all(self._seqs.get(run) == seq or self.is_own(run) for run, seq in ended)
        return are_known and are_ours and len(names) >= len(self._known)

    def _look(self) -> _Stamp:
        """What moves when a run is launched (its folder) or ends (its line)."""
        found: list[int] = []
        for path in (self._store.folder / "index.jsonl", self._store.folder / "runs"):
            try:
                status = path.stat()
            except OSError:  # missing, or no folder: reading the list says what is wrong
                found += [0, 0]
                continue
            found += [status.st_size, status.st_mtime_ns]
        return tuple(found)

    def put(self, view: RunView) -> None:
        """A run of this process ended; its line is known without reading."""
        self._known[view.run_id] = summary(view)
        self._seqs[view.run_id] = view.seq
        self._sorted = None

    def all(self, own: Iterable[RunView]) -> tuple[RunSummary, ...]:
        """Every run, newest launch first; this process's live views outrank what was read."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self._known.values(), key=_newest_first))
        live = {view.run_id: summary(view) for view in own}
        if not live:
            return self._sorted
        rest = [line for line in self._sorted if line.run_id not in live]
        return tuple(sorted([*live.values(), *rest], key=_newest_first))

    def find(self, start: str, own: Iterable[RunView]) -> RunId | Refusal:
        """The one run whose id is or begins so, with or without `r-`."""
        wanted = start.strip().lower()
        ids = [line.run_id for line in self.all(own)]
        if wanted in ids:
            return RunId(wanted)
        bare = wanted.removeprefix("r-")
        fits = [run for run in ids if bare and run.removeprefix("r-").startswith(bare)]
        if len(fits) == 1:
            return fits[0]
        if not fits:
            return Refusal(
                Code.E_RUN, f"There is no run {start!r}. `quarterdeck runs` lists those that are kept here."
            )
        named = ", ".join(fits[:5])
        return Refusal(Code.E_AMBIGUOUS, f"{start!r} fits {len(fits)} runs ({named}); write more of the id.")

    def _summarise(self, run: RunId, read: JournalRead) -> dict[str, Any] | None:
        """The line of a run without a usable record: by its journal and reports."""
        if not read.entries or self.is_own(run):
            return None
        try:
            state = fold(read.entries)
        except DomainError as error:
            log.warning("the journal of run %s cannot be folded: %s", run, error)
            return None
        foreign = state.is_live and self._store.runs.is_owned(run)
        view = run_view(
            state, read_folds(self._store, state), {}, agent_kinds(self._store, state), foreign=foreign
        )
        return run_to_json(view, with_slots=False)


def _is_nobody(run: RunId) -> bool:
    return False


def _newest_first(line: RunSummary) -> int:
    return -line.launch_seq


def _summary(line: Mapping[str, Any]) -> RunSummary:
    return summary_from_json(dict(line))
