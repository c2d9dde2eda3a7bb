"""A run's journal: append-only decisions in `journal.jsonl`, by the session that owns the run.

Segments (JNL7). A journal normally is one file. When a sync of it fails, what the kernel still holds cannot be trusted:
the file is dead and nothing more is written to it. The next append makes the next segment (`journal.2.jsonl`, …), which
holds the acknowledged entries again and no others, is published whole (STO10) and carries on from there. So the segment with the
highest number is always complete in itself, and readers take it; a damaged one falls back to the one before it. The
same step leaves a journal that is damaged before its tail as it was found (JNL6: quarantined, not repaired in place).

What is acknowledged is a prefix of what was asked for. An append that fails is cut off before its caller is told;
where the disk refuses the cut as well, what was written of it stays readable until the next append that succeeds, or
for good where none does: then a later reader finds entries that were asked for and never acknowledged (JNL2).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.domain.moment import Moment
from quarterdeck.store.commit import Append, Committer
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDown, disk_errors
from quarterdeck.store.event_codec import UnknownEntry, decode_entry, encode_entry, encode_event
from quarterdeck.store.json_text import fast_loads
from quarterdeck.store.lines import Damage, LinesRead, read_lines

if TYPE_CHECKING:
    from quarterdeck.domain.events import Entry, Event

_SEGMENT = re.compile(r"journal(?:\.([1-9][0-9]*))?\.jsonl")


@dataclass(frozen=True, slots=True)
class JournalRead:
    """What a journal holds. entries: a prefix of what was appended, with everything acknowledged.

    torn_bytes: length of a torn tail that was not counted. damage: places before the tail that are not what was
    written; entries after them are not given. unknown: the first line that this version cannot take, after which
    nothing is given. segment: number of the file read (1 is `journal.jsonl`).
    """

    entries: tuple[Entry, ...]
    torn_bytes: int
    damage: tuple[Damage, ...]
    unknown: UnknownEntry | None = None
    segment: int = 1

    @property
    def is_whole(self) -> bool:
        """True where nothing was torn, damaged or unknown."""
        return not self.torn_bytes and not self.damage and self.unknown is None


@dataclass(frozen=True, slots=True)
class SegmentLines:
    """The chosen segment of a folder with its raw lines."""

    number: int
    path: Path
    read: LinesRead
    highest: int


def segment_path(folder: Path, number: int) -> Path:
    """File of a segment."""
    return folder / ("journal.jsonl" if number == 1 else f"journal.{number}.jsonl")


def segment_numbers(folder: Path) -> list[int]:
    """Numbers of the segments that exist, highest first."""
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = (_SEGMENT.fullmatch(name) for name in names)
    return sorted((int(match[1] or 1) for match in found if match), reverse=True)


def choose_segment(folder: Path) -> SegmentLines | None:
    """The newest segment whose header can be read, else the newest; None where there is none. OSError as it comes."""
    numbers = segment_numbers(folder)
    first: SegmentLines | None = None
    skipped: tuple[Damage, ...] = ()
    for number in numbers:
        path = segment_path(folder, number)
        read = read_lines(path, numbered=True, loads=fast_loads)
        chosen = SegmentLines(number, path, read._replace(damage=skipped + read.damage), numbers[0])
        if read.objects:
            return chosen
        first = first or chosen
        skipped += read.damage or (Damage(0, 0, f"{path.name} has no header"),)
    return first


def read_journal(folder: Path) -> JournalRead | None:
    """The journal of a run's folder; None where there is none. StoreDown where it cannot be read."""
    with disk_errors(folder):
        chosen = choose_segment(folder)
    if chosen is None:
        return None
    entries: list[Entry] = []
    unknown: UnknownEntry | None = None
    for obj in chosen.read.objects:
        entry = decode_entry(obj)
        if isinstance(entry, UnknownEntry):
            unknown = entry
            break
        entries.append(entry)
    return JournalRead(tuple(entries), chosen.read.torn_bytes, chosen.read.damage, unknown, chosen.number)


