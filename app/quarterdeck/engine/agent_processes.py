"""How many processes the agents of each run have, and their memory (cases 52, 139). Blocking; reads /proc and starts nothing.

Counted by the mark that every agent hands to what it starts, so also of runs of other processes and of survivors. One that
cleared its environment is not seen (ruling 24), nor what was handed to another daemon.
"""

from __future__ import annotations

import os

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.household import ProcessCount
from quarterdeck.shim.marks import ATTEMPT_MARK, RUN_MARK

_RUN, _ATTEMPT = (f"{mark}=".encode() for mark in (RUN_MARK, ATTEMPT_MARK))
_PAGE = os.sysconf("SC_PAGE_SIZE")


def count_processes() -> dict[RunId, ProcessCount]:
    """By run, whatever store it is of; runs without a process are left out."""
    found: dict[RunId, ProcessCount] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit() and (run := _run_of(name)) is not None:
            before = found.get(run, ProcessCount())
            found[run] = ProcessCount(before.processes + 1, before.memory_bytes + _resident(name))
    return found


def _run_of(pid: str) -> RunId | None:
    """Whose agent started it; None for what is no agent's, is another person's, or has just ended."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            parts = file.read().split(b"\0")
    except OSError:
        return None
    if not any(part.startswith(_ATTEMPT) for part in parts):
        return None
    run = next((part for part in parts if part.startswith(_RUN)), None)
    return RunId(run.removeprefix(_RUN).decode("utf-8", "replace")) if run is not None else None


def _resident(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0
