"""Disk, kind of file system and clock. Blocking; where the data folder is there, a small file is written to it and removed."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import quarterdeck
from quarterdeck.engine.doctor.findings import Finding, Health
from quarterdeck.store.durable_io import DurableIO, replace_file
from quarterdeck.store.network_folder import NETWORK_VARIABLE, file_system, network_system, refused_system

LITTLE_BYTES, SCARCE_BYTES = 100_000_000, 1_000_000_000
TEMPORARY_SYSTEMS = frozenset({"tmpfs", "ramfs"})
CLOCK_AHEAD_S = 120.0
NOT_SYNCHRONISED = 0x40
"""STA_UNSYNC of the kernel."""


def examine_machine(folder: Path) -> Iterator[Finding]:
    """All of it. folder: the data folder, which need not be there yet."""
    yield _program()
    yield examine_disk(folder)
    yield examine_file_system(folder)
    yield examine_clock(folder, time.time())


def _program() -> Finding:
    facts = {
        "version": quarterdeck.__version__,
        "python": platform.python_version(),
        "system": platform.platform(),
    }
    said = f"Version {facts['version']}, Python {facts['python']}, {facts['system']}."
    return Finding("quarterdeck", "Quarterdeck", Health.FINE, said, facts=facts)


def examine_disk(folder: Path) -> Finding:
    """Room, and whether records can be written."""
    place = nearest(folder)
    try:
        room = os.statvfs(place)
    except OSError as error:
        said = f"{place} cannot be looked at: {error.strerror or error}."
        return Finding("disk", "Disk", Health.BROKEN, said)
    free, files = room.f_bavail * room.f_frsize, room.f_favail
    facts = {"folder": str(folder), "free_bytes": free, "free_files": files if room.f_files else None}
    said = f"{free / 1e9:,.1f} GB are free for {folder}."
    if fault := _write_fault(folder, place):
        to_do = f"Make {place} writable, or name another folder in QUARTERDECK_DATA_DIR."
        return Finding("disk", "Disk", Health.BROKEN, f"Records cannot be written: {fault}.", to_do, facts)
    if free < LITTLE_BYTES or (room.f_files and files < 1_000):
        said = f"{said} That is too little: recording stops once it is full."
        return Finding("disk", "Disk", Health.BROKEN, said, "Free some space.", facts)
    if free < SCARCE_BYTES:
        return Finding("disk", "Disk", Health.NOTE, said, "Free some space before long runs.", facts)
    return Finding("disk", "Disk", Health.FINE, said, facts=facts)


def nearest(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def _write_fault(folder: Path, place: Path) -> str:
    """Why nothing can be written there; empty where a file was written, synced and removed again."""
    if place != folder:
        return "" if os.access(place, os.W_OK | os.X_OK) else f"{place} may not be written to"
    io, probe = DurableIO(), folder / f".doctor-{os.getpid()}"
    try:
        replace_file(io, probe, b"quarterdeck doctor\n")
        io.unlink(probe)
    except OSError as error:
        return f"{folder}: {error.strerror or error}"
    return ""


def examine_file_system(folder: Path) -> Finding:
    """Whether locks and renames hold there what records rely on."""
    point, kind = file_system(folder)
    facts = {"mount": point, "kind": kind}
    if not kind:
        said = "This system does not tell which kind of file system holds the records."
        return Finding("file-system", "File system", Health.UNCHECKED, said, facts=facts)
    if kind in TEMPORARY_SYSTEMS:
        said = f"Records lie on {kind} ({point}), which is empty after a restart of the computer."
        return Finding("file-system", "File system", Health.NOTE, said, facts=facts)
    if not network_system(folder):
        said = f"Records lie on {kind} ({point}), on this computer."
        return Finding("file-system", "File system", Health.FINE, said, facts=facts)
    said = f"Records lie on {kind} ({point}), over a network, where locks do not hold what records rely on."
    if refused_system(folder):
        to_do = f"Name a local folder in QUARTERDECK_DATA_DIR; {NETWORK_VARIABLE}=1 takes the risk."
        return Finding("file-system", "File system", Health.BROKEN, said, to_do, facts)
    return Finding("file-system", "File system", Health.NOTE, f"{said} The settings admit it.", facts=facts)


def examine_clock(folder: Path, now_s: float) -> Finding:
    """Whether the clock can be right: after this version was made, not before the newest records, kept by the system.

    Nothing is decided by it: order goes by counters, durations by the time since the start. Times that are shown would be wrong.
    """
    made_s = _made_s()
    newest_s = max(
        (_changed_s(folder / name) for name in ("store.json", "index.jsonl", "ledger.jsonl")), default=0.0
    )
    is_kept = clock_is_kept()
    facts = {
        "now": datetime.fromtimestamp(now_s).astimezone().isoformat(timespec="seconds"),
        "synchronised": is_kept,
    }
    to_do = "Set the clock, for instance with: timedatectl set-ntp true"
    if now_s < made_s - 86_400:
        said = f"The clock says {facts['now']}, which is before this version was made."
        return Finding("clock", "Clock", Health.BROKEN, said, to_do, facts)
    if newest_s > now_s + CLOCK_AHEAD_S:
        later = datetime.fromtimestamp(newest_s).astimezone().isoformat(timespec="seconds")
        said = f"The clock says {facts['now']}, and records were written at {later}: one of them is wrong."
        return Finding("clock", "Clock", Health.NOTE, said, to_do, facts)
    said = f"The clock says {facts['now']}."
    if is_kept is False:
        said = f"{said} The system does not say that it is kept by a time server, so shown times may be off."
        return Finding("clock", "Clock", Health.NOTE, said, to_do, facts)
    return Finding("clock", "Clock", Health.FINE, said, facts=facts)


def clock_is_kept() -> bool | None:
    """Whether the kernel says that a time server keeps its clock; None where it does not tell. Changes nothing."""
    if not sys.platform.startswith("linux"):
        return None
    asked = ctypes.create_string_buffer(512)  # struct timex with modes 0: nothing is set
    if ctypes.CDLL(None).adjtimex(asked) < 0:
        return None
    status_at = 5 * ctypes.sizeof(
        ctypes.c_long
    )  # modes (padded), offset, freq, maxerror, esterror, then status
    status = ctypes.c_int.from_buffer(asked, status_at).value
    return not status & NOT_SYNCHRONISED


def _made_s() -> float:
    return _changed_s(Path(quarterdeck.__file__))


def _changed_s(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
