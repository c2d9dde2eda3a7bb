"""SIGKILL of the app at every durable operation of a short run, and at seeded moments (JNL2, JNL4, REC3, REC6, REC15, cases 31, 65).

Real kills of real processes, with agents that have children in other sessions, leave daemons behind and refuse to end.
After each: no marked process six seconds later, no acknowledged event lost, everything printed is kept, no half record,
and the next process settles it to the truth, twice the same.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
AT_ONCE = 12
"""Most of a point is waiting for a grace of four seconds."""
LONGEST_S = 1.0
SETTLING_OPERATIONS = 48

Point = tuple[str, str, int, bool]


def _nursery(folder: Path, points: list[Point], number: int) -> tuple[subprocess.Popen[bytes], Path]:
    home = folder / f"n{number}"
    home.mkdir()
    (home / "points").write_text("".join(json.dumps(point) + "\n" for point in points))
    with (
        (home / "points").open("rb") as told,
        (home / "results").open("wb") as results,
        (home / "errors").open("wb") as errors,
    ):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.nursery", str(home)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
            stdin=told,
            stdout=results,
            stderr=errors,
        )
    return process, home


def try_points(folder: Path, points: list[Point], at_once: int = AT_ONCE) -> list[dict[str, Any]]:
    """Every point tried; fails with the faults of those that have some."""
    folder.mkdir()
    nurseries = [_nursery(folder, points[number::at_once], number) for number in range(at_once)]
    results: list[dict[str, Any]] = []
    for process, home in nurseries:
        assert process.wait() == 0, (home / "errors").read_text()[-2000:]
        results += [json.loads(line) for line in (home / "results").read_text().splitlines()]
    faulty = [(result["point"], result["faults"]) for result in results if result["faults"]]
    assert not faulty, "\n".join(f"{point}: {faults}" for point, faults in faulty[:20])
    assert len(results) == len(points)
    return results


def _points(operations: list[str], moments: int, seed: int) -> list[Point]:
    """Each operation, each write torn as well, and moments drawn from the seed."""
    count = len(operations) + 4  # the threads of a run do not always come in one order
    points: list[Point] = [(f"o{at}", "operation", at, False) for at in range(1, count + 1)]
    points += [(f"t{at}", "operation", at, True) for at, name in enumerate(operations, 1) if name == "write"]
    chance = random.Random(seed)
    points += [
        (f"m{n}", "moment", round(1000 * chance.uniform(0.02, LONGEST_S)), False) for n in range(moments)
    ]
    points += [(f"s{at}", "settling", at, False) for at in range(1, SETTLING_OPERATIONS + 1)]
    chance.shuffle(points)
    return points


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.sweep
@pytest.mark.timeout(3000)
def test_sigkill_of_the_app_at_every_store_operation_and_at_any_moment(tmp_path: Path, sweep: int) -> None:
    (whole,) = try_points(tmp_path / "whole", [("whole", "none", 0, False)], at_once=1)
    assert whole["outcomes"] == ["completed"]
    operations = whole["said"][-1][1]
    assert len(operations) > 120
    results = try_points(tmp_path / "killed", _points(operations, 120 * sweep, seed=20261129))
    killed = [result for result in results if result["killed"]]
    assert len(killed) >= 300, f"only {len(killed)} of {len(results)} points came in time"
    settled_as = [outcome for result in killed for outcome in result["outcomes"]]
    assert {"interrupted", "completed"} == set(settled_as)
    assert max(result["left_s"] for result in killed) > 3.5, "no agent had to be killed after its grace"
    heard = {what[1] for result in killed for what in result["said"] if what[0] == "event"}
    assert {
        "run_launched",
        "attempt_claimed",
        "starting",
        "session",
        "effect",
        "output",
        "attempt_ended",
    } <= heard
