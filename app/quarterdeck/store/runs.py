"""Run folders: making, opening and reading journals, and who owns a run.

`runs/<run>/` holds the journal, `owner.lock` (held for a sitting, ruling 18), `attempts/` and, at the end, `record.json`.
A folder without a journal is no run: a launch was cut off before it was durable.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RunId
from quarterdeck.store.commit import Committer
from quarterdeck.store.durable_io import DurableIO, make_folder, replace_file, sweep_temps
from quarterdeck.store.errors import ODD_ENTRY, StoreDamaged, StoreDown, StoreTooNew, UnknownRun, disk_errors
from quarterdeck.store.event_codec import UnknownEntry, decode_entry, encode_entry, encode_event
from quarterdeck.store.index_lines import RUN_NAME
from quarterdeck.store.journal import (
    Journal,
    JournalRead,
    SegmentLines,
    choose_segment,
    read_journal,
    segment_numbers,
    segment_path,
)
from quarterdeck.store.locks import HeldLock, is_locked, try_lock
from quarterdeck.store.regular import read_regular

if TYPE_CHECKING:
    from quarterdeck.domain.events import Entry

OwnerLock = HeldLock


class Runs:
    """All runs of a store. Blocking: call it on a worker thread; what it makes is durable when it returns."""

    def __init__(self, io: DurableIO, writer: Committer, folder: Path) -> None:
        self._io, self._writer, self._folder = io, writer, folder

    def folder(self, run_id: RunId) -> Path:
        """Folder of a run; ValueError where the id is no plain name (it comes from a person or a file)."""
        if not RUN_NAME.fullmatch(run_id):
            raise ValueError(f"{run_id!r} is no run id")
        return self._folder / run_id

    def ids(self) -> tuple[RunId, ...]:
        """Every run that has a journal or a record, sorted. Foreign names in the folder are left alone."""
        with disk_errors(self._folder):
            try:
                names = sorted(name for name in os.listdir(self._folder) if RUN_NAME.fullmatch(name))
            except FileNotFoundError:
                return ()
        return tuple(RunId(name) for name in names if self._is_run(f"{self._folder}/{name}"))

    def create(self, run_id: RunId, header: Entry) -> Journal:
        """Folder and journal with its header, durable when this returns (A15 row 1). StoreDamaged on a used id."""
        folder = self.folder(run_id)
        event, fields = encode_event(header.event)
        line = encode_entry(1, header.at, event.kind, fields)
        path = segment_path(folder, 1)
        with disk_errors(folder):
            if not make_folder(self._io, folder) and segment_numbers(folder):
                raise StoreDamaged(str(folder), "a run of this id exists already")
            self._ensure_attempts(folder)
            replace_file(self._io, path, line)
            return self._open_at(folder, 1, [line])

    def open(self, run_id: RunId) -> Journal:
        """The journal for appending, its torn tail cut first (JNL6). Only who holds the owner's lock may call it.

        What is read from it afterwards is durable. UnknownRun, StoreDown, StoreTooNew; a journal damaged before its
        tail is carried on in a new segment that holds its good entries, and the damaged file stays.
        """
        folder = self.folder(run_id)
        with disk_errors(folder):
            chosen = choose_segment(folder)
            if chosen is None:
                raise UnknownRun(run_id)
            lines = _raw_lines(chosen)
            _refuse_newer(chosen)
            self._ensure_attempts(folder)
            self._sweep(folder)
            if chosen.read.damage or chosen.number != chosen.highest:
                if not lines:
                    raise StoreDamaged(str(chosen.path), "its header cannot be read")
                return self._quarantine(folder, chosen, lines)
            return self._open_at(folder, chosen.number, lines, chosen.read.good_bytes)

    def read(self, run_id: RunId) -> JournalRead:
        """Everything that can be trusted of a journal, and what cannot. Raises UnknownRun, StoreDown."""
        read = read_journal(self.folder(run_id))
        if read is None:
            raise UnknownRun(run_id)
        return read

    def own(self, run_id: RunId) -> OwnerLock | None:
        """The owner's lock of a run for a sitting, or None where another session holds it. Raises UnknownRun."""
        folder = self.folder(run_id)
        if not folder.is_dir():
            raise UnknownRun(run_id)
        try:
            return try_lock(self._io, folder / "owner.lock")
        except StoreDown:
            if folder.is_dir():
                raise
            raise UnknownRun(run_id) from None  # it was moved away in between

    def own_damaged(self, run_id: RunId) -> OwnerLock | None:
        """As `own`. Where something else lies in the place of the lock, nobody can hold it any more, and what is given back is
        not held: the caller sees that no living session answers for the run.
        """
        try:
            return self.own(run_id)
        except StoreDown as error:
            if error.errno not in ODD_ENTRY:
                raise
        return OwnerLock(self.folder(run_id) / "owner.lock", None)

    def is_owned(self, run_id: RunId) -> bool:
        """Whether a session holds the run now. Writes nothing."""
        path = self.folder(run_id) / "owner.lock"
        with disk_errors(path):
            try:
                return is_locked(path)
            except OSError as error:
                if error.errno not in ODD_ENTRY:
                    raise
                return False  # `odd_place` says so

    def odd_place(self, run_id: RunId) -> str:
        """What in the run's folder is of another kind than it was made, by name, so that nobody can own the run or tell its
        attempts: `attempts` or `owner.lock`; empty where neither is. StoreDown where that cannot be seen.
        """
        folder = self.folder(run_id)
        with disk_errors(folder):
            if _is_other(folder / "attempts", stat.S_ISDIR):
                return "attempts"
            if _is_other(folder / "owner.lock", _can_be_locked, follow_links=False):
                return "owner.lock"
        return ""

    def _ensure_attempts(self, folder: Path) -> None:
        try:
            self._io.mkdir(folder / "attempts")
        except FileExistsError:
            return

    def _sweep(self, folder: Path) -> None:
        """Temp files that dead processes left in the run and in its attempts (STO10)."""
        sweep_temps(self._io, folder)
        for attempt in (folder / "attempts").iterdir():
            if attempt.is_dir():
                sweep_temps(self._io, attempt)

    def _is_run(self, folder: str) -> bool:
        """By two looks: the first segment stays where it is, also when later ones replace it."""
        return _is_there(f"{folder}/journal.jsonl") or _is_there(f"{folder}/record.json")

    def _open_at(
        self, folder: Path, number: int, lines: list[bytes], good_bytes: int | None = None
    ) -> Journal:
        fd = self._io.open(segment_path(folder, number), os.O_RDWR | os.O_APPEND)
        try:
            if good_bytes is not None:
                _seal(self._io, fd, good_bytes, ends_whole=not lines or lines[-1].endswith(b"\n"))
                self._io.fdatasync(fd)
        except OSError:
            os.close(fd)
            raise
        journal = Journal(self._io, self._writer, folder, number, [_with_end(line) for line in lines])
        journal.adopt(fd)
        return journal

    def _quarantine(self, folder: Path, chosen: SegmentLines, lines: list[bytes]) -> Journal:
        number = chosen.highest + 1
        whole = [_with_end(line) for line in lines]
        replace_file(self._io, segment_path(folder, number), b"".join(whole))
        return self._open_at(folder, number, whole)


