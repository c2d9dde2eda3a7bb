"""`exit.json`: the attested end of an attempt, one framed line. Its space is taken at the start, so that a disk that is
full at the end cannot keep the end from being told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.lines import frame

RESERVED_BYTES = 64 * 1024
NAME = "exit.json"
CRASH_FILE = "shim-error.txt"
"""What a shim leaves instead where it met a fault of its own; no such file at any other end."""


class ExitFile:
    """Reserved under a temp name, published by rename. OSError at construction where the disk refuses."""

    def __init__(self, io: DurableIO, folder: Path) -> None:
        self._io, self._folder = io, folder
        self._temp = folder / f".{NAME}.{os.getpid()}.reserved.tmp"
        self._fd = io.open(self._temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        io.allocate(self._fd, 0, RESERVED_BYTES)

    def publish(self, end: dict[str, Any]) -> None:
        """Write, cut, fsync, rename, fsync of the folder. OSError where even that is refused."""
        line = frame(end)
        self._io.write(self._fd, line)
        self._io.truncate(self._fd, len(line))
        self._io.fsync(self._fd)
        self._io.close(self._fd)
        self._io.replace(self._temp, self._folder / NAME)
        self._io.fsync_folder(self._folder)
