"""Q2's last part: the real window is killed, started again, its prompt read and one agent resumed from it, all from outside.

REC1–REC5, REC7–REC10, REC14, SLT13–SLT19, EFF3, ruling 25: fifty kills of ten runs of five shapes, whose agents do not want
to end; at moments drawn from a seed, after the launch and after each resume; on desktops side by side. Each time: no marked
process six seconds later; the prompt's agents, turns, cost and effects to check are those of the agents' own logs; nothing is
started, connected or changed outside in the two seconds after the restart (strace); one press makes one attempt, under the
same key, told of those before it.
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

from tests.display.desktop import end, what_is_missing
from tests.e2e.shapes import SHAPES

ROOT = Path(__file__).parents[2]
LANES = 5
"""Desktops at once: most of a kill is waiting, for a grace of four seconds and for two in which nothing may be done."""
KILLS_IN_A_CHAIN = 5
Chain = tuple[str, str, int, list[int]]


def chains(count: int, seed: int) -> list[Chain]:
    """Every shape with every escape in turn; moments from at once to a second after an agent's first line."""
    chance = random.Random(seed)
    return [
        (
            f"c{n}",
            list(SHAPES)[n % 5],
            n // 5,
            [round(1000 * chance.random()) for _ in range(KILLS_IN_A_CHAIN)],
        )
        for n in range(count)
    ]


def play_all(folder: Path, wanted: list[Chain]) -> list[dict[str, Any]]:
    """Every chain played, each desktop taking its share; what was found at each kill."""
    lanes = []
    for number in range(LANES):
        home = folder / f"lane{number}"
        home.mkdir()
        (home / "chains").write_text("".join(json.dumps(chain) + "\n" for chain in wanted[number::LANES]))
        with (home / "chains").open("rb") as told, (home / "results").open("wb") as results:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.display.kill_lane", str(home)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
                stdin=told,
                stdout=results,
            )
        lanes.append((process, home))
    found: list[dict[str, Any]] = []
    try:
        for process, home in lanes:
            assert process.wait() == 0
            found += [json.loads(line) for line in (home / "results").read_text().splitlines()]
    finally:
        for process, _ in lanes:
            end(process)
    return found


@pytest.mark.display
@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.sweep
@pytest.mark.timeout(9000)
@pytest.mark.skipif(bool(what_is_missing()), reason=what_is_missing() or "all is here")
def test_fifty_windows_are_killed_and_each_time_one_agent_is_resumed_from_the_prompt(
    tmp_path: Path, sweep: int
) -> None:
    kills = play_all(tmp_path, chains(11 * sweep, seed=20261130))
    faulty = [(kill["chain"], kill["after_ms"], kill["faults"]) for kill in kills if kill["faults"]]
    assert not faulty, "\n".join(f"{chain} after {ms} ms: {faults}" for chain, ms, faults in faulty[:6])
    resumed = [kill for kill in kills if kill["agents"]]
    assert len(resumed) >= 50 * sweep, "too many agents had ended before they were killed"
    assert {kill["chain"][1] for kill in resumed} == set(SHAPES)
    assert max(max(kill["attempts"]) for kill in resumed) > 2, (
        "no agent was killed again after it had been resumed"
    )
