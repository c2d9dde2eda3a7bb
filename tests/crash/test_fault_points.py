"""ENOSPC, EIO, EROFS, EACCES, EDQUOT and short writes at every durable operation of every part of a run's life.

JNL6, JNL7, JNL8, SLT17, FIM1; cases 14, 104. None is silent: it is told by a refusal, by the run's own word that nothing is
recorded, or in the log. Nothing is appended behind a torn tail, nothing claimed while recording is down, nothing
acknowledged lost, and no run is there that was refused.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.crash.nurseries import Point, try_points
from tests.crash.test_kill_points import NURSERY as KILLS
from tests.crash.test_kill_points import SCENES

NURSERY = "tests.crash.fault_nursery"
ERRORS = ("ENOSPC", "EIO", "EROFS", "EACCES", "EDQUOT")
QUIET = ("recovery", "discard", "undo", "eviction")
"""Scenes in which no agent works: a point costs a third, so every error is tried at every one of their operations."""
ONCE, LASTING, FOR_GOOD = 480, 150, 40
"""So many of each kind, of all that there are in the other scenes, or in all; a longer sweep tries more."""


def _points(operations: dict[str, list[str]], sweep: int, seed: int) -> list[Point]:
    chance = random.Random(seed)
    places = [(scene, at, name) for scene, names in operations.items() for at, name in enumerate(names, 1)]
    every = [[scene, at, error, "once"] for scene, at, _ in places for error in ERRORS]
    quiet = [point for point in every if point[0] in QUIET]
    once = [point for point in every if point[0] not in QUIET]
    short = [
        [scene, at, error, "short"]
        for scene, at, name in places
        if name == "write"
        for error in ("ENOSPC", "EIO")
    ]
    lasting = [[scene, at, error, "while"] for scene, at, _ in places for error in ERRORS]
    for_good = [[scene, at, error, "for good"] for scene, at, _ in places for error in ERRORS]
    points: list[Point] = short + quiet
    for kind, count in ((once, ONCE), (lasting, LASTING), (for_good, FOR_GOOD)):
        points += chance.sample(kind, min(len(kind), count * sweep))
    chance.shuffle(points)
    return points


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.sweep
@pytest.mark.timeout(7200)
def test_an_error_at_any_durable_operation_is_told_and_takes_nothing_back(sweep: int) -> None:
    counted = try_points(KILLS, [[scene, 0, False, 0] for scene in SCENES])
    operations = {result["point"][0]: result["operations"] for result in counted}
    results = try_points(NURSERY, _points(operations, sweep, seed=20261130))
    met = [result for result in results if result["failed"]]
    assert len(met) >= 2_000, f"only {len(met)} of {len(results)} points were met"
    assert set(Counter(result["point"][2] for result in met)) == set(ERRORS)
    assert {result["first"][0] for result in met} >= {
        "open",
        "write",
        "fsync",
        "fdatasync",
        "replace",
        "fsync_folder",
    }
