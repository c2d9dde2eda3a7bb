"""Spend by run, agent, model and hour: `ledger.jsonl`, append-only, kept when records are evicted or discarded.

Lines are keyed by attempt, model, hour and last report (ruling 15), so that settling twice adds nothing. Other kinds of
lines (tombstones, discards) are keyed by their kind, run and the same fields. What a line means is the engine's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from quarterdeck.domain.ids import RunId
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.errors import StoreDamaged, disk_errors
from quarterdeck.store.growing_file import append_sealed
from quarterdeck.store.lines import Damage, DamagedLine, frame, read_lines, unframe
from quarterdeck.store.locks import short_lock
from quarterdeck.store.quarantine import Quarantine
from quarterdeck.store.regular import open_regular, read_regular

_KEY = ("kind", "run", "attempt", "model", "hour", "upto")


class LedgerMark(NamedTuple):
    """How far a ledger was read. goes_on: the lines that came with it follow those of the mark before."""

    inode: int
    end: int
    goes_on: bool


class Ledger:
    """The ledger of a store. Blocking; a short lock keeps several writers apart."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._path, self._lock = io, folder / "ledger.jsonl", folder / "ledger.lock"

    def append(self, lines: Iterable[dict[str, Any]]) -> None:
        """Adds lines, durable when this returns. Lines that are there already count once in `load`."""
        content = b"".join(frame(line) for line in lines)
        if content:
            with short_lock(self._io, self._lock):
                append_sealed(self._io, self._path, content, sync=True)

    def load(self) -> tuple[dict[str, Any], ...]:
        """Every line once, in the order of first appearance; of equal keys the last line counts."""
        return tuple(self._by_key().values())

    def read_on(self, mark: LedgerMark | None) -> tuple[LedgerMark, list[dict[str, Any]]]:
        """Whole lines behind `mark`, all of them where the file is another than it was, and the new mark. What cannot be read is
        passed over: `damage` tells it.
        """
        with disk_errors(self._path):
            try:
                with open(open_regular(self._path), "rb") as file:
                    inode = os.fstat(file.fileno()).st_ino
                    start = mark.end if mark is not None and mark.inode == inode else 0
                    file.seek(start)
                    content = file.read()
            except (FileNotFoundError, StoreDamaged):
                return LedgerMark(0, 0, False), []
        end = content.rfind(b"\n") + 1
        lines = []
        for line in content[:end].splitlines():
            try:
                lines.append(unframe(line))
            except DamagedLine:
                continue
        return LedgerMark(inode, start + end, start > 0), lines

    def closings(self, *kinds: str) -> dict[RunId, dict[str, Any]]:
        """{run: the last line of one of these kinds}; no other line is parsed. The kind is the first key of such a line."""
        with disk_errors(self._path):
            try:
                content = read_regular(self._path)
            except (FileNotFoundError, StoreDamaged):
                return {}
        found: dict[RunId, dict[str, Any]] = {}
        for at, end in sorted(place for kind in kinds for place in _places(content, kind)):
            try:
                line = unframe(content[at:end])
            except DamagedLine:
                continue
            found[RunId(str(line.get("run")))] = line
        return found

    def newest(self, kind: str) -> Iterator[dict[str, Any]]:
        """Lines of one kind from the last one back, each parsed when its turn comes: who wants the newest reads those alone."""
        with disk_errors(self._path):
            try:
                content = read_regular(self._path)
            except (FileNotFoundError, StoreDamaged):
                return
        mark = b'{"kind":"%b",' % kind.encode()
        end = len(content)
        while (at := content.rfind(mark, 0, end)) >= 0:
            line_end = content.find(b"\n", at)
            if line_end >= 0 and (at == 0 or content[at - 1 : at] == b"\n"):
                try:
                    yield unframe(content[at:line_end])
                except DamagedLine:
                    pass  # it is told by `damage`; those before it count
            end = at

    def damage(self) -> tuple[Damage, ...]:
        """Places that cannot be read; the lines around them count, so sums are "at least"."""
        with disk_errors(self._path):
            return read_lines(self._path, loads=_not_parsed).damage

    def mend(self, quarantine: Quarantine) -> Path | None:
        """Where something in it is damaged: the file as it is goes to the quarantine, and its good lines stay. Where it lies
        then; None where nothing was to be done.
        """
        with short_lock(self._io, self._lock), disk_errors(self._path):
            if not self.damage():
                return None
            read, content = read_lines(self._path), read_regular(self._path)
            kept = quarantine.keep(content, self._path.name)
            replace_file(self._io, self._path, b"".join(map(frame, read.objects + read.after_damage)))
        return kept

    def _by_key(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        with disk_errors(self._path):
            read = read_lines(self._path)
        found: dict[tuple[Any, ...], dict[str, Any]] = {}
        for line in read.objects + read.after_damage:
            found[key_of(line)] = line
        return found

    def size_bytes(self) -> int:
        """Size of the file; 0 where there is none."""
        try:
            return os.stat(self._path).st_size
        except FileNotFoundError:
            return 0


def key_of(line: dict[str, Any]) -> tuple[Any, ...]:
    """What tells a line from another; of lines with the same key the last one counts."""
    return tuple(_hashable(line.get(name)) for name in _KEY)


def _not_parsed(body: bytes) -> dict[str, Any]:
    """The checksum says whether a line is whole; what it says is not asked."""
    return {}


def _places(content: bytes, kind: str) -> Iterator[tuple[int, int]]:
    """Where lines of a kind begin and end; the beginning of a line cannot stand within a text."""
    mark = b'{"kind":"%b",' % kind.encode()
    at = content.find(mark)
    while at >= 0:
        end = content.find(b"\n", at)
        if end < 0:
            return
        if at == 0 or content[at - 1 : at] == b"\n":
            yield at, end
        at = content.find(mark, end)


def _hashable(value: Any) -> Any:
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
