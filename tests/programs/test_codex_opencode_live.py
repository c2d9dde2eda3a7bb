"""The real Codex and OpenCode, where QUARTERDECK_LIVE names them, through launch, shim, store and terminal, against the scripted service.

`QUARTERDECK_LIVE=codex,opencode python -m pytest tests/programs/test_codex_opencode_live.py`
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.agents.terminal import (
    alive_below,
    begin,
    launches_of,
    only_attempt,
    quarterdeck,
    reports_of,
    wait_until,
    write_workflow,
)
from tests.service import programs
from tests.service.openai import MODEL, Books
from tests.service.openai_service import OpenAIService

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
BEGUN_S = 300.0
"""OpenCode needs half a minute where other tests run beside it."""
GONE_S = 6.0
PRICE = {"input": "3", "output": "15", "cache_read": "0.3"}
"""As OpenCode's home has it, so that both come to the same."""


@pytest.fixture
def service() -> Iterator[OpenAIService]:
    with OpenAIService() as running:
        yield running


@pytest.fixture
def begun() -> Iterator[list[subprocess.Popen[str]]]:
    """The processes that were begun; what still runs after a failure is ended, its agents by itself."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            process.terminate()
            process.communicate(timeout=BEGUN_S)


class Berth:
    """One real program, led to the service."""

    def __init__(
        self, folder: Path, name: str, service: OpenAIService, begun: list[subprocess.Popen[str]]
    ) -> None:
        self.name, self.folder, self.service, self._begun = name, folder, service, begun
        self.space, self.data = folder / "space", Path(os.environ["QUARTERDECK_DATA_DIR"])
        bin_folder = programs.path_of(name).parent
        self.env = {
            **os.environ,
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "SCRIPTED": programs.KEY,
        }

    def lead_to(self, scenario: str) -> dict[str, str]:
        home = {"codex": programs.codex_home, "opencode": programs.opencode_home}[self.name]
        return home(self.folder / "home", self.service.url(scenario))

    def workflow(self, scenario: str, **fields: Any) -> Path:
        agent = {
            "kind": self.name,
            "env": self.lead_to(scenario),
            "permissions": "full",
            "prices": {MODEL: PRICE},
        }
        agent["secrets"] = {"SCRIPTED_KEY": "env:SCRIPTED"}
        if self.name == "codex":
            agent["model"] = MODEL
        return write_workflow(self.space, {**agent, **fields})

    def run(self, scenario: str, **fields: Any) -> tuple[int, dict[str, Any]]:
        return quarterdeck("run", str(self.workflow(scenario, **fields)), "--json", env=self.env)

    def begin(self, scenario: str, **fields: Any) -> subprocess.Popen[str]:
        """The same, begun."""
        process = begin("run", str(self.workflow(scenario, **fields)), "--json", env=self.env)
        self._begun.append(process)
        return process

    def begin_in_a_tool(self) -> subprocess.Popen[str]:
        """A run whose agent is in a tool call."""
        process = self.begin("slowtool")
        log = self.space / "ran.log"
        wait_until(lambda: log.exists() and "started" in log.read_text(), BEGUN_S, "a tool at work")
        return process


@pytest.fixture(params=["codex", "opencode"])
def berth(
    request: pytest.FixtureRequest, tmp_path: Path, service: OpenAIService, begun: list[subprocess.Popen[str]]
) -> Berth:
    found = programs.program(request.param)
    if found.missing:
        pytest.skip(f"{request.param} is not played for real: {found.missing}")
    return Berth(tmp_path, request.param, service, begun)


@pytest.fixture(params=["codex", "opencode"])
def asking(
    request: pytest.FixtureRequest, tmp_path: Path, service: OpenAIService, begun: list[subprocess.Popen[str]]
) -> Berth:
    """A program that asks a person; Codex does so by a program of its own."""
    for name in ("codex", "codex-acp") if request.param == "codex" else ("opencode",):
        found = programs.program(name)
        if found.missing:
            pytest.skip(f"{name} is not played for real: {found.missing}")
    berth = Berth(tmp_path, request.param, service, begun)
    if request.param == "codex":
        berth.env["PATH"] = f"{programs.path_of('codex-acp').parent}{os.pathsep}{berth.env['PATH']}"
    return berth


def _price(books: Books) -> str:
    total = books.total()
    amount = (3 * total.fresh + Decimal("0.3") * total.cached + 15 * total.given) / 1_000_000
    return format(amount.normalize(), "f")


@pytest.mark.parametrize("scenario", ["plain", "tool", "write", "quoted", "flood"])
def test_it_does_its_work_and_the_totals_are_those_of_the_books(berth: Berth, scenario: str) -> None:
    code, shown = berth.run(scenario)
    books = berth.service.books(scenario)
    attempt = only_attempt(shown)
    assert (code, attempt["status"]) == (0, "succeeded"), attempt
    assert shown["tokens"]["output_tokens"] == books.total().given
    assert shown["tokens"]["input_tokens"] == books.total().fresh
    assert shown["cost_usd"] == _price(books)
    assert not alive_below(berth.folder)
    if scenario == "write":
        assert [artifact["name"] for artifact in attempt["artifacts"]] == ["written.txt"]


FAILS = {
    "auth401": "sign", "auth401mid": "sign", "auth403": None, "rate429ra": None, "bad400": None,
}  # fmt: skip


@pytest.mark.parametrize("scenario", FAILS)
def test_a_failed_call_ends_it_as_failed(berth: Berth, scenario: str) -> None:
    code, shown = berth.run(scenario)
    errors = [report for report in reports_of(berth.data) if report["kind"] == "error"]
    is_auth = FAILS[scenario] == "sign"
    assert (code, only_attempt(shown)["status"]) == (1, "failed")
    assert any(error["class"] == "auth" for error in errors) == is_auth
    assert not alive_below(berth.folder)


@pytest.mark.parametrize("victim", ["terminal", "shim", "agent"])
def test_after_a_kill_in_a_tool_call_nothing_is_left(berth: Berth, victim: str) -> None:
    """Whoever is killed: no process carries the mark six seconds later, and the tool never comes to its end."""
    process = berth.begin_in_a_tool()
    reports = reports_of(berth.data)
    pids = {
        "terminal": process.pid,
        "shim": next(one["shim_pid"] for one in reports if one["kind"] == "starting"),
        "agent": next(one["pid"] for one in reports if one["kind"] == "started"),
    }
    os.kill(pids[victim], signal.SIGKILL)
    wait_until(lambda: not _agents_below(berth), GONE_S, f"no process after a kill of the {victim}")
    process.communicate(timeout=BEGUN_S)
    assert "finished" not in (berth.space / "ran.log").read_text()


def _agents_below(berth: Berth) -> list[int]:
    """Those that carry the mark of an attempt; the terminal and its fork server are no agents."""
    found = []
    for pid in alive_below(berth.folder):
        try:
            if b"QUARTERDECK_ATTEMPT=" in Path("/proc", str(pid), "environ").read_bytes():
                found.append(pid)
        except OSError:
            continue
    return found


def test_a_killed_session_is_taken_up_by_its_id_and_counts_only_what_is_new(berth: Berth) -> None:
    """Case 83, EFF2: the agent is killed in a tool call, and resumed."""
    process = berth.begin_in_a_tool()
    started = next(one for one in reports_of(berth.data) if one["kind"] == "started")
    os.kill(started["pid"], signal.SIGKILL)
    stdout, _ = process.communicate(timeout=BEGUN_S)
    first = only_attempt(json.loads(stdout))
    assert {effect["state"] for effect in first["effects"]} == {"unknown"}
    berth.lead_to("plain")
    run_id = launches_of(berth.data)[0]["run"]
    code, shown = quarterdeck("resume", run_id, "work", "--reason", "it was killed", "--json", env=berth.env)
    second = only_attempt(shown)
    assert (code, second["status"]) == (0, "succeeded"), second
    assert second["session_id"] == first["session_id"]
    asked = berth.service.asked("plain")[-1].body
    assert "may have happened" in json.dumps(asked)
    assert second["cost_usd"] == _price(berth.service.books("plain"))


def test_a_program_that_hangs_is_stopped_and_leaves_nothing(berth: Berth) -> None:
    process = berth.begin("hang")
    wait_until(lambda: berth.service.asked("hang"), BEGUN_S, "the service is asked")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=BEGUN_S)
    wait_until(lambda: not _agents_below(berth), GONE_S, "no process after Stop")
    assert process.returncode == 130


@pytest.mark.parametrize(("permissions", "may_write"), [(None, True), ("read-only", False)])
def test_unattended_it_does_what_its_permissions_let_it_do(
    berth: Berth, permissions: str | None, may_write: bool
) -> None:
    """Codex by its own sandbox, inside the containment of ours; OpenCode by its rules."""
    code, shown = berth.run("tool", permissions=permissions)
    assert (code, only_attempt(shown)["status"]) == (0, "succeeded")
    assert (berth.space / "ran.log").exists() == may_write


@pytest.mark.parametrize("choice", ["Allow once", "Deny"])
def test_a_person_is_asked_and_only_what_they_allow_happens(asking: Berth, choice: str) -> None:
    """Permissions `ask`: by codex-acp, and by OpenCode's own Agent Client Protocol."""
    process = asking.begin("asktool", permissions="ask")

    def asked() -> list[dict[str, Any]]:
        return [one for one in reports_of(asking.data) if one["kind"] == "approval"]

    (question,) = wait_until(asked, BEGUN_S, "a question")
    assert "tool-output-42" in question["action"]
    assert not (asking.space / "ran.log").exists()
    code, _ = quarterdeck(
        "answer", launches_of(asking.data)[0]["run"], "work", choice, "--json", env=asking.env
    )
    stdout, stderr = process.communicate(timeout=BEGUN_S)
    states = {effect["state"] for effect in only_attempt(json.loads(stdout))["effects"]}
    assert code == 0, stderr
    assert (asking.space / "ran.log").exists() == (choice != "Deny")
    assert states == ({"refused"} if choice == "Deny" else {"confirmed"})
    assert not _agents_below(asking)


def test_a_session_that_it_does_not_know_is_said(berth: Berth) -> None:
    """The home is another one: what was there is gone."""
    process = berth.begin_in_a_tool()
    os.kill(next(one["pid"] for one in reports_of(berth.data) if one["kind"] == "started"), signal.SIGKILL)
    process.communicate(timeout=BEGUN_S)
    (berth.folder / "home").rename(berth.folder / "elsewhere")
    berth.lead_to("plain")
    run_id = launches_of(berth.data)[0]["run"]
    code, shown = quarterdeck("resume", run_id, "work", "--reason", "again", "--json", env=berth.env)
    assert (code, only_attempt(shown)["status"]) == (1, "failed")
    assert "session" in only_attempt(shown)["reason"].lower() or "rollout" in only_attempt(shown)["reason"]
