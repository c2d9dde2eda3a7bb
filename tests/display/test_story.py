"""One story, told twice from an empty profile: by the keyboard alone, and by the mouse.

Launch, watch, find why an agent failed, copy its error, compare two runs, stop one, quit. The program is started as a
person starts it and driven from outside; what must be true is read from the agents' own logs.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.display.desktop import what_is_missing
from tests.display.driven import cells, launch_by_keys, nodes, stop_by_keys, wait_closed, window_on
from tests.display.person import Person, Thing
from tests.display.story import Told, told_in, write_story

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here"),
]


@contextmanager
def program(tmp_path: Path) -> Iterator[tuple[Person, Path, subprocess.Popen[bytes]]]:
    """The window on a workspace of two agents: one works, one fails at once."""
    workspace = tmp_path / "workspace"
    write_story(workspace, ("work", "work"), ("bad", "fail"))
    with window_on(tmp_path, workspace) as (person, process):
        person.wait_for(lambda seen: nodes(seen) == ["Work, not started", "Bad, not started"], "the workflow")
        yield person, workspace, process


def wait_told(workspace: Path, person: Person, node: str, what: str, count: int) -> list[Told]:
    """What so many agents of a node wrote down, once they did this."""
    return person.wait_for(
        lambda _: found if len(found := [t for t in told_in(workspace) if t.node == node and t.at(what)]) >= count else [],
        f"{count} times {node} {what}",
    )  # fmt: skip


def assert_failure_is_told(person: Person, bad: Told) -> None:
    """Announced, on the canvas, and in words in the outline."""
    person.wait_for(lambda seen: any(n.startswith("Bad, run A failed") for n in nodes(seen)), "the failure")
    person.wait_for(
        lambda _: "Bad, run A, failed." in [w for _, w in person.announcements()], "its announcement"
    )
    assert bad.words("failed", "words") in cells(person.look(), "Agents")
    assert any(n.startswith("Work, run A running") for n in nodes(person.look()))


def assert_compared(person: Person, long: Told, short: Told) -> None:
    """The two runs side by side: which they are, how they stand, why one failed."""
    rows = person.wait_for(lambda seen: cells(seen, "Runs compared"), "the facts of both")
    told = {rows[i].removesuffix(" ≠"): (rows[i + 1], rows[i + 2]) for i in range(0, len(rows), 3)}
    assert told["Run"] == (long.run[:6], short.run[:6]) or told["Run"] == (short.run[:6], long.run[:6])
    by_run = dict(zip(told["Run"], zip(told["State"], told["Work"], strict=True), strict=True))
    assert by_run[long.run[:6]][0] == "Running"
    assert by_run[short.run[:6]][0].startswith("Failed · Bad: the shop of")
    assert by_run[short.run[:6]][1].startswith("Done · 1 attempt")


def assert_only_the_long_run_was_stopped(person: Person, long: Told, workspace: Path) -> None:
    """Said everywhere, and its agent is gone without having come to its own end."""
    stopped = f"Run {long.run[:6]}, Stopped, "
    person.wait_for(
        lambda seen: any(c.startswith(stopped) for c in cells(seen, "Runs")), "the stop in the list"
    )
    person.wait_for(lambda _: not long.is_alive, "the end of the agent's process")
    assert "none live" in person.title_of(person.find_window())
    (after,) = [t for t in told_in(workspace) if (t.run, t.node) == (long.run, "work")]
    assert after.at("ended") is None
    assert any("Work, run A, stopped" in words for _, words in person.announcements())


def test_the_story_by_the_keyboard_alone(tmp_path: Path) -> None:
    """No pointer is ever moved; every place is reached by shortcuts, Tab and arrows."""
    with program(tmp_path) as (person, workspace, process):
        person.wait_for(
            lambda _: (f := person.focus()) and f.name == "Workflow canvas", "the focus on the canvas"
        )
        launch_by_keys(person, "long")
        (bad,) = wait_told(workspace, person, "bad", "failed", 1)
        assert_failure_is_told(person, bad)
        person.press("ctrl+2")
        chosen = [person.move_focus("Down").name.split(",")[0] for _ in range(2)]
        assert chosen == ["Work", "Bad"]
        person.move_focus("Return")
        person.tab_to("check box", "Details of the error")
        person.press("space")
        error = person.wait_thing("text", "Error")
        assert bad.words("failed", "words") in person.text_of(error)
        person.tab_to("push button", "Copy error")
        person.press("space")
        person.wait_for(
            lambda _: bad.words("failed", "words") in person.clipboard(), "the error, to be pasted"
        )
        launch_by_keys(person, "short")
        (short,) = wait_told(workspace, person, "work", "ended", 1)
        long = next(t for t in told_in(workspace) if t.node == "work" and t.run != short.run)
        person.wait_for(
            lambda seen: any("1 live" in t.name for t in seen if t.role == "panel"), "one live run"
        )
        person.press("ctrl+k")
        person.wait_thing("text", "Search or run a command")
        person.type("timeline and spend")
        person.press("Return")
        person.wait_thing("push button", "Compare runs")
        person.tab_to("push button", "Compare runs")
        person.press("space")
        assert_compared(person, long, short)
        person.press("Escape")
        wait_closed(person)
        person.press("ctrl+2")
        stop_by_keys(person)
        assert_only_the_long_run_was_stopped(person, long, workspace)
        person.press("ctrl+q")
        assert process.wait(30) == 0


def test_the_story_by_the_mouse(tmp_path: Path) -> None:
    """No key is ever pressed; every place is reached where it stands on the screen."""
    with program(tmp_path) as (person, workspace, process):
        launch_by_mouse(person, "long")
        (bad,) = wait_told(workspace, person, "bad", "failed", 1)
        assert_failure_is_told(person, bad)
        node = person.wait_for(
            lambda seen: next((t for t in seen if t.role == "list item" and t.name.startswith("Bad,")), None),
            "the node",
        )
        assert node.place is not None
        person.click_at(node.place[0] + 40, node.place[1] + 12)
        person.click(person.wait_thing("check box", "Details of the error"))
        error = person.wait_thing("text", "Error")
        assert bad.words("failed", "words") in person.text_of(error)
        person.click(person.wait_thing("push button", "Copy error"))
        person.wait_for(
            lambda _: bad.words("failed", "words") in person.clipboard(), "the error, to be pasted"
        )
        launch_by_mouse(person, "short")
        (short,) = wait_told(workspace, person, "work", "ended", 1)
        long = next(t for t in told_in(workspace) if t.node == "work" and t.run != short.run)
        person.wait_for(
            lambda seen: any("1 live" in t.name for t in seen if t.role == "panel"), "one live run"
        )
        person.click(person.wait_thing("push button", "Timeline and spend"))
        person.click(person.wait_thing("push button", "Compare runs"))
        assert_compared(person, long, short)
        person.click(person.wait_thing("push button", "Close compare"))
        wait_closed(person)
        person.click(person.wait_thing("push button", "Back to canvas"))
        person.click(person.wait_thing("push button", "Stop"))
        person.click(person.wait_thing("push button", "Stop it"))
        assert_only_the_long_run_was_stopped(person, long, workspace)
        menu = person.wait_thing("button menu", "Menu")
        person.click(menu)
        file = person.hover_down_to("File", menu)
        person.click(file)
        beside = person.move_to_side_of(file)
        person.click(person.hover_down_to("Quit", beside))
        assert process.wait(30) == 0


def launch_by_mouse(person: Person, length: str) -> None:
    """Run, open the list of lengths, choose, Start run."""
    person.click(person.wait_thing("push button", "Run"))
    if length == "short":
        start = person.wait_thing("push button", "Start run")
        box = person.wait_for(
            lambda seen: next(
                (t for t in seen if (t.role, t.name) == ("combo box", "long") and t.is_ready), None
            ),
            "the list",
        )
        person.click(box)
        person.click(person.wait_for(lambda seen: open_item(seen, "short"), "the open list"))
        person.wait_for(
            lambda seen: any((t.role, t.name) == ("combo box", "short") for t in seen), "the choice"
        )
        assert start.name
    person.click(person.wait_thing("push button", "Start run"))
    wait_closed(person)


def open_item(seen: list[Thing], name: str) -> Thing | None:
    """The item of a list that is open: it has its place on the screen."""
    return next(
        (
            t
            for t in seen
            if (t.role, t.name) == ("list item", name) and t.place and t.place[0] > 0 and t.is_ready
        ),
        None,
    )
