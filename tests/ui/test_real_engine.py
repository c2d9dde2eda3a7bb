"""The same window over the real engine, with real processes: what the fake door promised is what the engine gives."""

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
from pathlib import Path

import pytest

from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.service import Engine
from quarterdeck.ui.tokens import LIGHT, Family
from quarterdeck.ui.words import short_id
from tests.engine.works import spends, write
from tests.ui.desk import Desk, has_colour, until
from tests.ui.real_desk import real_desk

SCRIPT = "cost {{ inputs.price }} a step\ntokens 10 in 2 out a step\nsay Hello\nwork {{ inputs.seconds }}s in 4 steps\noutput done"


def workspace(folder: Path, script: str = SCRIPT) -> Path:
    """A folder with one workflow of two practice agents in a row."""
    folder.mkdir()
    path = folder / "pair.workflow.json"
    path.write_text(
        json.dumps(
            {
                "format": "quarterdeck.workflow/1",
                "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10",
                "name": "Pair",
                "inputs": [
                    {"name": "seconds", "type": "number", "default": 1},
                    {"name": "price", "type": "number", "default": 0.0007},
                ],
                "agents": {"hand": {"kind": "practice"}},
                "nodes": [
                    {"id": "one", "title": "First", "agent": "hand", "prompt": script, "position": [0, 0]},
                    {
                        "id": "two",
                        "title": "Second",
                        "agent": "hand",
                        "prompt": "work 100ms in 1 steps\noutput x",
                        "position": [320, 0],
                    },
                ],
                "edges": [{"from": "one", "to": "two"}],
            }
        ),
        encoding="utf-8",
    )
    return path


@asynccontextmanager
async def engine_desk(tmp_path: Path, script: str = SCRIPT) -> AsyncIterator[tuple[Desk, Engine, Path]]:
    path = workspace(tmp_path / "ws", script)
    async with real_desk(tmp_path / "data", path) as opened:
        yield opened.desk, opened.engine, path


@pytest.mark.qt_loop
async def test_two_real_runs_are_told_apart_and_the_survivor_is_never_dark(tmp_path: Path) -> None:
    """OWN1–OWN6 with real processes; costs factor into their own runs (ID3)."""
    async with engine_desk(tmp_path) as (desk, engine, path):
        desk.link.launch(LaunchRequest(path, {"seconds": 4, "price": "0.0011"}))
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link.launch(LaunchRequest(path, {"seconds": 0.4, "price": "0.0013"}))
        await until(lambda: "2 live" in desk.window.windowTitle())
        running = LIGHT.tones[Family.RUNNING].border
        dark: list[dict[str, str]] = []
        while "1 live" not in desk.window.windowTitle():
            shown = desk.shown()
            if "Running" not in shown["badge"] or not has_colour(desk.picture(), running):
                dark.append(shown)
            await asyncio.sleep(0.05)
        assert dark == []
        assert "run A" in desk.window.windowTitle()
        await until(lambda: "none live" in desk.window.windowTitle())
        assert "Done" in desk.window.windowTitle()
        costs = {run.launch_seq: run.cost_usd for run in engine.runs()}
        assert {str(cost) for cost in costs.values()} == {"0.0044", "0.0052"}
        spends = [row.spend for row in desk.window.runs.model.rows if row.run_id]
        assert spends == ["$0.0052 practice", "$0.0044 practice"]


@pytest.mark.qt_loop
async def test_a_real_run_keeps_its_nodes_when_its_file_is_edited_and_breaks(tmp_path: Path) -> None:
    """PIN4, OWN8: the pinned workflow is read back through the door, for a live run and for the past one."""
    async with engine_desk(tmp_path) as (desk, engine, path):
        note, nodes = desk.window.canvas_page.drawn_note, desk.window.view.canvas
        desk.link.launch(LaunchRequest(path, {"seconds": 60}))
        await until(lambda: "1 live" in desk.window.windowTitle())
        assert note.words == ""
        path.write_text(path.read_text().replace('"one"', '"uno"').replace("First", "Primo"))
        desk.window.conduct.reload()
        await until(lambda: note.words == "The file has changed since this run began.")
        assert set(nodes.nodes) == {"one", "two"}
        path.write_text("{")
        desk.window.conduct.reload()
        await until(lambda: note.words.startswith("The file cannot be read any more"))
        assert set(nodes.nodes) == {"one", "two"}
        assert desk.window.top.stop.isEnabled()
        desk.link.stop_run(engine.runs()[0].run_id)
        await until(lambda: "none live" in desk.window.windowTitle())


@pytest.mark.qt_loop
async def test_a_real_transcript_reaches_the_window(tmp_path: Path) -> None:
    async with engine_desk(tmp_path) as (desk, engine, path):
        desk.link.launch(LaunchRequest(path, {"seconds": 0.2}))
        await until(lambda: "none live" in desk.window.windowTitle())
        run = engine.runs()[0].run_id
        view = await engine.run(run)
        assert view is not None
        desk.window.watching.choose_slot(run, view.slots[0].slot_id)
        desk.window.inspector.open_transcript()
        await until(lambda: "Hello" in desk.window.inspector.transcript.text.toPlainText())


@pytest.mark.qt_loop
async def test_a_real_run_is_stopped_from_the_window(tmp_path: Path) -> None:
    async with engine_desk(tmp_path) as (desk, engine, path):
        desk.link.launch(LaunchRequest(path, {"seconds": 60}))
        await until(
            lambda: (
                "1 live" in desk.window.windowTitle() and "1 agent alive" in desk.window.foot.processes.text()
            )
        )
        desk.link.stop_run(engine.runs()[0].run_id)
        await until(lambda: "none live" in desk.window.windowTitle())
        assert "Stopped" in desk.window.windowTitle()
        assert desk.window.foot.processes.text() == "0 agents alive"


def test_the_program_opens_its_window_and_ends_cleanly_at_a_signal(tmp_path: Path) -> None:
    """The order of bootstrap, from fork server to exit; SIGTERM closes (ruling 20)."""
    path = workspace(tmp_path / "ws")
    env = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-m", "quarterdeck", str(path)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as program:
        data = Path(env["QUARTERDECK_DATA_DIR"])
        end = time.monotonic() + 20
        while not list((data / "sessions").glob("*.json")):
            assert program.poll() is None, program.communicate()[0]
            assert time.monotonic() < end
            time.sleep(0.05)
        program.send_signal(signal.SIGTERM)
        said = program.communicate(timeout=20)[0]
    assert program.returncode == 0, said
    lines = [line for line in said.decode().splitlines() if "propagateSizeHints" not in line]
    assert lines == []


@pytest.mark.qt_loop
async def test_a_discarded_run_still_speaks_for_its_workflow(tmp_path: Path) -> None:
    """C12: not silently the run before."""
    path = write(tmp_path / "ws", {"a": spends("0.25", "0.5")})
    async with real_desk(tmp_path / "data", path) as (desk, engine, _):
        runs = []
        for _ in range(2):
            run = await engine.launch(LaunchRequest(path))
            assert not isinstance(run, Refusal)
            await engine.wait_ended(run)
            runs.append(run)
        title = desk.window.windowTitle
        await until(lambda: f"run {short_id(runs[1])} of" in title())
        assert isinstance(await engine.keeping.discard(runs[1]), Discarded)
        await until(lambda: f"Done, discarded, run {short_id(runs[1])} of" in title())
        assert desk.shown()["badge"] == "Done, discarded"
        assert [row.run_id for row in engine.runs()] == [runs[0]]
        assert await engine.keeping.undo_discard(runs[1]) == runs[1]
        await until(lambda: "discarded" not in title())
