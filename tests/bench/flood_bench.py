"""P9, the UI thread and P12's growth, with the real window: forty agents flood while a loop of Qt is watched; and first paint.

Run as a program with a name of `PROGRAMS` it is the measured app itself, or the bare loop beside it. The loop's lateness is
that of a timer of one millisecond; the bare loop runs at the same time, in a process that does nothing else, so that what
the machine does to any loop can be told from what is ours. `QUARTERDECK_BENCH_FLOOD_S` is the length of the flood whose
memory is watched (`--hour`: 3,600; otherwise 200).
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.bench.row import BenchRow, own_folder

TOP = Path(__file__).parents[2]
AGENTS = 40
IDLE_S, STARTED_S, FLOOD_S = 5.0, 3.0, 12.0
GROWTH_S = float(os.environ.get("QUARTERDECK_BENCH_FLOOD_S", "200"))
WARM_S, SAMPLE_S, SAMPLES = 20.0, 2.0, 15
"""Memory is the median of so many samples after the warming, and of as many at the end."""
TICK_MS, FRAME_MS, PAINTS_S = 5.0, 16.0, 0.05
RATES = {"300": 300, "200": 200, "full": 0}
PRINTER = """
import sys, time
n, t = 0, time.monotonic()
while True:
    n += 1
    sys.stdout.write(f"{{n}} a line of an agent that works\\n")
    sys.stdout.flush()
    time.sleep(max(0, t + n / {rate} - time.monotonic()))
