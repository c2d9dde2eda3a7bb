"""What is known here of the recording of runs that another process has: that the data folder takes no write (JNL8)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.engine import folder_watch, watching
from quarterdeck.engine.folder_watch import FolderWatch, no_room
from quarterdeck.engine.service import Engine
from quarterdeck.store.data_folder import Store
from tests.engine.conftest import Opener
from tests.engine.works import FOREVER, Disk, launch, python, shows, until, write

FULL = "No space left on device"


async def _told(engine: Engine, run: RunId, recording: bool | None) -> str:
    """Why it waits, once that is told."""
    async with asyncio.timeout(20):
        while (view := await engine.run(run)) is None or view.recording is not recording:
            await asyncio.sleep(0.02)
    return view.waits_for


async def test_a_full_disk_under_another_process_is_told_of_its_run_and_withdrawn_once_it_takes_writes(
    open_engine: Opener, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JNL8, OWN1: as long as nothing is refused it is not known how the owner fares, and no more is claimed."""
    monkeypatch.setattr(watching, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(folder_watch, "TRY_EVERY_S", 0.02)
    disk = Disk()
    owner, other = await open_engine(), await open_engine(io=disk)
    run = await launch(owner, write(tmp_path, {"a": python(FOREVER)}))
    await until(owner, run, shows("a", "Running"))
    await other.refresh()
    assert await _told(other, run, None) == ""
    disk.full = True
    assert await _told(other, run, False) == f"{data}: {FULL}"
    disk.full = False
    assert await _told(other, run, None) == ""
    view = await owner.run(run)
    assert view is not None
    assert view.recording is True, "the owner's own disk was well"
    await owner.stop_run(run)


async def test_a_reader_that_writes_nothing_tells_a_full_disk_by_its_free_space(
    open_engine: Opener, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JNL8: what `show` and `logs` say of a live run whose transcript is being lost."""
    owner = await open_engine()
    run = await launch(owner, write(tmp_path, {"a": python(FOREVER)}))
    await until(owner, run, shows("a", "Running"))
    reader = await open_engine(read_only=True)
    assert await _told(reader, run, None) == ""
    before = sorted(path.name for path in data.iterdir())
    monkeypatch.setattr(os, "statvfs", lambda _folder: _room(blocks=0))
    assert await _told(reader, run, False) == f"{data}: {FULL}"
    assert sorted(path.name for path in data.iterdir()) == before
    monkeypatch.undo()
    await owner.stop_run(run)


def _room(**more: int) -> SimpleNamespace:
    known = {"blocks": 5, "files": 5, "flag": 0} | more
    return SimpleNamespace(
        f_blocks=10,
        f_bfree=known["blocks"],
        f_bavail=known["blocks"],
        f_files=10,
        f_ffree=known["files"],
        f_favail=known["files"],
        f_flag=known["flag"],
    )


@pytest.mark.parametrize(
    ("room", "why"),
    [
        (_room(), ""),
        (_room(blocks=0), FULL),
        (_room(files=0), FULL),
        (_room(flag=os.ST_RDONLY), "Read-only file system"),
    ],
)
def test_no_room_is_a_disk_without_blocks_or_files_or_one_that_is_read_only(
    room: SimpleNamespace, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _folder: room)
    assert no_room(tmp_path) == (f"{tmp_path}: {why}" if why else "")


def test_a_folder_that_is_gone_takes_nothing(tmp_path: Path) -> None:
    assert no_room(tmp_path / "gone") == f"{tmp_path / 'gone'}: No such file or directory"


def test_the_folder_is_tried_only_while_it_is_needed_and_every_few_seconds(tmp_path: Path) -> None:
    """A probe costs two syncs: nobody pays them where no run of another process lives."""
    disk, clock = Disk(), [0.0]
    store = Store.open(tmp_path / "data", disk)
    watch = FolderWatch(store, lambda: clock[0])
    disk.full = True
    watch.look(is_needed=False)
    assert watch.fault == ""
    watch.look(is_needed=True)
    assert watch.fault.endswith(FULL)
    disk.full = False
    watch.look(is_needed=True)
    assert watch.fault, "it was tried a moment ago"
    clock[0] = folder_watch.TRY_EVERY_S
    watch.look(is_needed=True)
    assert watch.fault == ""
    store.close()