class Journal:
    """A journal open for appending, by the one session that owns the run. `append` is thread-safe.

    Made by `Runs.create` and `Runs.open`. Write and sync run on the writer thread alone.
    """

    def __init__(
        self, io: DurableIO, writer: Committer, folder: Path, number: int, lines: list[bytes]
    ) -> None:
        self._io, self._writer, self._folder = io, writer, folder
        self._number = number
        self._lines = lines
        self._acknowledged = len(lines)
        self._good_bytes = sum(map(len, lines))
        self._fd: int | None = None
        self._must_cut = False
        self._closed = False

    def append(
        self, event: Event, at: Moment, *, sync: bool, judge: Callable[[Event], object] | None = None
    ) -> Future[Entry]:
        """One decision. The future gives its entry when it is durable (sync) or written (synced within 250 ms).

        InvalidEvent is raised at once, and so is what `judge` raises, which is called with the event as it will be read
        back; StoreDown comes through the future, and a later append tries again.
        """
        if self._closed:
            raise RuntimeError(f"the journal in {self._folder} is closed")
        stored, fields = encode_event(event)
        if judge is not None:
            judge(stored)
        return self._writer.append(self, (at, stored, fields), sync=sync)

    def close(self) -> None:
        """Releases the file after everything queued is durable; blocking. Idempotent."""
        if not self._closed:
            self._writer.run(self._finish).result()

    def adopt(self, fd: int) -> None:
        """Takes an open descriptor of the current segment, positioned by O_APPEND. For the maker only."""
        self._fd = fd

    # ---- on the writer thread

    def write(self, appends: Sequence[Append]) -> None:
        """All lines or none (Sink)."""
        from quarterdeck.domain.events import Entry  # not loaded where nothing is appended

        lines: list[bytes] = []
        for job in appends:
            at, event, fields = job.payload
            seq = len(self._lines) + len(lines) + 1
            lines.append(encode_entry(seq, at, event.kind, fields))
            job.result = Entry(seq, at, event)
        content = b"".join(lines)
        self._write_at_end(self._start_segment() if self._fd is None else self._fd, content)
        self._lines += lines
        self._good_bytes += len(content)
        if not any(job.sync for job in appends):
            self._acknowledged = len(self._lines)

    def sync(self) -> None:
        """Everything written is durable afterwards, or the segment is dead (Sink)."""
        if self._closed:
            return
        if self._fd is None:
            self._start_segment()  # published whole and synced
            return
        try:
            self._io.fdatasync(self._fd)
        except OSError as error:
            self._abandon_segment()
            raise StoreDown(error.errno or 0, str(segment_path(self._folder, self._number))) from error
        self._acknowledged = len(self._lines)

    def _write_at_end(self, fd: int, content: bytes) -> None:
        path = segment_path(self._folder, self._number)
        with disk_errors(path):
            if self._must_cut:
                self._io.truncate(fd, self._good_bytes)
                self._must_cut = False
            try:
                self._io.write(fd, content)
            except OSError:
                self._must_cut = (
                    True  # a part may stand there: cut it now, or before the next append (case 104)
                )
                self._io.truncate(fd, self._good_bytes)
                self._must_cut = False
                raise

    def _start_segment(self) -> int:
        """The next segment with what is acknowledged, durable. What is being asked for is not in it yet: where only the
        last step fails, the new segment is visible already.
        """
        self._number = max([self._number, *segment_numbers(self._folder)]) + 1
        path = segment_path(self._folder, self._number)
        with disk_errors(path):
            replace_file(self._io, path, b"".join(self._lines))
            self._fd = self._io.open(path, os.O_WRONLY | os.O_APPEND)
        self._must_cut = False
        return self._fd

    def _abandon_segment(self) -> None:
        """Forget what was not acknowledged; the file is left as it is, cut where the disk still lets us."""
        del self._lines[self._acknowledged :]
        self._good_bytes = sum(map(len, self._lines))
        fd, self._fd = self._fd, None
        if fd is None:
            return
        try:
            self._io.truncate(fd, self._good_bytes)
        except OSError:  # it is dead either way: the next segment replaces it
            pass
        finally:
            os.close(fd)

    def _finish(self) -> None:
        if self._fd is not None:
            fd, self._fd = self._fd, None
            self._closed = True
            try:
                with disk_errors(self._folder):
                    self._io.fdatasync(fd)
            finally:
                os.close(fd)
        self._closed = True
