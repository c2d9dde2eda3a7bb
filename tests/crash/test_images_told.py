"""Crash images of every file of a killed app's folder, opened by the product: what list, prompt, views and statuses then say is no lie.

JNL2, JNL5, JNL6, REC3, REC4, REC6, REC10, REC11, REC14, EFF7, STO3, FIM1's power cuts; cases 31, 35, 101–104. Nothing is live; no run is
forgotten; no figure is above what was spent, and one below it is "at least"; nothing that was cut off is done; no unknown
effect vanishes unsaid. Judged by `told`, against agents' own logs.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.crash.images import FAMILIES
from tests.crash.nurseries import Point, try_points
from tests.crash.told_nursery import BEGINNINGS

NURSERY = "tests.crash.told_nursery"
SHARES = {
    "journal": 8,
    "reports": 8,
    "exit": 2,
    "record": 2,
    "index": 1,
    "ledger": 1,
    "session": 1,
    "store": 1,
    "attempts": 1,
    "attempt": 1,
    "lock": 1,
}
EACH = 9
"""Images of each family, beginning and share."""


def points(sweep: int, seed: int) -> list[Point]:
    chance = random.Random(seed)
    found: list[Point] = [
        [begin, kind, family, chance.randrange(10**9)]
        for begin in BEGINNINGS
        for kind, share in SHARES.items()
        for family in range(len(FAMILIES))
        for _ in range(EACH * share * sweep)
    ]
    chance.shuffle(found)
    return found


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.timeout(7200)
def test_what_is_said_of_a_damaged_folder_is_no_lie(sweep: int) -> None:
    results = try_points(NURSERY, points(sweep, seed=20261130), at_once=2)
    tried = [result for result in results if result["file"] is not None]
    assert len(tried) >= 2_000 * sweep
    kinds = Counter((result["point"][0], result["point"][1]) for result in tried)
    assert len(kinds) == len(BEGINNINGS) * len(SHARES) - 1, (
        "a settled app leaves no session, a cut off one all of them"
    )
    assert sum(bool(result["named"]) for result in tried) > 500 * sweep, "hardly anything was damaged"
