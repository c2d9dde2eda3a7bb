"""Q3's figure: how long each refusal of a sign-in that is known to be dead takes, when forty agents want it at once."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import statistics
from pathlib import Path
from typing import Any

from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.bench.row import BenchRow, own_folder
from tests.e2e.works import python, write_workflow

AGENTS = 40
RUNS = 26  # 39 refusals each: 1,014, so that a hundredth of them are ten
DEAD = """
import json, sys, time
time.sleep(0.2)
print(json.dumps({"qd": 1, "type": "error", "class": "auth", "message": "the key was refused"}), flush=True)
sys.exit(1)
"""


def q3() -> list[BenchRow]:
    """1,014 refusals in 26 runs: 99 of a hundred within 20 ms each (AUT3)."""
    os.environ["BENCH_DEAD_KEY"] = "not-a-key"
    fork_server = ForkServer.start()
    try:
        with own_folder() as folder:
            took = sorted(asyncio.run(_refusals_ms(folder, fork_server)))
    finally:
        fork_server.close()
    p99 = took[int(len(took) * 0.99)]
    figures: dict[str, float | str] = {
        "refusals": float(len(took)),
        "median_ms": statistics.median(took),
        "p99_ms": p99,
        "most_ms": took[-1],
        "load": os.getloadavg()[0],
    }
    what = f"one refusal of a dead sign-in, {AGENTS} agents at once, p99, of 20 ms"
    return [BenchRow("Q3", what, p99 / 20, 1.0, "at most", figures)]


async def _refusals_ms(folder: Path, fork_server: ForkServer) -> list[float]:
    """Of each run, how long every refusal took, in milliseconds."""
    agents = {f"n{n:02d}": python(DEAD, credential="env:BENCH_DEAD_KEY") for n in range(AGENTS)}
    file = write_workflow(folder / "workspace", agents, limits={"max_parallel": AGENTS})
    took: list[float] = []
    for number in range(RUNS):
        engine = await Engine.open(folder / f"data{number}", fork_server=fork_server, kind="window")
        run = await engine.launch(LaunchRequest(file))
        assert not isinstance(run, Refusal), run
        await engine.wait_ended(run)
        await engine.close()
        took += _between(folder / f"data{number}" / "runs" / run)
    return took


def _between(run: Path) -> list[float]:
    """From the keeper's moment of the failure to the first refusal, then from each moment of the journal to the next."""
    [reports] = run.glob("attempts/*/reports.jsonl")
    failed = next(line["boot_ms"] for line in _lines(reports) if line["kind"] == "error")
    moments = _lines(next(run.glob("journal*.jsonl")))
    took = [
        after["boot_ms"] - max(before["boot_ms"], failed)
        for before, after in itertools.pairwise(moments)
        if after["kind"] == "claim_refused"
    ]
    assert len(took) == AGENTS - 1, len(took)
    return took


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]
