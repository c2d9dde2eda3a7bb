"""What the status bar says of recording: the last durable write, and nothing that goes on while nothing is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.states import Outcome
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.store.machine import boot_ms
from tests.engine.works import FOREVER, python, write
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk

pytestmark = pytest.mark.qt_loop


async def test_the_status_bar_says_how_long_ago_records_were_saved() -> None:
    """JNL8: while a run of this process is live and recorded; of others, and at rest, nothing is claimed."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"web": "Running"})
    door.put(run)
    door.saved_ms = made.at(0).boot_ms
    async with desk_over(door) as desk:
        foot = desk.window.foot.recording
        for seconds, words in ((1, "1 s"), (59, "59 s"), (185, "3m 05s")):
            desk.clock.seconds = float(seconds)
            desk.window.watching.refresh()
            assert foot.text() == f"Records saved {words} ago"
            assert foot.accessibleName() == "Recording", "what ticks is not read out"
        door.put(replace(run, recording=False))
        await until(lambda: foot.text() == "Recording stopped")
        door.put(replace(run, foreign=True))
        await until(lambda: foot.text() == "Recording")
        door.put(made.ended(run, Outcome.COMPLETED, 200))
        await until(lambda: foot.text() == "Recording")


async def test_the_time_is_that_of_the_last_durable_write_of_a_real_run(tmp_path: Path) -> None:
    path = write(tmp_path / "ws", {"a": python("say('turn')\n" + FOREVER)})
    async with real_desk(tmp_path / "data", path) as (desk, engine, _):
        assert engine.last_saved_ms() is None, "nothing was written yet"
        before = boot_ms()
        run = await engine.launch(LaunchRequest(path))
        assert isinstance(run, str)
        await until(lambda: "Running" in desk.window.windowTitle())
        saved = engine.last_saved_ms()
        assert saved is not None
        assert before <= saved <= boot_ms()
        await until(lambda: desk.window.foot.recording.text().startswith("Records saved"))
        await engine.stop_run(run)
        await until(lambda: desk.window.foot.recording.text() == "Recording")
