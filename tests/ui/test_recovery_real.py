"""A process that runs a workflow is killed; the next window tells the truth, and one agent is resumed from it. Real engine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.patience import PatientOpening
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from quarterdeck.ui.window import Window
from tests.engine.test_damaged_store_file import RefusesWriting
from tests.ui.desk import Desk, desk_over, until
from tests.ui.test_real_engine import workspace
from tests.ui.test_recovery_dialog import named, words

SCRIPT = "cost 0.0007 a step\ntokens 10 in 2 out a step\nsay Hello\nwork 30s in 60 steps\noutput done"
BEGUN_S = 40.0


def killed_run(data: Path, path: Path) -> str:
    """Launch in a terminal process, kill it once its agent has spent, and wait until its tree is gone; gives the run's id."""
    env = {**os.environ, "QUARTERDECK_DATA_DIR": str(data)}
    command = [sys.executable, "-m", "quarterdeck", "run", str(path), "--json"]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as owner:
        reports = _wait_for(
            lambda: [
                r
                for r in data.glob("runs/*/attempts/*/reports.jsonl")
                if r.read_bytes().count(b"cost_usd") >= 2
            ],
            owner,
        )
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    attempt = reports[0].parent
    _wait_for(lambda: [attempt / "exit.json"] if (attempt / "exit.json").exists() else [])
    return attempt.parents[1].name


def _wait_for(look: object, owner: subprocess.Popen[bytes] | None = None) -> list[Path]:
    end = time.monotonic() + BEGUN_S
    while not (found := look()):  # type: ignore[operator]
        assert owner is None or owner.poll() is None, "the owner ended by itself"
        assert time.monotonic() < end
        time.sleep(0.02)
    return list(found)


def spent(data: Path, run: str) -> Decimal:
    """What the agent's own reports come to: the newest total of each attempt. Reads the files by itself."""
    total = Decimal(0)
    for file in data.glob(f"runs/{run}/attempts/*/exit.json"):
        total += Decimal(json.loads(file.read_text())["figures"]["cost_usd"])
    return total


@asynccontextmanager
async def next_window(data: Path, folder: Path) -> AsyncIterator[tuple[Desk, Engine]]:
    fork_server = ForkServer.start()
    try:
        engine = await Engine.open(data, fork_server=fork_server, kind="window")
        try:
            async with desk_over(engine, path=str(folder)) as desk:
                yield desk, engine
        finally:
            await engine.close(reason="person")
    finally:
        fork_server.close()


@pytest.mark.qt_loop
async def test_the_next_window_tells_the_truth_and_resumes_one_agent(tmp_path: Path) -> None:
    """REC3–REC10, C3, SLT16: a real kill, a real prompt, one attempt more, money that adds up."""
    path, data = workspace(tmp_path / "ws", SCRIPT), tmp_path / "data"
    run = await asyncio.to_thread(killed_run, data, path)
    before = spent(data, run)
    async with next_window(data, path.parent) as (desk, engine):
        w = desk.window
        await until(lambda: w.after_crash.dialog is not None, "the prompt")
        prompt = w.after_crash.dialog
        assert prompt is not None
        told = words(prompt).replace("\u200b", "")
        assert "Quarterdeck closed while 1 run was live" in told
        assert [card.more.text() for card in prompt.cards.values()] == ["1 more agent: not started"]
        assert f"${before.normalize():f}" in told
        assert "none live" in w.windowTitle()
        assert not list(data.glob(f"runs/{run}/attempts/*/launch.json"))[1:]  # nothing was started
        await until(lambda: not prompt.is_quiet)
        named(prompt, "Resume First").click()
        second = w.after_crash.acts.resuming
        assert second is not None
        await until(lambda: second.start.isEnabled(), "its facts")
        second.choices.reason.setText("looked; nothing was lost")
        second.start.click()
        second.start.click()
        await until(lambda: "1 live" in w.windowTitle(), "the new attempt")
        resumed = engine.runs()[0].run_id

        def attempts() -> list[int]:
            view = engine.live_run(resumed)
            return [] if view is None else [len(slot.attempts) for slot in view.slots]

        await until(lambda: attempts() == [2, 0], "the claim of one agent, behind its re-opening")
        view = engine.live_run(resumed)
        assert view is not None
        await until(lambda: "Attempt 2" in words(prompt), "the prompt's row")
        desk.link.stop_run(view.run_id)
        await until(lambda: "none live" in w.windowTitle())
        prompt.put_away()
        ended = await engine.run(view.run_id)
        assert ended is not None
        assert (ended.outcome, ended.unanswered) == (Outcome.STOPPED, False)
        assert ended.cost_usd is not None
        assert ended.cost_usd == sum(a.figures.cost_usd or 0 for s in ended.slots for a in s.attempts)
        assert ended.cost_usd >= before
        assert not w.runs.owed.isVisible()


