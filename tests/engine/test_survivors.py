"""An agent that cannot be proved dead while its run is live: shown, looked at again, and no obstacle to a stop (ID5, case 29)."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Evidence, Outcome
from quarterdeck.engine import lost_keepers, supervision
from quarterdeck.engine.deaths import DeathFinding, Verdict
from quarterdeck.engine.service import Engine
from tests.engine.works import (
    FOREVER,
    WITHIN_S,
    A,
    at_work,
    attempt_of,
    displays,
    ended,
    journal_kinds,
    launch,
    python,
    shell,
    shows,
    slot_of,
    until,
    write,
)

ALIVE = DeathFinding(Verdict.SURVIVOR, Evidence.COULD_NOT_STOP)


class Undead:
    """Makes every look say that the attempt is alive, until it is `over`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.over = False
        real = supervision._find_death

        def look(*asked: Any) -> DeathFinding:
            return real(*asked) if self.over else ALIVE

        monkeypatch.setattr(supervision, "_find_death", look)
        monkeypatch.setattr(supervision, "LOOK_AGAIN_S", 0.05)


def let_nothing_end_orphans(monkeypatch: pytest.MonkeyPatch) -> None:
    """As processes that wait for a dead disk: whatever is sent, they stay."""
    monkeypatch.setattr(lost_keepers, "send_all", lambda *_: None)
    monkeypatch.setattr(lost_keepers, "GRACE_MS", 100)
    monkeypatch.setattr(lost_keepers, "SHORTEST_GRACE_MS", 100)
    monkeypatch.setattr(lost_keepers, "GIVE_UP_MS", 100)


def shim_of(data: Path, run: str) -> int:
    """Pid of the run's only shim, by its first report."""
    (reports,) = data.glob(f"runs/{run}/attempts/*/reports.jsonl")
    return int(json.loads(reports.read_text().splitlines()[0])["shim_pid"])


async def written(data: Path, run: str, text: bytes) -> None:
    """Wait until the shim has written this: what is shown may run ahead of it (design, On disk)."""
    (reports,) = data.glob(f"runs/{run}/attempts/*/reports.jsonl")
    async with asyncio.timeout(WITHIN_S):
        while text not in reports.read_bytes():
            await asyncio.sleep(0.02)


async def test_a_lost_attempt_keeps_its_run_live_and_gets_its_end_once_it_is_proved(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ruling 8, A15 rows 10 and 11; case 28: what is not proved dead is not replaced, and then only by a person."""
    undead = Undead(monkeypatch)
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER), "b": shell("true")}, ("a", "b")), "a")
    os.kill(shim_of(data, run), signal.SIGKILL)
    view = await until(engine, run, shows("a", "Still alive", "Still ending", "Could not stop"))
    assert view.is_live
    assert attempt_of(view, "a").lease.value == "suspect"
    refused = await engine.reassign(run, A, "again")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_SLOT_STATE
    undead.over = True
    view = await ended(engine, run)
    assert attempt_of(view, "a").status.value == "interrupted"
    assert (view.outcome, view.exit_code) == (Outcome.STOPPED, 4)
    assert journal_kinds(data, run).count("attempt_lost") == 1
    assert slot_of(view, "b").attempts == ()


async def test_an_agent_whose_lease_was_unlinked_is_alive_while_its_processes_are(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """REC9, I1: in the live app too its slot is nobody else's until its death is proved."""
    monkeypatch.setattr(supervision, "LOOK_AGAIN_S", 0.05)
    let_nothing_end_orphans(monkeypatch)
    stray = (
        "import subprocess\n"
        "stray = subprocess.Popen(['/bin/sleep', '300'], start_new_session=True)\n"
        "open('stray', 'w').write(str(stray.pid))\n" + FOREVER
    )
    run = await at_work(engine, write(tmp_path, {"a": {**python(stray), "containment": "tree"}}), "a")
    async with asyncio.timeout(WITHIN_S):
        while not (tmp_path / "stray").exists() or not (tmp_path / "stray").read_text():
            await asyncio.sleep(0.02)
    stray_pid = int((tmp_path / "stray").read_text())
    try:
        next(data.glob(f"runs/{run}/attempts/*/lease")).unlink()
        os.kill(shim_of(data, run), signal.SIGKILL)
        view = await until(engine, run, shows("a", "Still alive"))
        assert view.recording, "no file of ours is asked for that the proof does not need"
        assert isinstance(await engine.reassign(run, A, "again"), Refusal)
    finally:
        os.kill(stray_pid, signal.SIGKILL)
    assert attempt_of(await ended(engine, run), "a").status.value == "interrupted"


async def test_a_stop_reaches_idle_though_an_agent_could_not_be_stopped(
    engine: Engine, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ID5, case 29: `could not stop` is a state, not a lie; the run is not live because of a survivor (ruling 1)."""
    undead = Undead(monkeypatch)
    run = await at_work(engine, write(tmp_path, {"a": python(FOREVER)}), "a")
    async with asyncio.timeout(8):
        assert await engine.stop_run(run) is None
        view = await engine.wait_ended(run)
    assert view.outcome is Outcome.STOPPED
    assert displays(view)["a"] in ("Still alive", "Could not stop")
    assert not attempt_of(view, "a").ended_at
    undead.over = True
    assert await engine.reassign(run, A, "it is gone") is None, "a look at it proves its death first"
    after = await engine.run(run)
    assert after is not None
    assert attempt_of(after, "a").evidence is not None


async def test_a_killed_shim_ends_its_attempt_with_at_least_what_it_reported(
    engine: Engine, data: Path, tmp_path: Path
) -> None:
    run = await launch(
        engine, write(tmp_path, {"a": python("say('usage', cost_usd='0.4', model='m')\n" + FOREVER)})
    )
    await until(engine, run, lambda view: view.cost_usd)
    await written(data, run, b'"usage"')
    os.kill(shim_of(data, run), signal.SIGKILL)
    view = await ended(engine, run)
    attempt = attempt_of(view, "a")
    assert attempt.status.value == "interrupted"
    assert str(attempt.figures.cost_usd) == "0.4"
    assert not view.cost_is_complete
