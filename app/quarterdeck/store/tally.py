"""How much the store holds, as last counted: `kept.json`, so that a run's end need not measure all others (STO4).

A cache: missing, damaged or old, everything is measured again. Not synced for that reason.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path

from quarterdeck.store.durable_io import TEMP_SUFFIX, DurableIO
from quarterdeck.store.errors import StoreDamaged, disk_errors
from quarterdeck.store.lines import DamagedLine, frame, unframe
from quarterdeck.store.regular import read_regular


@dataclass(frozen=True, slots=True)
class Tally:
    """Runs, bytes without transcripts, bytes of transcripts; counted one by one at `at_ms` (Unix milliseconds)."""

    runs: int
    size_bytes: int
    transcript_bytes: int
    at_ms: int


def read_tally(folder: Path) -> Tally | None:
    """None where everything is to be measured."""
    try:
        found = unframe(read_regular(folder / "kept.json"))
        numbers = [found[name] for name in ("runs", "size_bytes", "transcript_bytes", "at_ms")]
    except (OSError, StoreDamaged, DamagedLine, KeyError):
        return None
    return Tally(*numbers) if all(type(number) is int and number >= 0 for number in numbers) else None


def write_tally(io: DurableIO, folder: Path, tally: Tally) -> None:
    """Replaces it whole. Raises StoreDown."""
    path = folder / "kept.json"
    temp = f"{folder}/.kept.json.{os.getpid()}.{os.urandom(6).hex()}{TEMP_SUFFIX}"
    with disk_errors(path):
        fd = io.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            io.write(fd, frame({"schema": 1, **asdict(tally)}))
        finally:
            io.close(fd)
        io.replace(temp, path)
