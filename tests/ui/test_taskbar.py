"""Progress on the task bar: a value of the views, sent when it changes and never otherwise (OWN3)."""

from __future__ import annotations

import random

import pytest

from quarterdeck.domain.views import RunView
from quarterdeck.ui import taskbar
from quarterdeck.ui.taskbar import (
    TaskBar,
    TaskProgress,
    desktop_sender,
    path_of,
    properties_of,
    task_progress,
)
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_shell import busy_door

SHOWN = ("Waiting", "Running", "Needs you", "Done", "Failed", "Skipped", "Stopped")


def plainly(runs: list[tuple[bool, dict[str, str], RunView]]) -> tuple[int, int]:
    """Read off what was made, by words."""
    words = [word for is_live, shown, _ in runs if is_live for word in shown.values()]
    return sum(word in {"Done", "Skipped"} for word in words), len(words)


def test_it_is_done_of_all_agents_of_the_live_runs() -> None:
    """200 seeded sets of runs, live and over, of two workflows."""
    chance = random.Random(7)
    nodes = ("planner", "web", "repo", "drafter", "reviewer")
    for _ in range(200):
        runs = []
        for number in range(1, chance.randint(1, 6)):
            shown = {node: chance.choice(SHOWN) for node in nodes}
            flow = made.workflow(workflow_id=chance.choice(("w-1", "w-2")))
            view = made.run_view(number, shown, flow)
            is_live = chance.random() < 0.6
            runs.append((is_live, shown, view if is_live else made.ended(view)))
        found = task_progress(view for _, _, view in runs)
        assert (found.done, found.count) == plainly(runs)
        assert found.is_shown == any(is_live for is_live, _, _ in runs)


def test_nothing_is_sent_that_was_sent_before() -> None:
    sent: list[TaskProgress] = []
    bar = TaskBar(sent.append)
    for progress in (
        TaskProgress(),
        TaskProgress(0, 5),
        TaskProgress(0, 5),
        TaskProgress(1, 5),
        TaskProgress(1, 5),
    ):
        bar.show(progress)
    bar.close()
    bar.close()
    assert sent == [TaskProgress(0, 5), TaskProgress(1, 5), TaskProgress()]


def test_it_is_told_in_the_words_of_the_protocol() -> None:
    assert properties_of(TaskProgress(2, 5)) == {"progress": 0.4, "progress-visible": True}
    assert properties_of(TaskProgress()) == {"progress": 0.0, "progress-visible": False}
    path = path_of("quarterdeck")
    assert path == path_of("quarterdeck")
    assert all(part.isalnum() for part in path.split("/")[1:])


def test_without_a_bus_or_a_desktop_file_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bus that is not named is not looked for: looking would start one."""
    monkeypatch.delenv(taskbar.BUS_NAMED_BY, raising=False)
    desktop_sender("quarterdeck")(TaskProgress(1, 2))
    desktop_sender("")(TaskProgress(1, 2))
    monkeypatch.setenv(taskbar.BUS_NAMED_BY, "unix:path=/nowhere/at/all")
    desktop_sender("quarterdeck")(TaskProgress(1, 2))


@pytest.mark.qt_loop
async def test_the_window_follows_the_runs() -> None:
    door = busy_door()
    async with desk_over(door) as desk:
        bar = desk.window.shell.task_bar
        await until(lambda: bar.shown == TaskProgress(0, 5))
        door.put(made.run_view(1, {"planner": "Done", "web": "Running"}))
        await until(lambda: bar.shown == TaskProgress(1, 5))
        door.put(made.ended(made.run_view(1, {"planner": "Done"})))
        await until(lambda: bar.shown == TaskProgress())
    assert isinstance(door, FakeDoor)
