"""Q1 in real time: 3 s beside 40 s, a look each 200 ms from outside, all of the window against the agents' own logs.

Title (as the taskbar has it), badge, nodes, outline, the run list's row and word, and Stop; the oracle is `Truth`.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.display.desktop import what_is_missing
from tests.display.driven import launch_by_keys, window_on
from tests.display.person import Person, Thing
from tests.display.story import told_in, write_story

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.alone,
    pytest.mark.beside,
    pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here"),
]

SHORT_S, EACH_S, LEAST_S, WHOLE_S = 3.0, 0.2, 0.05, 75.0
BEGINS_S, SETTLES_S = 1.5, 2.0
"""How long after an agent's own first and last note the window may show what was before: its end is proved first."""
LATER = float("inf")


@dataclass(frozen=True)
class Truth:
    """What the logs say of a span of time: {(node, run)} that were surely at work, that may have been, that are surely over."""

    surely: frozenset[tuple[str, str]]
    perhaps: frozenset[tuple[str, str]]
    over: frozenset[tuple[str, str]]
    order: tuple[str, ...]
    """All runs, oldest first."""

    @staticmethod
    def of(folder: Path, asked: list[float], began: float, ended: float) -> Truth:
        """asked: when the person asked for each run; from then on it may be told as live."""
        surely, perhaps, over = set(), set(), set()
        order: dict[str, float] = {}
        for told in told_in(folder):
            key, first, last = (told.node, told.run), told.lines[0]["at"], told.at("ended") or LATER
            order.setdefault(told.run, first)
            if first <= began - BEGINS_S and last > ended:
                surely.add(key)
            if asked[list(order).index(told.run)] <= ended and began - SETTLES_S < last:
                perhaps.add(key)
            if last <= began - SETTLES_S:
                over.add(key)
        return Truth(frozenset(surely), frozenset(perhaps), frozenset(over), tuple(order))

    def runs(self, of: frozenset[tuple[str, str]]) -> list[str]:
        """Runs of these agents, oldest first."""
        return [run for run in self.order if any(run == r for _, r in of)]


@dataclass(frozen=True)
class Sample:
    """One look: all that says how the workflow stands. `rows`: {short id: (letter, word)} of the run list."""

    began: float
    ended: float
    title: str
    badge: str
    nodes: tuple[str, ...]
    agents: tuple[str, ...]
    rows: dict[str, tuple[str, str]]
    can_stop: bool

    @property
    def live_count(self) -> int:
        found = re.search(r"(\d+) live", self.title)
        return int(found[1]) if found else 0


class Looker:
    """Knows where the parts are; looks at them quickly."""

    def __init__(self, person: Person) -> None:
        self._person = person
        seen = person.look()
        self._badge = one(seen, lambda t: t.role == "panel" and t.name.startswith("Story: "))
        self._stop = one(seen, lambda t: (t.role, t.name) == ("push button", "Stop"))
        self._nodes = [t for t in seen if t.path[-1:] == ("Workflow canvas",)]
        self._runs, self._agents = (
            one(seen, lambda t, name=name: (t.role, t.name) == ("table", name)) for name in ("Runs", "Agents")
        )
        self._window = person.find_window()

    def sample(self) -> Sample:
        began = time.monotonic()
        title = self._person.title_of(self._window)
        badge, stop, *nodes = self._person.look_at([self._badge, self._stop, *self._nodes])
        runs, agents = (
            [t.name for t in self._person.look(table) if t.role == "cell"]
            for table in (self._runs, self._agents)
        )
        rows = {}
        for cell in runs:
            if found := re.match(r"Run (?:([A-Z]+) )?(r-[0-9a-f]+), ([^,]+), ", cell):
                rows[found[2]] = (found[1] or "", found[3])
        return Sample(
            began,
            time.monotonic(),
            title,
            badge["name"],
            tuple(node["name"] for node in nodes),
            tuple(agents),
            rows,
            "enabled" in stop["states"],
        )


def one(seen: list[Thing], wanted) -> Thing:  # type: ignore[no-untyped-def]
    (found,) = [thing for thing in seen if wanted(thing)]
    return found


def judge(sample: Sample, truth: Truth) -> list[str]:
    """How the window contradicts the agents; none where it says the truth."""
    surely, perhaps = truth.runs(truth.surely), truth.runs(truth.perhaps)
    return [
        *(_dark(sample, truth, surely[-1]) if surely else []),
        *(_late(sample) if not perhaps and truth.order else []),
        *_counts(sample, surely, perhaps),
        *(fault for key in truth.surely for fault in _agent(sample, *key, "running", "Running")),
        *(fault for key in truth.over if key[1] in surely for fault in _agent(sample, *key, "done", "Running")),
        *(f"{run[:6]} is over, its row says otherwise" for run in truth.order if run not in perhaps and _word(sample, run) != "Done"),
    ]  # fmt: skip


def _dark(sample: Sample, truth: Truth, newest: str) -> list[str]:
    faults = []
    if not sample.can_stop or "Running" not in sample.title or "Running" not in sample.badge:
        faults.append(f"dark: Stop {sample.can_stop}, title {sample.title!r}, badge {sample.badge!r}")
    if not any(" running" in node for node in sample.nodes) or "Running" not in sample.agents:
        faults.append(f"dark: {sample.nodes}, {sample.agents}")
    if truth.runs(truth.surely) == truth.runs(truth.perhaps) and not _names(sample, newest):
        faults.append(f"{sample.title!r}, {sample.badge!r} do not name {newest[:6]}, the newest at work")
    return faults


