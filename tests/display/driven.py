"""How a person does the usual things in the window by the keyboard, and what is read of it; for the tests of this room."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.display.desktop import desktop
from tests.display.person import WITHIN_S, Person, Thing, person_at


@contextmanager
def window_on(home: Path, workspace: Path | None) -> Iterator[tuple[Person, subprocess.Popen[bytes]]]:
    """The program from an empty profile below `home`, its canvas having the keyboard."""
    with desktop(home) as made, person_at(made) as person, (home / "log").open("wb") as log:
        process = made.quarterdeck(*([] if workspace is None else [workspace]), log=log)
        wait_focus(person, "Workflow canvas")
        yield person, process


def wait_focus(person: Person, *names: str, role: str = "", within_s: float = WITHIN_S) -> Thing:
    """What has the focus, once it is one of these."""
    return person.wait_focus(
        lambda now: now.name in names or bool(role and now.role == role), f"{role} {names}", within_s
    )


def wait_closed(person: Person) -> None:
    """Until no dialog is open."""
    person.wait_for(lambda seen: not any(t.role == "dialog" for t in seen), "no dialog")


def launch_by_keys(person: Person, length: str) -> None:
    """Ctrl+Enter, choose the length by arrows, Ctrl+Enter."""
    person.press("ctrl+Return")
    wait_focus(person, role="combo box")
    if length == "short":
        person.press("Down")
        person.wait_for(
            lambda seen: any((t.role, t.name) == ("combo box", "short") for t in seen), "the choice"
        )
    start_by_keys(person)
    wait_closed(person)


def start_by_keys(person: Person) -> None:
    """Tab to the button, Space: what was never started from its folder is not started by Ctrl+Enter."""
    person.wait_thing("push button", "Start run")
    person.tab_to("push button", "Start run")
    person.press("space")


def stop_by_keys(person: Person) -> None:
    """Ctrl+., Tab to the button, Space."""
    person.press("ctrl+period")
    person.wait_thing("push button", "Stop it")
    person.tab_to("push button", "Stop it")
    person.press("space")


def nodes(seen: list[Thing]) -> list[str]:
    """What the canvas tells of its nodes."""
    return [t.name for t in seen if t.path[-1:] == ("Workflow canvas",)]


def cells(seen: list[Thing], table: str) -> list[str]:
    """The cells of a table, row by row."""
    return [t.name for t in seen if t.role == "cell" and t.path[-1:] == (table,)]
