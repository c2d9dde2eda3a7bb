"""What the window asks of the past besides runs, as a protocol: spend, waits for a person, the app's own log.

Loaded before the first paint, so it imports nothing heavy; the one implementation is `looking_back`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.spend_rows import SpendReport
from quarterdeck.domain.waits import Wait


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line: `at` as ISO text in UTC; `fault` is a traceback, empty where there is none."""

    at: str
    level: str
    source: str
    message: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class LogTail:
    """The newest lines, oldest first; `cut`: the file has more before them. `error` in words where it cannot be read."""

    path: Path
    lines: tuple[LogLine, ...] = ()
    cut: bool = False
    error: str = ""


class Past(Protocol):
    """The part of the door that looks back. All methods run on the engine's loop; disk is read in a worker thread."""

    async def spend(self) -> SpendReport:
        """Everything that was ever recorded as spent, discarded and evicted runs included. Raises EngineError."""

    async def waits(self, runs: Iterable[tuple[RunId, int | None]]) -> Mapping[RunId, tuple[Wait, ...]]:
        """The questions of runs: (run, its end_seq; None while live). A run that cannot be read is left out."""

    async def log_tail(self) -> LogTail:
        """The newest lines of the app's own log."""
