"""What a process of ours does that a restart must not, as the interpreter itself tells it (`sys.addaudithook`); for the many
restarts that are not traced by strace. Imports nothing of the product.

Judged by design §11, ruling 25: nothing is started or signalled, no INET connection, no change outside the folders named.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

STARTS = frozenset(
    {"os.fork", "os.forkpty", "os.posix_spawn", "os.exec", "os.spawn", "os.system", "subprocess.Popen"}
)
CHANGES = frozenset(
    {
        *(
            "os.rename",
            "os.remove",
            "os.rmdir",
            "os.mkdir",
            "os.link",
            "os.symlink",
            "os.truncate",
            "os.chmod",
        ),
        *("os.chown", "os.utime", "os.setxattr", "os.removexattr", "shutil.rmtree"),
    }
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
NO_FILES = ("/dev/", "/proc/", "/sys/")


def overhear(tell: Callable[[str], None], *own: Path) -> None:
    """From now on, and for good: `tell` each forbidden thing that this process does. own: folders it may change."""
    allowed = tuple(os.path.realpath(place) + "/" for place in own)

    def is_foreign(path: object) -> bool:
        if not isinstance(path, (str, bytes, os.PathLike)):
            return False  # a descriptor: the opening was heard
        real = os.path.realpath(os.fsdecode(path)) + "/"
        return not real.startswith((*NO_FILES, *allowed))

    def hear(event: str, given: tuple[Any, ...]) -> None:
        if event in STARTS:
            tell(f"started: {event} {given!r:.200}")
        elif event == "os.kill" and given[1] != 0:
            tell(f"signalled: {given}")
        elif event in ("socket.connect", "socket.sendto") and isinstance(given[-1], tuple):
            tell(f"connected: {given[-1]}")
        elif event == "open" and isinstance(given[2], int) and given[2] & WRITES and is_foreign(given[0]):
            tell(f"changed {given[0]!r}: open")
        elif event in CHANGES and any(map(is_foreign, given[:1] if event != "os.rename" else given[:2])):
            tell(f"changed {given[:2]!r}: {event}")

    sys.addaudithook(hear)
