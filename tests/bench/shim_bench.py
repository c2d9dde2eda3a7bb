"""Figures of the shim: P10, P11, P12, P16. Each function measures one goal and returns its rows.

Run as a program with a name of `PROGRAMS` it is one of the measured processes itself.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from quarterdeck.shim.client import ForkServer
from tests.bench.row import BenchRow, own_folder
from tests.shim.harness import PYTHON, Dock, Running, marked, wait_until

AGENTS = 40
LINES_PER_S = 200
FLOOD_S = 5.0
PRINTER = f"""
import sys, time
n, t = 0, time.monotonic()
while True:
    n += 1
    sys.stdout.write(f"{{n}} a line of an agent that works\\n")
    sys.stdout.flush()
    time.sleep(max(0, t + n / {LINES_PER_S} - time.monotonic()))
"""
FLOOD = "n = 0\nwhile True:\n    n += 1\n    print(n, 'a line of an agent that never pauses')\n"


@contextmanager
def docked() -> Iterator[Dock]:
    """A fork server with a folder, and an end for all that it starts."""
    with own_folder() as folder:
        dock = Dock(folder, ForkServer.start())
        try:
            yield dock
        finally:
            dock.close()
            dock.server.close()


# ------------------------------------------------------------------------------------------- P10


def p10() -> list[BenchRow]:
    """App CPU with forty agents: facts from shims, against the app's loop reading the pipes itself."""
    pipes = _measured("pipes")
    shims = _measured("shims")
    what = f"app CPU, {AGENTS} agents at {LINES_PER_S} lines/s each: shims against qasync reading the pipes"
    figures: dict[str, float | str] = {"pipes_cpu_percent": pipes, "shims_cpu_percent": shims}
    return [BenchRow("P10", what, shims / pipes, 0.4, "at most", figures)]


def _measured(program: str) -> float:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.shim_bench", program],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    return float(ran.stdout.split()[-1])


def _on_qasync(work: Callable[[], object]) -> None:
    import qasync
    from PySide6.QtWidgets import QApplication

    app = QApplication([])
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: qasync.QEventLoop(app)) as runner:
        runner.run(work())  # type: ignore[arg-type]


async def _cpu_percent() -> float:
    await asyncio.sleep(1.0)
    cpu, wall = time.process_time(), time.monotonic()
    await asyncio.sleep(FLOOD_S)
    return 100 * (time.process_time() - cpu) / (time.monotonic() - wall)


async def _read_pipes() -> None:
    async def read(stream: asyncio.StreamReader) -> None:
        while await stream.readline():
            pass

    children = [
        await asyncio.create_subprocess_exec(
            PYTHON, "-I", "-S", "-c", PRINTER, stdout=asyncio.subprocess.PIPE
        )
        for _ in range(AGENTS)
    ]
    async with asyncio.TaskGroup() as group:
        readers = [group.create_task(read(child.stdout)) for child in children if child.stdout]
        percent = await _cpu_percent()
        for child in children:
            child.kill()
        for child in children:
            await child.wait()
        del readers
    print(percent)


async def _read_shims(dock: Dock) -> None:
    async def read(running: Running) -> None:
        running.handle.socket.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=running.handle.socket, limit=1 << 20)
        while line := await reader.readline():
            orjson.loads(line)
        writer.close()

    agents = [
        await asyncio.to_thread(dock.start, [PYTHON, "-I", "-S", "-c", PRINTER], None) for _ in range(AGENTS)
    ]
    async with asyncio.TaskGroup() as group:
        readers = [group.create_task(read(running)) for running in agents]
        percent = await _cpu_percent()
        for running in agents:
            running.handle.socket.shutdown(2)
        del readers
    print(percent)


def _run_pipes() -> None:
    _on_qasync(_read_pipes)


def _run_shims() -> None:
    with docked() as dock:
        _on_qasync(lambda: _read_shims(dock))


PROGRAMS = {"pipes": _run_pipes, "shims": _run_shims}


# ------------------------------------------------------------------------------------------- P11


