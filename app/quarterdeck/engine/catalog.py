"""Every run that is known: ended ones from the index, live ones of this process from memory, live ones of others from disk.

The list is a cache of what files say. `read` is blocking, runs in a worker thread and changes nothing; `merge` takes
what it found, on the loop. Nobody writes a status here: a workflow's status is projected each time it is asked for (OWN1).
"""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.show import summary_from_json
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.journal import JournalRead
from quarterdeck.store.json_text import fast_loads
from quarterdeck.store.regular import open_regular

log = logging.getLogger(__name__)
READ_EVERY_S = 10.0
READ_SHARE = 50
"""A list that takes long to read, and of which nothing moved, is read again after so many times its length."""

_Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What one look read. number: of the look; puts: how many runs had been put when it began; took_s: seconds.

    lines is None where nothing moved but what this process did itself, so that nothing was read.
    """

    number: int
    puts: int
    stamp: _Stamp
    lines: Mapping[RunId, RunSummary] | None = None
    seqs: Mapping[RunId, int] = field(default_factory=dict)
    left: frozenset[RunId] = frozenset()
    """Runs whose owner is gone and that are not settled: shown as settling would leave them."""
    took_s: float = 0.0
    closed: tuple[RunSummary, ...] = ()
    pinned: frozenset[RunId] | None = None
    """Runs that a person pinned; None where that cannot be read now."""


class _Made(NamedTuple):
    """A line of the index and what it says; seq: of the journal, 0 unknown. is_left: as `journal_summary.LEFT`."""

    text: bytes
    summary: RunSummary
    seq: int
    is_left: bool


class Catalog:
    """Summaries by run id. Reading is blocking and belongs in a worker thread; the rest is the loop's."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.is_own: Callable[[RunId], bool] = _is_nobody
        """Whether a run is live in this process: its files are not read for the list, its view is known."""
        self.for_good: Collection[RunId] = ()
        """Runs whose owner is gone and that nothing settles: nobody writes to them."""
        self.left: frozenset[RunId] = frozenset()
        """Runs whose owner is gone and that were not settled by the last look."""
        self._known: dict[RunId, RunSummary] = {}
        self._seqs: dict[RunId, int] = {}
        self.closed: tuple[RunSummary, ...] = ()
        """Runs that are not kept any more and were the last to end of their workflow, as far as the ledger says."""
        self.pinned: frozenset[RunId] = frozenset()
        """Runs that a person pinned, as of the last look that could be read."""
        self._closed_read: tuple[_Stamp, tuple[RunSummary, ...]] | None = None
        self._looking = threading.Lock()
        self._made: dict[RunId, _Made] = {}
        """What was made of the lines at the last look, used again where a line is the same; of whoever holds the lock."""
        self._looks = self._merged = self._puts = 0
        self._put_at: dict[RunId, int] = {}
        """Runs that were put here since the last look that was taken, each with its place among all puts."""
        self._sorted: tuple[RunSummary, ...] | None = None
        self._stamp: _Stamp = ()
        self._read_at_s = 0.0
        self._read_took_s = 0.0
        store.index.summarise_journal = self._summarise

    def read(self) -> Found:
        """Read the list anew; blocking, one look at a time, and changes nothing: `merge` takes it. Raises StoreError."""
        with self._looking:
            return self._read(self._look())

    def read_if_changed(self) -> Found:
        """As `read`, but a list of which nothing moved is read seldom: a look at it costs three `stat` calls."""
        with self._looking:
            known = list(self._known.values())
            is_watched = any(line.is_live for line in known) or not self.left <= set(self.for_good)
            is_old = time.monotonic() - self._read_at_s > max(READ_EVERY_S, READ_SHARE * self._read_took_s)
            seen = self._look()
            if is_old or is_watched or (seen.stamp != self._stamp and not self._is_all_own(seen.stamp)):
                return self._read(seen)
            return seen

    def _read(self, seen: Found) -> Found:
        begun_s = time.monotonic()
        made: dict[RunId, _Made] = {}
        for run, text in self._store.index.texts().items():
            before = self._made.get(run)
            made[run] = before if before is not None and before.text == text else _made(text)
        self._made = made
        fresh = {run: line.summary for run, line in made.items()}
        seqs = {run: line.seq for run, line in made.items()}
        left = frozenset(run for run, line in made.items() if line.is_left)
        closed = self._read_closed(seen.stamp)
        took_s = time.monotonic() - begun_s
        return replace(seen, lines=fresh, seqs=seqs, left=left, took_s=took_s, closed=closed)

    def _read_closed(self, stamp: _Stamp) -> tuple[RunSummary, ...]:
        """Read again where a run was moved or the ledger has grown; an empty ledger closes nothing."""
        size = self._store.ledger.size_bytes()
        known = (size, *stamp[2:])
        if not size:
            return ()
        if self._closed_read is None or self._closed_read[0] != known:
            from quarterdeck.engine.closed import closed_runs

            self._closed_read = known, closed_runs(self._store)
        return self._closed_read[1]

    def merge(self, found: Found) -> dict[RunId, int]:
        """Take what a look found; {run whose line changed: its journal sequence, 0 unknown}. On the loop.

        A run that was put here since the look began stays as it was put, unless its files say more (OWN5). A look that
        began before one that was taken already is dropped.
        """
        if found.number < self._merged:
            return {}
        self._merged, self._stamp = found.number, found.stamp
        turned = self._take_pins(found)
        if found.lines is None:
            return {run: self._seqs.get(run, 0) for run in turned}
        fresh, seqs = dict(found.lines), dict(found.seqs)
        self._put_at = {run: number for run, number in self._put_at.items() if number > found.puts}
        for run in self._put_at:
            if run not in fresh or seqs[run] < self._seqs[run]:
                fresh[run], seqs[run] = self._known[run], self._seqs[run]
        known = self._known
        changed = {run for run, line in fresh.items() if (old := known.get(run)) is not line and old != line}
        changed |= {run for run, seq in seqs.items() if self._seqs.get(run) != seq}
        changed |= self._known.keys() - fresh.keys()
        changed |= turned
        changed |= {
            run for run, line in fresh.items() if line.is_live and line.foreign
        }  # its reports may say more
        self._known, self._seqs, self._sorted = fresh, seqs, None
        self.closed, self.left = found.closed, found.left
        self._read_at_s, self._read_took_s = time.monotonic(), found.took_s
        return {run: seqs.get(run, 0) for run in changed}

    def _take_pins(self, found: Found) -> frozenset[RunId]:
        """Runs that were pinned or unpinned since the last look."""
        if found.pinned is None:
            return frozenset()
        before, self.pinned = self.pinned, found.pinned
        return before ^ self.pinned

    def _is_all_own(self, stamp: _Stamp) -> bool:
        """Whether this process alone made what moved since the last look: runs that it launched, ends that it wrote."""
        if not self._stamp or stamp[0] < self._stamp[0]:
            return False
        try:
            names = [RunId(name) for name in os.listdir(self._store.folder / "runs")]
            with open(open_regular(self._store.folder / "index.jsonl"), "rb") as file:
                file.seek(self._stamp[0])
                added = [json.loads(line) for line in file.read(stamp[0] - self._stamp[0]).splitlines()]
            ended = [(RunId(line["run_id"]), int(line["summary"]["seq"])) for line in added]
        except (StoreError, OSError, ValueError, KeyError, TypeError):
            return False
        are_known = all(name in self._known or self.is_own(name) for name in names)
        are_ours = all(self._seqs.get(run) == seq or self.is_own(run) for run, seq in ended)
        return are_known and are_ours and len(names) >= len(self._known)

    def _look(self) -> Found:
        """What moves when a run is launched (its folder) or ends (its line)."""
        self._looks, puts = self._looks + 1, self._puts
        found: list[int] = []
        for path in (self._store.folder / "index.jsonl", self._store.folder / "runs"):
            try:
                status = path.stat()
            except OSError:  # missing, or no folder: reading the list says what is wrong
                found += [0, 0]
                continue
            found += [status.st_size, status.st_mtime_ns]
        return Found(self._looks, puts, tuple(found), pinned=self._read_pins())

    def _read_pins(self) -> frozenset[RunId] | None:
        try:
            return self._store.pinned.load()
        except StoreError as error:  # the list is worth more; nothing leaves by a cap while that lasts
            log.info("which runs are pinned cannot be read: %s", error)
            return None

    def put(self, view: RunView) -> None:
        """A run of this process ended; its line is known without reading."""
        self._known[view.run_id] = _summary_of(view)
        self._seqs[view.run_id] = view.seq
        self._puts += 1
        self._put_at[view.run_id] = self._puts
        self._sorted = None

    def all(self, own: Iterable[RunView]) -> tuple[RunSummary, ...]:
        """Every run, newest launch first; this process's live views outrank what was read."""
        if self._sorted is None:
            self._sorted = tuple(sorted(self._known.values(), key=_newest_first))
        live = {view.run_id: _summary_of(view) for view in own}
        if not live:
            return self._sorted
        rest = [line for line in self._sorted if line.run_id not in live]
        return tuple(sorted([*live.values(), *rest], key=_newest_first))

    def find(self, start: str, own: Iterable[RunView]) -> RunId | Refusal:
        """The one run whose id is or begins so, with or without `r-`; one that cannot be read is told as that."""
        wanted = start.strip().lower()
        ids = [line.run_id for line in self.all(own)]
        ids += [run for run in self.unreadable if run not in ids]
        if wanted in ids:
            return self._readable(RunId(wanted))
        bare = wanted.removeprefix("r-")
        fits = [run for run in ids if wanted and run.startswith((wanted, f"r-{bare}"))]
        if len(fits) == 1:
            return self._readable(fits[0])
        if not fits:
            return Refusal(
                Code.E_RUN, f"There is no run {start!r}. `quarterdeck runs` lists those that are kept here."
            )
        named = ", ".join(fits[:5])
        return Refusal(Code.E_AMBIGUOUS, f"{start!r} fits {len(fits)} runs ({named}); write more of the id.")

    @property
    def unreadable(self) -> Mapping[RunId, str]:
        """Runs that are kept and cannot be read, as of the last look, and why in words."""
        return self._store.index.unreadable

    def _readable(self, run: RunId) -> RunId | Refusal:
        if run in self._known or (why := self.unreadable.get(run)) is None:
            return run
        return Refusal(Code.E_RUN, f"Run {run} cannot be read: {why}", (("run", run),))

    def _summarise(self, run: RunId, read: JournalRead) -> dict[str, Any] | None:
        """The line of a run without a usable record: by its journal and reports."""
        if self.is_own(run):
            return None
        if not read.entries:
            reason = "its journal has no readable header" if read.unknown is None else read.unknown.reason
            raise StoreDamaged(str(self._store.runs.folder(run)), reason)
        from quarterdeck.engine.journal_summary import (
            summary_of_journal,
        )  # large, and needed for such runs only

        return summary_of_journal(self._store, run, read)


def _summary_of(view: RunView) -> RunSummary:
    from quarterdeck.domain.join import summary  # large; a process that has views of its own has it loaded

    return summary(view)


def _is_nobody(run: RunId) -> bool:
    return False


def _newest_first(line: RunSummary) -> int:
    return -line.launch_seq


def _made(text: bytes) -> _Made:
    line = fast_loads(text)
    return _Made(text, summary_from_json(line), int(line.get("seq") or 0), line.get("is_left") is True)
