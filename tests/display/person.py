"""A person at the desktop of a test: sees and hears through AT-SPI (`eye.py`), types and clicks through the X server.

Nothing here knows the product; it is found by names, roles and places alone.
"""

from __future__ import annotations

import json
import select
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tests.display.desktop import SYSTEM_PYTHON, Desktop

EYE = Path(__file__).with_name("eye.py")
BETWEEN_LOOKS_S = 0.15
"""Looks without a pause would keep the window from its own work."""
HOVERS_MAX, HOVER_PX, HOVER_S = 30, 12, 0.15
WITHIN_S, FOCUS_MOVES_WITHIN_S, TABS_MAX = 20.0, 2.0, 90
T = TypeVar("T")


@dataclass(frozen=True)
class Thing:
    """One accessible as it was seen."""

    id: tuple[str, str]
    name: str
    description: str
    role: str
    states: frozenset[str]
    interfaces: frozenset[str]
    place: tuple[int, int, int, int] | None
    path: tuple[str, ...]

    @staticmethod
    def of(told: dict[str, Any]) -> Thing:
        return Thing(
            (told["id"][0], told["id"][1]),
            told["name"],
            told["description"],
            told["role"],
            frozenset(told["states"]),
            frozenset(told["interfaces"]),
            tuple(told["place"]) if told["place"] else None,
            tuple(told["path"]),
        )

    @property
    def is_ready(self) -> bool:
        """It is in sight and can be used."""
        return {"enabled", "showing"} <= self.states


@dataclass(frozen=True)
class Heard:
    """One event: when (seconds on the monotonic clock), of which kind, from what, saying what."""

    at: float
    event: str
    detail: str
    first: int
    value: str
    id: tuple[str, str]


