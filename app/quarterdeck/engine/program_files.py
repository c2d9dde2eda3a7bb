"""The files of an agent's command, as they were at a start and as they are now (PIN6). Blocking; executes nothing.

A difference is shown before a resume, never hidden: pins hold what Quarterdeck tells an agent, not the tools of the machine.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from quarterdeck.engine.program_version import program_version
from quarterdeck.engine.recovery import ProgramFile
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import open_regular

FILES_MAX = 8
HASHED_BYTES_MAX = 32 * 1024 * 1024


def program_files(argv: Sequence[str], cwd: str) -> list[dict[str, Any]]:
    """The program and every other file that the command names: path, size, time and hash, for `launch.json`."""
    found = []
    for index, word in enumerate(argv[: 4 * FILES_MAX]):
        if index > 0 and not (os.sep in word or "." in word):
            continue
        known = file_now(os.path.join(cwd, word))
        if known is not None:
            found.append(known)
    return found[:FILES_MAX]


def file_now(path: str) -> dict[str, Any] | None:
    """Path, size, time and hash of a regular file; None where there is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    digest = _digest(path, status.st_size, status.st_mtime_ns, status.st_ino)
    return {
        "path": path,
        "real": os.path.realpath(path),
        "size_bytes": status.st_size,
        "mtime_ms": status.st_mtime_ns // 1_000_000,
        "sha256": digest,
    }


@lru_cache(maxsize=256)
def _digest(path: str, size: int, _mtime_ns: int, _inode: int) -> str:
    """Empty where the file is too large to be hashed at every start, or may be executed and not read."""
    if size > HASHED_BYTES_MAX:
        return ""
    digest = hashlib.sha256()
    try:
        with open(open_regular(path, follow_links=True), "rb") as file:
            while block := file.read(1024 * 1024):
                digest.update(block)
    except (OSError, StoreDamaged):
        return ""
    return digest.hexdigest()


def program_now(path: str) -> dict[str, str]:
    """The program at that path and its version, as far as its place tells; nothing of a kind that brings its own."""
    return {"path": path, "version": program_version(path)} if path else {}


def compare(version: object, now: str = "", said: str = "") -> tuple[ProgramFile, ...]:
    """version: of an attempt's `launch.json`. now: where its program is found now. said: the version that the program itself told in
    that attempt, which counts where its place did not tell one. Nothing where the launch says nothing.
    """
    told = version if isinstance(version, dict) else {}
    files = [one for one in told.get("files") or () if isinstance(one, dict) and "path" in one]
    return (*_compare_program(told.get("program"), now, said), *map(_compare, files))


def _compare_program(before: object, now: str, said: str) -> Iterator[ProgramFile]:
    """Its version, where that is another: a program of a package may be the same file in every version."""
    then = (str(before.get("version") or "") if isinstance(before, dict) else "") or said
    found = program_version(now) if then and now else ""
    if found and found != then:
        yield ProgramFile(now, True, f"version {found} now, {then} at the last start")


def _compare(before: dict[str, Any]) -> ProgramFile:
    path = str(before["path"])
    now = file_now(path)
    if now is None:
        return ProgramFile(path, True, "it is not there any more")
    both_hashed = bool(before.get("sha256") and now["sha256"])
    names = ("sha256",) if both_hashed else ("size_bytes", "mtime_ms")
    if all(before.get(name) == now[name] for name in names):
        real = str(before.get("real") or now["real"])
        if real == now["real"]:
            return ProgramFile(path, False, "as at the last start")
        return ProgramFile(path, True, f"it leads to {now['real']} now, to {real} at the last start")
    sizes = f"{int(before.get('size_bytes') or 0):,} bytes then, {now['size_bytes']:,} now"
    return ProgramFile(path, True, f"another version than at the last start: {sizes}")
