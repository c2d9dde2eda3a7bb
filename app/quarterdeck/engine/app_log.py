"""The app's own log: JSON lines in a file of the user, rotated, begun with its first line.

Window and terminal set it up when they open the engine. What goes in: faults of our own, what was left as it is and why,
commands that name a foreign run (ruling 14). What never goes in: secrets, prompts, outputs of agents.

Lines are written by a thread of the log's own, begun with the first line: who logs (the loop) never waits for a disk.
"""

from __future__ import annotations

import errno
import fcntl
import json
import logging
import os
import queue
import stat
from logging.handlers import QueueHandler, QueueListener, RotatingFileHandler
from pathlib import Path

LOG_DIR_VARIABLE = "QUARTERDECK_LOG_DIR"
DATA_DIR_VARIABLE = "QUARTERDECK_DATA_DIR"
"""As `store.data_folder` names it; this module is loaded before the first paint, and that one is heavy."""
FILE_NAME = "quarterdeck.log"
FILE_BYTES_MAX = 1_000_000
FILES_KEPT = 3
_NAMES = ("quarterdeck", "asyncio")
_OPEN_FLAGS = os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK


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
        from quarterdeck.domain.moment import iso_utc  # not before the first paint

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
    """Readable by its user alone; folder and file are made with the first line. Several processes write the same one."""

    has_failed = False

    def _open(self):  # type: ignore[no-untyped-def]
        Path(self.baseFilename).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(self.baseFilename, os.O_WRONLY | _OPEN_FLAGS, 0o600), "ab") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):  # a named pipe: who reads it may stop to
                raise OSError(errno.ENXIO, os.strerror(errno.ENXIO), self.baseFilename)
        return super()._open()

    def shouldRollover(self, record: logging.LogRecord) -> int:  # noqa: N802 - the base class's name
        """Whether the file that has the name now is full: another process may have put a new one there."""
        self._follow()
        return super().shouldRollover(record)

    def doRollover(self) -> None:  # noqa: N802 - the base class's name
        """Make room, once for all processes: where another does it at this moment, or just did, nothing is moved."""
        lock = os.open(f"{self.baseFilename}.lock", os.O_RDWR | _OPEN_FLAGS, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if not self._follow():
                super().doRollover()
        except BlockingIOError:  # this line goes where it would have gone a moment before
            return
        finally:
            os.close(lock)

    def _follow(self) -> bool:
        """Write on in the file that has the name now; whether that is another one."""
        if self.stream is None:
            return False
        own = os.fstat(self.stream.fileno())
        try:
            named = os.stat(self.baseFilename)
        except FileNotFoundError:  # moved away, or removed by hand: a new one is begun
            named = None
        if named is not None and (named.st_dev, named.st_ino) == (own.st_dev, own.st_ino):
            return False
        self._drop()
        self.stream = self._open()  # type: ignore[no-untyped-call]
        return True

    def _drop(self) -> None:
        stream, self.stream = self.stream, None
        try:
            if stream is not None:
                stream.close()
        except OSError:  # what it could not write before
            self.has_failed = True

    def close(self) -> None:
        """Close the file; on a disk that takes nothing that is no error of who logs."""
        self._drop()
        super().close()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the base class's name
        """A log that cannot be written (full disk) says nothing anywhere: the window's banner tells of the disk. The next
        line opens the file again.
        """
        self.has_failed = True
        self._drop()


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
