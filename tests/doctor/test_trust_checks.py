"""The trust checks hold for this version, and each sees its promise broken on purpose (Q1–Q3, OWN1–OWN5, REC4–REC10, AUT3)."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.ids import RunId, SlotId, WorkflowId
from quarterdeck.domain.projection import WorkflowStatus, project_all
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.doctor import trust
from quarterdeck.engine.doctor.dead_sign_in import dead_sign_in
from quarterdeck.engine.doctor.findings import Finding, Health
from quarterdeck.engine.doctor.force_quit import force_quit, own_command
from quarterdeck.engine.doctor.ground import Ground, processes_of, wait_until
from quarterdeck.engine.doctor.twin_runs import twin_runs
from quarterdeck.engine.service import Engine
from quarterdeck.engine.sign_in_gate import SignInGate
from quarterdeck.engine.sign_in_memory import SignInMemory
from quarterdeck.shim.client import ForkServer
from quarterdeck.store.records import Records

OUTLIVED = """
import os, subprocess, sys
real = subprocess.Popen(sys.argv[2:])
open(sys.argv[1], "w").write(str(real.pid))
real.wait()
"""
"""A Quarterdeck whose kill does not reach what it started."""

PATIENT = """
import sys
from quarterdeck.engine import starting
starting.GRACE_S = 9.0
from quarterdeck.__main__ import main
sys.exit(main())
"""
"""A Quarterdeck that gives its agents more than twice as long to end."""


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    server = ForkServer.start()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def _time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine of a test may be busy; how long a check may take is another test's."""
    monkeypatch.setattr(trust, "WITHIN_S", 50.0)


async def tried(check: trust.Check, fork_server: ForkServer) -> Finding:
    return await trust.try_one("trust.it", "It", check, fork_server)


async def test_the_status_of_twin_runs_is_found_true(fork_server: ForkServer) -> None:
    """Q1, OWN1–OWN5, ID3: with figures that only the agents' scripts give."""
    finding = await tried(twin_runs, fork_server)
    assert finding.health is Health.FINE, finding.said
    assert finding.facts["looks"] > 5
    assert finding.facts["long"]["cost_usd"] == "0.0088"
    assert finding.facts["short"]["cost_usd"] == "0.0039"


@pytest.mark.parametrize(
    "settings",
    [
        '[budgets]\nnight_usd = "many"\n',
        "[budgets]\nnight_usd = 0.0001\n",
        "[keeping]\nruns = 1\nrecord_bytes = 1\n",
    ],
    ids=["damaged budgets", "a tiny budget", "hardly any room"],
)
async def test_what_the_person_set_is_not_what_is_tried(
    fork_server: ForkServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str
) -> None:
    """Settings of the person's own, right or wrong, never make it look as if a promise were broken."""
    (tmp_path / "settings.toml").write_text(settings)
    (tmp_path / "credentials.toml").write_text("not a list")
    monkeypatch.setenv("QUARTERDECK_CONFIG_DIR", str(tmp_path))
    for check in (twin_runs, dead_sign_in):
        finding = await tried(check, fork_server)
        assert finding.health is Health.FINE, finding.said


