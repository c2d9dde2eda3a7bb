"""What a traced process started, connected to and changed, read from strace's own words. Imports nothing of the product.

Judged by design §11, ruling 25: nothing is started but the fork server, no INET connection, no change outside the folders
that are named. Device files, kernel files and memory are no foreign writes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

STRACE = shutil.which("strace")
CALLS = (
    "execve,execveat,connect,sendto,openat,open,creat,openat2,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,"
    "link,linkat,symlink,symlinkat,truncate,chmod,fchmodat,chown,fchownat,utimensat,mknod,mknodat,setxattr,removexattr"
)
CHANGES = frozenset(CALLS.split(",")) - {
    "execve",
    "execveat",
    "connect",
    "sendto",
    "openat",
    "open",
    "openat2",
}
OUR_SERVER = "fork_server_entry"
NO_FILES = ("/dev/", "/proc/", "/sys/", "/memfd:")
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+|\?)")
_AT = re.compile(r'(?:(AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"')


def trace(log: Path, *arguments: str, is_parent: bool = True, **more: Any) -> subprocess.Popen[bytes]:
    """Start a program under strace; all its processes and threads are followed. is_parent: what is returned is strace, else
    the program itself.
    """
    assert STRACE is not None
    how = (
        *(() if is_parent else ("-D",)),
        "-f",
        "--seccomp-bpf",
        "-y",
        "-s",
        "400",
        "-o",
        str(log),
        "-e",
        f"trace={CALLS}",
        "-e",
        "signal=none",
    )
    return subprocess.Popen([STRACE, *how, *arguments], **more)


def can_trace() -> str:
    """Why nothing can be traced here; empty where it can."""
    if STRACE is None:
        return "there is no strace"
    tried = subprocess.run(
        [STRACE, "-f", "--seccomp-bpf", "-e", "trace=execve", "true"], capture_output=True, check=False
    )
    return "" if tried.returncode == 0 else tried.stderr.decode(errors="replace")[-200:]


def whole_calls(text: str) -> Iterable[str]:
    """Calls that were interrupted by others are put together again."""
    begun: dict[str, str] = {}
    for line in text.splitlines():
        pid = line.split(" ", 1)[0]
        if line.endswith("<unfinished ...>"):
            begun[pid] = line.removesuffix("<unfinished ...>").rstrip()
            continue
        resumed = re.match(r"^\d+ +<\.\.\. \w+ resumed>(.*)$", line)
        yield begun.pop(pid, "") + resumed[1] if resumed else line


def faults_of(log: Path, cwd: Path, *own: Path) -> list[str]:
    """Everything that ruling 25 forbids, in words. own: folders in which changes are allowed; cwd: of the program."""
    faults = []
    allowed = tuple(os.path.realpath(place) + "/" for place in own)
    is_first = True
    for line in whole_calls(log.read_text(errors="replace")):
        found = _CALL.match(line)
        if found is None:
            continue
        call, told, result = found[1], found[2], found[3]
        if call in ("execve", "execveat"):
            if not is_first and OUR_SERVER not in told and result == "0":
                faults.append(f"started: {told[:300]}")
            is_first = False
        elif call in ("connect", "sendto"):
            if "AF_INET" in told:
                faults.append(f"connected: {told[:200]}")
        elif not result.startswith("-") and _is_change(call, told):
            faults += [f"changed {path}: {call}" for path in _paths(told, cwd) if not _is_own(path, allowed)]
    return faults


def _is_change(call: str, told: str) -> bool:
    if call in ("openat", "open", "openat2"):
        return re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_TMPFILE", told) is not None
    return call in CHANGES


def _paths(told: str, cwd: Path) -> list[str]:
    found = []
    for number, place, name in _AT.findall(told):
        base = place if place and number != "AT_FDCWD" else place or str(cwd)
        found.append(os.path.normpath(os.path.join(base, name)))
    return found


def _is_own(path: str, allowed: tuple[str, ...]) -> bool:
    real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)) + "/"
    return path.startswith(NO_FILES) or any(real.startswith(place) for place in allowed)
