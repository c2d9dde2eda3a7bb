"""Opening a data folder: what dead processes left half written goes away, and no leftover stops the opening (STO10)."""

from __future__ import annotations

import asyncio
import errno
import os
import subprocess
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.engine import watching
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.sessions import SessionIdentity
from tests.engine.conftest import Opener
from tests.engine.unprivileged import bound_by_permissions
from tests.engine.works import shell, to_end, write
from tests.store.faulty_io import FaultyIO

PLACES = (".", "sessions", "objects", "runs")


@pytest.fixture
async def stale(open_engine: Opener, data: Path) -> list[Path]:
    """Temp files of a process that is gone, one in each of the store's own folders."""
    await (await open_engine()).close()
    with subprocess.Popen(["true"]) as process:
        pass
    left = [data / place / f".some.json.{process.pid}.0123456789ab.tmp" for place in PLACES]
    for path in left:
        path.write_bytes(b"half")
    return left


async def test_temp_files_of_dead_processes_go_away_when_a_session_begins(
    stale: list[Path], open_engine: Opener, data: Path
) -> None:
    living = data / "objects" / f".some.json.{os.getpid()}.0123456789ab.tmp"
    living.write_bytes(b"half")
    (data / "sessions" / stale[0].name.replace("some", "folder")).mkdir()
    await open_engine()
    assert [path for path in stale if path.exists()] == []
    assert living.exists()


async def test_who_only_looks_removes_nothing(stale: list[Path], data: Path) -> None:
    engine = await Engine.open(data, read_only=True)
    await engine.close()
    assert all(path.exists() for path in stale)


async def test_temp_files_that_cannot_be_removed_do_not_stop_the_opening(
    stale: list[Path], open_engine: Opener, caplog: pytest.LogCaptureFixture
) -> None:
    engine = await open_engine(io=FaultyIO(1, errno.EACCES, operations=frozenset({"unlink"})))
    assert engine.runs() == ()
    assert "temp files" in caplog.text
    assert any(path.exists() for path in stale)


@pytest.fixture
async def two_runs(open_engine: Opener, data: Path, tmp_path: Path) -> list[RunId]:
    """Runs of a process that is gone and has settled neither."""
    engine = await open_engine()
    path = write(tmp_path, {"a": shell("true")})
    runs = [(await to_end(engine, path)).run_id for _ in range(2)]
    await engine.close()
    store = Store.open(data)
    session = store.sessions.begin(SessionIdentity.of_this_process("terminal"))
    for run in runs:
        session.list_run(run)
    session._lock.release()
    store.close()
    return runs


def dead_sessions(data: Path) -> int:
    """How many sessions are still to be settled."""
    store = Store.open(data, create=False)
    try:
        return len(store.sessions.dead())
    finally:
        store.close()


@pytest.mark.parametrize("refused", ["", "owner.lock", "journal.jsonl", "attempts"])
def test_a_run_that_the_system_refuses_hides_no_other_and_is_settled_once_it_no_longer_does(
    refused: str,
    two_runs: list[RunId],
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """REC1, OWN5."""
    monkeypatch.setattr(watching, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(watching, "LOOK_SHARE", 1)
    odd, sound = two_runs
    place = data / "runs" / odd / refused
    mode = place.stat().st_mode

    async def act() -> None:
        engine = await Engine.open(data)
        shown = {run.run_id for run in engine.runs()} | set(engine.unreadable())
        assert shown == {odd, sound}
        assert (odd in engine.unreadable()) == (refused == "")
        assert await engine.run(sound) is not None
        assert f"run {odd} cannot be settled now" in caplog.text
        (dead,) = Store.open(data, create=False).sessions.dead()
        assert dead.runs == (odd,), "what is settled is not settled again"
        place.chmod(mode)
        async with asyncio.timeout(20):
            while dead_sessions(data):
                await asyncio.sleep(0.02)
        await engine.refresh()
        assert {run.run_id for run in engine.runs()} == {odd, sound}
        await engine.close()

    place.chmod(0)
    try:
        bound_by_permissions(act)
    finally:
        place.chmod(mode)
    assert caplog.text.count(f"run {odd} cannot be settled now") <= 2, (
        "at the opening, and once while looking"
    )


@pytest.mark.parametrize("suffix", [".json", ".lock"])
def test_a_session_that_the_system_refuses_stops_no_opening(
    suffix: str, two_runs: list[RunId], data: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (left,) = (data / "sessions").glob("*.json")
    place = left.with_suffix(suffix)

    async def act() -> None:
        engine = await Engine.open(data)
        assert {run.run_id for run in engine.runs()} == set(two_runs)
        await engine.close()

    place.chmod(0)
    bound_by_permissions(act)
    assert ("cannot be settled now" in caplog.text) == (suffix == ".lock")


async def test_a_full_disk_is_told_once_and_not_for_each_run(two_runs: list[RunId], data: Path) -> None:
    """JNL7, case 104."""
    io = FaultyIO(3, errno.ENOSPC, operations=frozenset({"replace"}), times=None)
    with pytest.raises(StoreUnusable, match="cannot be written"):
        await Engine.open(data, io=io)
    assert dead_sessions(data) >= 1