class Person:
    """Ears, eyes and hands on one desktop."""

    def __init__(self, desktop: Desktop) -> None:
        self._desktop = desktop
        self._eye = desktop.start(
            SYSTEM_PYTHON, EYE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert self._eye.stdin is not None
        assert self._eye.stdout is not None
        self._asked, self._told = self._eye.stdin, self._eye.stdout
        assert self._told.readline() == b"ready\n", "the eye did not open"
        self._heard: list[Heard] = []

    def close(self) -> None:
        """Close the eye."""
        self._asked.close()
        self._eye.wait(WITHIN_S)
        self._told.close()

    def _ask(self, do: str, **more: object) -> Any:
        self._asked.write(json.dumps({"do": do, **more}).encode() + b"\n")
        self._asked.flush()
        return json.loads(self._told.readline())

    # ------------------------------------------------------------------ seeing

    def look(
        self, top: Thing | None = None, *, is_all: bool = False, window: str | None = None
    ) -> list[Thing]:
        """Everything in sight (`is_all`: hidden parts too) in all windows, in those of a name, or below one thing, depth first."""
        more = {"id": top.id} if top else {}
        return [Thing.of(told) for told in self._ask("tree", all=is_all, window=window, **more)]

    def look_at(self, things: list[Thing]) -> list[dict[str, Any]]:
        """Name, description and states of these now; quick."""
        return list(self._ask("read", ids=[thing.id for thing in things])["things"])

    def text_of(self, thing: Thing) -> str:
        """The whole text of a text."""
        return str(self._ask("text", id=thing.id))

    def do(self, thing: Thing) -> None:
        """The first action that a thing offers to assistive programs, as they do it."""
        assert self._ask("press", id=thing.id), f"{thing.name} does nothing"

    def wait_for(
        self,
        condition: Callable[[list[Thing]], T | None],
        what: str,
        within_s: float = WITHIN_S,
        window: str | None = None,
    ) -> T:
        """The first true value of the condition over all that is seen, or is seen in the windows of that name."""
        deadline = time.monotonic() + within_s
        while not (found := condition(self.look(window=window))):
            assert time.monotonic() < deadline, f"not seen: {what}; in sight: {in_sight(self.look())}"
            self.rest(BETWEEN_LOOKS_S)
        return found

    def wait_thing(
        self, role: str, name: str, within_s: float = WITHIN_S, window: str | None = None
    ) -> Thing:
        """The thing of this role and name, once it is in sight and can be used."""
        return self.wait_for(
            lambda seen: next((t for t in seen if (t.role, t.name) == (role, name) and t.is_ready), None),
            f"{role} {name!r}, ready",
            within_s,
            window,
        )

    def wait_focus(self, is_wanted: Callable[[Thing], bool], what: str, within_s: float = WITHIN_S) -> Thing:
        """What has the focus, once it is wanted. Its events tell it: nobody looks at the windows for it."""
        deadline = time.monotonic() + within_s
        while (now := self.focus()) is None or not is_wanted(now):
            assert time.monotonic() < deadline, f"no focus on {what}; in sight: {in_sight(self.look())}"
            self.rest(BETWEEN_LOOKS_S)
        return now

    # ------------------------------------------------------------------ hearing

    def heard(self) -> list[Heard]:
        """What was told since the beginning, in order."""
        self._heard += [Heard(**told | {"id": tuple(told["id"])}) for told in self._ask("heard")]
        return self._heard

    def announcements(self) -> list[tuple[float, str]]:
        """What was said aloud, and when."""
        return [(h.at, h.value) for h in self.heard() if h.event == "Announcement"]

    def focus(self, after: int = 0) -> Thing | None:
        """What was told last (after that many events) to have the focus."""
        ids = [
            h.id
            for h in self.heard()[after:]
            if (h.event, h.detail, h.first) == ("StateChanged", "focused", 1)
        ]
        return next((t for t in self.look(_named(ids[-1])) if t.id == ids[-1]), None) if ids else None

    # ------------------------------------------------------------------ keys and mouse

    def _xdotool(self, *asked: str) -> str:
        done = subprocess.run(
            ["xdotool", *asked],
            env=self._desktop.environment,
            check=True,
            timeout=WITHIN_S,
            capture_output=True,
        )
        return done.stdout.decode()

    def press(self, *keys: str) -> None:
        """Press keys, one after the other: `ctrl+Return`, `Tab`."""
        self._xdotool("key", "--delay", "15", *keys)

    def type(self, text: str) -> None:
        """Type."""
        self._xdotool("type", "--delay", "10", text)

    def moved_focus(self, key: str) -> Thing | None:
        """Press a key; what has the focus then. None: it does not move."""
        before = len(self.heard())
        self.press(key)
        deadline = time.monotonic() + FOCUS_MOVES_WITHIN_S
        while (now := self.focus(before)) is None and time.monotonic() < deadline:
            self.rest(0.01)
        return now

    def move_focus(self, key: str) -> Thing:
        """Press a key that moves the focus; what has it then."""
        now = self.moved_focus(key)
        assert now is not None, f"{key} moves no focus from {self.focus()}"
        return now

    def tab_to(self, role: str, name: str) -> list[str]:
        """Tab until this has the focus; what had it on the way."""
        passed: list[str] = []
        while len(passed) < TABS_MAX:
            now = self.move_focus("Tab")
            passed.append(f"{now.role} {now.name!r}")
            if (now.role, now.name) == (role, name):
                return passed
        raise AssertionError(f"Tab does not reach {role} {name!r}, only {passed}")

    def tab_ring(self) -> list[Thing]:
        """Everything that Tab comes by until it is where it was first; one thing where there is no other."""
        if (first := self.moved_focus("Tab") or self.focus()) is None:
            return []
        ring = [first]
        while len(ring) < TABS_MAX:
            now = self.moved_focus("Tab")
            if now is None and len(ring) == 1:
                return ring
            assert now is not None, f"Tab stays on {ring[-1]}"
            if now.id == ring[0].id:
                return ring
            ring.append(now)
        raise AssertionError(f"Tab does not come round: {[t.name for t in ring]}")

    def hover_down_to(self, name: str, start: Thing) -> Thing:
        """Move the mouse down from a thing until this has the focus: what is pointed at in a menu has it."""
        assert start.place is not None
        x, y, width, height = start.place
        for step in range(HOVERS_MAX):
            before = len(self.heard())
            self._xdotool("mousemove", "--sync", str(x + width // 2), str(y + height + HOVER_PX * (step + 1)))
            deadline = time.monotonic() + HOVER_S
            while time.monotonic() < deadline:
                if (now := self.focus(before)) is not None and now.name == name:
                    return now
        raise AssertionError(f"the mouse finds no {name!r} below {start.name!r}")

    def move_to_side_of(self, item: Thing) -> Thing:
        """Into the menu that a menu's item has opened at its right; what is pointed at there."""
        assert item.place is not None
        x, y, width, height = item.place
        before = len(self.heard())
        self._xdotool("mousemove", "--sync", str(x + width + 30), str(y + height // 2))
        deadline = time.monotonic() + FOCUS_MOVES_WITHIN_S
        while (now := self.focus(before)) is None:
            assert time.monotonic() < deadline, f"no menu opens beside {item.name!r}"
        return now

    def click(self, thing: Thing, times: int = 1) -> None:
        """Click into the middle of a thing."""
        assert thing.place is not None
        x, y, width, height = thing.place
        self.click_at(x + width // 2, y + height // 2, times)

    def click_at(self, x: int, y: int, times: int = 1) -> None:
        """Click there."""
        self._xdotool("mousemove", "--sync", str(x), str(y), "click", "--repeat", str(times), "1")

    def find_window(self) -> str:
        """The X server's id of the window."""
        return self._xdotool("search", "--onlyvisible", "--name", "^Quarterdeck").split()[0]

    def title_of(self, window: str) -> str:
        """A window's title, as the taskbar has it."""
        return self._xdotool("getwindowname", window).strip()

    def rest(self, seconds: float) -> None:
        """Listen for so long before the next look."""
        select.select([self._told], [], [], seconds)

    def clipboard(self) -> str:
        """What another program gets that pastes."""
        asked = ["xclip", "-selection", "clipboard", "-out"]
        done = subprocess.run(
            asked, env=self._desktop.environment, check=False, timeout=WITHIN_S, capture_output=True
        )
        return done.stdout.decode()


@contextmanager
def person_at(desktop: Desktop) -> Iterator[Person]:
    """A person, with a window manager to give windows the keyboard."""
    desktop.start("openbox", stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + WITHIN_S
    while subprocess.run(
        ["xdotool", "get_desktop"], env=desktop.environment, capture_output=True, check=False
    ).returncode:
        assert time.monotonic() < deadline, "no window manager"
    person = Person(desktop)
    try:
        yield person
    finally:
        person.close()


def in_sight(seen: list[Thing]) -> list[str]:
    """What can be read of a look in a message: named things that are showing."""
    return [f"{t.role} {t.name!r}" for t in seen if t.name and "showing" in t.states][:120]


def _named(found: tuple[str, str]) -> Thing:
    return Thing(found, "", "", "", frozenset(), frozenset(), None, ())
