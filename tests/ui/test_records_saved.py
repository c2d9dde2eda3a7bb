"""What the status bar says of recording: the last durable write, and nothing that goes on while nothing is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.states import Outcome
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.store.machine import boot_ms
from quarterdeck.ui.tokens import Family
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
        door.put(replace(run, foreign=True, recording=None))
        await until(lambda: foot.text() == "Recording: by other processes, not seen from here")
        door.put(made.ended(run, Outcome.COMPLETED, 200))
        await until(lambda: foot.text() == "Recording")


async def test_of_a_run_that_another_process_records_nothing_is_claimed_until_the_folder_takes_no_write() -> (
    None
):
    """JNL8, OWN1: no green sign for what is not seen from here; the red truth, and the banner, once it is known."""
    door = FakeDoor((made.loaded(),))
    run = replace(made.run_view(1, {"web": "Running"}), foreign=True, owner="terminal", recording=None)
    door.put(run)
    async with desk_over(door) as desk:
        foot, banner = desk.window.foot, desk.window.not_recording
        await until(lambda: foot.recording.text() == "Recording: by the terminal, not seen from here")
        assert foot.sign == ("circle-dashed", Family.NEUTRAL)
        assert banner.isHidden()
        door.put(replace(run, recording=False, waits_for="/data: No space left on device"))
        await until(lambda: foot.recording.text() == "Recording stopped")
        assert foot.sign == ("triangle-alert", Family.FAILED)
        assert banner.isVisible()
        door.put(run)
        await until(lambda: foot.recording.text() == "Recording: by the terminal, not seen from here")
        assert banner.isHidden()


async def test_beside_runs_of_other_processes_the_saved_records_are_those_of_this_window() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"web": "Running"}))
    door.put(replace(made.run_view(2, {"web": "Running"}), foreign=True, owner="window", recording=None))
    door.saved_ms = made.at(0).boot_ms
    async with desk_over(door) as desk:
        foot = desk.window.foot
        desk.clock.seconds = 2.0
        desk.window.watching.refresh()
        assert foot.recording.text() == "Records of this window saved 2 s ago"
        assert foot.sign == ("circle-check", Family.DONE)
        assert "Runs of other processes are recorded by those" in foot.recording.toolTip()


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
