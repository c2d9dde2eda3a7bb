"""Q2: force-quits at random moments, and the prompt that follows, judged by what the agents wrote down themselves.

REC3–REC6, REC9, REC10, REC14: five shapes of workflows, agents that escape in three ways and do not end by being asked.
After each: no marked process six seconds later; owed iff something was cut off; agents, turns, cost and effects to check
are those of the logs; asked twice, the same; in two seconds of the next process nothing is started, connected or changed
outside our folders. Some of the apps are the real window, and one agent of each is taken up again.
"""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.real import quarterdeck
from tests.e2e import judge
from tests.e2e.prompt_judge import judge_prompt
from tests.e2e.seen import cost_of, journal_of, lines_of, marked, wait_until
from tests.e2e.shapes import SHAPES, write_shape

ROOT = Path(__file__).parents[2]
AT_ONCE = 40
"""Most of a point is waiting: for a grace of four seconds, and for two in which nothing may be done."""
Point = tuple[str, str, int, str, int]


def points(count: int, seed: int) -> list[Point]:
    """Every shape with every escape, at moments drawn from the seed: most after the launch, some on the way to it."""
    chance = random.Random(seed)
    found: list[Point] = []
    for n in range(count):
        word, longest_s = ("opened", 0.3) if n % 9 == 8 else ("launched", 2.5)
        shape, turn = list(SHAPES)[n % 5], n // 5 % 3
        found.append((f"q{n}", shape, turn, word, round(1000 * chance.uniform(0.0, longest_s))))
    return found


def try_points(folder: Path, wanted: list[Point]) -> list[dict[str, Any]]:
    """Every point tried, many at once."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.e2e.force_quits", str(folder), str(AT_ONCE)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / "app")},
        input="".join(json.dumps(point) + "\n" for point in wanted).encode(),
        check=False,
    )
    assert done.returncode == 0
    results = sorted(folder.glob("n*/results"))
    return [json.loads(line) for file in results for line in file.read_text().splitlines()]


@pytest.mark.slow
@pytest.mark.alone
@pytest.mark.sweep
@pytest.mark.timeout(6000)
def test_after_a_force_quit_at_any_moment_the_prompt_is_right(tmp_path: Path, sweep: int) -> None:
    wanted = points(300 * sweep, seed=20261130)
    results = try_points(tmp_path, wanted)
    faulty = [(result["point"], result["faults"]) for result in results if result["faults"]]
    assert not faulty, "\n".join(f"{point}: {faults}" for point, faults in faulty[:20])
    assert len(results) == len(wanted)
    owed = [result for result in results if result["owed"]]
    assert len(owed) > 100 * sweep, "the moments were badly chosen"
    assert max(result["left_s"] for result in owed) > 3.0, "no agent had to be killed after its grace"
    assert {result["point"][1] for result in owed} == set(SHAPES)


# ------------------------------------------------------------------------------------------- the real window


@pytest.mark.slow
@pytest.mark.sweep
@pytest.mark.timeout(3000)
def test_after_a_force_quit_of_the_window_the_prompt_is_right_and_one_agent_is_taken_up(
    tmp_path: Path, sweep: int
) -> None:
    """Attempts, money and the key that services tell a repetition by (REC10, EFF): once more, added, the same."""
    chance, taken_up = random.Random(20261130), 0
    for number, shape in enumerate(list(SHAPES) * sweep):
        home = tmp_path / f"w{number}"
        file = write_shape(home / "work", shape, number)
        environment = {
            f"QUARTERDECK_{n}_DIR": str(home / p) for n, p in (("DATA", "store"), ("CONFIG", "config"))
        }
        died_at = _kill_a_window(home, file, environment, chance.uniform(0.1, 0.8))
        left_s, faults = judge.wait_no_marks(home, died_at)
        assert not faults, (shape, left_s, faults)
        told = quarterdeck("recover", "--json", **environment)
        assert told.returncode == 0, told.stderr.decode()
        prompt = json.loads(told.stdout)
        assert judge_prompt(home, SHAPES[shape][0], prompt) == [], shape
        (run,) = prompt["runs"]
        if run["agents"]:  # else it was killed between two agents, and nothing was cut off
            _take_up(home, run, environment)
            taken_up += 1
    assert taken_up >= 3 * sweep


def _kill_a_window(home: Path, file: Path, environment: dict[str, str], after_s: float) -> float:
    """The window launches by its buttons, an agent prints, and `after_s` later the window is killed; when that was."""
    with (home / "window.log").open("wb") as log:
        window = subprocess.Popen(
            [sys.executable, "-m", "tests.e2e.pressed_window", "launch", str(file)],
            cwd=ROOT,
            env={**os.environ, **environment, "PYTHONPATH": f"{ROOT / 'app'}{os.pathsep}{ROOT}"},
            stdout=log,
            stderr=log,
        )
    try:
        wait_until(
            lambda: any(path.stat().st_size for path in (home / "work").glob("said.*.log")),
            60,
            "an agent is at work",
        )
        select.select([], [], [], after_s)
    finally:
        window.kill()
        window.wait()
    return time.monotonic()


def _take_up(home: Path, run: Any, environment: dict[str, str]) -> None:
    """Resume one agent by the terminal: one attempt more, its cost added to what was, the key of the attempt before."""
    waiting = {
        "node_id": "a",
        "slot_id": "a",
    }  # between two attempts nothing was cut off; what waited is held
    agent = (run["agents"] or [waiting])[0]
    folder = home / "store" / "runs" / run["run_id"]
    before = [e for e in journal_of(folder) if e["kind"] == "attempt_claimed"]
    (home / "work" / "failed.once").touch()
    told = quarterdeck(
        "resume", run["run_id"], agent["node_id"], "--reason", "the window was lost", "--json", **environment
    )
    assert told.returncode in (0, 1, 3, 4), told.stderr.decode()
    claims = [e for e in journal_of(folder) if e["kind"] == "attempt_claimed"]
    assert len(claims) == len(before) + 1
    assert claims[-1]["slot_id"] == agent["slot_id"]
    keys = {
        json.loads((folder / "attempts" / e["attempt_id"] / "launch.json").read_bytes())["idempotency_key"]
        for e in claims
        if e["slot_id"] == agent["slot_id"]
    }
    assert len(keys) == 1, "a service could not tell the repetition"
    shown = json.loads(quarterdeck("show", run["run_id"], "--json", **environment).stdout)
    spent = [
        cost_of(lines_of((folder / "attempts" / e["attempt_id"] / "transcript").read_bytes())) or Decimal(0)
        for e in claims
        if (folder / "attempts" / e["attempt_id"] / "transcript").exists()
    ]
    assert Decimal(shown["cost_usd"]) == sum(spent, Decimal(0))
    assert Decimal(shown["cost_usd"]) >= Decimal(run["cost_usd"] or 0)
    assert not marked(str(home).encode() + b"/")
