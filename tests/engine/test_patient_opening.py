"""A window's data folder that takes nothing is opened for reading, and whole as soon as it can be (JNL8)."""

from __future__ import annotations

import asyncio
import errno
import signal
import subprocess
import sys
import threading
from pathlib import Path

from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.patience import PatientOpening
from quarterdeck.store.data_folder import Store
from quarterdeck.store.durable_io import DurableIO, sweep_temps
from tests.engine.conftest import Opener
from tests.engine.works import ended, launch, shell, write


class Disk(DurableIO):
    """Refuses every operation while it is `full`."""

    full = True

    def before(self, operation: str, target: str) -> None:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device", target)


async def test_a_full_disk_shows_its_records_and_is_written_again_once_there_is_room(
    open_engine: Opener, data: Path, tmp_path: Path
) -> None:
    engine = await open_engine()
    path = write(tmp_path, {"a": shell("true")})
    run = await launch(engine, path)
    await ended(engine, run)
    await engine.close()
    disk = Disk()
    opening = PatientOpening(None, data, disk, every_s=0.02)
    await opening.open()
    reading = opening.engine
    assert reading is not None
    assert [line.run_id for line in reading.runs()] == [run]
    assert await reading.run(run) is not None
    assert "No space left on device" in opening.why_not
    assert isinstance(await reading.launch(LaunchRequest(path)), Refusal)
    opening.try_again()
    assert await asyncio.wait_for(opening.wait_change(), 20) is None, "it was tried, in vain"
    assert opening.engine is reading
    disk.full = False
    assert await asyncio.wait_for(opening.wait_change(), 20) is reading
    assert opening.why_not == ""
    assert opening.engine is not None
    assert [line.run_id for line in opening.engine.runs()] == [run]
    assert not list(data.glob(".probe*"))
    await reading.close()
    await opening.engine.close()


async def test_a_folder_that_cannot_even_be_read_is_opened_once_it_can(tmp_path: Path) -> None:
    place = tmp_path / "data"
    place.write_text("no folder")
    opening = PatientOpening(None, place, every_s=0.02)
    await opening.open()
    assert str(place) in opening.why_not
    place.unlink()
    while opening.why_not:
        before = await asyncio.wait_for(opening.wait_change(), 20)
        if before is not None:
            await before.close()
    assert opening.engine is not None
    assert opening.engine.runs() == ()
    await opening.engine.close()


class Slow(DurableIO):
    """Waits at its first operation until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.is_met, self.may_go_on = threading.Event(), threading.Event()

    def before(self, operation: str, target: str) -> None:
        self.is_met.set()
        assert self.may_go_on.wait(20)


async def test_who_quits_while_it_is_opened_leaves_no_session_that_looks_lost(data: Path) -> None:
    """Ruling 19: three such quits are no three crashes."""
    disk = Slow()
    opening = asyncio.ensure_future(PatientOpening(None, data, disk).open())
    assert await asyncio.to_thread(disk.is_met.wait, 20)
    opening.cancel()
    disk.may_go_on.set()
    await asyncio.wait([opening])
    assert opening.cancelled()
    store = Store.open(data, DurableIO())
    assert store.sessions.dead() == ()
    store.close()


def test_what_a_kill_leaves_of_a_probe_is_swept(tmp_path: Path) -> None:
    """STO10."""
    program = (
        "import os, signal, sys\nfrom pathlib import Path\n"
        "from quarterdeck.engine.patience import PatientOpening\n"
        "from quarterdeck.store.durable_io import DurableIO\n"
        "class Dies(DurableIO):\n"
        "    def before(self, operation, target):\n"
        "        if operation == 'unlink': os.kill(os.getpid(), signal.SIGKILL)\n"
        "PatientOpening(None, Path(sys.argv[1]), Dies())._is_writable()\n"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path)]).returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 1
    assert sweep_temps(DurableIO(), tmp_path) == 1
    assert list(tmp_path.iterdir()) == []
