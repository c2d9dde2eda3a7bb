"""A fault, or a real SIGKILL, at every durable operation of a short life (JNL2, JNL6, STO10; FIM1 in part)."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from quarterdeck.store.durable_io import DurableIO
from tests.store.faulty_io import CountingIO, FaultyIO
from tests.store.power_cut import Disk, LoggingIO
from tests.store.short_life import judge, live, live_with_faults, take_up

ROOT = Path(__file__).parents[2]


def operations(tmp_path: Path) -> list[str]:
    counting = CountingIO()
    live_with_faults(tmp_path / "counted", counting)
    return counting.operations


def test_a_life_without_faults_says_everything(tmp_path: Path) -> None:
    said = live_with_faults(tmp_path / "data", DurableIO())
    assert [what for what, _ in said][-2:] == ["ledger", "clean"]
    judge(tmp_path / "data", said)
    assert take_up(tmp_path / "data") == ["claim", "turn", "usage", "end", "carried on"]


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS])
def test_a_fault_at_every_operation_loses_nothing_acknowledged(
    tmp_path: Path, error: int, torn: bool
) -> None:
    count = len(operations(tmp_path))
    assert count > 60
    for at in range(1, count + 1):
        home = tmp_path / str(at)
        io = FaultyIO(at, error, torn=torn)
        said = live_with_faults(home, io)
        assert io.failed == 1
        judge(home, said)
        entries = [value for what, value in said if what == "entry"]
        carried = take_up(home)
        assert carried[: len(entries)] == entries
        assert carried[-1:] in ([], ["carried on"])


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_disk_that_stays_down_from_any_operation_on_loses_nothing_acknowledged(
    tmp_path: Path, error: int
) -> None:
    for at in range(1, len(operations(tmp_path)) + 1):
        home = tmp_path / str(at)
        said = live_with_faults(home, FaultyIO(at, error, times=None, torn=True))
        judge(home, said)
        take_up(home)


def test_sigkill_at_every_operation_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """Real processes, killed ahead of each operation and in the middle of each write."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.short_life", str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "app")},
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    killed = [result for result in results if result[2]]
    assert len(killed) > 120
    assert len(results) == len(killed) + 2
    assert {result[3] for result in results} >= set(range(16))


@pytest.mark.parametrize("image", ["strict", "loose, shortened", "loose, with holes"])
def test_a_power_cut_after_every_operation_loses_nothing_acknowledged(tmp_path: Path, image: str) -> None:
    """FIM1's power-cut images: unsynced names and contents are gone, or there in part."""
    io = LoggingIO()
    data = tmp_path / "data"
    live(data, io, io.say)
    steps = io.log
    assert len(steps) > 80
    for cut in range(1, len(steps) + 1):
        disk = Disk(tmp_path)
        disk.play(steps[:cut])
        home = tmp_path / f"cut-{cut}"
        disk.image(home, strict=image == "strict", hole="holes" in image)
        said = [(step[1], step[2]) for step in steps[:cut] if step[0] == "ack"]
        judge(home / "data", said, power_cut=True)
        carried = take_up(home / "data")
        synced = [value for what, value in said if what == "entry" and value in ("claim", "end")]
        assert [text for text in carried if text in ("claim", "end")][: len(synced)] == synced
