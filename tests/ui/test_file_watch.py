"""Workflow files that change while their folder is open: noticed by themselves, read as F5 reads them, nothing started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.file_marks import file_marks
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow, Problem
from quarterdeck.ui import file_watch
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

FIRST, SECOND = Path("/folder/a.workflow.json"), Path("/folder/b.workflow.json")
pytestmark = pytest.mark.qt_loop


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the window, only quicker."""
    monkeypatch.setattr(file_watch, "EACH_MS", 40)
    monkeypatch.setattr(file_watch, "SETTLE_MS", 20)


class Counted(FakeDoor):
    """Counts how often the folder is read."""

    reads = 0

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
        self.reads += 1
        return await super().workspace(folder)


def two_files() -> Counted:
    door = Counted(
        (
            replace(made.loaded(made.workflow("One", 3, "w-1")), path=FIRST),
            replace(made.loaded(made.workflow("Two", 3, "w-2")), path=SECOND),
        )
    )
    door.household.marks = {FIRST.name: (1, 10, 1), SECOND.name: (1, 10, 2)}
    return door


def broken(path: Path) -> BrokenWorkflow:
    return BrokenWorkflow(path, (Problem("$", 3, "A comma is missing."),))


async def looks(desk: Desk, door: FakeDoor, more: int) -> None:
    """Returns once so many looks were made."""
    upto = door.household.marked + more
    await until(lambda: door.household.marked >= upto, "the looks")


async def test_a_file_that_is_broken_while_its_folder_is_open_is_told_and_cannot_be_run() -> None:
    door = two_files()
    async with desk_over(door) as desk:
        desk.window.watching.choose_file(SECOND)
        await until(lambda: desk.window.actions_["run"].isEnabled())
        door.files = (door.files[0], broken(SECOND))
        door.household.marks = {FIRST.name: (1, 10, 1), SECOND.name: (2, 9, 2)}
        await until(lambda: not desk.window.actions_["run"].isEnabled(), "the broken file")
        assert isinstance(desk.window.watching.file, BrokenWorkflow)
        assert desk.window.watching.file.path == SECOND, "what was chosen stays chosen"
        assert desk.window.problems.isVisible()
        assert door.launches == []


async def test_a_file_that_an_editor_put_in_the_place_of_another_is_read_again() -> None:
    """Same size and time, another inode."""
    door = two_files()
    async with desk_over(door) as desk:
        named = replace(made.loaded(made.workflow("Renamed", 3, "w-1")), path=FIRST)
        door.files = (named, door.files[1])
        door.household.marks = {FIRST.name: (1, 10, 7), SECOND.name: (1, 10, 2)}
        await until(lambda: "Renamed" in desk.window.windowTitle(), "the new name")


async def test_files_that_did_not_change_are_looked_at_and_never_read_again() -> None:
    door = two_files()
    async with desk_over(door) as desk:
        await looks(desk, door, 5)
        assert door.reads == 1
        desk.window.hide()
        upto = door.household.marked + 1
        await looks_end(desk)
        assert door.household.marked <= upto, "a window that is not seen looks at nothing"


async def looks_end(desk: Desk) -> None:
    """Some turns of the watch while the window is hidden."""
    fired: list[int] = []
    desk.window.file_watch._timer.timeout.connect(lambda: fired.append(1))
    await until(lambda: len(fired) >= 4, "the turns of the watch")


async def test_a_file_that_is_still_being_written_is_waited_for_and_read_once() -> None:
    door = two_files()
    async with desk_over(door) as desk:
        reads = door.reads
        for size in range(11, 15):
            door.household.marks = {FIRST.name: (size, size, 1), SECOND.name: (1, 10, 2)}
            await looks(desk, door, 1)
        await looks(desk, door, 6)
        assert reads < door.reads <= reads + 2


async def test_a_change_keeps_the_run_from_elsewhere_that_is_looked_at() -> None:
    door = two_files()
    run = RunId("01HELSEWHERE")
    elsewhere = made.ended(made.run_view(4, {"n0": "Done"}, made.workflow("Elsewhere", 3, "w-9"), run_id=run))
    door.put(elsewhere)
    async with desk_over(door) as desk:
        await until(lambda: any(r.run_id == run for r in desk.window.runs.model.rows))
        desk.window.watching.choose_run(run)
        await until(lambda: "Elsewhere" in desk.window.windowTitle())
        reads = door.reads
        door.household.marks = {FIRST.name: (1, 10, 1)}
        door.files = door.files[:1]
        await until(lambda: door.reads > reads and len(desk.window.watching.files) == 1, "the change")
        assert "Elsewhere" in desk.window.windowTitle()
        assert desk.window.conduct._shown is not None
        assert desk.window.conduct._shown.run == run


def test_marks_change_with_content_name_and_place_and_are_of_workflow_files_only(tmp_path: Path) -> None:
    file, other = tmp_path / "a.workflow.json", tmp_path / "notes.txt"
    file.write_text("{}")
    first = file_marks(tmp_path)
    assert set(first) == {"a.workflow.json"}
    other.write_text("x")
    assert file_marks(tmp_path) == first
    file.write_text("{ }")
    second = file_marks(tmp_path)
    assert second != first
    beside = tmp_path / "new"
    beside.write_text("{ }")
    beside.replace(file)
    third = file_marks(tmp_path)
    assert third != second
    file.rename(tmp_path / "b.workflow.json")
    assert set(file_marks(tmp_path)) == {"b.workflow.json"}
    (tmp_path / "c.workflow.json").symlink_to(tmp_path / "nowhere")
    assert file_marks(tmp_path)["c.workflow.json"] == (0, 0, 0)
    assert file_marks(tmp_path / "gone") == {}
