"""What /proc says about processes: a tree by parents, and the ones that carry an attempt's mark.

Reads only, keeps nothing. Sending a signal verifies the identity (pid and start ticks) first, because pids come back.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass

from quarterdeck.shim.marks import ATTEMPT_MARK

DEAD_STATES = frozenset("ZXx")


@dataclass(frozen=True, slots=True)
class ProcessStat:
    """One process; start_ticks since boot make the pid an identity."""

    pid: int
    parent: int
    group: int
    state: str
    start_ticks: int

    @property
    def is_alive(self) -> bool:
        return self.state not in DEAD_STATES


def stat_of(pid: int) -> ProcessStat | None:
    """The process of that pid, None where there is none. A zombie is a process whose `is_alive` is False."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            content = file.read()
    except OSError:
        return None
    fields = content.rpartition(b") ")[2].split()
    if len(fields) < 20:
        return None
    return ProcessStat(pid, int(fields[1]), int(fields[2]), chr(fields[0][0]), int(fields[19]))


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def descendants(*roots: int) -> list[ProcessStat]:
    """Everything below `roots` by parents, living and zombie, parents before children; a root that is below none is left out."""
    children: dict[int, list[ProcessStat]] = {}
    for pid in _pids():
        if (stat := stat_of(pid)) is not None:
            children.setdefault(stat.parent, []).append(stat)
    found: list[ProcessStat] = []
    queue = list(roots)
    while queue:
        below = children.pop(queue.pop(), [])
        found.extend(below)
        queue.extend(stat.pid for stat in below)
    return found


def marked(value: str, variable: str = ATTEMPT_MARK) -> list[ProcessStat]:
    """Living processes whose environment carries QUARTERDECK_ATTEMPT=<value>, or another variable; this process excepted.

    A process that cleared its environment is not among them (ruling 24).
    """
    mark, own, found = f"{variable}={value}".encode(), os.getpid(), []
    for pid in _pids():
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                environment = file.read()
        except OSError:
            continue
        if pid != own and mark in environment and mark in environment.split(b"\0"):
            stat = stat_of(pid)
            if stat is not None and stat.is_alive:
                found.append(stat)
    return found


def send(stat: ProcessStat, *signals: signal.Signals) -> bool:
    """Signal exactly this process, never one that took its pid since; False where it is gone or not ours."""
    try:
        pidfd = os.pidfd_open(stat.pid)
    except OSError:
        return False
    try:
        now = stat_of(stat.pid)
        if now is None or now.start_ticks != stat.start_ticks:
            return False
        for number in signals:
            signal.pidfd_send_signal(pidfd, number)
    except OSError:
        return False
    finally:
        os.close(pidfd)
    return True


def send_all(stats: Iterable[ProcessStat], *signals: signal.Signals) -> None:
    """Signal each of these processes."""
    for stat in stats:
        send(stat, *signals)
