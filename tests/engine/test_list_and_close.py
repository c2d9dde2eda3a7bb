"""The list of runs, the looking at other processes, and the end of the engine: nothing vanishes, nothing is half closed."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.states import Outcome
from quarterdeck.engine import settling, watching
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.machine import now
from tests.engine.conftest import Opener
from tests.engine.works import FOREVER, ended, launch, python, shell, shows, to_end, until, write


async def test_a_run_that_ends_during_a_look_stays_in_the_list(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OWN5, OWN8: a look that began before the end says nothing about the run that ended since."""
    looks, may_end = threading.Event(), threading.Event()
    texts = engine._store.index.texts

    def slow() -> Any:
        found = texts()
        looks.set()
        assert may_end.wait(20)
        return found

    gate = tmp_path / "go"
    path = write(tmp_path, {"a": shell(f"while [ ! -e '{gate}' ]; do sleep 0.02; done")})
    run = await launch(engine, path)
    await until(engine, run, shows("a", "Running"))
    monkeypatch.setattr(engine._store.index, "texts", slow)
    look = asyncio.ensure_future(engine.refresh())
    assert await asyncio.to_thread(looks.wait, 20), "the look did not come by here"
    gate.touch()
    await ended(engine, run)
    assert [line.run_id for line in engine.runs()] == [run]
    may_end.set()
    await look
    assert [(line.run_id, line.outcome) for line in engine.runs()] == [(run, Outcome.COMPLETED)]
    (status,) = engine.statuses()
    assert (status.shown_run, status.outcome) == (run, Outcome.COMPLETED)
    monkeypatch.undo()
    await engine.refresh()
    assert [line.outcome for line in engine.runs()] == [Outcome.COMPLETED]


async def test_a_look_that_began_earlier_and_came_later_is_dropped(engine: Engine, tmp_path: Path) -> None:
    old = engine._catalog.read()
    view = await to_end(engine, write(tmp_path, {"a": shell("true")}))
    await engine.refresh()
    assert engine._catalog.merge(old) == {}
    assert [line.run_id for line in engine.runs()] == [view.run_id]


async def test_nothing_that_a_look_meets_ends_the_looking(
    open_engine: Opener, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """REC17: one report of another version, in one dead session, must not make this process blind."""
    monkeypatch.setattr(watching, "LOOK_EVERY_S", 0.01)
    looked = 0
    real = watching.StoreWatch._look_once

    def breaks(self: watching.StoreWatch) -> Any:
        nonlocal looked
        looked += 1
        if looked < 3:
            raise KeyError("shim_pid")
        return real(self)

    monkeypatch.setattr(watching.StoreWatch, "_look_once", breaks)
    await open_engine()
    async with asyncio.timeout(10):
        while looked < 6:
            await asyncio.sleep(0.01)
    assert caplog.text.count("shim_pid") >= 1


async def _dead_session_with_two_runs(open_engine: Opener, tmp_path: Path) -> tuple[Engine, list[RunId]]:
    """An engine that goes as a killed process goes: its locks are free, its runs and agents are not settled."""
    engine = await open_engine()
    path = write(tmp_path, {"a": shell("true")})
    runs = [(await to_end(engine, path)).run_id for _ in range(2)]
    session = engine._opened.session
    assert session is not None
    for run in runs:
        session.list_run(run)
    session._lock.release()
    return engine, runs


async def test_a_fault_over_one_run_leaves_its_session_unsettled_and_settles_the_others(
    open_engine: Opener, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, runs = await _dead_session_with_two_runs(open_engine, tmp_path)
    store = Store.open(data)
    real = settling.Settlement.settle

    def breaks(self: settling.Settlement) -> Any:
        if self._run == runs[0]:
            raise KeyError("shim_pid")
        return real(self)

    monkeypatch.setattr(settling.Settlement, "settle", breaks)
    (dead,) = store.sessions.dead()
    left = settling.LeftAlone()
    assert settling.settle_dead_sessions(store, now, left) == (runs[1],)
    assert left.sessions == {dead.session_id}
    assert settling.settle_dead_sessions(store, now, left) == (), "not tried again and again by one process"
    monkeypatch.undo()
    assert settling.settle_dead_sessions(store, now) == (runs[0],), "what is settled is not settled again"
    assert store.sessions.dead() == ()
    store.close()


async def test_a_run_that_somebody_holds_at_that_moment_keeps_its_session(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    _, runs = await _dead_session_with_two_runs(open_engine, tmp_path)
    store = Store.open(data)
    held = store.runs.own(runs[0])
    assert held is not None
    assert settling.settle_dead_sessions(store, now) == (runs[1],)
    assert len(store.sessions.dead()) == 1
    held.release()
    assert settling.settle_dead_sessions(store, now) == (runs[0],)
    assert store.sessions.dead() == ()
    store.close()


async def test_a_close_whose_caller_goes_away_goes_on_and_the_next_caller_waits_for_it(
    open_engine: Opener, tmp_path: Path
) -> None:
    engine = await open_engine()
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    first = asyncio.ensure_future(engine.close(reason="person", finish_within_s=60))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait([first])
    await asyncio.wait_for(engine.close(), 15)
    view = engine.live_run(run)
    assert view is not None
    assert (view.is_live, view.outcome) == (False, Outcome.STOPPED)


async def test_a_close_that_fails_tells_every_caller_and_lets_go_of_the_rest(
    open_engine: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = await open_engine()
    session = engine._opened.session
    assert session is not None

    async def breaks(*_: object) -> None:
        raise RuntimeError("a bug in the shutdown")

    monkeypatch.setattr(engine._live, "close", breaks)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="a bug in the shutdown"):
            await engine.close()
    assert not session.socket_path.exists()
    assert not engine._store.sessions.is_alive(session.session_id)
    engine._closing = None
    monkeypatch.setattr(engine, "close", lambda **_: asyncio.sleep(0))


async def test_agents_that_do_not_finish_in_the_time_that_was_given_are_ended_for_that_reason(
    open_engine: Opener, tmp_path: Path
) -> None:
    engine = await open_engine()
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    await asyncio.wait_for(engine.close(reason="person", finish_within_s=0.1), 15)
    view = engine.live_run(run)
    assert view is not None
    words = "the time for finishing was over"
    assert (view.outcome, view.reason, view.slots[0].reason) == (Outcome.STOPPED, words, words)


async def test_a_close_is_taken_back_while_runs_may_finish_and_they_go_on_as_before(
    open_engine: Opener, tmp_path: Path
) -> None:
    """REC16: nothing was ended, new runs start again, and a later close is a whole one."""
    engine = await open_engine()
    assert not engine.keep_open(), "nothing is closing"
    run = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, run, shows("a", "Running"))
    closing = asyncio.ensure_future(engine.close(reason="person", finish_within_s=60))
    async with asyncio.timeout(15):
        while not engine.keep_open():
            await asyncio.sleep(0.01)
    await asyncio.wait_for(closing, 15)
    assert not engine.is_closed
    view = engine.live_run(run)
    assert view is not None
    assert view.is_live
    other = await launch(engine, write(tmp_path, {"a": python(FOREVER)}))
    await until(engine, other, shows("a", "Running"))
    await asyncio.wait_for(engine.close(reason="person"), 15)
    assert engine.is_closed
    assert not engine.keep_open(), "too late"
    ended = engine.live_run(run)
    assert ended is not None
    assert (ended.is_live, ended.outcome) == (False, Outcome.STOPPED)
