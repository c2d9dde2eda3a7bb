"""Any agent of the protocol, proved with Qwen Code, which Quarterdeck knows nothing of: `kind: acp`, in a real shim, for real.

For those who have it (tests/service/programs.py says where): `QUARTERDECK_LIVE=qwen python -m pytest tests/programs`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.agents.launching import Ask
from quarterdeck.agents.registry import launch_of
from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.shim.client import ForkServer
from tests.service import programs
from tests.service.openai import MODEL
from tests.service.openai_service import OpenAIService
from tests.shim.harness import Dock, Running, marked, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
QWEN = programs.program("qwen")
END_S = 240.0
LEFT_S = 6.0


@dataclass
class Live:
    """Starts Qwen in a shim, led to the scripted service, with a home of its own."""

    dock: Dock
    service: OpenAIService

    @property
    def folder(self) -> Path:
        folder = self.dock.folder / "project"
        folder.mkdir(exist_ok=True)
        return folder

    def start(
        self, scenario: str, mode: str = "default", session: str | None = None, *, key: str | None = "k"
    ) -> Running:
        argv = (str(QWEN.path), "--acp", "--auth-type", "openai")
        spec = AgentSpec("qwen", "acp", argv=argv, mode=mode)
        launch = launch_of(Ask(spec, argv, argv[0], "Do it.", str(self.folder), session, "unused"))
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.dock.folder),
            "OPENAI_BASE_URL": self.service.url(scenario),
            "OPENAI_MODEL": MODEL,
            **launch.env,
        }
        return self.dock.start(
            list(launch.argv),
            secrets={} if key is None else {"OPENAI_API_KEY": key},
            kind="acp",
            protocol=launch.protocol,
            stdin=launch.stdin,
            wire=dict(launch.wire),
            env=env,
            cwd=str(self.folder),
            grace_s=4.0,
        )


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    if QWEN.missing:
        pytest.skip(QWEN.missing)
    server = ForkServer.start()
    dock = Dock(tmp_path, server)
    try:
        with OpenAIService() as service:
            yield Live(dock, service)
            dock.close()
    finally:
        server.close()


def ended(running: Running) -> dict[str, Any]:
    end = running.wait_end(END_S)
    wait_until(lambda: not marked(running.attempt), LEFT_S, "no process of the attempt is left")
    return end


def error_of(running: Running) -> tuple[str, str, int | None]:
    (error,) = running.of_kind("error")
    return error["class"], error["strength"], error["status"]


def test_it_answers_and_its_tokens_are_those_of_the_services_books(live: Live) -> None:
    running = live.start("plain")

    figures = ended(running)["figures"]

    total = live.service.books("plain").total()
    tokens = figures["tokens"]
    assert (tokens["input_tokens"], tokens["cache_read_tokens"]) == (total.fresh, total.cached)
    assert tokens["output_tokens"] == total.given
    assert figures["turns"] == 1
    assert isinstance(running.of_kind("output")[0]["value"], str)


@pytest.mark.parametrize(("answer", "end_state"), [("Allow once", "confirmed"), ("Deny", "refused")])
def test_a_command_is_asked_for_and_an_answer_is_obeyed(live: Live, answer: str, end_state: str) -> None:
    running = live.start("tool")

    running.say(do="answer", id=running.wait_fact("approval", END_S)["id"], answer=answer)
    figures = ended(running)["figures"]

    states = [report["state"] for report in running.of_kind("effect")]
    assert (states[0], states[-1]) == ("intended", end_state)
    assert (live.folder / "ran.log").exists() is (answer == "Allow once")
    assert figures["turns"] == len(live.service.books("tool").answered)


def test_a_refused_key_is_told_by_its_words_and_a_missing_one_by_the_protocols_code(live: Live) -> None:
    refused, missing = live.start("auth401"), live.start("plain", key=None)
    ended(refused)
    ended(missing)

    assert error_of(refused) == ("auth", "medium", 401)
    assert error_of(missing) == ("auth", "strong", None)


def test_an_unknown_session_and_an_unknown_mode_prompt_nothing(live: Live) -> None:
    session, mode = (
        live.start("plain", session="0" * 8 + "-91c5-46c7-91cb-fee4f341cebc"),
        live.start("plain", "sudo"),
    )
    ended(session)
    ended(mode)

    assert error_of(session)[0] == error_of(mode)[0] == "invalid"
    assert live.service.asked("plain") == []


def test_killed_in_a_tool_call_nothing_is_left_and_its_session_goes_on(live: Live) -> None:
    killed = live.start("slowtool", "yolo")
    log = live.folder / "ran.log"
    wait_until(lambda: log.exists() and "started" in log.read_text(), END_S, "the tool runs")
    os.kill(int(killed.wait_fact("started")["pid"]), signal.SIGKILL)
    ended(killed)
    session = killed.of_kind("session")[-1]

    again = live.start("plain", "yolo", session["id"])
    ended(again)

    assert [report["state"] for report in killed.of_kind("effect")][-1] == "sent"
    assert session["resumable"] is True
    assert isinstance(again.of_kind("output")[0]["value"], str)
    assert log.read_text() == "started\n"
