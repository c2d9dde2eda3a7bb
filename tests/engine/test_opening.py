"""Opening a data folder: what dead processes left half written goes away, and no leftover stops the opening (STO10)."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

import pytest

from quarterdeck.engine.service import Engine
from tests.engine.conftest import Opener
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
