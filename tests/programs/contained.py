"""One real program in a run of the terminal's, led to the scripted service: brought to a moment, killed, and looked at from outside.

The looks are naive and import nothing of the product: `/proc` for whoever carries a mark of ours or stands in its folder, the service's
books, the attempt's files and the journal line by line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.agents.terminal import alive_below, launches_of, quarterdeck, wait_until, write_workflow
from tests.programs import outside
from tests.programs.berths import Way
from tests.programs.counted import Counted
from tests.programs.moments import MOMENTS, Moment, Pair, Sign, Victim
from tests.programs.scenarios import KILLED, RESUMED, SCENARIOS, Scenario

BEGUN_S = 300.0
GONE_S = 6.0
ENDED_S = 120.0
QUIET_S = 1.0
LOOK_S = 0.05
SCRIPT = """#!/bin/sh
"{}" "$@"
exit $?
"""
"""What a person may have written around a program that has no launcher of its own."""
HAS_LAUNCHER = frozenset({"codex", "codex-acp", "qwen"})
ASKING: Mapping[str, Mapping[str, str]] = {
    "claude": {"permissions": "ask"},
    "gemini": {"permissions": "ask"},
    "opencode": {"permissions": "ask"},
    "qwen": {"mode": "default"},
}
"""Codex asks by codex-acp, and not where it is played as `codex`: it goes through its tool instead."""
Reports = list[dict[str, Any]]


class Left(AssertionError):
    """Processes of the agent outlived the kill."""


@dataclass
class Killed:
    """What was seen from outside. effects: {id: last state} before the kill; requests: of all kinds, once nothing was left."""

    pair: Pair
    pids: Mapping[str, int]
    effects: dict[str, str]
    had_ended: bool
    session: dict[str, Any] | None
    home_has_session: bool
    requests: int = 0
    launches: int = 0
    gone_s: float = 0.0
    containment: str = ""
    shown: dict[str, Any] = field(default_factory=dict)


@dataclass
class Yard:
    """A place of its own for one pair."""

    folder: Path
    name: str
    way: Way
    program: Path
    service: Any
    pair: Pair
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    served: str = ""
    run: str = ""
    app: subprocess.Popen[bytes] | None = None
    answered: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.counted = Counted(self.way, self.service)

    @property
    def space(self) -> Path:
        return self.folder / "space"

    @property
    def home(self) -> Path:
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        return home

    @property
    def data(self) -> Path:
        return Path(os.environ["QUARTERDECK_DATA_DIR"])

    # --------------------------------------------------------------------------------------- beginning

    def write(self, scenario: Scenario, name: str, *, asks: bool = False) -> Path:
        """The workflow, with the program led to what that scenario is served."""
        served = scenario.served or name
        self.served = self.way.instead.get(served, served)
        argv = [str(self._launched()), *self.way.beside]
        model, price = self.way.price
        agent: dict[str, Any] = {
            **self.way.spec, "argv": argv, "containment": self.pair.containment, "prices": {model: price},
            "env": {**self.way.env(self.home, self.service.url(self.served)), outside.MARK: self.mark},
        }  # fmt: skip
        if asks:
            agent |= ASKING.get(self.name, {})
        elif self.name == "qwen":
            agent["mode"] = "yolo"
        if scenario.has_key:
            agent["secrets"] = {self.way.key_name: "env:SCRIPTED"}
        agent.pop("credential", None)
        return write_workflow(self.space, agent)

    def _launched(self) -> Path:
        """The program, or a script around it where the wrapper is to be killed and it has none."""
        if self.pair.victim is not Victim.WRAPPER or self.name in HAS_LAUNCHER:
            return self.program
        script = self.folder / "wrapper"
        script.write_text(SCRIPT.format(self.program), "utf-8")
        script.chmod(0o755)
        return script

    def begin(self, *words: str) -> None:
        """A verb of the terminal that supervises; its words go into files."""
        command = [sys.executable, "-m", "quarterdeck", *words, "--json"]
        with (self.folder / "app.out").open("wb") as out, (self.folder / "app.err").open("wb") as err:
            self.app = subprocess.Popen(
                command, env=self.env(), stdout=out, stderr=err, stdin=subprocess.DEVNULL
            )

    def env(self) -> dict[str, str]:
        return {**os.environ, "SCRIPTED": self.way.key}

    def resume(self) -> None:
        """The only agent of the only run, taken up again."""
        self.begin("resume", self.run, "work", "--reason", "it was killed")

    def verb(self, *words: str) -> dict[str, Any]:
        """The document of another process of the terminal."""
        _, shown = quarterdeck(*words, "--json", env=self.env())
        return shown

    # --------------------------------------------------------------------------------------- looking

    def attempts(self) -> list[Path]:
        """The folders of all attempts, oldest first."""
        return sorted(self.data.glob("runs/*/attempts/*"), key=_began)

    def reports(self) -> Reports:
        """Whole lines of the last attempt's reports."""
        folders = self.attempts()
        path = folders[-1] / "reports.jsonl" if folders else self.data / "none"
        if not path.exists():
            return []
        lines = path.read_bytes().split(b"\n")[:-1]
        return [json.loads(line) for line in lines]

    def of_kind(self, kind: str) -> Reports:
        return [one for one in self.reports() if one["kind"] == kind]

    def marked(self) -> list[int]:
        """Processes of the agent: by the product's mark, by ours, or because they stand in its folder."""
        return [pid for pid in outside.pids() if outside.is_of_agent(pid, self.mark, self.folder, self.space)]

    # --------------------------------------------------------------------------------------- to the moment

    def until(self, is_so: Callable[[], Any], what: str, *, answers: bool = True) -> None:
        """Wait; questions of the agent are allowed on the way. Fails where the run ends before."""
        end_s = time.monotonic() + BEGUN_S
        while not is_so():
            assert self.app is not None
            assert self.app.poll() is None, f"it ended before: {what}: {self.said()}"
            assert time.monotonic() < end_s, f"not within {BEGUN_S} s: {what}: {self.said()}"
            if answers:
                self.allow()
            time.sleep(LOOK_S)

    def allow(self) -> None:
        """Whatever is asked now, once."""
        for question in self.of_kind("approval"):
            if question["id"] not in self.answered:
                self.answered.add(question["id"])
                self.verb("answer", launches_of(self.data)[-1]["run"], "work", "Allow once")

    def said(self) -> str:
        """The end of what the app said, and of what the agent told."""
        told = [f"{one['kind']} {one.get('state', one.get('class', ''))}" for one in self.reports()]
        errors = (self.folder / "app.err").read_text("utf-8", "replace")[-600:]
        return f"{errors!r}; {told[-12:]}; {self.counted.requests()} requests"

    def come_to(self, moment: Moment) -> None:
        """Wait for its sign."""
        self.until(lambda: self.of_kind("started"), "it starts")
        if moment.sign is Sign.ASKED:
            self.until(lambda: self.counted.work() >= moment.nth, f"{moment.nth} requests")
        elif moment.sign is Sign.QUESTION:
            self.until(lambda: self.of_kind("approval"), "it asks", answers=False)
        elif moment.sign is Sign.TOOL:
            self.into_the_tool()

    def into_the_tool(self) -> None:
        """Until the tool runs and nothing more is told of it."""
        log = self.space / "ran.log"
        self.until(lambda: log.exists() and "started" in log.read_text(), "the tool runs")
        self.settle()

    def settle(self) -> None:
        """Until nothing was reported for a while."""
        count, since_s = len(self.reports()), time.monotonic()
        while time.monotonic() - since_s < QUIET_S:
            if len(self.reports()) != count:
                count, since_s = len(self.reports()), time.monotonic()
            time.sleep(LOOK_S)

    # --------------------------------------------------------------------------------------- the kill

    def pids(self) -> dict[str, int]:
        """Whom each victim is now."""
        assert self.app is not None
        leader = int(self.of_kind("started")[-1]["pid"])
        return {
            Victim.APP: self.app.pid,
            Victim.SHIM: int(self.of_kind("starting")[-1]["shim_pid"]),
            Victim.WRAPPER: leader,
            Victim.AGENT: outside.innermost(leader),
        }

    def kill(self) -> Killed:
        """The pair's victim, at once; then until no process of the agent is left, and what is told then."""
        pids = self.pids()
        effects = {one["id"]: one["state"] for one in self.of_kind("effect") if one.get("type") != "step"}
        had_ended = (self.attempts()[-1] / "exit.json").exists()
        containment = str(self.of_kind("started")[-1]["containment"])
        session = next(iter(self.of_kind("session")[::-1]), None)
        is_known = session is not None and self._home_knows(str(session["id"]))
        killed = Killed(self.pair, pids, effects, had_ended, session, is_known, containment=containment)
        began_s = time.monotonic()
        if self._is_still_there(pids[self.pair.victim]):
            os.kill(pids[self.pair.victim], signal.SIGKILL)
        else:
            killed.had_ended = True
        self.gone(began_s)
        killed.gone_s = time.monotonic() - began_s
        self.ended(killed)
        return killed

    def _is_still_there(self, pid: int) -> bool:
        """The very process, and no other that has its number by now: below this one, or written down with its beginning."""
        assert self.app is not None
        if pid == self.app.pid:
            return self.app.poll() is None
        begun = {int(one["pid"]): one["start_ticks"] for one in self.of_kind("started")}
        begun |= {int(one["shim_pid"]): one["shim_start_ticks"] for one in self.of_kind("starting")}
        return outside.start_of(pid) == begun[pid] if pid in begun else pid in self.marked()

    def _home_knows(self, session: str) -> bool:
        """Some file of the program's home has the session in its name or its content; half of an id is enough for a name."""
        for path in self.home.rglob("*"):
            if session[:8] in path.name or (path.is_file() and session.encode() in path.read_bytes()):
                return True
        return False

    def gone(self, began_s: float) -> None:
        """Raises Left with who is there after the time."""
        while self.marked():
            if time.monotonic() - began_s > GONE_S:
                raise Left(f"after {GONE_S} s: {self.left()}")
            time.sleep(LOOK_S)

    def left(self) -> list[str]:
        """Who is left, in words."""
        found = []
        for pid in self.marked():
            try:
                found.append(Path("/proc", str(pid), "cmdline").read_bytes()[:120].decode("utf-8", "replace"))
            except OSError:
                continue
        return found

    def ended(self, killed: Killed) -> None:
        """Until the app ends by itself where it was not killed, and its keeper and its fork server are gone."""
        assert self.app is not None
        self.app.wait(ENDED_S)
        wait_until(lambda: not alive_below(self.folder), ENDED_S, "keeper and fork server end")
        # Whoever ended by itself in the instant before the kill is not told as killed.
        exit_path = self.attempts()[-1] / "exit.json"
        if MOMENTS[self.pair.moment].up_to_s and exit_path.exists():
            end = json.loads(exit_path.read_text("utf-8"))
            is_own = not end["after_ending"] and end["signal"] is None
            killed.had_ended = killed.had_ended or (is_own and self.pair.victim in (Victim.APP, Victim.SHIM))
        killed.requests, killed.launches = self.counted.requests(), len(self.attempts())
        if self.pair.victim is not Victim.APP:
            killed.shown = json.loads((self.folder / "app.out").read_text("utf-8"))

    # --------------------------------------------------------------------------------------- a whole play

    def play(self, moment: Moment, delay_s: float) -> Killed:
        """To the moment, the kill, and all looks after it."""
        scenario = SCENARIOS[moment.scenario]
        if moment.scenario in (RESUMED, "unknown"):
            self._attempt_before(moment.scenario)
        before = len(self.attempts())
        if before:
            self.answer_otherwise()
        path = None if before else self.write(scenario, moment.scenario, asks=moment.asks)
        self.counted.begin(self.served, silent_from=moment.nth if moment.is_cut else None)
        self.begin("run", str(path)) if path else self.resume()
        self.until(lambda: len(self.attempts()) > before and self.of_kind("starting"), "a keeper starts")
        self.run = launches_of(self.data)[-1]["run"]
        self.come_to(moment)
        end_s = time.monotonic() + delay_s
        while time.monotonic() < end_s:
            self.allow()
            time.sleep(LOOK_S)
        if moment.is_cut or moment.scenario == "hang":
            self.settle()
        return self.kill()

    def close(self) -> None:
        """What is left after a failure is ended, and the app with it; it is waited for."""
        for pid in self.marked():
            os.kill(pid, signal.SIGKILL)
        if self.app is not None and self.app.poll() is None:
            self.app.terminate()
            self.app.wait(ENDED_S)

    def answer_otherwise(self) -> None:
        """From now on the address that the attempt before was led to, which its launch pins, answers without tools."""
        getattr(self.service, "told", self.service).instead[self.served] = SCENARIOS[RESUMED].served

    def _attempt_before(self, scenario: str) -> None:
        """An agent that was killed in its tool; for `unknown` what it kept of its session is then gone."""
        path = self.write(SCENARIOS[KILLED], KILLED)
        self.begin("run", str(path))
        self.until(lambda: self.attempts() and self.of_kind("started"), "it starts")
        self.run = launches_of(self.data)[-1]["run"]
        self.into_the_tool()
        os.kill(int(self.of_kind("started")[-1]["pid"]), signal.SIGKILL)
        assert self.app is not None
        self.app.wait(ENDED_S)
        session = self.of_kind("session")[-1]["id"]
        if scenario == "unknown":
            self.home.rename(self.folder / "elsewhere")
            self.way.env(self.home, self.service.url(self.served))
        else:
            self.way.before_resume(self.home, session)


def _began(folder: Path) -> float:
    return (folder / "launch.json").stat().st_mtime if (folder / "launch.json").exists() else float("inf")
