"""Figures of the whole engine and of the program: P10 and P11 with runs and views, P12's growth, P17.

Run as a program it is the measured app itself: the engine on Qt's loop, its forty agents, and a reader that takes every
change at most thirty times a second, as the window does.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from quarterdeck.store.data_folder import Store
from tests.bench.row import BenchRow, own_folder, seconds
from tests.bench.shim_bench import AGENTS, PRINTER
from tests.bench.store_bench import QuickIO
from tests.e2e.works import python, shell, write_workflow
from tests.store.builders import new_run, run_id

TOP = Path(__file__).parents[2]
FRAME_S = 0.033
WARM_S, MEASURED_S = 5.0, 25.0


def _program(module: str, *arguments: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
        cwd=TOP,
    )
    return ran.stdout.splitlines()[-1]


def p10_engine() -> list[BenchRow]:
    """One life of the app with forty agents: its processor time, the loop's longest stall at the start, its growth."""
    pipes = float(_program("tests.bench.shim_bench", "pipes"))
    app: dict[str, float] = json.loads(_program("tests.bench.engine_bench"))
    cpu: dict[str, float | str] = {"pipes_cpu_percent": pipes, "engine_cpu_percent": app["cpu_percent"]}
    cpu |= {"tick_p99_ms": app["tick_p99_ms"], "tick_most_ms": app["tick_most_ms"]}
    stall: dict[str, float | str] = {"stall_ms": app["stall_ms"], "all_started_ms": app["all_started_ms"]}
    growth: dict[str, float | str] = {"begin_mb": app["begin_mb"], "end_mb": app["end_mb"]}
    what = f"app CPU, {AGENTS} agents: whole engine with views, against qasync reading the pipes"
    return [
        BenchRow("P10 engine", what, app["cpu_percent"] / pipes, 0.4, "at most", cpu),
        BenchRow(
            "P11 engine",
            f"longest stall of Qt's loop while the engine starts {AGENTS} agents, of 16 ms",
            app["stall_ms"] / 16,
            1.0,
            "at most",
            stall,
        ),
        BenchRow(
            "P12 growth",
            f"private memory of the app after {MEASURED_S:.0f} s of {AGENTS} agents at 200 lines/s, against after {WARM_S:.0f} s",
            app["end_mb"] / app["begin_mb"],
            1.1,
            "at most",
            growth,
            "the goal is for an hour",
        ),
    ]


def p17(records: int = 10_000) -> list[BenchRow]:
    """The list of runs in the terminal, with so many records, against an empty Python."""
    with own_folder() as folder:
        _fill(folder, records)
        env = {**os.environ, "QUARTERDECK_DATA_DIR": str(folder / "data")}

        def listed() -> None:
            told = subprocess.run(
                [sys.executable, "-m", "quarterdeck", "runs", "--json"],
                env=env,
                capture_output=True,
                check=True,
            )
            assert len(json.loads(told.stdout)["runs"]) == records

        def bare() -> None:
            subprocess.run([sys.executable, "-c", "pass"], check=True)

        listed()  # compiled files and caches are there, as they are for a person
        pairs = [(seconds(listed), seconds(bare)) for _ in range(7)]
    ours, nothing = (statistics.median(values) for values in zip(*pairs, strict=True))
    figures: dict[str, float | str] = {"runs_ms": ours * 1e3, "pass_ms": nothing * 1e3}
    what = f"`quarterdeck runs --json` with {records:,} records against `python -c pass`"
    return [BenchRow("P17", what, ours / nothing, 20, "at most", figures)]


