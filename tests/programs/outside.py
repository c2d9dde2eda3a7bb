"""Naive looks at `/proc`: who is there, who is below whom, who belongs to an agent. Imports nothing of the product."""

from __future__ import annotations

import os
from pathlib import Path

from tests.programs.installed import BASE

MARK = "CONTAINED_BY_TEST"


def is_of_agent(pid: int, mark: str, folder: Path, space: Path) -> bool:
    """By the product's mark where the folder is a test's own, by the test's mark, or because it stands in the agent's folder."""
    place = Path("/proc", str(pid))
    try:
        environment = (place / "environ").read_bytes().split(b"\0")
        standing = os.readlink(place / "cwd")
    except OSError:
        return False
    names = {one.partition(b"=")[0] for one in environment}
    is_ours = any(str(folder).encode() in one for one in environment)
    is_marked = f"{MARK}={mark}".encode() in environment or (is_ours and b"QUARTERDECK_ATTEMPT" in names)
    return is_marked or standing == str(space)


def pids() -> list[int]:
    """All that live."""
    return [int(one.name) for one in Path("/proc").glob("[0-9]*") if not is_dead(one)]


def is_dead(place: Path) -> bool:
    """Gone, or waiting to be reaped."""
    try:
        return (place / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def start_of(pid: int) -> int | None:
    """Its beginning in ticks since the boot; None where it is gone."""
    try:
        return int(Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return None


def innermost(leader: int) -> int:
    """The last of the processes from the leader down that are the program itself, and no tool of it."""
    below = [pid for pid in children(leader) if is_program(pid)]
    return innermost(below[0]) if below else leader


def children(pid: int) -> list[int]:
    """Of every thread of it."""
    found: list[int] = []
    for task in Path("/proc", str(pid), "task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue
    return found


def is_program(pid: int) -> bool:
    """Whether it is one of the programs that are played, and no tool of one."""
    try:
        place = Path("/proc", str(pid))
        words = (place / "cmdline").read_bytes().split(b"\0")[:6]
        exe = os.readlink(place / "exe").encode()
    except OSError:
        return False
    return any(str(BASE).encode() in word for word in (exe, *words))
