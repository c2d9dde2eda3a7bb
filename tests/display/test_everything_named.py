"""A walk through the whole tree that a screen reader gets: nothing to be used is nameless, and Tab or a key reaches all.

The window with a run in it, its pages, and every dialog that is not the toolkit's own.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.display.desktop import what_is_missing
from tests.display.driven import launch_by_keys, nodes, wait_closed, wait_focus, window_on
from tests.display.person import Person, Thing
from tests.display.story import write_story

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here"),
]

NAMED = {
    "push button", "button menu", "toggle button", "check box", "radio button", "text", "entry", "combo box", "table",
    "list", "tree", "spin button", "slider", "canvas", "page tab", "page tab list", "menu item", "dialog", "frame",
}  # fmt: skip
"""Roles of what is used or led to; each has to have a name."""
REACHED = NAMED - {"page tab", "menu item", "dialog", "frame"}
"""Roles that Tab or a key of its own must reach; what lies inside (cells, tabs, items) is reached by arrows."""
KEYS = re.compile(r"\((?:Ctrl|Alt|Shift|F\d|Enter|Esc)[^)]*\)$")
"""A tool tip that ends with keys: these reach it."""


def nameless(seen: list[Thing]) -> list[str]:
    """What has neither name nor description, by where it stands; the list inside a combo box is the combo box."""
    inside = {(*t.path, t.name) for t in seen if t.role == "combo box"}
    return [
        f"{t.role} in {' / '.join(p for p in t.path if p)} at {t.place}"
        for t in seen
        if t.role in NAMED and not (t.name.strip() or t.description.strip()) and t.path not in inside
    ]


def unlabelled_choices(seen: list[Thing]) -> list[str]:
    """Combo boxes tell their current text as their name: what they are for is their description."""
    return [t.name for t in seen if t.role == "combo box" and not t.description.strip()]


def out_of_reach(seen: list[Thing], ring: list[Thing]) -> list[str]:
    """What could take the keyboard and never gets it by Tab, and has no keys either. `seen`: of the window at work."""
    reached = {t.id for t in ring}
    fields = {(*t.path, t.name) for t in seen if t.id in reached}  # a field inside one that hands its keys on
    return [
        f"{t.role} {t.name!r} at {t.place}"
        for t in seen
        if t.role in REACHED and {"focusable", "enabled", "showing", "visible"} <= t.states
        if t.place and t.place[2] > 0 and t.id not in reached and t.path not in fields and not KEYS.search(t.description)
    ]  # fmt: skip


def assert_all_reached(person: Person, window: str) -> None:
    """Of the window or dialog that has the keyboard."""
    ring = person.tab_ring()
    seen = [t for t in person.look() if t.path[:1] == (window,)]
    assert not out_of_reach(seen, ring), [f"{t.role} {t.name!r}" for t in ring]


def test_everything_has_a_name_and_is_reached_by_the_keyboard(tmp_path: Path) -> None:
    """A run with a question and a failure; then page by page and dialog by dialog."""
    workspace = tmp_path / "workspace"
    write_story(workspace, ("asker", "ask"), ("bad", "fail"))
    with window_on(tmp_path, workspace) as (person, _):
        launch_by_keys(person, "short")
        person.wait_for(lambda seen: any("needs you" in n for n in nodes(seen)), "the question")
        person.press("ctrl+shift+a")
        person.wait_thing("push button", "Answer yes")
        assert_all_named(person)
        assert_all_reached(person, "Quarterdeck")
        person.press("ctrl+t")
        person.wait_thing("push button", "Back to canvas")
        person.tab_to("table", "Runs and spend")
        assert_all_reached(person, "Quarterdeck")
        person.press("ctrl+2")
        wait_focus(person, "Workflow canvas", role="list item")
        for keys, dialog in (
            ("ctrl+Return", "Run dialog"),
            ("ctrl+period", "Stop dialog"),
            ("ctrl+k", "Search dialog"),
            ("ctrl+comma", "Settings dialog"),
            ("ctrl+slash", "Keys dialog"),
            ("ctrl+q", "Quit dialog"),
        ):
            person.press(keys)
            assert_dialog(person, dialog)
        person.press("ctrl+k")
        wait_focus(person, "Search or run a command")
        person.type("about quarterdeck")
        person.press("Return")
        assert_dialog(person, "About dialog")


def assert_dialog(person: Person, name: str) -> None:
    """It opens, everything in it has a name and is reached, Esc closes it."""
    person.wait_for(lambda seen: any((t.role, t.name) == ("dialog", name) for t in seen), name)
    assert_all_named(person)
    assert_all_reached(person, name)
    person.press("Escape")
    wait_closed(person)


def assert_all_named(person: Person) -> None:
    """All that is there now, in sight or not."""
    seen = person.look(is_all=True)
    assert not nameless(seen)
    assert not unlabelled_choices(seen)
