"""Group commit: order, grouping, windows and failures, with a sink that is only a list."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future

import pytest

from quarterdeck.store.commit import Append, Committer
from quarterdeck.store.errors import StoreDown


class ListSink:
    """Writes into a list; `gate` holds a sync in flight; `fail_next` fails the next write or sync."""

    def __init__(self) -> None:
        self.written: list[object] = []
        self.durable: list[object] = []
        self.syncs = 0
        self.in_sync = threading.Event()
        self.gate = threading.Event()
        self.gate.set()
        self.synced = threading.Event()
        self.fail_next = ""

    def write(self, appends: Sequence[Append]) -> None:
        if self.fail_next == "write":
            self.fail_next = ""
            raise StoreDown(28, "list")
        for job in appends:
            self.written.append(job.payload)
            job.result = job.payload

    def sync(self) -> None:
        self.in_sync.set()
        assert self.gate.wait(20)
        if self.fail_next == "sync":
            self.fail_next = ""
            raise StoreDown(5, "list")
        self.durable = list(self.written)
        self.syncs += 1
        self.synced.set()


@pytest.fixture
def committer() -> Iterator[Committer]:
    made = Committer()
    yield made
    made.close()


def test_futures_of_synced_lines_are_done_only_when_durable(committer: Committer) -> None:
    sink = ListSink()
    sink.gate.clear()
    future = committer.append(sink, 1, sync=True)
    assert sink.in_sync.wait(20)
    assert sink.written == [1]
    assert not future.done()
    sink.gate.set()
    assert future.result(20) == 1
    assert sink.durable == [1]


def test_lines_that_arrive_while_a_sync_is_in_flight_share_the_next_one(committer: Committer) -> None:
    sink = ListSink()
    sink.gate.clear()
    first = committer.append(sink, 0, sync=True)
    assert sink.in_sync.wait(20)
    rest = [committer.append(sink, n, sync=True) for n in range(1, 100)]
    sink.gate.set()
    assert [f.result(20) for f in [first, *rest]] == list(range(100))
    assert sink.syncs == 2
    assert sink.durable == list(range(100))


def test_an_unsynced_line_is_told_when_written_and_synced_within_the_window(committer: Committer) -> None:
    sink = ListSink()
    assert committer.append(sink, 1, sync=False).result(20) == 1
    assert sink.written == [1]
    assert sink.synced.wait(20)
    assert sink.durable == [1]


def test_other_work_runs_in_its_turn_after_what_was_appended_before_is_durable(committer: Committer) -> None:
    sink, other = ListSink(), ListSink()
    other.gate.clear()
    committer.append(other, 0, sync=True)
    assert other.in_sync.wait(20)
    committer.append(sink, 1, sync=True)
    seen = committer.run(lambda: (list(sink.durable), threading.current_thread().name))
    committer.append(sink, 2, sync=True)
    other.gate.set()
    assert seen.result(20) == ([1], "quarterdeck-store")


def test_work_that_raises_tells_its_caller_and_nobody_else(committer: Committer) -> None:
    sink = ListSink()
    with pytest.raises(ZeroDivisionError):
        committer.run(lambda: 1 // 0).result(20)
    assert committer.append(sink, 1, sync=True).result(20) == 1


@pytest.mark.parametrize("step", ["write", "sync"])
def test_a_failure_takes_what_was_queued_behind_it_but_not_another_file(
    committer: Committer, step: str
) -> None:
    sink, other, gatekeeper = ListSink(), ListSink(), ListSink()
    gatekeeper.gate.clear()
    committer.append(gatekeeper, 0, sync=True)
    assert gatekeeper.in_sync.wait(20)
    sink.fail_next = step
    failing = [committer.append(sink, n, sync=n == 1) for n in (1, 2, 3)]
    spared = committer.append(other, 9, sync=True)
    gatekeeper.gate.set()
    for future in failing:
        with pytest.raises(StoreDown):
            future.result(20)
    assert spared.result(20) == 9
    assert committer.append(sink, 4, sync=True).result(20) == 4


@pytest.mark.parametrize("step", ["write", "sync"])
def test_a_failure_takes_what_was_queued_behind_other_work_as_well(committer: Committer, step: str) -> None:
    """JNL2: what is kept is a prefix of what was asked for, also where it was asked for in several turns."""
    sink, other, gatekeeper = ListSink(), ListSink(), ListSink()
    gatekeeper.gate.clear()
    committer.append(gatekeeper, 0, sync=True)
    assert gatekeeper.in_sync.wait(20)
    sink.fail_next = step
    failing = [committer.append(sink, 1, sync=True)]
    works = []
    for n in (2, 3):
        works.append(committer.run(lambda: "done"))
        failing.append(committer.append(sink, n, sync=n == 3))
    spared = committer.append(other, 9, sync=True)
    gatekeeper.gate.set()
    for future in failing:
        with pytest.raises(StoreDown):
            future.result(20)
    assert [work.result(20) for work in works] == ["done", "done"]
    assert spared.result(20) == 9
    assert committer.append(sink, 4, sync=True).result(20) == 4


def test_nothing_is_taken_for_a_sink_while_its_failure_is_told(committer: Committer) -> None:
    """A line asked for before everybody in front of it knows of the failure would be kept without them."""
    sink = ListSink()
    sink.gate.clear()
    sink.fail_next = "sync"
    first = committer.append(sink, 1, sync=True)
    assert sink.in_sync.wait(20)
    second = committer.append(sink, 2, sync=True)
    asked, second_was_told = threading.Event(), []

    def ask_again() -> None:
        committer.append(sink, 3, sync=True)
        second_was_told.append(second.done())
        asked.set()

    def when_told(_: object) -> None:
        threading.Thread(target=ask_again).start()
        asked.wait(0.3)  # time enough to slip in before the second is told, if that were possible

    first.add_done_callback(when_told)
    sink.gate.set()
    assert asked.wait(20)
    assert second_was_told == [True]


def test_who_is_told_of_a_failure_may_ask_again_at_once(committer: Committer) -> None:
    sink = ListSink()
    sink.gate.clear()
    sink.fail_next = "sync"
    first = committer.append(sink, 1, sync=True)
    assert sink.in_sync.wait(20)
    again: queue.SimpleQueue[Future[object]] = queue.SimpleQueue()
    first.add_done_callback(lambda _: again.put(committer.append(sink, 1, sync=True)))
    sink.gate.set()
    assert again.get(timeout=20).result(20) == 1


def test_a_future_that_was_given_cannot_be_cancelled(committer: Committer) -> None:
    sink = ListSink()
    future = committer.append(sink, 1, sync=True)
    assert not future.cancel()
    assert future.result(20) == 1


def test_close_finishes_everything_and_then_refuses(committer: Committer) -> None:
    sink = ListSink()
    futures = [committer.append(sink, n, sync=False) for n in range(50)]
    committer.close()
    committer.close()
    assert [f.result(0) for f in futures] == list(range(50))
    assert sink.durable == list(range(50))
    with pytest.raises(RuntimeError, match="closed"):
        committer.append(sink, 1, sync=True)


def test_no_thread_before_the_first_work() -> None:
    before = threading.active_count()
    Committer().close()
    assert threading.active_count() == before