def _late(sample: Sample) -> list[str]:
    said = [
        sample.title,
        sample.badge,
        *sample.nodes,
        *sample.agents,
        *(word for _, word in sample.rows.values()),
    ]
    if sample.can_stop or any("running" in words.lower() for words in said):
        return [f"nothing runs any more, and the window says it does: Stop {sample.can_stop}, {said}"]
    return []


def _counts(sample: Sample, surely: list[str], perhaps: list[str]) -> list[str]:
    live = sum(word == "Running" for _, word in sample.rows.values())
    if not len(surely) <= sample.live_count <= len(perhaps) or not len(surely) <= live <= len(perhaps):
        return [f"title {sample.live_count} live, list {live}, in truth {len(surely)} to {len(perhaps)}"]
    return []


def _agent(sample: Sample, node: str, run: str, on_node: str, in_list: str) -> list[str]:
    """The agent's part of its node's name, and its run's row."""
    letter = sample.rows.get(run[:6], ("", ""))[0]
    name = next((n for n in sample.nodes if n.startswith(f"{node.capitalize()}, ")), "")
    faults = (
        []
        if f"run {letter} {on_node}" in name
        else [f"{node} of {run[:6]} is {on_node}, its node says {name!r}"]
    )
    if _word(sample, run) != in_list:
        faults.append(f"{run[:6]} is at work, its row says {_word(sample, run)!r}")
    return faults


def _word(sample: Sample, run: str) -> str:
    return sample.rows.get(run[:6], ("", ""))[1]


def _names(sample: Sample, run: str) -> bool:
    return run[:6] in sample.title and run[:6] in sample.badge


def test_the_long_run_is_never_dark_while_the_short_one_ends_beside_it(tmp_path: Path) -> None:
    """OWN8, Q1: 3 s against 40 s in real time, through AT-SPI: every part agrees with the agents at every look."""
    workspace = tmp_path / "workspace"
    write_story(workspace, ("work", "work"), ("half", "half"), short_s=SHORT_S)
    with window_on(tmp_path, workspace) as (person, _):
        asked = [time.monotonic()]
        launch_by_keys(person, "long")
        person.wait_for(lambda _: len(told_in(workspace)) == 2, "the agents of the long run")
        asked.append(time.monotonic())
        launch_by_keys(person, "short")
        looker, deadline = Looker(person), time.monotonic() + WHOLE_S
        samples: list[Sample] = []
        while time.monotonic() < deadline and (
            not samples or is_at_work(workspace) or samples[-1].live_count
        ):
            samples.append(looker.sample())
            person.rest(max(LEAST_S, samples[-1].began + EACH_S - time.monotonic()))
        person.wait_for(lambda _: "Done" in looker.sample().title, "the end in the title")
        last = looker.sample()
    judged = [
        (sample, judge(sample, Truth.of(workspace, asked, sample.began, sample.ended))) for sample in samples
    ]
    faults = [
        (round(sample.began - samples[0].began, 2), fault) for sample, found in judged for fault in found
    ]
    assert not faults, faults[:20]
    assert len(samples) > 100
    assert {sample.live_count for sample in samples} >= {1, 2}
    assert not judge(last, Truth.of(workspace, asked, last.began + SETTLES_S, last.ended + SETTLES_S))
    assert last.live_count == 0


def is_at_work(workspace: Path) -> bool:
    """Some agent has not written its end yet."""
    return any(told.at("ended") is None for told in told_in(workspace))


def test_the_judge_sees_each_part_that_lies() -> None:
    """One look at a run at work beside one that is over, then the same with one part changed at a time."""
    long, short = "r-aaaa0000", "r-bbbb0000"
    truth = Truth(
        frozenset({("work", long)}), frozenset({("work", long)}), frozenset({("half", long)}), (long, short)
    )
    honest = Sample(
        began=0.0,
        ended=0.1,
        title="Quarterdeck – Story: Running, run A r-aaaa, 1 live",
        badge="Story: Running, run A r-aaaa, 1 live",
        nodes=("Work, run A running, 8 seconds", "Half, run A done, 4 seconds"),
        agents=("Work", "A · r-aaaa", "Running", "Half", "A · r-aaaa", "Done"),
        rows={"r-aaaa": ("A", "Running"), "r-bbbb": ("", "Done")},
        can_stop=True,
    )
    assert not judge(honest, truth)
    for lie in (
        {"title": "Quarterdeck – Story: Done, run r-bbbb of 10:00, none live"},
        {"title": "Quarterdeck – Story: Running, run A r-aaaa, 2 live"},
        {"badge": "Story: Done, run r-bbbb of 10:00, none live"},
        {"nodes": ("Work, past run r-bbbb done", "Half, run A done")},
        {"nodes": ("Work, run A running", "Half, run A running")},
        {"agents": ("Work", "r-bbbb", "Done")},
        {"rows": {"r-aaaa": ("", "Done"), "r-bbbb": ("", "Done")}},
        {"rows": {"r-aaaa": ("A", "Running"), "r-bbbb": ("B", "Running")}},
        {"rows": {"r-aaaa": ("A", "Running")}},
        {"can_stop": False},
    ):
        assert judge(replace(honest, **lie), truth), lie
    over = Truth(frozenset(), frozenset(), frozenset({("work", long)}), (long, short))
    assert judge(honest, over)