def p11() -> list[BenchRow]:
    """First byte of one agent, and the last of forty, against bare starts; and how long a loop is late meanwhile."""
    with docked() as dock:
        fifo = dock.folder / "fifo"
        os.mkfifo(fifo)
        end = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        keep = os.open(fifo, os.O_WRONLY)
        argv = [PYTHON, "-I", "-S", "-c", f"open({str(fifo)!r}, 'w').write('x')"]
        try:
            bare, ours = zip(
                *[(_one(end, argv, None), _one(end, argv, dock)) for _ in range(15)], strict=True
            )
            many_bare = statistics.median(_many(end, argv, None) for _ in range(3))
            many_ours = statistics.median(_many(end, argv, dock) for _ in range(3))
            late = asyncio.run(_lateness(dock, argv))
        finally:
            os.close(end)
            os.close(keep)
    more_ms = 1000 * (statistics.median(ours) - statistics.median(bare))
    first: dict[str, float | str] = {
        "bare_ms": 1000 * statistics.median(bare), "shim_ms": 1000 * statistics.median(ours), "more_ms": more_ms,
    }  # fmt: skip
    last: dict[str, float | str] = {"bare_ms": 1000 * many_bare, "shim_ms": 1000 * many_ours}
    return [
        BenchRow("P11", "first byte of one agent: milliseconds more than a bare start, of 25", more_ms / 25, 1.0, "at most", first),
        BenchRow("P11", f"last byte of {AGENTS} agents against bare starts", many_ours / many_bare, 1.5, "at most", last),
        BenchRow("P11", f"longest delay of an asyncio loop while {AGENTS} agents start, of 16 ms", late / 0.016, 1.0, "at most",
                 {"late_ms": 1000 * late}),
    ]  # fmt: skip


def _wait_bytes(end: int, count: int) -> None:
    import select

    while count > 0:
        select.select([end], [], [])
        count -= len(os.read(end, count))


def _one(end: int, argv: list[str], dock: Dock | None) -> float:
    return _many(end, argv, dock, 1)


def _many(end: int, argv: list[str], dock: Dock | None, count: int = AGENTS) -> float:
    began = time.perf_counter()
    if dock is None:
        children = [subprocess.Popen(argv, stdin=subprocess.DEVNULL) for _ in range(count)]
        _wait_bytes(end, count)
        taken = time.perf_counter() - began
        for child in children:
            child.wait()
        return taken
    agents = [dock.start(argv) for _ in range(count)]
    _wait_bytes(end, count)
    taken = time.perf_counter() - began
    _finish(agents)
    return taken


def _finish(agents: list[Running]) -> None:
    for running in agents:
        running.wait_end(30)


async def _lateness(dock: Dock, argv: list[str]) -> float:
    worst, began = 0.0, False

    async def tick() -> None:
        nonlocal worst
        while not began:
            due = time.perf_counter() + 0.001
            await asyncio.sleep(0.001)
            worst = max(worst, time.perf_counter() - due)

    async with asyncio.TaskGroup() as group:
        ticking = group.create_task(tick())
        await asyncio.sleep(0.05)
        worst = 0.0
        agents = [await asyncio.to_thread(dock.start, argv) for _ in range(AGENTS)]
        began = True
        await ticking
    await asyncio.to_thread(_finish, agents)
    return worst


# ------------------------------------------------------------------------------------------- P12


def p12() -> list[BenchRow]:
    """Private memory of a forked shim, idle and in a flood, in MB of the 4 that it may have."""
    rows = []
    with docked() as dock:
        for word, source in (
            ("idle", "import time; time.sleep(60)"),
            ("in a flood", FLOOD),
        ):
            agents = [dock.python(source) for _ in range(10)]
            for running in agents:
                running.wait_fact("started")
                running.hear_for(0.3)
            sizes = [_private_mb(running.handle.pid) for running in agents]
            for running in agents:
                running.say(do="stop", reason="stop")
            _finish(agents)
            figures: dict[str, float | str] = {"median_mb": statistics.median(sizes), "most_mb": max(sizes)}
            rows.append(
                BenchRow("P12", f"private memory of a forked shim, {word}, of 4 MB", statistics.median(sizes) / 4, 1.0,
                         "at most", figures)
            )  # fmt: skip
    return rows


def _private_mb(pid: int) -> float:
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in rollup if line.startswith("Private_")) / 1024


# ------------------------------------------------------------------------------------------- P16

TREE = (
    "import os, signal, time\n{deaf}\nfor _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n"
    "        if os.fork() == 0: time.sleep(60)\n        time.sleep(60)\nprint('ready', flush=True)\ntime.sleep(60)\n"
)
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"
GRACE_S = 4.0


def p16() -> list[BenchRow]:
    """From the loss of the app's end of the socket to no marked process."""
    rows = []
    with docked() as dock:
        for word, deaf, limit_s in (("willing", "", 0.5), ("unwilling", DEAF, GRACE_S + 0.5)):
            agents = [dock.python(TREE.format(deaf=deaf), grace_s=GRACE_S) for _ in range(5)]
            for running in agents:
                running.wait_output(b"ready")
            began = time.perf_counter()
            for running in agents:
                running.handle.socket.shutdown(2)
            wait_until(lambda a=agents: not any(marked(running.attempt) for running in a), 15)
            taken = time.perf_counter() - began
            what = f"loss of the app to no marked process, 5 {word} trees of 7, of {limit_s} s"
            rows.append(BenchRow("P16", what, taken / limit_s, 1.0, "at most", {"taken_s": taken}))
    return rows


if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()
