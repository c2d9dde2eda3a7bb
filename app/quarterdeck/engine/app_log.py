"""The app's own log: JSON lines in a file of the user, rotated, begun with its first line.

Window and terminal set it up when they open the engine. What goes in: faults of our own, what was left as it is and why,
commands that name a foreign run (ruling 14). What never goes in: secrets, prompts, outputs of agents.

Lines are written by a thread of the log's own, begun with the first line: who logs (the loop) never waits for a disk.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import queue
import stat
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

from quarterdeck.domain.moment import iso_utc

LOG_DIR_VARIABLE = "QUARTERDECK_LOG_DIR"
DATA_DIR_VARIABLE = "QUARTERDECK_DATA_DIR"
"""As `store.data_folder` names it; this module is loaded before the first paint, and that one is heavy."""
FILE_NAME = "quarterdeck.log"
FILE_BYTES_MAX = 1_000_000
FILES_KEPT = 3
_NAMES = ("quarterdeck", "asyncio")


def log_folder() -> Path:
    """`QUARTERDECK_LOG_DIR`, else `log` in `QUARTERDECK_DATA_DIR`, else the user's log folder of this system."""
    chosen, data = os.environ.get(LOG_DIR_VARIABLE), os.environ.get(DATA_DIR_VARIABLE)
    if chosen:
        return Path(chosen).absolute()
    if data:
        return Path(data).absolute() / "log"
    import platformdirs

    return Path(platformdirs.user_log_path("quarterdeck", appauthor=False))


class JsonLine(logging.Formatter):
    """One line a record: `{at, pid, level, from, message}`, with `fault` (a traceback) where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line = {
            "at": iso_utc(int(record.created * 1000)),
            "pid": record.process,
            "level": record.levelname.lower(),
            "from": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["fault"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class _PrivateFile(RotatingFileHandler):
    """Readable by its user alone; folder and file are made with the first line."""

    has_failed = False

    def _open(self):  # type: ignore[no-untyped-def]
        Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        with open(os.open(self.baseFilename, flags, 0o600), "ab") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a named pipe: who reads it may stop to
                raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), self.baseFilename)
        return super()._open()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """A log that cannot be written (full disk) says nothing anywhere: the window's banner tells of the disk."""
        self.has_failed = True


class _Queued(QueueHandler):
    """Hands lines, made by `JsonLine`, to the thread that writes them. The thread begins with the first line, so that none
    exists before the fork server was started.
    """

    def __init__(self, file: _PrivateFile) -> None:
        super().__init__(queue.SimpleQueue())
        self._file = file
        self._listener: QueueListener | None = None
        self.setFormatter(JsonLine())

    def emit(self, record: logging.LogRecord) -> None:
        """Called by logging, under this handler's lock."""
        if self._listener is None:
            self._listener = QueueListener(self.queue, self._file)
            self._listener.start()
        super().emit(record)

    def close(self) -> None:
        """Write what waits, end the thread, close the file."""
        if self._listener is not None:
            self._listener.stop()
            self._listener = None
        self._file.close()
        super().close()


class AppLog:
    """The log of this process, from `start` to `stop`. `path` is its newest file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = _PrivateFile(
            path, maxBytes=FILE_BYTES_MAX, backupCount=FILES_KEPT, delay=True, encoding="utf-8"
        )
        self._handler = _Queued(self._file)
        self._handler.setLevel(logging.INFO)

    @classmethod
    def start(cls, folder: Path | None = None) -> AppLog:
        """Begin to write what is logged from now on. Nothing is made on disk before the first line."""
        log = cls((folder or log_folder()) / FILE_NAME)
        for name in _NAMES:
            logging.getLogger(name).addHandler(log._handler)
        logging.getLogger("quarterdeck").setLevel(logging.INFO)
        return log

    @property
    def has_failed(self) -> bool:
        """Whether a line could not be written."""
        return self._file.has_failed

    def stop(self) -> None:
        """Write what waits, and no more; closes the file. Idempotent."""
        for name in _NAMES:
            logging.getLogger(name).removeHandler(self._handler)
        self._handler.close()


def log_fault(error: BaseException) -> Path | None:
    """Write one fault of our own, where no log is open any more; the log's path, or None where it cannot be written."""
    log = AppLog.start()
    logging.getLogger("quarterdeck.fault").critical("a verb ended by a fault: %r", error, exc_info=error)
    log.stop()
    return None if log.has_failed else log.path