@pytest.mark.qt_loop
async def test_kept_as_stopped_is_not_asked_again_and_left_open_is(tmp_path: Path) -> None:
    """REC3: over real starts."""
    path, data = workspace(tmp_path / "ws", SCRIPT), tmp_path / "data"
    await asyncio.to_thread(killed_run, data, path)
    for answer in (False, True):
        async with next_window(data, path.parent) as (desk, _):
            await until(lambda: desk.window.after_crash.dialog is not None, "the prompt")
            prompt = desk.window.after_crash.dialog
            assert prompt is not None
            await until(lambda p=prompt: not p.is_quiet)  # type: ignore[misc]
            if answer:
                prompt.keep.click()
                await until(lambda: not desk.window.runs.owed.isVisible(), "the answer")
    async with next_window(data, path.parent) as (desk, _):
        await asyncio.sleep(0.3)
        assert desk.window.after_crash.dialog is None


@pytest.mark.qt_loop
async def test_a_window_over_a_folder_that_takes_nothing_tells_a_killed_run_as_interrupted(
    tmp_path: Path,
) -> None:
    """REC6, REC11, REC12, JNL8: the prompt is there; nothing runs, counts or can be stopped; and it is said why nothing was settled."""
    path, data = workspace(tmp_path / "ws", SCRIPT), tmp_path / "data"
    run = RunId(await asyncio.to_thread(killed_run, data, path))
    opening = PatientOpening(None, data, RefusesWriting())
    await opening.open()
    engine = opening.engine
    assert engine is not None
    try:
        async with desk_over(engine, path=str(path.parent)) as desk:
            w = desk.window
            await until(lambda: w.after_crash.dialog is not None, "the prompt")
            prompt = w.after_crash.dialog
            assert prompt is not None
            assert "Quarterdeck closed while 1 run was live" in words(prompt)
            assert "at least $" in words(prompt).replace("\u200b", "")
            await until(lambda: "could not be settled" in w.read_only.words, "why")
            assert "none live" in w.windowTitle()
            w.watching.choose_run(run)
            await until(lambda: "Stopped" in seen(w) and "Not started" in seen(w), "both agents")
            before = seen(w)
            assert "Running" not in before
            assert "Stopping" not in before
            assert not w.actions_["stop_run"].isEnabled()
            assert not w.actions_["stop"].isEnabled()
            desk.clock.seconds += 3_600
            await asyncio.sleep(0.3)
            assert seen(w) == before, "nothing counts on"
            assert "could not be settled" in words(prompt), "why it cannot be answered"
            await until(lambda: not prompt.is_quiet)
            assert prompt.keep.text() == "Close"
            prompt.keep.click()
            await until(lambda: w.after_crash.dialog is None)
            assert engine.runs()[0].unanswered
    finally:
        await engine.close()


def seen(window: Window) -> str:
    """Every row of the list of runs and of the outline of agents, as shown."""
    rows = []
    for table in (window.runs.table, window.agents.table):
        model = table.model()
        places = [(r, c) for r in range(model.rowCount()) for c in range(model.columnCount())]
        rows += [str(model.index(r, c).data()) for r, c in places]
    return "\n".join(rows)