"""
FLOOD = "n = 0\nwhile True:\n    n += 1\n    print(n, 'a line of an agent that never pauses')\n"


def _environment() -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_API": "pyside6"}


def _program(*arguments: str) -> dict[str, float]:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.flood_bench", *arguments],
        env=_environment(), stdout=subprocess.PIPE, text=True, check=True, cwd=TOP,
    )  # fmt: skip
    found: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return found


# ------------------------------------------------------------------------------------------- rows


def p9() -> list[BenchRow]:
    """40 agents at 300 lines/s each, and at full speed: frames against the idle app, lateness of the loop."""
    return [row for name in ("300", "full") for row in _flood_rows(name, _program("flood", name))]


def _flood_rows(name: str, found: dict[str, float]) -> list[BenchRow]:
    rate = "at full speed" if name == "full" else f"at {name} lines/s each"
    beside: dict[str, float | str] = {k: v for k, v in found.items() if k.startswith(("flood", "bare"))}
    frames: dict[str, float | str] = {k: v for k, v in found.items() if k.startswith("paint")}
    return [
        BenchRow(
            f"P9 frames, {name}", f"{AGENTS} agents {rate}: repaint of the canvas, p99, by that of the idle app",
            found["paint_flood_p99_ms"] / found["paint_idle_p99_ms"], 1.1, "at most", frames,
        ),
        BenchRow(
            f"P9 tick, {name}", f"{AGENTS} agents {rate}: delay of the window's loop, p99, of 5 ms",
            found["flood_p99_ms"] / TICK_MS, 1.0, "at most", beside,
        ),
        BenchRow(
            f"UI thread, {name}", f"{AGENTS} agents {rate}: delay of the window's loop, p99, of 16 ms",
            found["flood_p99_ms"] / FRAME_MS, 1.0, "at most",
            {"by_a_bare_loop_beside_it": found["flood_p99_ms"] / max(found["bare_p99_ms"], 0.01)},
        ),
    ]  # fmt: skip


def p12_window() -> list[BenchRow]:
    """Private memory of window and engine at the end of a flood against its beginning."""
    found = _program("grow")
    figures: dict[str, float | str] = dict(found)
    note = "" if GROWTH_S >= 3600 else "the goal is for an hour: --hour"
    what = f"private memory of the app with its window after {GROWTH_S:.0f} s of {AGENTS} agents at 200 lines/s, by that after {WARM_S:.0f} s"
    return [BenchRow("P12 window", what, found["end_mb"] / found["begin_mb"], 1.1, "at most", figures, note)]


def p8(rounds: int = 7) -> list[BenchRow]:
    """From the start of a process to the first paint of its window, in turns with a bare QMainWindow."""
    with own_folder() as folder:
        env = {**_environment(), "QUARTERDECK_DATA_DIR": str(folder), "QUARTERDECK_CONFIG_DIR": str(folder)}
        names = ("ours", "bare", "whole")
        for name in names:
            _painted_s(name, env)  # compiled files and fonts are there, as they are for a person
        turns = [[_painted_s(name, env) for name in names] for _ in range(rounds)]
    ours, bare, whole = (statistics.median(values) for values in zip(*turns, strict=True))
    figures: dict[str, float | str] = {"ours_ms": ours * 1e3, "bare_ms": bare * 1e3}
    what = "start of the program to its first paint, by a bare QMainWindow"
    parts = "… until all its parts were painted as well, before any record is read"
    return [
        BenchRow("P8 first paint", what, ours / bare, 1.5, "at most", figures),
        BenchRow("P8 parts", parts, whole / bare, 1.5, "at most", {"whole_ms": whole * 1e3}),
    ]


def _painted_s(name: str, env: dict[str, str]) -> float:
    begun = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.first_paint", name], env=env, stdout=subprocess.PIPE, cwd=TOP
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        taken = time.perf_counter() - begun
        child.communicate()
    return taken


# ------------------------------------------------------------------------------------------- the measured app


def _p99(values: list[float]) -> float:
    return sorted(values)[math.ceil(len(values) * 0.99) - 1]


async def _watched(view: Any, for_s: float) -> tuple[list[float], list[float]]:
    """Lateness of the loop, and the time of each of some repaints, both in milliseconds; one after the other."""
    from tests.bench.engine_bench import Ticks

    ticks = Ticks()
    await asyncio.sleep(for_s)
    ticks.stop()
    paints = []
    for _ in range(100):
        begun = time.perf_counter()
        view.viewport().repaint()
        paints.append((time.perf_counter() - begun) * 1e3)
        await asyncio.sleep(PAINTS_S)
    return ticks.late_ms, paints


async def _with_window(
    rate: str, fork_server: Any, measure: Callable[[Any, Any, Any], Awaitable[Any]]
) -> Any:
    """A window over an engine, its agents ready to be launched; `measure(window, start, stop)` says what comes out."""
    from PySide6.QtWidgets import QApplication

    from quarterdeck.engine.door import LaunchRequest
    from quarterdeck.engine.service import Engine
    from quarterdeck.store.machine import now
    from quarterdeck.ui.link import Link
    from quarterdeck.ui.loop import worker_threads
    from quarterdeck.ui.theme import Scheme, Theme
    from quarterdeck.ui.window import Window
    from tests.bench.engine_bench import _running
    from tests.e2e.works import python, write_workflow

    asyncio.get_running_loop().set_default_executor(worker_threads())
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    with own_folder() as folder:
        source = PRINTER.format(rate=RATES[rate]) if RATES[rate] else FLOOD
        agents = {f"n{number}": python(source, protocol="text") for number in range(AGENTS)}
        file = write_workflow(folder / "workspace", agents, limits={"max_parallel": AGENTS})
        engine = await Engine.open(folder / "data", fork_server=fork_server, kind="window")
        link = Link()
        window = Window(Theme(app, Scheme.LIGHT), link, now)
        link.bind(engine)
        window.show()
        serving = asyncio.ensure_future(link.serve())
        window.open_path(file)
        run: Any = None

        async def start() -> None:
            nonlocal run
            run = await engine.launch(LaunchRequest(file))
            while _running(engine, run) < AGENTS:
                await asyncio.sleep(0.05)

        await asyncio.sleep(2.0)
        try:
            return await measure(window, start, engine)
        finally:
            await engine.close()
            await link.stop()
            await serving
            window.close_for_good()


async def _flood(window: Any, start: Callable[[], Awaitable[None]], _engine: Any) -> dict[str, float]:
    idle, paint_idle = await _watched(window.view, IDLE_S)
    await start()
    await asyncio.sleep(STARTED_S)
    beside = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.bench.flood_bench",
        "bare",
        stdout=subprocess.PIPE,
        env=_environment(),
        cwd=TOP,
    )
    await asyncio.sleep(1.5)
    late, paint_flood = await _watched(window.view, FLOOD_S)
    told, _ = await beside.communicate()
    return {
        "flood_p50_ms": statistics.median(late), "flood_p99_ms": _p99(late), "flood_most_ms": max(late),
        "flood_own_idle_p99_ms": _p99(idle), **json.loads(told.splitlines()[-1]),
        "paint_idle_p99_ms": _p99(paint_idle), "paint_flood_p99_ms": _p99(paint_flood),
        "paint_idle_p50_ms": statistics.median(paint_idle), "paint_flood_p50_ms": statistics.median(paint_flood),
        "load_1min": os.getloadavg()[0],
    }  # fmt: skip


async def _bare() -> dict[str, float]:
    from tests.bench.engine_bench import Ticks

    ticks = Ticks()
    await asyncio.sleep(FLOOD_S)
    ticks.stop()
    return {"bare_p50_ms": statistics.median(ticks.late_ms), "bare_p99_ms": _p99(ticks.late_ms)}


async def _grow(_window: Any, start: Callable[[], Awaitable[None]], _engine: Any) -> dict[str, float]:
    from tests.bench.engine_bench import private_mb

    async def sampled() -> float:
        sizes = []
        for _ in range(SAMPLES):
            sizes.append(private_mb())
            await asyncio.sleep(SAMPLE_S)
        return statistics.median(sizes)

    await start()
    await asyncio.sleep(WARM_S)
    begin = await sampled()
    await asyncio.sleep(max(0.0, GROWTH_S - WARM_S - 2 * SAMPLES * SAMPLE_S))
    middle = private_mb()
    return {
        "begin_mb": begin,
        "before_last_samples_mb": middle,
        "end_mb": await sampled(),
        "flood_s": GROWTH_S,
    }


def main(name: str, rate: str = "200") -> None:
    fork_server: Any = None
    if name != "bare":
        from quarterdeck.shim.client import ForkServer

        fork_server = ForkServer.start()  # before any thread
    from PySide6.QtWidgets import QApplication

    from quarterdeck.ui.collecting import MainThreadCollector
    from quarterdeck.ui.loop import new_loop

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    MainThreadCollector(app)  # as in the program
    with asyncio.Runner(loop_factory=lambda: new_loop(app)) as runner:
        work = (
            _bare()
            if name == "bare"
            else _with_window(rate, fork_server, {"flood": _flood, "grow": _grow}[name])
        )
        print(json.dumps(runner.run(work)), flush=True)
    if fork_server is not None:
        fork_server.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # the window's objects are not taken apart in order here
