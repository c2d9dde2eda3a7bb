"""The real window is killed, started again, its dialog read, and one agent resumed, all from outside (REC1-REC5, SLT19, Q2).

What must be true is read from the agents' own logs: who began, how often, with which attempt and key, and what it cost.
`QUARTERDECK_SWEEP=25` kills fifty windows, each at another moment.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from tests.display.crash_story import COSTS, LET_GO, NAME, Attempt, attempts_of, logs, write_errand
from tests.display.desktop import Desktop, desktop, end, what_is_missing
from tests.display.driven import cells, nodes, start_by_keys, wait_closed, wait_focus
from tests.display.person import Person, Thing, person_at
from tests.e2e.seen import marked, wait_until

pytestmark = [
    pytest.mark.display,
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here"),
]

KILLS = 2 * max(1, int(os.environ.get("QUARTERDECK_SWEEP", "1")))
KILLED_WITHIN_S, GONE_WITHIN_S, QUIET_S = 1.0, 6.0, 0.6
SENTENCE = "Interrupted agents will not spend or act until you resume them one by one."
DIALOG, ONCE, TWICE = (
    "Interrupted runs",
    f"${sum(COSTS.values())}",
    f"${sum(COSTS.values()) + COSTS['patient']}",
)
REASON = "its log says nothing was sent"


@dataclass
class Scene:
    """A desktop with a person, and the window on the folder that can be killed and started again."""

    desktop: Desktop
    person: Person
    folder: Path
    log: IO[bytes]

    def start(self) -> subprocess.Popen[bytes]:
        """The window, as a person starts it."""
        return self.desktop.quarterdeck(self.folder, log=self.log)

    def wait_attempts(self, node: str, count: int, what: str) -> list[Attempt]:
        """So many attempts of a node, oldest first, once the newest has noted this."""

        def found() -> list[Attempt]:
            made = attempts_of(self.folder, node)
            return made if len(made) == count and made[-1].did(what) else []

        return list(wait_until(found, 20, f"{count} {node} {what}"))


@contextmanager
def scene(home: Path) -> Iterator[Scene]:
    """An empty profile and the workflow."""
    folder = home / "workspace"
    write_errand(folder)
    with desktop(home) as made, person_at(made) as person, (home / "log").open("wb") as log:
        yield Scene(made, person, folder, log)


def launch_then_kill(at: Scene, after_s: float) -> Attempt:
    """Launch by the keyboard; so long after one agent has ended and the other has paid, SIGKILL the window. The latter."""
    process = at.start()
    wait_focus(at.person, "Workflow canvas")
    at.person.press("ctrl+Return")
    start_by_keys(at.person)
    (quick,) = at.wait_attempts("quick", 1, "ended")
    wait_until(lambda: not marked(quick.word("attempt").encode()), 10, "the end of the quick one")
    (patient,) = at.wait_attempts("patient", 1, "paid")
    at.person.rest(after_s)
    kill(process)
    assert not attempts_of(at.folder, "patient")[0].did("ended")
    wait_gone(patient)
    return patient


def kill(process: subprocess.Popen[bytes]) -> None:
    """As the kernel would, without a word before."""
    process.kill()
    process.wait(10)


def wait_gone(of: Attempt) -> None:
    """Until no process of its run is left."""
    wait_until(lambda: not marked(of.word("run").encode()), GONE_WITHIN_S, "no marked process")


def prompt_of(person: Person) -> list[Thing]:
    """Everything in the dialog, once it can be answered."""
    person.wait_thing("push button", "Keep as stopped")
    person.rest(QUIET_S)
    return [t for t in person.look() if t.path[:1] == (DIALOG,)]


def assert_prompt_is_true(seen: list[Thing], patient: Attempt) -> None:
    """The sentence, the workflow, the money that the agents had told, and a row for the one that was cut off alone."""
    names = [t.name for t in seen]
    assert any(SENTENCE in name for name in names), names
    assert "Quarterdeck closed while 1 run was live" in names
    assert NAME in names
    assert {"1 agent interrupted", f"{ONCE} recorded spend", "1 more agent: done"} <= set(names), names
    (line,) = [name for name in names if name.startswith(f"{patient.word('run')[:6]} · started ")]
    assert line.endswith(f" · {ONCE}"), line
    assert "attempt 1 · 0 turns" in names
    assert "Checked: the agent process has ended." in names
    assert [t.name for t in seen if t.name.startswith("Resume ") and t.role == "push button"] == [
        "Resume Patient"
    ]
    assert not any("unning" in name or "esuming" in name or "ontinues" in name for name in names), names


def resume_patient(person: Person) -> None:
    """Press Resume, see that a reason is asked for, give it, press Start once."""
    person.do(person.wait_thing("push button", "Resume Patient"))
    person.do(person.wait_thing("push button", "Start attempt 2"))
    person.wait_for(
        lambda seen: any(t.name == "Say in a few words why it is to be done again." for t in seen),
        "its question",
    )
    wait_focus(person, "Reason")
    person.type(REASON)
    person.do(person.wait_thing("push button", "Start attempt 2"))


def put_prompt_away(person: Person) -> None:
    """It says in the agent's row what became of it, offers no second one, and goes."""
    person.wait_for(
        lambda seen: any(t.name == "Attempt 2: running" and t.path[:1] == (DIALOG,) for t in seen),
        "the new attempt",
    )
    seen = person.look()
    assert not any(t.name == "Resume Patient" and t.is_ready for t in seen)
    person.do(person.wait_thing("push button", "Keep as stopped"))
    wait_closed(person)