def _is_there(path: str) -> bool:
    """Also where that cannot be seen: a run that may not be looked at now is one all the same."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        return error.errno not in ODD_ENTRY
    return True


def _is_other(path: Path, is_kind: Callable[[int], bool], *, follow_links: bool = True) -> bool:
    """Whether there is something, and it is not of that kind; a link that leads nowhere is none. OSError."""
    try:
        return not is_kind(os.stat(path, follow_symlinks=follow_links).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return path.is_symlink()
    except OSError as error:
        if error.errno not in ODD_ENTRY:
            raise
        return True


def _can_be_locked(mode: int) -> bool:
    """A named pipe is no file, and who opens and locks it has the run all the same."""
    return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)


def _raw_lines(chosen: SegmentLines) -> list[bytes]:
    """The good lines as bytes, so that fields of a newer version survive."""
    content = read_regular(chosen.path, chosen.read.good_bytes)
    *whole, rest = content.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def _seal(io: DurableIO, fd: int, good_bytes: int, *, ends_whole: bool) -> None:
    if os.fstat(fd).st_size > good_bytes:
        io.truncate(fd, good_bytes)
    if not ends_whole:
        io.write(fd, b"\n")


def _with_end(line: bytes) -> bytes:
    return line if line.endswith(b"\n") else line + b"\n"


def _refuse_newer(chosen: SegmentLines) -> None:
    """A run with an entry that this version cannot take is not written to (JNL9)."""
    for obj in chosen.read.objects:
        entry = decode_entry(obj)
        if isinstance(entry, UnknownEntry):
            raise StoreTooNew(str(chosen.path), entry.reason, 1)