def _fill(folder: Path, records: int) -> None:
    """A store with copies of one real run, each a run of its own."""
    file = write_workflow(folder / "workspace", {"a": shell("echo a"), "b": shell("echo b")}, ("a", "b"))
    env = {**os.environ, "QUARTERDECK_DATA_DIR": str(folder / "one")}
    told = subprocess.run(
        [sys.executable, "-m", "quarterdeck", "run", str(file), "--json"],
        env=env,
        capture_output=True,
        check=True,
    )
    one = Store.open(folder / "one")
    made = one.records.read(json.loads(told.stdout)["run_id"])
    one.close()
    assert made is not None
    store = Store.open(folder / "data", QuickIO())
    for number in range(1, records + 1):
        new_run(store, number).close()
        copy = {**made, "run_id": run_id(number), "launch_seq": number, "end_seq": number, "covers_seq": 1}
        store.records.publish(run_id(number), copy)
        store.index.append(copy)
    store.close()


# ------------------------------------------------------------------------------------------- the measured app


class Ticks:
    """A timer of Qt each millisecond; how late each came."""

    def __init__(self) -> None:
        from PySide6.QtCore import Qt, QTimer

        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_timeout)
        self.begin()
        self._timer.start(1)

    def begin(self) -> None:
        """Forget what was."""
        self.late_ms: list[float] = []
        self._last = time.perf_counter()

    def stop(self) -> None:
        """No more ticks."""
        self._timer.stop()

    def _on_timeout(self) -> None:
        now = time.perf_counter()
        self.late_ms.append(max(0.0, 1e3 * (now - self._last) - 1))
        self._last = now


def private_mb() -> float:
    """Memory of this process that nobody shares."""
    found = re.findall(r"Private_\w+:\s+(\d+) kB", Path("/proc/self/smaps_rollup").read_text())
    return sum(map(int, found)) / 1024


async def _watch(engine: Engine, run: RunId) -> None:
    feed = engine.subscribe()
    while True:
        await feed.wait_changed()
        feed.take()
        engine.live_run(run)
        engine.runs()
        await asyncio.sleep(FRAME_S)


def _running(engine: Engine, run: RunId) -> int:
    view = engine.live_run(run)
    return 0 if view is None else sum(slot.display == "Running" for slot in view.slots)


async def _live(folder: Path, fork_server: ForkServer) -> dict[str, float]:
    agents = {f"n{number}": python(PRINTER, protocol="text") for number in range(AGENTS)}
    file = write_workflow(folder / "workspace", agents, limits={"max_parallel": AGENTS})
    engine = await Engine.open(folder / "data", fork_server=fork_server, kind="window")
    ticks = Ticks()
    await asyncio.sleep(0.3)
    ticks.begin()
    began = time.perf_counter()
    run = await engine.launch(LaunchRequest(file))
    assert not isinstance(run, Refusal), run
    watching = asyncio.ensure_future(_watch(engine, run))
    while _running(engine, run) < AGENTS:
        await asyncio.sleep(0.02)
    found: dict[str, float] = {
        "stall_ms": max(ticks.late_ms),
        "all_started_ms": 1e3 * (time.perf_counter() - began),
    }
    ticks.stop()
    await asyncio.sleep(WARM_S)
    found["begin_mb"] = private_mb()
    found["cpu_percent"] = await _cpu_percent(MEASURED_S)
    found["end_mb"] = private_mb()
    found |= await _tick_figures()
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    await engine.stop_run(run)
    await engine.wait_ended(run)
    await engine.close()
    return found


async def _cpu_percent(for_s: float) -> float:
    cpu, wall = time.process_time(), time.monotonic()
    await asyncio.sleep(for_s)
    return 100 * (time.process_time() - cpu) / (time.monotonic() - wall)


async def _tick_figures(for_s: float = 5.0) -> dict[str, float]:
    """Apart from the processor time: a tick each millisecond costs more than the engine."""
    ticks = Ticks()
    await asyncio.sleep(for_s)
    ticks.stop()
    late = sorted(ticks.late_ms)
    return {"tick_p99_ms": late[int(len(late) * 0.99)], "tick_most_ms": late[-1]}


def main() -> None:
    fork_server = ForkServer.start()
    import qasync
    from PySide6.QtWidgets import QApplication

    app: Any = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with own_folder() as folder, asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(app)) as runner:
        print(json.dumps(runner.run(_live(folder, fork_server))))
    fork_server.close()


if __name__ == "__main__":
    main()
