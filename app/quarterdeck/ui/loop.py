"""The event loop of the window: asyncio on Qt's own, through qasync, with ordinary worker threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

WORKERS = 8


def new_loop(app: QApplication) -> QEventLoop:
    """A loop for `asyncio.Runner(loop_factory=…)`; closing it waits for its worker threads.

    qasync's own executor runs Python in QThreads, which `threading` then lists for ever as dummies (qasync 0.28);
    remove this once it uses Python's threads.
    """
    loop = QEventLoop(app)
    loop.set_default_executor(worker_threads())
    return loop


def worker_threads() -> ThreadPoolExecutor:
    """Where blocking work of the engine runs."""
    return ThreadPoolExecutor(WORKERS, thread_name_prefix="quarterdeck-worker")
