"""Records what the real programs print, against the scripted service: `python -m tests.service.recording codex [SCENARIO… | failures | later]`.

A recording is a JSON file below `tests/agents/recorded/PROGRAM/`: command, exit, lines of stdout, stderr, what the service
booked. Names of this machine are replaced. The command lines are those of the product.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from quarterdeck.agents import codex, opencode
from quarterdeck.agents.launching import Ask
from quarterdeck.domain.workflow import AgentSpec
from tests.service import programs
from tests.service.failures import FAILURES, LATER, Failure
from tests.service.openai_service import OpenAIService

RECORDED = Path(__file__).parents[1] / "agents" / "recorded"
PROJECT = "/home/ada/project"
TIME_OUT_S = 60.0
QUIET_SCENARIOS = {"quota", "rate429", "rate429ra", "over529", "drop", "hang"}
"""In which a program may try again for ever: it is ended after so long."""
QUIET_S = 45.0
FAILURE_S = 45.0
MARK = "SCRIPTED_MARK"


@dataclass(frozen=True, slots=True)
class Played:
    """What a program printed. code: its exit code, or minus the signal, as of `subprocess`."""

    argv: list[str]
    code: int
    stdout: list[str]
    stderr: list[str]


@dataclass(frozen=True, slots=True)
class Way:
    """How one program is started and led to the service."""

    launch: Callable[[Ask], Any]
    home: Callable[[Path, str], dict[str, str]]


WAYS = {
    "codex": Way(codex.launch, programs.codex_home),
    "opencode": Way(opencode.launch, programs.opencode_home),
}


def play(
    name: str,
    home: Path,
    work: Path,
    url: str,
    *,
    prompt: str = "Do the scripted work.",
    session: str | None = None,
    permissions: str | None = "full",
    key: str | None = programs.KEY,
    end_at: str = "",
    time_out_s: float = TIME_OUT_S,
) -> Played:
    """Run a real program once. end_at: the group is killed when a line with these words comes."""
    way, mark = WAYS[name], uuid4().hex
    spec = AgentSpec(name="scripted", kind=name, permissions=permissions)
    ask = Ask(spec, (), str(programs.path_of(name)), prompt, str(work), session, mark)
    launch = way.launch(ask)
    env = {**_plain_env(), **launch.env, **way.home(home, url), MARK: mark}
    if key is not None:
        env["SCRIPTED_KEY"] = key
    process = subprocess.Popen(
        launch.argv,
        cwd=work,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    alarm = threading.Timer(time_out_s, end_all, (mark,))
    alarm.start()
    try:
        stdout, stderr = _talk(process, prompt, end_at, mark)
    finally:
        alarm.cancel()
        alarm.join()
        end_all(mark)
    return Played(list(launch.argv), process.wait(), stdout, stderr)


def _talk(process: subprocess.Popen[str], prompt: str, end_at: str, mark: str) -> tuple[list[str], list[str]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    said: list[str] = []
    heard, errors = process.stdout, process.stderr
    reader = threading.Thread(target=lambda: said.extend(errors))
    reader.start()
    with process.stdin as stdin:
        stdin.write(prompt)
    lines = []
    for line in heard:
        lines.append(line.rstrip("\n"))
        if end_at and end_at in line:
            end_all(mark)
    reader.join()
    heard.close()
    errors.close()
    return lines, [line.rstrip("\n") for line in said]


def _plain_env() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TERM") if name in os.environ}


def marked(mark: str) -> list[int]:
    """The processes that carry the mark in their environment."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if f"{MARK}={mark}".encode() in Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                    found.append(int(entry))
            except OSError:
                continue  # gone, or somebody else's
    return found


def end_all(mark: str) -> None:
    """KILL every process of the mark until none is left."""
    while pids := [pid for pid in marked(mark) if pid != os.getpid()]:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


# ------------------------------------------------------------------------------------------- the recordings


def record(name: str, wanted: Iterable[str]) -> None:
    """Play the scenarios and write what came."""
    with tempfile.TemporaryDirectory() as folder, OpenAIService() as service:
        for scenario in wanted or STEPS:
            home, work = Path(folder, "home"), Path(folder, scenario)
            work.mkdir()
            STEPS[scenario](name, scenario, home, work, service)


def _scenario(scenario: str, **more: Any) -> Callable[[str, str, Path, Path, OpenAIService], None]:
    def step(name: str, called: str, home: Path, work: Path, service: OpenAIService) -> None:
        limit = QUIET_S if scenario in QUIET_SCENARIOS else TIME_OUT_S
        served = f"{scenario}~{called}"
        played = play(name, home, work, service.url(served), time_out_s=limit, **more)
        _write(name, called, played, service, served, {str(work): PROJECT})

    return step


