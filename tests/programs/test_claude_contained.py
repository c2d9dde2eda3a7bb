"""Nothing of Claude Code outlives what ended it: app, keeper or agent killed, stopped, in a call, in a flood, in silence."""

from __future__ import annotations

import json
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.programs.claude_program import launch
from tests.service.server import ModelService
from tests.shim.harness import Dock, Running, marked, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
GONE_S = 6.0
START_S = 90.0


def start(
    dock: Dock, claude: Path, service: ModelService, scenario: str, home: Path, permissions: str = "full"
) -> Running:
    """Claude Code under a shim of its own."""
    folder = home.parent / "w"
    folder.mkdir()
    ready, env = launch(claude, service, scenario, folder, home, spec={"permissions": permissions})
    secret = env.pop("ANTHROPIC_API_KEY")
    return dock.start(
        list(ready.argv), {"ANTHROPIC_API_KEY": secret}, kind="claude-code", protocol=ready.protocol, stdin=ready.stdin,
        env=env, wire=dict(ready.wire), cwd=str(folder), grace_s=4.0,
    )  # fmt: skip


def at_work(running: Running, service: ModelService, scenario: str) -> int:
    """Wait until it does what the scenario is for; its pid."""
    pid = int(running.wait_fact("started", START_S)["pid"])
    service.wait(lambda: any(not one.is_side for one in service.asked), START_S)
    if scenario == "slowtool":
        log = Path(json.loads((running.folder / "launch.json").read_text())["cwd"]) / "ran.log"
        wait_until(lambda: running.hear(0.01) and log.exists(), START_S, "the tool runs")
    return pid


KILLS = [
    ("slowtool", "app"), ("slowtool", "shim"), ("slowtool", "agent"), ("slowtool", "group"), ("slowtool", "stop"),
    ("hang", "app"), ("hang", "stop"), ("trickle", "shim"), ("auth401", "app"),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "killed"), KILLS)
def test_no_process_is_left(
    dock: Dock, claude: Path, service: ModelService, home: Path, scenario: str, killed: str
) -> None:
    """By its mark, six seconds after the end of what was killed."""
    running = start(dock, claude, service, scenario, home)
    pid = at_work(running, service, scenario)
    assert marked(running.attempt)
    if killed == "app":
        running.handle.socket.shutdown(socket.SHUT_RDWR)
    elif killed == "shim":
        os.kill(running.handle.pid, signal.SIGKILL)
    elif killed == "agent":
        os.kill(pid, signal.SIGKILL)
    elif killed == "group":
        os.killpg(pid, signal.SIGKILL)
    else:
        running.say(do="stop")
    wait_until(lambda: not marked(running.attempt), GONE_S, "no process with its mark")


def test_a_message_of_a_person_reaches_it_in_the_middle_of_its_work(
    dock: Dock, claude: Path, service: ModelService, home: Path
) -> None:
    running = start(dock, claude, service, "tool", home, "ask")
    question = running.wait_fact("approval", START_S)
    running.say(do="say", id="m1", text="a word from the person")
    said = running.wait_fact("said", 20)
    assert (said["id"], said["text"], said["delivered"]) == ("m1", "a word from the person", True)
    running.say(do="answer", id=question["id"], answer="Allow once")
    ended = running.wait_end(START_S)
    assert (ended["code"], ended["over"], ended["killed"]) == (0, True, 0)
    bodies = [json.dumps(one.body["messages"]) for one in service.work()]
    assert any("a word from the person" in body for body in bodies)


def test_an_answer_after_its_result_and_a_message_too_late_are_said_not_to_have_arrived(
    dock: Dock, claude: Path, service: ModelService, home: Path
) -> None:
    running = start(dock, claude, service, "tool", home, "ask")
    question = running.wait_fact("approval", START_S)
    for _ in range(2):
        running.say(do="answer", id=question["id"], answer="Allow once")
    running.wait_end(START_S)
    answered: list[dict[str, Any]] = running.of_kind("approval_answered")
    assert [one["delivered"] for one in answered] == [True, False]
