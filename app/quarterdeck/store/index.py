"""The run list as a cache: `index.jsonl`, one appended line at each run's end; the last line of a run wins.

Each line carries a stamp of the files it was made from (sizes and times, taken without opening them). A line whose
stamp fits is used as it is; every other run is summarised again from its record, or from its journal where the record
is missing, damaged or behind. So a deleted, truncated, damaged, newer or stale index gives the same visible result
(STO3). A run's end appends and never rewrites (STO4); compaction happens while loading, once the file has doubled.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDown, StoreError, disk_errors
from quarterdeck.store.growing_file import append_sealed
from quarterdeck.store.journal import JournalRead, choose_segment, segment_numbers, segment_path
from quarterdeck.store.json_text import dumps, fast_loads
from quarterdeck.store.lines import frame_body, read_lines
from quarterdeck.store.locks import short_lock
from quarterdeck.store.records import RECORD_NAME, Records
from quarterdeck.store.runs import RUN_NAME, Runs

INDEX_SCHEMA = 1
_SLACK_LINES = 1_000
_RECORD_ONLY = frozenset({"slots", "schema", "covers_seq"})

Stamp = list[int]
Summary = dict[str, Any]
SummariseJournal = Callable[[RunId, JournalRead], "Summary | None"]


def summary_of_record(record: dict[str, Any]) -> Summary:
    """The line of the run list that a record stands for: without its slots and what only the file needs (design §8)."""
    return {name: value for name, value in record.items() if name not in _RECORD_ONLY}


class Index:
    """The index of a store. Blocking; a short lock keeps the lines of several threads and processes apart.

    summarise_journal: set by the engine, gives the summary of a run that has no usable record; without it such runs
    are left out.
    """

    def __init__(self, io: DurableIO, folder: Path, runs: Runs, records: Records) -> None:
        self._io, self._runs, self._records = io, runs, records
        self._path, self._lock, self._runs_folder = (
            folder / "index.jsonl",
            folder / "index.lock",
            folder / "runs",
        )
        self.summarise_journal: SummariseJournal | None = None

    def append(self, summary: Summary) -> None:
        """One line for a run whose record was just published: that record, or its summary.

        StoreDown leaves the index as it was; the next load finds the run by its record.
        """
        run_id = RunId(summary["run_id"])
        line = _line(run_id, _stamp(os.fspath(self._runs.folder(run_id))), summary_of_record(summary))
        with short_lock(self._io, self._lock):
            self._append([line])

    def load(self) -> dict[RunId, Summary]:
        """The summary of every run in the store, by id. No record is opened for a run whose line fits."""
        known, lines, is_sound = self._read()
        stamps = self._stamps()
        found: dict[RunId, Summary] = {}
        fresh: list[bytes] = []
        for run_id, stamp in stamps.items():
            line = known.get(run_id)
            if line is not None and line[0] == stamp:
                found[run_id] = line[1]
                continue
            summary, is_final = self._summarise(run_id)
            if summary is not None:
                found[run_id] = summary
                if is_final:
                    fresh.append(_line(run_id, stamp, summary))
                    known[run_id] = (stamp, summary)
        if fresh or not is_sound or lines > 2 * len(stamps) + _SLACK_LINES:
            self._repair(fresh, rewrite=not is_sound or lines > 2 * len(stamps) + _SLACK_LINES)
        return found

    def _read(self) -> tuple[dict[RunId, tuple[Stamp, Summary]], int, bool]:
        """Known lines by run, how many lines there are, and whether the file is sound."""
        with disk_errors(self._path):
            read = read_lines(self._path, loads=fast_loads)
        objects = read.objects + read.after_damage
        if not objects or objects[0].get("schema") != INDEX_SCHEMA:
            return {}, 0, not objects and not read.damage
        known: dict[RunId, tuple[Stamp, Summary]] = {}
        for line in objects[1:]:
            run_id, stamp, summary = line.get("run_id"), line.get("stamp"), line.get("summary")
            if isinstance(run_id, str) and isinstance(stamp, list) and isinstance(summary, dict):
                known[RunId(run_id)] = (stamp, summary)
        return known, len(objects), not read.damage and not read.torn_bytes

    def _stamps(self) -> dict[RunId, Stamp]:
        try:
            with disk_errors(self._runs_folder), os.scandir(self._runs_folder) as entries:
                names = sorted(entry.name for entry in entries if RUN_NAME.fullmatch(entry.name))
        except StoreDown as error:
            if isinstance(error.__cause__, FileNotFoundError):
                return {}
            raise
        base = os.fspath(self._runs_folder)
        stamps = ((RunId(name), _stamp(f"{base}/{name}")) for name in names)
        return {run_id: stamp for run_id, stamp in stamps if stamp}

    def _summarise(self, run_id: RunId) -> tuple[Summary | None, bool]:
        """The summary of a run from its files, and whether it may be kept (a record that covers the journal)."""
        folder = self._runs.folder(run_id)
        try:
            record = self._records.read(run_id)
        except StoreDown:
            raise
        except StoreError:  # a damaged or newer record is no record; the journal is the truth (ruling 15)
            record = None
        with disk_errors(folder):
            chosen = choose_segment(folder)
        last_seq = len(chosen.read.objects) if chosen else 0
        if record is not None and record["covers_seq"] >= last_seq:
            return summary_of_record(record), True
        if chosen is not None and self.summarise_journal is not None:
            return self.summarise_journal(run_id, self._runs.read(run_id)), False
        return (summary_of_record(record), False) if record is not None else (None, False)

    def _repair(self, fresh: list[bytes], *, rewrite: bool) -> None:
        try:
            with short_lock(self._io, self._lock):
                if rewrite:
                    self._compact(fresh)
                else:
                    self._append(fresh)
        except StoreDown:  # it is a cache: on a disk that cannot be written the next load looks again
            return

    def _append(self, lines: list[bytes]) -> None:
        is_new = not self._path.exists() or not self._path.stat().st_size
        content = b"".join([_header(), *lines] if is_new else lines)
        append_sealed(self._io, self._path, content, sync=False)

    def _compact(self, fresh: Iterable[bytes]) -> None:
        """The newest line of each run that is still there; read again, because others may have appended."""
        known, _, _ = self._read()
        present = {run_id for run_id in known if self._runs.folder(run_id).is_dir()}
        kept = [_line(run_id, *known[run_id]) for run_id in sorted(present)]
        replace_file(self._io, self._path, b"".join([_header(), *kept, *fresh]))


def _header() -> bytes:
    return frame_body(dumps({"schema": INDEX_SCHEMA, "kind": "index"}))


def _line(run_id: RunId, stamp: Stamp, summary: Summary) -> bytes:
    return frame_body(dumps({"run_id": run_id, "stamp": stamp, "summary": summary}))


def _stamp(folder: str) -> Stamp:
    """Times and sizes of what a summary rests on; empty where the folder is no run.

    Of the journal it is the segment that is read and appended to, the highest, with its number. Segments are made one
    after the other and never removed, so a look for the second tells whether the folder has to be listed.
    """
    record, journal, own = _look(f"{folder}/{RECORD_NAME}"), _look(f"{folder}/journal.jsonl"), _look(folder)
    if own is None or (record is None and journal is None):
        return []
    number = 1
    if _look(f"{folder}/journal.2.jsonl") is not None:
        number = segment_numbers(Path(folder))[0]
        journal = _look(os.fspath(segment_path(Path(folder), number)))
    record_stamp = [record.st_size, record.st_mtime_ns] if record else [-1, 0]
    return [own.st_mtime_ns, *record_stamp, number, journal.st_size if journal else -1]


def _look(path: str) -> os.stat_result | None:
    try:
        return os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