def _resumed(name: str, _called: str, home: Path, work: Path, service: OpenAIService) -> None:
    """A session that is killed in a tool call, then taken up; then taken up once more."""
    first = play(name, home, work, service.url("slowtool"), end_at=_AT[name])
    session = next(found for line in first.stdout if (found := session_in(line)))
    for called, scenario in (("resume_after_kill", "tool"), ("resume_finished", "plain")):
        served = f"{scenario}~{called}"
        again = play(name, home, work, service.url(served), prompt="Go on.", session=session)
        _write(name, called, again, service, served, {str(work): PROJECT})


def session_in(line: str) -> str:
    """The session that a line names; empty where it names none."""
    value = json.loads(line) if line.startswith("{") else {}
    return str(value.get("thread_id") or value.get("sessionID") or "")


def _write(
    name: str, called: str, played: Played, service: OpenAIService, scenario: str, places: Mapping[str, str]
) -> None:
    text = json.dumps(
        {
            "program": name,
            "version": programs.PACKAGES[name][1],
            "booked": [asdict(one) for one in service.books(scenario).answered],
            **asdict(played),
            "argv": [Path(played.argv[0]).name, *played.argv[1:]],
        },
        indent=1,
    )
    text = _without_names(text, places)
    folder = RECORDED / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{called}.json").write_text(text + "\n", "utf-8")
    print(name, called, played.code, len(played.stdout), flush=True)


def _without_names(text: str, places: Mapping[str, str]) -> str:
    for place, shown in places.items():
        text = text.replace(place, shown)
    text = re.sub(r"127\.0\.0\.1:[0-9]+", "127.0.0.1:8080", text)
    return re.sub(re.escape(tempfile.gettempdir()) + r"/tmp[a-z0-9_]+/home", "/home/ada", text)


def record_failures(name: str, failures: Sequence[Failure], mode: str) -> None:
    """Each failure at the first call, and again after a tool call. mode: of the file."""
    path = RECORDED / f"{name}-failures.jsonl"
    with (
        tempfile.TemporaryDirectory() as folder,
        OpenAIService() as service,
        path.open(mode, encoding="utf-8") as file,
    ):
        for number, (failure, when) in enumerate(_plan(name, failures)):
            served = f"{when}~{number}"
            service.told.replies[served] = failure.reply
            work = Path(folder, str(number))
            work.mkdir()
            played = play(name, Path(folder, "home"), work, service.url(served), time_out_s=FAILURE_S)
            text = json.dumps(
                {"name": failure.name, "when": when, "is_a": failure.is_a, **asdict(played), "argv": []}
            )
            file.write(_without_names(text, {str(work): PROJECT}) + "\n")
            file.flush()
            print(name, number, failure.name, when, played.code, len(played.stdout), flush=True)


def _plan(name: str, failures: Sequence[Failure]) -> list[tuple[Failure, str]]:
    """OpenCode tries again for ever, in silence, what may pass, and takes long to start: of it there are fewer."""
    if name == "opencode":
        told = [
            one
            for one in failures
            if one.wire == "both" and one.reply.status < 500 and one.reply.status != 429
        ]
        return [
            (one, when) for when in ("start", "mid") for one in told if when == "start" or one.is_a == "auth"
        ]
    return [(one, when) for when in ("start", "mid") for one in failures if one.wire in ("both", "responses")]


_AT = {"codex": "item.started", "opencode": '"text"'}
"""The line at which a tool is at work, or about to be."""
STEPS: dict[str, Callable[[str, str, Path, Path, OpenAIService], None]] = {
    **{
        scenario: _scenario(scenario)
        for scenario in (
            "plain", "tool", "write", "quoted", "auth401", "auth401raw", "auth401mid", "auth403", "rate429",
            "rate429ra", "over529", "quota", "bad400", "drop", "hang",
        )
    },
    "nokey": _scenario("plain", key=None),
    "kill_midtool": lambda name, *rest: _scenario("slowtool", end_at=_AT[name])(name, *rest),  # the line differs
    "resume_unknown": _scenario("plain", session="01a22901-0000-7703-bada-1ca7dae49a53"),
    "resumed": _resumed,
}  # fmt: skip


if __name__ == "__main__":
    if sys.argv[2:] == ["failures"]:
        record_failures(sys.argv[1], FAILURES, "w")
    elif sys.argv[2:] == ["later"]:
        record_failures(sys.argv[1], LATER, "a")
    else:
        record(sys.argv[1], sys.argv[2:])
