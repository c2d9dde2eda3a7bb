"""Attempt folders: what the engine prepares for a shim, and what it reads of what the shim wrote.

`runs/<run>/attempts/<attempt>/`: `launch.json` and `lease` are made here; `reports.jsonl`, `transcript`, `exit.json` and
`artifacts/` are the shim's and are only read. Blocking: call it on a worker thread. What has to be durable is so
by itself and needs no place among the appends of the store's writer; an attempt is prepared by the one thread that starts it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import NOTHING_THERE, ODD_ENTRY, StoreDamaged, disk_errors
from quarterdeck.store.json_text import report_loads
from quarterdeck.store.lines import (
    Damage,
    DamagedLine,
    LinesRead,
    find_line,
    frame,
    iter_lines,
    last_line,
    read_lines,
    unframe,
)
from quarterdeck.store.locks import is_locked
from quarterdeck.store.regular import open_regular, read_regular

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True, slots=True)
class AttemptFolder:
    """Paths of one attempt, and the two writes that the engine does there."""

    path: Path
    io: DurableIO

    @property
    def launch_path(self) -> Path:
        """The launch specification, for the shim."""
        return self.path / "launch.json"

    @property
    def lease_path(self) -> Path:
        """The lease file."""
        return self.path / "lease"

    @property
    def reports_path(self) -> Path:
        """Facts, written by the shim."""
        return self.path / "reports.jsonl"

    @property
    def transcript_path(self) -> Path:
        """The raw stream, written by the shim."""
        return self.path / "transcript"

    @property
    def exit_path(self) -> Path:
        """The attested end, written by the shim."""
        return self.path / "exit.json"

    def write_file(self, name: str, content: bytes) -> Path:
        """A new file for the agent (context, resume, attachment). ValueError on a name with a path; StoreDown.

        Nothing waits for the disk here: the agent reads it while it runs, an agent that a power cut ended reads nothing, and
        an attempt is never started twice. What such a file was made from is pinned.
        """
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is no plain file name")
        path = self.path / name
        with disk_errors(path):
            fd = self.io.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            try:
                self.io.write(fd, content)
            finally:
                self.io.close(fd)
        return path

    def create_lease(self) -> int:
        """A close-on-exec descriptor of the new lease file, locked: the lock belongs to the open file description.

        It is passed to the shim (SCM_RIGHTS) and inherited from there by the whole tree; the lease is free once every
        copy is closed. The caller closes its own. StoreDown, also where the lease exists (EEXIST).
        """
        with disk_errors(self.lease_path):
            fd = self.io.open(self.lease_path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)  # nobody else can hold it but for a look
            except OSError:
                os.close(fd)
                raise
            return fd


@dataclass(frozen=True, slots=True)
class Printed:
    """The end of what an agent has printed. wall_ms: when the file was written last. is_whole: `end` is all of it."""

    wall_ms: int
    end: bytes
    is_whole: bool


class Attempts:
    """All attempt folders of a store."""

    def __init__(self, io: DurableIO, run_folder: Callable[[RunId], Path]) -> None:
        self._io, self._run_folder = io, run_folder

    def create(self, run_id: RunId, attempt_id: AttemptId, launch: dict[str, Any]) -> AttemptFolder:
        """The folder with its launch specification, durable when this returns: an attempt's figures are counted from the
        baseline in it (JNL5). StoreDown, also where it exists.
        """
        folder = self.folder(run_id, attempt_id)
        with disk_errors(folder.path):
            self._io.mkdir(folder.path)
            replace_file(self._io, folder.launch_path, frame(launch))
            self._io.fsync_folder(folder.path.parent)
        return folder

    def folder(self, run_id: RunId, attempt_id: AttemptId) -> AttemptFolder:
        """Paths of an attempt, whether it exists or not. ValueError on a name that is no id."""
        if not _NAME.fullmatch(attempt_id):
            raise ValueError(f"{attempt_id!r} is no attempt id")
        return AttemptFolder(self._run_folder(run_id) / "attempts" / attempt_id, self._io)

    def ids(self, run_id: RunId) -> tuple[AttemptId, ...]:
        """Attempts that have a folder, sorted by name; none where a file lies in their place. StoreDown."""
        path = self._run_folder(run_id) / "attempts"
        with disk_errors(path):
            try:
                names = os.listdir(path)
            except OSError as error:
                if error.errno not in NOTHING_THERE:
                    raise
                return ()
        return tuple(AttemptId(name) for name in sorted(names) if _NAME.fullmatch(name))

    def can_be_listed(self, run_id: RunId) -> bool:
        """Whether its attempts can be told from their folder: False where it is missing or something else lies in its place. StoreDown."""
        path = self._run_folder(run_id) / "attempts"
        with disk_errors(path):
            return path.is_dir()

    def has_reported(self, run_id: RunId, attempt_id: AttemptId) -> bool:
        """Whether its keeper wrote anything. Not for what is no attempt of that name, as a copy of a folder. StoreDown."""
        folder = self.folder(run_id, attempt_id)
        told = self.launch(run_id, attempt_id)
        if told is not None and told.get("attempt") != attempt_id:
            return False
        return _is_there(folder.reports_path) or _is_there(folder.exit_path)

    def launch(self, run_id: RunId, attempt_id: AttemptId) -> dict[str, Any] | None:
        """The launch specification as it was written; None where it is missing or damaged."""
        return _read_framed(self.folder(run_id, attempt_id).launch_path)

    def reports(self, run_id: RunId, attempt_id: AttemptId) -> LinesRead:
        """All reports up to the first damage; a missing file is an empty one."""
        path = self.folder(run_id, attempt_id).reports_path
        with disk_errors(path):
            return read_lines(path, numbered=True, loads=report_loads)

    def each_report(self, run_id: RunId, attempt_id: AttemptId) -> Iterator[dict[str, Any]]:
        """The reports of `reports`, one at a time: a file of any length is never in memory as a whole.

        Raises StoreDamaged behind the last of them where the file is damaged: the agent told more than was given.
        """
        path = self.folder(run_id, attempt_id).reports_path
        found: list[Damage] = []
        with disk_errors(path):
            yield from iter_lines(path, numbered=True, loads=report_loads, on_damage=found.append)
        if found:
            raise StoreDamaged(str(path), f"{found[0].reason}, at byte {found[0].offset}")

    def find_report(
        self, run_id: RunId, attempt_id: AttemptId, kind: str, start: int = 0
    ) -> tuple[dict[str, Any] | None, int]:
        """The first report of that kind from byte `start` on, and the byte from which to look for it later."""
        path = self.folder(run_id, attempt_id).reports_path
        with disk_errors(path):
            return find_line(path, kind, start, report_loads)

    def last_report(self, run_id: RunId, attempt_id: AttemptId) -> tuple[dict[str, Any] | None, bool]:
        """The last report, and whether the file ends with it: False where something cut or damaged is at its end."""
        path = self.folder(run_id, attempt_id).reports_path
        with disk_errors(path):
            return last_line(path, report_loads)

    def exit_file(self, run_id: RunId, attempt_id: AttemptId) -> dict[str, Any] | None:
        """The attested end; None where there is none or where it is damaged (then it proves nothing)."""
        return _read_framed(self.folder(run_id, attempt_id).exit_path)

    def lease_is_free(self, run_id: RunId, attempt_id: AttemptId) -> bool:
        """Whether no process has the lease open any more; True where there is none. Alone it proves nothing.

        Looks through a descriptor of its own and gives back at once; two who look at a time do not see each other.
        """
        path = self.folder(run_id, attempt_id).lease_path
        with disk_errors(path):
            try:
                return not is_locked(path)
            except OSError as error:
                if error.errno not in ODD_ENTRY:
                    raise
                return True  # something else lies in its place, or in its folder's: as where there is none

    def transcript(
        self, run_id: RunId, attempt_id: AttemptId, offset: int, limit: int
    ) -> tuple[int, bytes, int] | None:
        """(offset, bytes, size now) of a transcript; a negative offset counts from the end. None: it is missing."""
        path = self.folder(run_id, attempt_id).transcript_path
        with disk_errors(path):
            try:
                with open(open_regular(path), "rb") as file:
                    size = os.fstat(file.fileno()).st_size
                    start = max(0, size + offset) if offset < 0 else min(offset, size)
                    file.seek(start)
                    return start, file.read(max(0, limit)), size
            except FileNotFoundError:
                return None

    def printed(self, run_id: RunId, attempt_id: AttemptId, limit: int) -> Printed | None:
        """The last `limit` bytes of a transcript, and when it was written last. None: it is missing. StoreDown."""
        path = self.folder(run_id, attempt_id).transcript_path
        with disk_errors(path):
            try:
                with open(open_regular(path), "rb") as file:
                    status = os.fstat(file.fileno())
                    start = max(0, status.st_size - limit)
                    file.seek(start)
                    return Printed(status.st_mtime_ns // 1_000_000, file.read(limit), start == 0)
            except FileNotFoundError:
                return None

    def is_odd(self, run_id: RunId, attempt_id: AttemptId) -> bool:
        """Whether something else lies in the place of its folder, as a file or a link that leads nowhere."""
        path = self.folder(run_id, attempt_id).path
        return os.path.lexists(path) and not path.is_dir()

    def has_printed(self, run_id: RunId, attempt_id: AttemptId) -> bool:
        """Whether its agent printed anything, so that it had begun. Not where something else lies in its place. StoreDown."""
        path = self.folder(run_id, attempt_id).transcript_path
        with disk_errors(path):
            try:
                status = os.stat(path, follow_symlinks=False)
            except OSError as error:
                if error.errno not in NOTHING_THERE:
                    raise
                return False
        return stat.S_ISREG(status.st_mode) and status.st_size > 0

    def sweep(self, run_id: RunId, claimed: Collection[AttemptId]) -> tuple[AttemptId, ...]:
        """Removes folders of attempts that no durable claim names and whose lease is free; returns their ids."""
        swept = []
        for attempt_id in self.ids(run_id):
            folder = self.folder(run_id, attempt_id).path
            is_folder = (
                folder.is_dir() and not folder.is_symlink()
            )  # anything else is somebody's, and none of ours
            if is_folder and attempt_id not in claimed and self.lease_is_free(run_id, attempt_id):
                with disk_errors(folder):
                    shutil.rmtree(folder)
                swept.append(attempt_id)
        return tuple(swept)


def _read_framed(path: Path) -> dict[str, Any] | None:
    with disk_errors(path):
        try:
            return unframe(read_regular(path))
        except (FileNotFoundError, NotADirectoryError, DamagedLine, StoreDamaged):
            return None


def _is_there(path: Path) -> bool:
    with disk_errors(path):
        try:
            path.lstat()
        except OSError as error:
            if error.errno not in NOTHING_THERE:
                raise
            return False
    return True