async def test_a_status_that_the_last_end_overwrites_is_seen(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OWN2 broken: whoever ended last speaks, though another run lives."""

    def last_write_wins(
        runs: Sequence[RunSummary], closed: Sequence[RunSummary], named: Mapping[WorkflowId, str]
    ) -> tuple[WorkflowStatus, ...]:
        ended = [run for run in runs if not run.is_live]
        return project_all(ended or runs, closed, named)

    monkeypatch.setattr("quarterdeck.engine.service.project_all", last_write_wins)
    finding = await tried(twin_runs, fork_server)
    assert finding.health is Health.BROKEN
    assert finding.to_do


async def test_a_run_that_leaves_no_record_is_seen(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OWN4 broken."""
    monkeypatch.setattr(Records, "publish", lambda *_args, **_more: 0)
    finding = await tried(twin_runs, fork_server)
    assert (finding.health, finding.said) == (Health.BROKEN, "The long run has no record.")


async def test_money_that_goes_to_the_sibling_is_seen(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ID3, ID4 broken."""
    ends = Engine.wait_ended

    async def with_the_others(engine: Engine, run: RunId) -> RunView:
        view = await ends(engine, run)
        return replace(view, cost_usd=sum((r.cost_usd or Decimal(0) for r in engine.runs()), Decimal(0)))

    monkeypatch.setattr(Engine, "wait_ended", with_the_others)
    finding = await tried(twin_runs, fork_server)
    assert finding.health is Health.BROKEN
    assert "by its agent's script" in finding.said


async def test_what_a_killed_quarterdeck_leaves_is_found_to_be_a_record(fork_server: ForkServer) -> None:
    """Q2: which of nothing, record and restarted it is."""
    finding = await tried(force_quit, fork_server)
    assert finding.health is Health.FINE, finding.said
    assert finding.facts["cost_usd"] == "0.0074"
    assert finding.facts["agents"] == {"first": "Done", "second": "Stopped", "third": "Not started"}


async def test_agents_that_outlive_the_kill_are_seen(fork_server: ForkServer, tmp_path: Path) -> None:
    """Containment broken: the kill of the app reaches nobody."""
    pid = tmp_path / "pid"
    command = (sys.executable, "-c", OUTLIVED, str(pid), *own_command())
    try:
        finding = await tried(lambda ground: force_quit(ground, command), fork_server)
    finally:
        os.kill(int(pid.read_text()), signal.SIGTERM)
    assert finding.health is Health.BROKEN
    assert finding.said.startswith("Agents were still at work")


async def test_an_agent_that_is_left_more_time_than_is_promised_is_seen(
    fork_server: ForkServer, tmp_path: Path
) -> None:
    """Q2 broken: who ignores a polite word is given nine seconds instead of four."""
    patient = tmp_path / "patient.py"
    patient.write_text(PATIENT)

    async def until_gone(ground: Ground) -> str:
        try:
            return await force_quit(ground, (sys.executable, str(patient)))
        finally:
            [run] = [RunId(folder.name) for folder in (ground.data / "runs").iterdir()]
            await wait_until(lambda: is_gone(run), 25.0, "something is left of it")

    async def is_gone(run: RunId) -> bool:
        return await processes_of(run) == 0

    finding = await tried(until_gone, fork_server)
    assert finding.health is Health.BROKEN
    assert finding.said.startswith("Agents were still at work 6 s after")


async def _go_on(engine: Engine) -> None:
    """What must never be: a start that carries on what a crash cut off."""
    for run in engine.runs():
        if not run.is_live and run.unanswered:
            await engine.reassign(run.run_id, SlotId("second"), "by itself")
            await engine.claim(run.run_id, SlotId("second"))


async def test_a_start_that_carries_on_by_itself_is_seen(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REC5, REC8 broken: restored is resumed."""
    opens = Engine.open

    async def open_and_go_on(folder: Path, **more: Any) -> Engine:
        engine = await opens(folder, **more)
        await _go_on(engine)
        return engine

    monkeypatch.setattr(Engine, "open", open_and_go_on)
    finding = await tried(force_quit, fork_server)
    assert finding.health is Health.BROKEN, finding.said


async def test_money_that_is_forgotten_over_a_crash_is_seen(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REC10 broken."""
    reads = Engine.run

    async def without_money(engine: Engine, run: RunId) -> RunView | None:
        view = await reads(engine, run)
        return replace(view, cost_usd=Decimal(0)) if view is not None else None

    monkeypatch.setattr(Engine, "run", without_money)
    finding = await tried(force_quit, fork_server)
    assert finding.health is Health.BROKEN
    assert "$0" in finding.said


async def test_a_dead_sign_in_is_found_to_be_learned_once(fork_server: ForkServer) -> None:
    """Q3, AUT3."""
    finding = await tried(dead_sign_in, fork_server)
    assert finding.health is Health.FINE, finding.said
    assert finding.facts["launched"] == 1


async def test_a_sign_in_that_is_not_remembered_is_seen(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AUT3 broken: nothing is remembered, and nobody waits for who tries first."""
    monkeypatch.setattr(SignInMemory, "failed", lambda *_: None)
    monkeypatch.setattr(SignInGate, "ask", lambda *_: None)
    finding = await tried(dead_sign_in, fork_server)
    assert finding.health is Health.BROKEN
    assert finding.facts["launched"] == finding.facts["agents"]


async def test_a_check_that_does_not_end_is_broken_in_its_time(
    fork_server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three take a minute at most."""
    folders: list[Path] = []

    async def never(ground: Ground) -> str:
        folders.append(ground.folder)
        return str(await asyncio.Event().wait())

    monkeypatch.setattr(trust, "WITHIN_S", 0.1)
    finding = await tried(never, fork_server)
    assert finding.health is Health.BROKEN
    assert "0.1 s" in finding.said
    assert not folders[0].exists()


def test_three_checks_fit_into_a_minute() -> None:
    from importlib import reload

    assert 3 * reload(trust).WITHIN_S <= 60
