"""How the workflow files of a folder are told from what they were before, without reading them. Blocking."""

from __future__ import annotations

import os
from pathlib import Path

from quarterdeck.engine.household import FileMarks
from quarterdeck.store.workflow_file import SUFFIX

GONE = (0, 0, 0)
"""A name that leads nowhere."""


def file_marks(folder: Path) -> FileMarks:
    """{name: time of the last change in ns, size in bytes, inode} of each workflow file; none where the folder cannot be read.

    A link is marked by what it leads to. A file that was put in the place of another differs by its inode.
    """
    try:
        with os.scandir(folder) as entries:
            return {entry.name: _mark(entry) for entry in entries if entry.name.endswith(SUFFIX)}
    except OSError:
        return {}


def _mark(entry: os.DirEntry[str]) -> tuple[int, int, int]:
    try:
        found = entry.stat()
    except OSError:
        return GONE
    return found.st_mtime_ns, found.st_size, found.st_ino
