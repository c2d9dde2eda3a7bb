"""A desktop on which the real window is killed again and again: `python -m tests.display.kill_lane HOME`.

Reads chains `[name, shape, turn, [milliseconds, …]]`, one a line; prints one object for each kill. A chain is one run: it is
launched by the keyboard; so long after an agent has begun to print, the window is killed; it is started again under strace, its
prompt is read, it is left alone for two seconds, one agent is resumed from it, and so on. What must be true is read from the
agents' own logs, raw transcripts and the naive journal. Imports nothing of the product.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.display import person as hands
from tests.display.desktop import Desktop, desktop, end
from tests.display.driven import start_by_keys, wait_focus
from tests.display.person import Person, person_at
from tests.display.prompt_seen import DIALOG, in_dialog, read_prompt
from tests.e2e import judge, traced
from tests.e2e.prompt_judge import judge_prompt
from tests.e2e.seen import Line, journal_of, marked, wait_until
from tests.e2e.shapes import SHAPES, write_shape

QUIET_S, WITHIN_S, LOOK_EVERY_S = 2.0, 90.0, 0.4
STEPS = 900
REASON = "the window was lost"


@dataclass
class Chain:
    """One run and everything around it."""

    desktop: Desktop
    person: Person
    home: Path
    shape: str
    kills: int = 0
    process: subprocess.Popen[bytes] | None = None
    is_traced: bool = field(default_factory=lambda: not traced.can_trace())

    @property
    def run_folder(self) -> Path:
        (run,) = (path for path in (self.home / "store" / "runs").glob("*") if journal_of(path))
        return run

    def claims(self) -> list[Line]:
        return [entry for entry in journal_of(self.run_folder) if entry["kind"] == "attempt_claimed"]

    def own(self) -> list[Path]:
        """Folders that our program may change: its own, and what the desktop gives to every program."""
        home = Path(self.desktop.environment["HOME"])
        return [self.home / "store", self.home / "config", home / "runtime", home / ".cache"]

    def start(self, trace: Path | None = None) -> None:
        """The window, as a person starts it; its files lie in this chain's folder."""
        names = {"DATA": "store", "CONFIG": "config"}
        more = {f"QUARTERDECK_{n}_DIR": str(self.home / place) for n, place in names.items()}
        environment = {**self.desktop.environment, **more, "PYTHONDONTWRITEBYTECODE": "1"}
        program = (sys.executable, "-m", "quarterdeck", str(self.home / "work"))
        with (self.home / "window.log").open("ab") as log:
            how: dict[str, Any] = {
                "env": environment,
                "cwd": self.home / "work",
                "stdout": log,
                "stderr": log,
            }
            if trace is not None and self.is_traced:
                self.process = traced.trace(trace, *program, is_parent=False, **how)
            else:
                self.process = subprocess.Popen(program, **how)

    def kill(self) -> float:
        """As the kernel would, without a word before; when it was gone."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(WITHIN_S)
        self.kills += 1
        return time.monotonic()


def launch(at: Chain) -> None:
    """By the keyboard."""
    at.start()
    wait_focus(at.person, "Workflow canvas", within_s=WITHIN_S)
    at.person.press("ctrl+Return")
    start_by_keys(at.person)
    wait_until(lambda: _printed(at), WITHIN_S, "an agent has printed")


def _printed(at: Chain, attempt: str = "*") -> bool:
    return any(path.stat().st_size for path in (at.home / "work").glob(f"said.{attempt}.log"))


def kill_and_read(at: Chain, after_ms: int) -> tuple[dict[str, Any], list[str]]:
    """Kill, start again, read the prompt, leave it alone: (its document, everything that is wrong)."""
    at.person.rest(after_ms / 1000)
    _, faults = judge.wait_no_marks(at.home, at.kill())
    before, trace = _foreign(at), at.home / f"trace{at.kills}"
    at.start(trace)
    seen = _whole_prompt(at.person)
    at.person.rest(QUIET_S)
    told, wrong = read_prompt(seen, [at.run_folder.name])
    faults += wrong + judge_prompt(at.home, SHAPES[at.shape][0], told)
    faults += [f"{pid} was started" for pid in marked(str(at.home).encode() + b"/")]
    if _foreign(at) != before:
        faults.append("files of agents changed")
    if at.is_traced:
        faults += traced.faults_of(trace, at.home / "work", *at.own())
        faults += [] if trace.stat().st_size > 10_000 else ["nothing was traced"]
    return told, faults


def _whole_prompt(person: Person) -> list[hands.Thing]:
    """Everything in the dialog, once it is there and two looks agree; nothing where the window opens without it."""
    last: list[tuple[str, str]] = []

    def settled(seen: list[hands.Thing]) -> list[hands.Thing] | None:
        nonlocal last
        found, before = in_dialog(seen), last
        last = [(t.role, t.name) for t in found]
        is_there = any(t.name == "Keep as stopped" and t.is_ready for t in found)
        return found if is_there and before == last else None

    return person.wait_for(settled, "the prompt", WITHIN_S, DIALOG)


def _foreign(at: Chain) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in (at.home / "work").iterdir()}


def resume(at: Chain, agent: dict[str, Any]) -> list[str]:
    """One agent, by its button; what was claimed then, with which key."""
    before = at.claims()
    at.person.do(at.person.wait_thing("push button", f"Resume {agent['node_id'].upper()}", WITHIN_S, DIALOG))
    start = f"Start attempt {agent['attempt'] + 1}"
    at.person.do(at.person.wait_thing("push button", start, WITHIN_S))  # it asks for a reason then
    wait_focus(at.person, "Reason", within_s=WITHIN_S)
    at.person.type(REASON)
    at.person.do(at.person.wait_thing("push button", start, WITHIN_S))
    wait_until(lambda: len(at.claims()) > len(before), WITHIN_S, "a claim")
    new = at.claims()[-1]
    wait_until(lambda: _printed(at, new["attempt_id"]), WITHIN_S, "the new attempt has printed")
    row = f"Attempt {agent['attempt'] + 1}: "
    at.person.wait_for(
        lambda seen: any(t.name.startswith(row) and t.path[:1] == (DIALOG,) for t in seen),
        row,
        WITHIN_S,
        DIALOG,
    )
    return _judge_claim(at, before, new, agent["slot_id"])


def _judge_claim(at: Chain, before: list[Line], new: Line, slot: str) -> list[str]:
    claims, faults = at.claims(), []
    if len(claims) != len(before) + 1 or new["slot_id"] != slot:
        faults.append(f"one press claimed {claims[len(before) :]}")
    launches = {
        one["attempt_id"]: json.loads(
            (at.run_folder / "attempts" / one["attempt_id"] / "launch.json").read_bytes()
        )
        for one in claims
        if one["slot_id"] == slot
    }
    if len({launched["idempotency_key"] for launched in launches.values()}) != 1:
        faults.append("a service could not tell the repetition")
    told = json.loads(Path(launches[new["attempt_id"]]["resume_path"]).read_bytes())
    if told["reason"] != REASON or [one["attempt"] for one in told["attempts"]] != [
        one["attempt_id"] for one in before if one["slot_id"] == slot
    ]:
        faults.append(f"the new attempt was told {told['reason']!r}, of {told['attempts']}")
    return faults


def play(at: Chain, moments: list[int], say: Callable[..., None]) -> None:
    """All kills of a chain; it is over early where an agent ended before it was killed, and nothing is to be resumed."""
    launch(at)
    for after_ms in moments:
        if journal_of(at.run_folder)[-1]["kind"] == "run_ended":
            return
        told, faults = kill_and_read(at, after_ms)
        agents = [agent for run in told["runs"] for agent in run["agents"]]
        if agents and not faults:
            faults += resume(at, random.Random(after_ms).choice(agents))
        attempts = [agent["attempt"] for agent in agents]
        say(after_ms=after_ms, agents=len(agents), attempts=attempts, faults=faults)
        if faults or not agents:
            return


def main(home: Path) -> None:
    hands.BETWEEN_LOOKS_S = LOOK_EVERY_S
    with desktop(home) as made, person_at(made) as person:
        for line in sys.stdin:
            name, shape, turn, moments = json.loads(line)
            at = Chain(made, person, home / name, shape)
            write_shape(at.home / "work", shape, turn, STEPS)
            _play_all(at, moments, [name, shape, turn])


def _play_all(at: Chain, moments: list[int], chain: list[Any]) -> None:
    def say(**told: Any) -> None:
        print(json.dumps({"chain": chain, **told}), flush=True)

    try:
        play(at, moments, say)
    except Exception:
        shown = [f"{t.role} {t.name}" for t in at.person.look() if t.path and t.path[0] != "Quarterdeck"]
        say(
            after_ms=moments[min(at.kills, len(moments) - 1)],
            agents=0,
            attempts=[],
            faults=[traceback.format_exc()[:2000], f"dialogs: {shown}"],
        )
    finally:
        if at.process is not None:
            end(at.process)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