def assert_same_work(first: Attempt, second: Attempt) -> None:
    """Another attempt of the same run under the same key, told of the first and of the reason."""
    assert second.word("run") == first.word("run")
    assert second.word("attempt") != first.word("attempt")
    assert second.word("key") == first.word("key") != ""
    assert not first.word("resume")
    told = json.dumps(json.loads(Path(second.word("resume")).read_text()))
    assert first.word("attempt") in told
    assert REASON in told


def wait_attempt_lines(person: Person, *beginnings: str) -> None:
    """The inspector lists these attempts of the agent, each with its own cost."""

    def found(seen: list[Thing]) -> bool:
        lines = sorted(t.name for t in seen if t.role == "list item" and t.path[-1:] == ("Attempts",))
        return len(lines) == len(beginnings) and all(
            line.startswith(begins) and line.endswith(f" · ${COSTS['patient']}")
            for line, begins in zip(lines, beginnings, strict=True)
        )

    person.wait_for(found, f"the attempts {beginnings}")


def wait_run(person: Person, run: str, state: str, cost: str) -> None:
    """The run's one row in the list says this."""

    def found(seen: list[Thing]) -> bool:
        rows = [c for c in cells(seen, "Runs") if f"{run[:6]}, " in c]
        return len(rows) == 1 and f"{run[:6]}, {state}" in rows[0] and rows[0].endswith(f", {cost}")

    person.wait_for(found, f"run {run[:6]} {state} {cost}")


@pytest.mark.parametrize("number", range(KILLS))
def test_one_agent_is_resumed_after_the_window_was_killed(tmp_path: Path, number: int) -> None:
    """Nothing starts by itself; one press makes one attempt; its money adds up and its key is the same."""
    with scene(tmp_path) as at:
        patient = launch_then_kill(at, random.Random(number).uniform(0, KILLED_WITHIN_S) if number else 0)
        before = logs(at.folder)
        at.start()
        assert_prompt_is_true(prompt_of(at.person), patient)
        assert not marked(patient.word("run").encode()), "something was started"
        assert logs(at.folder) == before, "an agent acted before it was resumed"
        resume_patient(at.person)
        assert_same_work(*at.wait_attempts("patient", 2, "paid"))
        put_prompt_away(at.person)
        wait_attempt_lines(at.person, "Attempt 1 · stopped", "Attempt 2 · running")
        wait_run(at.person, patient.word("run"), "Running", TWICE)
        (at.folder / LET_GO).touch()
        at.wait_attempts("patient", 2, "ended")
        wait_attempt_lines(at.person, "Attempt 1 · stopped", "Attempt 2 · done")
        wait_run(at.person, patient.word("run"), "Done", TWICE)
        wait_gone(patient)
        assert len(attempts_of(at.folder, "quick")) == 1, "what was done was done again"
        assert len(attempts_of(at.folder, "patient")) == 2


@pytest.mark.parametrize("key", ["Escape", "Return"])
def test_escape_and_enter_keep_as_stopped_and_are_asked_once(tmp_path: Path, key: str) -> None:
    """A window that is killed with the prompt open is asked again; one that was answered is not (REC3)."""
    with scene(tmp_path) as at:
        patient = launch_then_kill(at, 0)
        before, run = logs(at.folder), patient.word("run")
        asked = at.start()
        assert_prompt_is_true(prompt_of(at.person), patient)
        kill(asked)
        answered = at.start()
        assert_prompt_is_true(prompt_of(at.person), patient)
        wait_focus(at.person, "Keep as stopped")
        at.person.press(key)
        wait_closed(at.person)
        wait_run(at.person, run, "Stopped", ONCE)
        end(answered)
        at.start()
        wait_focus(at.person, "Workflow canvas")
        wait_run(at.person, run, "Stopped", ONCE)
        at.person.rest(QUIET_S)
        seen = at.person.look()
        assert not any(t.role == "dialog" for t in seen), "asked again"
        assert not any("running" in node for node in nodes(seen))
        assert not marked(run.encode())
        assert logs(at.folder) == before, "an agent acted that nobody resumed"
