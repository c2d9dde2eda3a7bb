"""This machine's boot, clocks and process identities. Standard library only: shim and engine both use it.

Linux: boot id and /proc. Elsewhere the boot id is derived from nothing better than an empty name, and identities are
unknown (None): recovery then says less, never more.
"""

from __future__ import annotations

import os
import time
from functools import lru_cache
from typing import NamedTuple

from quarterdeck.domain.moment import Moment

_BOOT_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class ProcessIdentity(NamedTuple):
    """What tells a process from a later one with the same pid, together with boot and pid."""

    start_ticks: int
    pid_ns: int


class OwnIdentity(NamedTuple):
    """Identity of the calling process."""

    boot: str
    pid: int
    start_ticks: int
    pid_ns: int


@lru_cache(maxsize=1)
def boot_id() -> str:
    """The kernel's random id of this boot; empty where there is none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def boot_ms() -> int:
    """CLOCK_BOOTTIME in whole milliseconds; counts sleep."""
    return time.clock_gettime_ns(_BOOT_CLOCK) // 1_000_000


def awake_ms() -> int:
    """CLOCK_MONOTONIC in whole milliseconds: one clock for all processes of a boot; stands still while the machine sleeps."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000


def slept_ms() -> int:
    """How long the machine has slept since its boot, in milliseconds; what rises between two looks was a sleep."""
    return boot_ms() - awake_ms()


def now() -> Moment:
    """Both clocks, read together."""
    return Moment(boot=boot_id(), boot_ms=boot_ms(), wall_ms=time.time_ns() // 1_000_000)


def process_identity(pid: int) -> ProcessIdentity | None:
    """(start ticks, PID-namespace inode) of a living process; None where it is gone or a zombie.

    The inode is 0 where the system does not let us see it (another user's process).
    """
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if len(fields) < 20 or fields[0] in (b"Z", b"X", b"x"):
        return None
    try:
        pid_ns = os.stat(f"/proc/{pid}/ns/pid").st_ino
    except OSError:
        pid_ns = 0
    return ProcessIdentity(int(fields[19]), pid_ns)


def own_identity() -> OwnIdentity:
    """Identity of this process; start ticks and namespace are 0 where the system does not tell."""
    found = process_identity(os.getpid()) or ProcessIdentity(0, 0)
    return OwnIdentity(boot_id(), os.getpid(), found.start_ticks, found.pid_ns)
