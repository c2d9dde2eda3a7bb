"""The one thread that writes an attempt's files once the agent runs: reports, transcript, kept artifacts.

Reports come first and are synced by the policy of design §5 (at once for those that something acts on, else within
250 ms); the transcript yields to them. A full disk loses nothing: what waits is kept and tried again, the main thread
stops reading the agent when too much waits, and `errno` says so meanwhile. After a failed fsync the file is dead
(JNL7): its durable part and what was kept since are written into a new one that takes its name.
"""

from __future__ import annotations

import errno
import os
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from quarterdeck.shim.jobs import Jobs
from quarterdeck.shim.kernel import reserve_behind_end
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import read_regular

SYNC_WINDOW_S = 0.25
RETRY_S = 0.5
RESERVED_BYTES = 128 * 1024
"""Space behind the end of the reports that a full disk cannot take away: the last reports of an agent fit in."""


class Writer(threading.Thread):
    """Owns the descriptors of `reports.jsonl` and `transcript`. `notify` is called (on this thread) after each change."""

    def __init__(self, io: DurableIO, folder: Path, notify: Callable[[], None]) -> None:
        super().__init__(name="quarterdeck-writer", daemon=True)
        self._io, self._folder, self._notify = io, folder, notify
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._reports_fd = io.open(folder / "reports.jsonl", flags)
        self._transcript_fd = io.open(folder / "transcript", flags)
        self._wake = threading.Condition()
        self._reports_held = threading.Lock()
        """Held while reports are written."""
        self._lines: deque[tuple[int, bytes, bool]] = deque()
        self._chunks: deque[bytes] = deque()
        self.jobs = Jobs(self._wake, notify)
        self._unsynced: list[bytes] = []
        self._reports_bytes = self._durable_bytes = self._reserved_to = 0
        self._sync_due: float | None = None
        self._sync_now = self._closing = self._cut_needed = self._dead = self._reports_refused = False
        self.queued_bytes = self.written_seq = self.durable_seq = self.transcript_bytes = 0
        self.transcript_taken = 0
        self.fault: Exception | None = None
        """A fault of ours that ended this thread; whoever owns the writer must raise it."""
        self.errno: int | None = None
        """Not None while the disk refuses; recording has stopped until it is None again."""

    # ------------------------------------------------------------------ asked by the main thread

    def write_now(self, seq: int, line: bytes) -> None:
        """Write and sync one report on the calling thread; only before `start`. OSError where the disk refuses."""
        self._io.write(self._reports_fd, line)
        self._io.fdatasync(self._reports_fd)
        self._reports_bytes += len(line)
        self._durable_bytes = self._reports_bytes
        self.written_seq = self.durable_seq = seq
        self._reserve()

    def put_report(self, seq: int, line: bytes, *, sync: bool) -> None:
        """Queue one report line; `sync` asks for durability at once."""
        with self._wake:
            self._lines.append((seq, line, sync))
            self.queued_bytes += len(line)
            self._wake.notify()

    def put_transcript(self, chunk: bytes) -> None:
        """Queue raw bytes of the agent."""
        with self._wake:
            self._chunks.append(chunk)
            self.transcript_taken += len(chunk)
            self.queued_bytes += len(chunk)
            self._wake.notify()

    def wait_durable(self, seq: int, timeout_s: float) -> bool:
        """Wait until the report of that sequence is durable; False where that did not happen in time."""
        return self._wait(lambda: self.durable_seq >= seq, timeout_s)

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until every byte is written and every report is durable; jobs are not waited for."""
        return self._wait(lambda: self.is_idle, timeout_s)

    def wait_transcript(self, timeout_s: float) -> int:
        """Wait until every byte of the agent is written; how many are not, where that did not happen in time."""
        self._wait(lambda: self.transcript_bytes >= self.transcript_taken, timeout_s)
        return max(0, self.transcript_taken - self.transcript_bytes)

    def seal(self, timeout_s: float) -> int:
        """Write no report from now on; the sequence of the last that was written, which stays the last.

        What waits is dropped, so that the attested end says how far the reports go. A write that hangs beyond the time is
        let go on.
        """
        if self._reports_held.acquire(timeout=timeout_s):
            try:
                with self._wake:
                    self.queued_bytes -= sum(len(line) for _, line, _ in self._lines)
                    self._lines.clear()
            finally:
                self._reports_held.release()
        return self.written_seq

    @property
    def is_idle(self) -> bool:
        """Every byte is written and every report durable; jobs do not count."""
        return not self.queued_bytes and self.durable_seq == self.written_seq

    @property
    def progress(self) -> tuple[int, int, int]:
        """Another value whenever the disk has taken something."""
        return self.jobs.steps, self.durable_seq, self.transcript_bytes

    @property
    def waiting_bytes(self) -> int:
        """What waits for the disk in memory: bytes, and jobs with what they hold."""
        return self.queued_bytes + self.jobs.bytes

    def _wait(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        with self._wake:
            return self._wake.wait_for(condition, timeout_s)

    def close(self, timeout_s: float) -> None:
        """Write what can still be written within the time, then end the thread and close the files."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        if self.is_alive():
            self.join(timeout_s)
        if not self.is_alive():
            self._give_back()
            self._io.close(self._reports_fd)
            self._io.close(self._transcript_fd)

    def _give_back(self) -> None:
        try:
            self._io.truncate(
                self._reports_fd, self._reports_bytes
            )  # gives the reserve back, and cuts a torn tail
        except OSError:  # the reserve stays taken; a reader cuts the tail
            return

    # ------------------------------------------------------------------ the thread

    def run(self) -> None:
        """Until closed: reports, then transcript, then sync, then one step of a job."""
        try:
            self._work()
        except Exception as error:  # noqa: BLE001 - the main thread raises it again, and ends the agent
            self.fault = error
            self._notify()

    def _work(self) -> None:
        while True:
            with self._wake:
                self._wake.wait_for(self._has_work, self._patience_s())
                if self._closing and (self.errno is not None or not self._has_work(at_end=True)):
                    return
            self._round()
            if self.errno is not None and not self._closing:
                with self._wake:
                    self._wake.wait_for(self._may_retry_early, RETRY_S)

    def _may_retry_early(self) -> bool:
        return self._closing or (bool(self._lines) and not self._reports_refused)

    def _has_work(self, *, at_end: bool = False) -> bool:
        unsynced = bool(self._unsynced) and (at_end or self._sync_is_due())
        return bool(self._lines or self._chunks or self.jobs or unsynced or (self._closing and not at_end))

    def _sync_is_due(self) -> bool:
        return self._sync_now or (self._sync_due is not None and time.monotonic() >= self._sync_due)

    def _patience_s(self) -> float | None:
        return None if self._sync_due is None else max(0.0, self._sync_due - time.monotonic())

    def _round(self) -> None:
        before = (self.written_seq, self.durable_seq, self.errno, self.transcript_bytes)
        self._reports_refused = True
        try:
            with self._reports_held:
                self._write_reports()
            if self._unsynced and (self._sync_is_due() or self._closing):
                self._sync()
            self._reports_refused = False
            self._write_transcript()
            self.errno = None
        except OSError as error:
            self.errno = error.errno or 5
        self.jobs.step()
        if before != (self.written_seq, self.durable_seq, self.errno, self.transcript_bytes):
            with self._wake:
                self._wake.notify_all()
            self._notify()

    def _write_reports(self) -> None:
        if self._dead:
            self._replace_dead_file()
        batch = list(self._lines)
        if not batch:
            return
        content = b"".join(line for _, line, _ in batch)
        if self._cut_needed:
            self._io.truncate(self._reports_fd, self._reports_bytes)
            self._cut_needed = False
        try:
            self._io.write(self._reports_fd, content)
        except OSError:
            self._cut_needed = True
            raise
        self._reports_bytes += len(content)
        self._reserve()
        self._unsynced.extend(line for _, line, _ in batch)
        self._sync_now = self._sync_now or any(sync for _, _, sync in batch)
        self._sync_due = self._sync_due or time.monotonic() + SYNC_WINDOW_S
        self.written_seq = batch[-1][0]
        with self._wake:
            for _ in batch:
                self._lines.popleft()
            self.queued_bytes -= len(content)

    def _reserve(self) -> None:
        if self._reports_bytes > self._reserved_to - RESERVED_BYTES // 2 and reserve_behind_end(
            self._reports_fd, self._reports_bytes, RESERVED_BYTES
        ):
            self._reserved_to = self._reports_bytes + RESERVED_BYTES

    def _sync(self) -> None:
        try:
            self._io.fdatasync(self._reports_fd)
        except OSError:
            self._dead = True
            raise
        self._mark_durable()

    def _mark_durable(self) -> None:
        self._durable_bytes, self.durable_seq = self._reports_bytes, self.written_seq
        self._unsynced.clear()
        self._sync_due, self._sync_now = None, False

    def _replace_dead_file(self) -> None:
        path = self._folder / "reports.jsonl"
        try:
            content = read_regular(path, self._durable_bytes) + b"".join(self._unsynced)
        except StoreDamaged as error:  # something else lies there now: as a disk that does not give it
            raise OSError(errno.ENXIO, error.reason, str(path)) from error
        replace_file(self._io, path, content)
        fresh = self._io.open(path, os.O_WRONLY | os.O_APPEND)
        self._io.close(self._reports_fd)
        self._reports_fd, self._reports_bytes, self._dead = fresh, len(content), False
        self._cut_needed = False
        self._mark_durable()
        self._reserved_to = 0  # what was reserved went with the dead file
        self._reserve()

    def _write_transcript(self) -> None:
        while self._chunks:
            view = memoryview(self._chunks[0])
            while len(view):
                taken = self._io.write_some(self._transcript_fd, view)
                self.transcript_bytes += taken
                with self._wake:
                    self.queued_bytes -= taken
                    self._chunks[0] = bytes(view[taken:])
                view = view[taken:]
            with self._wake:
                self._chunks.popleft()
            if self._lines:
                return
