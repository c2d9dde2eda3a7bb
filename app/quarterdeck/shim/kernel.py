"""The Linux calls that the standard library lacks, and what the kernel says about this process.

This is the one module that a port to another system replaces (macOS: kqueue; Windows: a job object). Only Linux is
exercised. Nothing here keeps state.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from quarterdeck.shim.marks import ATTEMPT_MARK, SHIM_MARK

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_SLAVE = 0x2, 0x4, 0x8, 0x4000, 0x80000

NICE_STEP = 5
AUTOGROUP_NICE = 10
"""Of agents that are few; of those among many `shares.nice_beside` has more."""

_KEEP_SIZE = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _call(result: int, what: str) -> None:
    if result != 0:
        errno = ctypes.get_errno()
        raise OSError(errno, f"{what}: {os.strerror(errno)}")


def die_with_parent(signal_number: int) -> None:
    """Have the kernel send this signal when the thread that forked this process ends."""
    _call(_libc.prctl(PR_SET_PDEATHSIG, signal_number, 0, 0, 0), "prctl(PR_SET_PDEATHSIG)")


def become_subreaper() -> None:
    """Orphans among the descendants become children of this process."""
    _call(_libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "prctl(PR_SET_CHILD_SUBREAPER)")


def set_process_name(name: str) -> None:
    """At most 15 bytes, as shown by `ps -o comm`."""
    _call(_libc.prctl(PR_SET_NAME, name.encode()[:15], 0, 0, 0), "prctl(PR_SET_NAME)")


def unshare(flags: int) -> None:
    """Leave the named namespaces (CLONE_NEW…); OSError where it is not permitted."""
    _call(_libc.unshare(flags), "unshare")


def mount_private_proc() -> None:
    """In a mount namespace of our own: mounts of the host keep arriving, and /proc shows this PID namespace."""
    _call(_libc.mount(b"none", b"/", None, MS_REC | MS_SLAVE, None), "mount(/)")
    _call(_libc.mount(b"proc", b"/proc", b"proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None), "mount(/proc)")


def set_autogroup(pid: int | str = "self", nice: int = AUTOGROUP_NICE) -> bool:
    """Set the share of this session; nice alone changes nothing across sessions. False where refused for now."""
    try:
        Path(f"/proc/{pid}/autogroup").write_text(str(nice), "ascii")
    except (BlockingIOError, InterruptedError):
        return False
    except OSError:  # a kernel without autogroups: nice is all there is
        return True
    return True


def mark_as_shim(attempt: str) -> None:
    """Put QUARTERDECK_SHIM=<attempt> where /proc/<pid>/environ shows it, and take any attempt's mark away.

    A forked process keeps the environment block of the one that was exec'd, so the mark is written into the room
    that the fork server was started with.
    """
    os.environ.pop(ATTEMPT_MARK, None)
    os.environ[SHIM_MARK] = attempt
    fields = Path("/proc/self/stat").read_bytes().rpartition(b") ")[2].split()
    start, end = int(fields[47]), int(fields[48])
    if start == 0 or end <= start:
        return
    block = ctypes.string_at(start, end - start)
    room_start = block.find(SHIM_MARK.encode() + b"=")
    if room_start < 0:
        return
    value_start = room_start + len(SHIM_MARK) + 1
    room = block.index(b"\0", value_start) - value_start
    value = attempt.encode("ascii", "replace")[:room]
    ctypes.memmove(start + value_start, value + b"\0" * (room - len(value)), room)


def close_all_but(keep: set[int]) -> None:
    """Close every descriptor of this process that is not to be kept."""
    for fd in sorted(int(name) for name in os.listdir("/proc/self/fd")):
        if fd not in keep:
            os.closerange(fd, fd + 1)  # says nothing where it is closed already, as the listing's own is


def reserve_behind_end(fd: int, offset: int, size: int) -> bool:
    """Take space behind the end of a file without making it longer; False where the file system cannot or is full."""
    fallocate = getattr(_libc, "fallocate64", None) or _libc.fallocate
    return int(fallocate(fd, _KEEP_SIZE, ctypes.c_int64(offset), ctypes.c_int64(size))) == 0
