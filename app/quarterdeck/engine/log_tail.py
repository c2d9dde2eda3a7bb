"""The end of the app's own log, for showing it: the newest lines of the file that `app_log` writes. Blocking."""

from __future__ import annotations

import json
import os
from pathlib import Path

from quarterdeck.engine.app_log import FILE_NAME, log_folder
from quarterdeck.engine.past import LogLine, LogTail
from quarterdeck.store.errors import StoreDamaged
from quarterdeck.store.regular import open_regular

TAIL_BYTES = 256_000


def read_log_tail(folder: Path | None = None, bytes_max: int = TAIL_BYTES) -> LogTail:
    """The end of the log; a missing file is an empty log (nothing was logged yet)."""
    path = (folder or log_folder()) / FILE_NAME
    try:
        with open(open_regular(path, follow_links=True), "rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = max(0, size - bytes_max)
            file.seek(start)
            content = file.read(bytes_max)
    except FileNotFoundError:
        return LogTail(path)
    except OSError as error:
        return LogTail(path, error=f"The log cannot be read: {error.strerror or error}")
    except StoreDamaged as error:
        return LogTail(path, error=f"The log cannot be read: {error.reason}")
    lines = content.split(b"\n")
    if start:
        lines = lines[1:]  # the first one is cut in two
    return LogTail(path, tuple(map(_line, filter(None, lines))), cut=start > 0)


def _line(raw: bytes) -> LogLine:
    text = raw.decode("utf-8", "replace")
    try:
        said = json.loads(text)
        return LogLine(
            str(said["at"]),
            str(said["level"]),
            str(said["from"]),
            str(said["message"]),
            str(said.get("fault", "")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return LogLine("", "", "", text)
