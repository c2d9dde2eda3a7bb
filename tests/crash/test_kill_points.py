"""SIGKILL of the app at every durable operation of launch, run, end, recovery, resume, discard, undo and eviction.

JNL2, JNL4, REC3, REC6, REC13, REC15, SLT13–SLT17, STO7, FIM1. Real kills, real keepers and agents, in processes that are
forked from a warm parent (`lab.py`). By files alone it is judged (`verdicts.py`) that nothing acknowledged is lost, nobody started
twice or without a durable claim, nothing is half there, nothing is listed that is not, and another start changes nothing.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.crash.nurseries import Point, try_points

NURSERY = "tests.crash.kill_nursery"
SCENES = (
    "chain",
    "pair",
    "failing",
    "asks",
    "stopped",
    "recovery",
    "resume",
    "resume and go on",
    "discard",
    "undo",
    "eviction",
)
TWICE = 240
"""How often recovery is killed as well, after a kill at a point that leaves something to settle."""


def _points(operations: dict[str, list[str]], sweep: int, seed: int) -> list[Point]:
    chance = random.Random(seed)
    points: list[Point] = []
    for scene, names in operations.items():
        count = len(names) + 3  # the threads of a run do not always come in one order
        points += [[scene, at, False, 0] for at in range(1, count + 1)]
        points += [[scene, at, True, 0] for at, name in enumerate(names, 1) if name == "write"]
    for scene in ("recovery", "stopped", "chain", "resume", "discard", "undo", "eviction"):
        names = operations[scene]
        settling = len(operations["recovery"])
        points += [
            [scene, chance.randint(1, len(names)), chance.random() < 0.3, chance.randint(1, settling)]
            for _ in range(TWICE * sweep // 7)
        ]
    chance.shuffle(points)
    return points


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.sweep
@pytest.mark.timeout(7200)
def test_sigkill_at_every_durable_operation_of_every_part_of_a_runs_life(sweep: int) -> None:
    counted = try_points(NURSERY, [[scene, 0, False, 0] for scene in SCENES])
    operations = {result["point"][0]: result["operations"] for result in counted}
    assert sum(map(len, operations.values())) > 900
    results = try_points(NURSERY, _points(operations, sweep, seed=20261130))
    killed = [result for result in results if result["killed"]]
    twice = sum(result["again"] for result in results)
    assert len(killed) + twice >= 1_500, (
        f"only {len(killed)} of {len(results)} points came in time, and {twice} twice"
    )
    by_scene = Counter(result["point"][0] for result in killed)
    assert min(by_scene.values()) >= 15, by_scene
    assert twice >= 50
    outcomes = {outcome for result in results for outcome in result["outcomes"]}
    assert outcomes >= {"completed", "interrupted", "stopped"}
