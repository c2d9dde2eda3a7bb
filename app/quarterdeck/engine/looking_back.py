"""What is kept of the past beyond runs and records: spend by the ledger, waits for a person, the app's log. See `engine.past`.

Blocking; called from a worker thread, one call at a time (the engine's lock). Nothing is written here.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import Entry, RunEnded
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.last_signs import sitting_view
from quarterdeck.domain.reports import APPROVAL, APPROVAL_ANSWERED, EXIT, STARTING, Report
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.spend_rows import SpendReport, rows_of_lines
from quarterdeck.domain.views import SittingView
from quarterdeck.domain.waits import Wait, waits_of, within
from quarterdeck.engine.disk_views import read_folds
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.log_tail import read_log_tail
from quarterdeck.engine.past import LogTail
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError
from quarterdeck.store.lines import DamagedLine, unframe
from quarterdeck.store.regular import open_regular

log = logging.getLogger(__name__)
_KINDS = (STARTING, APPROVAL, APPROVAL_ANSWERED, EXIT)
_MARKS = tuple(f'"kind":"{kind}"'.encode() for kind in _KINDS)


class LookingBack:
    """One for each engine. Keeps the last report of the ledger while the file does not grow, and waits of ended runs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = asyncio.Lock()
        self._spend: tuple[int, SpendReport] | None = None
        self._waits: dict[tuple[RunId, int], tuple[Wait, ...]] = {}

    async def spend(self) -> SpendReport:
        """Everything that was ever recorded, discarded and evicted runs included. Raises StoreUnusable."""
        async with self._lock:
            try:
                return await asyncio.to_thread(self._read_spend)
            except StoreError as error:
                raise StoreUnusable(f"The ledger cannot be read: {error}") from error

    async def waits(self, runs: Iterable[tuple[RunId, int | None]]) -> dict[RunId, tuple[Wait, ...]]:
        """The questions of runs: (run, its end_seq; None while live). A run that cannot be read is left out."""
        async with self._lock:
            return await asyncio.to_thread(self._read_all_waits, tuple(runs))

    async def log_tail(self) -> LogTail:
        """The newest lines of the app's own log."""
        return await asyncio.to_thread(read_log_tail)

    def _read_spend(self) -> SpendReport:
        ledger = self._store.ledger
        size = ledger.size_bytes()
        if self._spend is None or self._spend[0] != size:
            read = rows_of_lines(ledger.load())
            self._spend = size, SpendReport(read.rows, read.unread + len(ledger.damage()))
        return self._spend[1]

    def _read_all_waits(self, runs: tuple[tuple[RunId, int | None], ...]) -> dict[RunId, tuple[Wait, ...]]:
        found = {}
        for run, end_seq in runs:
            known = self._waits.get((run, end_seq)) if end_seq is not None else None
            if known is None:
                try:
                    known = self._read_waits(run)
                except (StoreError, DomainError, OSError, ValueError) as error:
                    log.info("the questions of run %s cannot be read: %s", run, error)
                    continue
                if end_seq is not None:
                    self._waits[run, end_seq] = known
            found[run] = known
        return found

    def _read_waits(self, run: RunId) -> tuple[Wait, ...]:
        entries = self._store.runs.read(run).entries
        attempts = self._store.attempts
        reports = {i: _telling_reports(attempts.folder(run, i).reports_path) for i in attempts.ids(run)}
        asking: dict[AttemptId, list[Report]] = {
            attempt: lines
            for attempt, lines in reports.items()
            if any(line.get("kind") == APPROVAL for line in lines)
        }
        return within(waits_of(entries, asking), self._lost_sittings(entries))

    def _lost_sittings(self, entries: Sequence[Entry]) -> tuple[SittingView, ...]:
        """Those whose owner was lost; their ends need the reports of every attempt."""
        if not any(
            isinstance(entry.event, RunEnded) and entry.event.settled is not False for entry in entries
        ):
            return ()
        state = fold(entries)
        if all(sitting.settled_at is None for sitting in state.sittings):
            return ()
        folds = read_folds(self._store, state)
        return tuple(sitting_view(state, sitting, folds) for sitting in state.sittings)


def _telling_reports(path: Path) -> list[dict[str, Any]]:
    """The few reports that tell of waits, without parsing the rest; a damaged line ends what can be trusted."""
    found: list[dict[str, Any]] = []
    try:
        with open(open_regular(path), "rb") as file:
            for line in file:
                if line.endswith(b"\n") and any(mark in line for mark in _MARKS):
                    found.append(unframe(line))
    except FileNotFoundError:
        return []
    except DamagedLine as damage:
        log.info("%s is read up to a damaged line: %s", path, damage)
    return found
