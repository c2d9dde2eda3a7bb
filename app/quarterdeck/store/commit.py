"""Group commit: the writer thread of a store. Every append to a journal goes through it, so that no loop ever syncs.

Appends that arrive while a sync is in flight are written and synced together by the next one. Appends that need no
sync are written at once (a kill loses nothing) and synced within `WINDOW_S`. Other durable work that has to keep its
place among the appends (counting an end, publishing a record, probing the disk) runs in its turn, in the order in
which it was asked for. Work that stands alone does not come through here: a run is made, opened or settled, an
attempt's folder is prepared and a session's file is written by whatever worker thread does it, each durable by itself.
What is written, and what a failure means for a file, is the sink's affair.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from quarterdeck.store.machine import boot_ms

WINDOW_S = 0.2
"""Age at which an unsynced line is synced; the promise is 250 ms (design §5)."""
RETRY_S = 1.0
"""Wait after a failed sync before the sink is asked again, so that recording resumes by itself (JNL8)."""

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Append:
    """One line on its way. The sink sets `result`; the future gives it once the line is durable (or written)."""

    payload: Any
    sync: bool
    future: Future[Any]
    result: Any = None


class Sink(Protocol):
    """A file that grows. Both methods run on the writer thread and raise StoreError when the disk refuses."""

    def write(self, appends: Sequence[Append]) -> None:
        """Write all lines or none, and set each result."""

    def sync(self) -> None:
        """Make everything written durable; on failure nothing that waits for it was acknowledged.

        Called again after a failure: it must then not trust the file that failed (JNL7).
        """


@dataclass(slots=True, eq=False)
class _Work:
    call: Callable[[], Any]
    future: Future[Any]


@dataclass(slots=True, eq=False)
class _Turn:
    """Appends of one turn, by sink, in order of arrival."""

    by_sink: dict[Sink, list[Append]] = field(default_factory=dict)


class Committer:
    """The writer thread. Thread-safe; the thread starts with the first work and ends with `close`.

    Work must not wait for another future of the same committer: it would wait for itself.
    """

    def __init__(self, window_s: float = WINDOW_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._window_s = window_s
        self._clock = clock
        self._wake = threading.Condition()
        self._queue: deque[tuple[Sink, Append] | _Work] = deque()
        self._unsynced: dict[Sink, float] = {}
        self._thread: threading.Thread | None = None
        self._closing = False
        self.saved_boot_ms: int | None = None
        """When something became durable last, here or, as is noted, in files of a keeper; None before the first time."""

    def append(self, sink: Sink, payload: Any, *, sync: bool) -> Future[Any]:
        """Queue one line. The future carries the sink's result, or a StoreError; it cannot be cancelled.

        An append that fails takes with it every append to the same sink that was queued before its failure was told,
        so what is kept is always a prefix of what was asked for.
        """
        job = Append(payload, sync, _new_future())
        self._submit((sink, job))
        return job.future

    def run(self, call: Callable[[], T]) -> Future[T]:
        """Queue other durable work behind what was queued before; the future carries its value or what it raised."""
        work = _Work(call, _new_future())
        self._submit(work)
        return work.future

    def note_saved(self) -> None:
        """Something has become durable just now."""
        self.saved_boot_ms = boot_ms()

    def close(self) -> None:
        """Do everything that was queued, sync, end the thread. Idempotent; later work raises RuntimeError."""
        with self._wake:
            self._closing = True
            self._wake.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _submit(self, item: tuple[Sink, Append] | _Work) -> None:
        with self._wake:
            if self._closing:
                raise RuntimeError("the store is closed")
            self._queue.append(item)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="quarterdeck-store", daemon=True)
                self._thread.start()
            elif len(self._queue) == 1:
                self._wake.notify_all()

    def _work(self) -> None:
        while (batch := self._next_batch()) is not None:
            turn = _Turn()
            for item in batch:
                if isinstance(item, _Work):
                    self._commit(turn)
                    _settle(item.future, item.call)
                    break
                turn.by_sink.setdefault(item[0], []).append(item[1])
            else:
                self._commit(turn)
            self._sync_due()

    def _next_batch(self) -> list[tuple[Sink, Append] | _Work] | None:
        """What is queued up to the first other work; empty when a window is over; None when closed and done.

        Nothing of a later turn is taken yet, so that a failure still finds it in the queue (`_fail`).
        """
        with self._wake:
            while not self._queue:
                due = min(self._unsynced.values(), default=None)
                if self._closing and due is None:
                    return None
                if due is not None and (self._closing or due <= self._clock()):
                    return []
                self._wake.wait(None if due is None else max(0.0, due - self._clock()))
            batch: list[tuple[Sink, Append] | _Work] = []
            while self._queue and not (batch and isinstance(batch[-1], _Work)):
                batch.append(self._queue.popleft())
            return batch

    def _commit(self, turn: _Turn) -> None:
        waiting: list[tuple[Sink, list[Append]]] = []
        for sink, appends in turn.by_sink.items():
            try:
                sink.write(appends)
            except Exception as error:  # noqa: BLE001 - every caller is told through its future
                self._fail(sink, appends, error)
                continue
            if any(job.sync for job in appends):
                waiting.append((sink, appends))
            else:
                self._unsynced.setdefault(sink, self._clock() + self._window_s)
                _resolve(appends)
        for sink, appends in waiting:
            self._sync(sink, appends)

    def _sync(self, sink: Sink, appends: Sequence[Append]) -> None:
        self._unsynced.pop(sink, None)
        try:
            sink.sync()
        except Exception as error:  # noqa: BLE001 - every caller is told through its future
            if not self._closing:
                self._unsynced[sink] = self._clock() + RETRY_S
            self._fail(sink, appends, error)
        else:
            self.note_saved()
            _resolve(appends)

    def _sync_due(self) -> None:
        now = self._clock()
        for sink, due in list(self._unsynced.items()):
            if due <= now or self._closing:
                self._sync(sink, ())

    def _fail(self, sink: Sink, appends: Sequence[Append], error: Exception) -> None:
        """Tells everybody who asked for a line of this sink, before anybody can ask for the next one.

        Callbacks of the futures run while the queue is held: they may append, and must not wait for another thread.
        """
        with self._wake:
            kept: deque[tuple[Sink, Append] | _Work] = deque()
            failed = list(appends)
            for item in self._queue:
                if isinstance(item, tuple) and item[0] is sink:
                    failed.append(item[1])
                else:
                    kept.append(item)
            self._queue = kept
            for job in failed:
                job.future.set_exception(error)


def _new_future() -> Future[Any]:
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()  # from here on it cannot be cancelled: the line may already be written
    return future


def _resolve(appends: Sequence[Append]) -> None:
    for job in appends:
        job.future.set_result(job.result)


def _settle(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        value = call()
    except BaseException as error:  # noqa: BLE001 - the caller is told through the future
        future.set_exception(error)
    else:
        future.set_result(value)
