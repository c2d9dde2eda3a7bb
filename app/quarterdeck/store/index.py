"""The run list as a cache: `index.jsonl`, one appended line at each run's end; the last line of a run wins.

Each line carries a stamp of the files it was made from (sizes and times, taken without opening them). A line whose
stamp fits is used as it is; every other run is summarised again from its record, or from its journal where the record
is missing, damaged or behind. So a deleted, truncated, damaged, newer or stale index gives the same visible result
(STO3). A run's end appends and never rewrites (STO4); compaction happens while loading, once the file has doubled.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, StoreDown, StoreError, StoreTooNew, disk_errors
from quarterdeck.store.growing_file import append_sealed
from quarterdeck.store.index_lines import (
    INDEX_SCHEMA,
    RECORD_NAME,
    RUN_NAME,
    Line,
    Stamp,
    has_header,
    stamp_of,
    stamps,
    take_lines,
)
from quarterdeck.store.journal import JournalRead, SegmentLines, choose_segment
from quarterdeck.store.json_text import dumps, fast_loads
from quarterdeck.store.lines import Damage, frame_body, read_lines
from quarterdeck.store.locks import short_lock
from quarterdeck.store.quarantine import Quarantine
from quarterdeck.store.records import Records, attempts_of
from quarterdeck.store.regular import open_regular
from quarterdeck.store.runs import Runs

_SLACK_LINES = 1_000
_RECORD_ONLY = frozenset({"slots", "schema", "covers_seq"})
_TAIL_BYTES = 256

Summary = dict[str, Any]
SummariseJournal = Callable[[RunId, JournalRead], "Summary | None"]


class _Taken(NamedTuple):
    """How far the file was read: which file, up to where, how many lines, and the bytes before that place."""

    file: tuple[int, int]
    size: int
    lines: int
    tail: bytes


def summary_of_record(record: dict[str, Any]) -> Summary:
    """The line of the run list that a record stands for: without its slots and what only the file needs (design §8)."""
    return {name: value for name, value in record.items() if name not in _RECORD_ONLY}


class Index:
    """The index of a store. Blocking; a short lock keeps the lines of several threads and processes apart.

    summarise_journal: set by the engine, gives the summary of a run that has no usable record; without it such runs
    are left out.
    """

    def __init__(
        self, io: DurableIO, folder: Path, runs: Runs, records: Records, quarantine: Quarantine
    ) -> None:
        self._io, self._runs, self._records, self._quarantine = io, runs, records, quarantine
        self._path, self._lock, self._runs_folder = (
            folder / "index.jsonl",
            folder / "index.lock",
            folder / "runs",
        )
        self.summarise_journal: SummariseJournal | None = None
        self.unreadable: Mapping[RunId, str] = {}
        """Runs that the last load left out because their files cannot be read, and why; replaced, never changed."""
        self.in_part: Mapping[RunId, str] = {}
        """Runs of which the last load could use a part only, and why; replaced, never changed."""
        self._passed_over: dict[RunId, str] = {}
        self._is_damaged = False
        self._reading = threading.RLock()
        self._known: dict[str, Line] = {}
        self._taken: _Taken | None = None

    def append(self, summary: Summary) -> None:
        """One line for a run whose record was just published: that record, or its summary.

        StoreDown leaves the index as it was; the next load finds the run by its record.
        """
        run_id = RunId(summary["run_id"])
        line = _line(
            run_id, stamp_of(os.fspath(self._runs.folder(run_id))), dumps(summary_of_record(summary))
        )
        with short_lock(self._io, self._lock):
            self._append([line])

    def load(self) -> dict[RunId, Summary]:
        """The summary of every run in the store, by id. No record is opened for a run whose line fits."""
        return {run_id: fast_loads(text) for run_id, text in self.texts().items()}

    def texts(self) -> dict[RunId, bytes]:
        """As `load`, each summary as its JSON text. Of a file that only grew, what was added is read and no more."""
        with self._reading:
            known, lines, is_sound = self._read()
            with disk_errors(self._runs_folder):
                present = stamps(os.fspath(self._runs_folder), known)
            found: dict[RunId, bytes] = {}
            fresh: list[bytes] = []
            unreadable: dict[RunId, str] = {}
            self._passed_over = {}
            for name, stamp in present.items():
                line, run_id = known.get(name), RunId(name)
                if line is not None and line[0] == stamp:
                    found[run_id] = line[1]
                    continue
                try:
                    summary, is_final = self._summarise(run_id)
                except (StoreError, DomainError, OSError, ValueError) as error:  # one run hinders no other
                    unreadable[run_id] = str(error)
                    continue
                if summary is not None:
                    found[run_id] = dumps(summary)
                    if is_final:
                        fresh.append(_line(run_id, stamp, found[run_id]))
            self.unreadable = unreadable
            self.in_part = {run: why for run, why in self._passed_over.items() if run in found}
            is_long = lines > 2 * len(present) + _SLACK_LINES
            if fresh or not is_sound or is_long:
                self._repair(fresh, rewrite=not is_sound or is_long)
            return found

    def _read(self) -> tuple[dict[str, Line], int, bool]:
        """Known lines by run, how many lines there are, and whether the file is sound."""
        with disk_errors(self._path):
            try:
                fd = open_regular(self._path)
            except FileNotFoundError:
                self._taken = None
                return {}, 0, True
            except StoreDamaged:  # it is a cache: without one, every run is looked into
                self._taken = None
                return {}, 0, False
            try:
                lines = self._take_added(fd)
            finally:
                os.close(fd)
        if lines is not None:
            return self._known, lines, True
        self._taken = None
        return self._read_damaged()

    def _take_added(self, fd: int) -> int | None:
        """Read on where the last reading ended, or from the start where that is another file; None: not as we write it."""
        status, taken = os.fstat(fd), self._taken
        file = (status.st_dev, status.st_ino)
        is_grown = taken is not None and taken.file == file and taken.size <= status.st_size
        if (
            taken is None
            or not is_grown
            or os.pread(fd, len(taken.tail), taken.size - len(taken.tail)) != taken.tail
        ):
            taken, self._known = _Taken(file, 0, 0, b""), {}
        content = _pread_all(fd, taken.size, status.st_size)
        start = 0
        if taken.size == 0 and content:
            start = content.find(b"\n") + 1
            if not has_header(content[:start]):
                return None
        added = take_lines(content[start:].splitlines(keepends=True), self._known)
        if added < 0:
            return None
        tail = (taken.tail + content[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        self._taken = _Taken(file, taken.size + len(content), taken.lines + added + (start > 0), tail)
        return self._taken.lines

    def _read_damaged(self) -> tuple[dict[str, Line], int, bool]:
        """As `_read`, whatever the file holds."""
        with disk_errors(self._path):
            read = read_lines(self._path, loads=fast_loads)
        objects = read.objects + read.after_damage
        is_ours = bool(objects) and objects[0].get("schema") == INDEX_SCHEMA
        self._is_damaged = bool(read.damage) or bool(objects and not is_ours)
        if not is_ours:
            return {}, 0, not objects and not read.damage and not read.torn_bytes
        known: dict[str, Line] = {}
        for line in objects[1:]:
            run_id, stamp, summary = line.get("run_id"), line.get("stamp"), line.get("summary")
            if isinstance(summary, dict) and isinstance(stamp, list) and RUN_NAME.fullmatch(str(run_id)):
                known[str(run_id)] = (tuple(stamp), dumps(summary))
        return known, len(objects), not read.damage and not read.torn_bytes

    def _summarise(self, run_id: RunId) -> tuple[Summary | None, bool]:
        """The summary of a run from its files, and whether it may be kept (a record that covers the journal)."""
        folder = self._runs.folder(run_id)
        try:
            record = self._records.read(run_id)
        except (
            StoreError
        ) as error:  # damaged, newer or not to be read is no record; the journal is the truth (ruling 15)
            record = None
            self._passed_over[run_id] = str(error)
        with disk_errors(folder):
            chosen = choose_segment(folder)
        last_seq = len(chosen.read.objects) if chosen else 0
        if record is not None and record["covers_seq"] >= last_seq:
            if chosen is None:
                return summary_of_record(record), True
            return self._summarise_recorded(run_id, record, chosen)
        if chosen is not None and self.summarise_journal is not None:
            read = self._runs.read(run_id)
            if read.unknown is not None or read.damage:
                self._passed_over[run_id] = _said_of(self._runs.folder(run_id), read)
            return self.summarise_journal(run_id, read), False
        if record is None and chosen is None:
            raise StoreDamaged(
                str(folder / RECORD_NAME), "it cannot be read, and there is no journal beside it"
            )
        return (summary_of_record(record), False) if record is not None else (None, False)

    def _summarise_recorded(
        self, run_id: RunId, record: Summary, chosen: SegmentLines
    ) -> tuple[Summary, bool]:
        """Of a run whose record covers what its journal holds. No line is kept of one that is damaged, or that cannot be
        looked into: each look names it again.
        """
        folder, damage = self._runs.folder(run_id), chosen.read.damage
        try:
            if not _is_doubtful(folder, record, chosen):
                return summary_of_record(record), True
            if damage:
                self._passed_over[run_id] = _said_of_damage(folder, damage[0], "the record of its end")
            summary = None
            if chosen.read.objects and self.summarise_journal is not None:
                summary = self.summarise_journal(run_id, self._runs.read(run_id))
        except (StoreError, OSError) as error:
            summary, self._passed_over[run_id] = None, str(error)
        is_sound = run_id not in self._passed_over
        return summary_of_record(record) if summary is None or is_sound else summary, is_sound

    def tell_in_part(self, run_id: RunId, why: str) -> None:
        """For `summarise_journal`: of that run a part only can be used."""
        self._passed_over[run_id] = f"{self._runs.folder(run_id)}: {why}"

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
        """The newest line of each run that is still there; read again, because others may have appended.

        A file that is damaged, or of another version, is set aside and not written over (case 103).
        """
        self._is_damaged = False
        known, _, _ = self._read()
        present = [run_id for run_id in sorted(map(RunId, known)) if self._runs.folder(run_id).is_dir()]
        kept = [_line(run_id, *known[run_id]) for run_id in present]
        if self._is_damaged:
            self._quarantine.take(self._path)
        with disk_errors(self._path):
            replace_file(self._io, self._path, b"".join([_header(), *kept, *fresh]))


def _is_doubtful(folder: Path, record: Summary, chosen: SegmentLines) -> bool:
    """Whether a record may not be all that is to be said of its run: the journal is shorter, or damaged, or there is an
    attempt that it does not name. OSError where that cannot be seen.
    """
    if chosen.read.damage or record["covers_seq"] > len(chosen.read.objects):
        return True
    try:
        return not attempts_of(record).issuperset(os.listdir(folder / "attempts"))
    except (FileNotFoundError, NotADirectoryError):
        return False


def _said_of(folder: Path, read: JournalRead) -> str:
    """Which part of a journal is used."""
    if read.unknown is not None:
        return str(StoreTooNew(str(folder), read.unknown.reason, 1))
    return _said_of_damage(folder, read.damage[0], "what comes before")


def _said_of_damage(folder: Path, damage: Damage, shown: str) -> str:
    return (
        f"{folder} has a journal that is damaged ({damage.reason}, at byte {damage.offset}); {shown} is shown"
    )


def _header() -> bytes:
    return frame_body(dumps({"schema": INDEX_SCHEMA, "kind": "index"}))


def _line(run_id: RunId, stamp: Stamp, summary: bytes) -> bytes:
    return frame_body(
        b'{"run_id":"%b","stamp":[%b],"summary":%b}'
        % (run_id.encode(), b",".join(b"%d" % part for part in stamp), summary)
    )


def _pread_all(fd: int, start: int, end: int) -> bytes:
    parts = []
    while start < end and (part := os.pread(fd, end - start, start)):
        parts.append(part)
        start += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
