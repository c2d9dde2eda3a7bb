"""Two to fifty runs at once, told truthfully: after every event every view value equals an independent naive reading.

OWN1–OWN7, ID2–ID6, I5: launches, ends, failures, pauses, stops, retries, late and duplicate events, runs of other processes,
a window that is opened, closed, narrowed and turned to other workflows at any moment. `making` tells what happens,
`played` is the product, `naive_window` the oracle, `judge` compares.
"""

from __future__ import annotations

import ast
import logging
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scenarios import tampering_signs as _  # noqa: F401 - registers more
from tests.scenarios.judge import play
from tests.scenarios.making import scenario
from tests.scenarios.tampering import TAMPERINGS

HERE = Path(__file__).parent
ORACLE = (
    "naive_window.py",
    "naive_canvas.py",
    "naive_signs.py",
    "naive_states.py",
    "naive_runs.py",
    "naive_money.py",
    "naive_words.py",
    "naive_listed.py",
    "making.py",
    "making_agents.py",
)
SEEDS_A_PART = 100
PARTS = 10 * max(1, int(os.environ.get("QUARTERDECK_SWEEP", "1")))
"""1,000 scenarios; ten thousand with QUARTERDECK_SWEEP=10."""


@pytest.fixture(autouse=True)
def _no_refusals_in_the_log() -> Iterator[None]:
    """What comes late or twice is logged each time, rightly; here that is thousands of lines."""
    log = logging.getLogger("quarterdeck.engine.run_book")
    before, log.disabled = log.disabled, True
    yield
    log.disabled = before


@pytest.mark.sweep
@pytest.mark.parametrize("part", range(PARTS))
def test_after_every_event_all_that_the_window_says_equals_the_naive_reading(part: int) -> None:
    """The message of a failure holds the command that plays its shortest beginning again."""
    faults = [fault for n in range(SEEDS_A_PART) if (fault := play(part * SEEDS_A_PART + n)) is not None]
    assert not faults, f"{len(faults)} scenarios:\n" + "\n".join(map(str, faults[:5]))


SEEN_IN = {
    "late_reports_move_the_run": 166,
    "any_fact_is_folded_at_once": 166,
    "a_report_that_comes_twice_counts_twice": 128,
    "a_message_counts_each_time_it_is_told": 30,
    "running_totals_are_added_up": 26,
    "the_newest_run_alone_is_drawn": 20,
    "wires_are_green_whatever_they_wait_for": 33,
    "the_first_slot_speaks_for_its_node": 63,
    "a_clock_that_was_set_makes_silence": 30,
    "a_raised_limit_is_still_warned_of": 172,
    "a_warning_is_for_good": 172,
}
"""The first scenario that shows what few do; played first, as those before it take two minutes together."""


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_product_that_is_spoiled_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An oracle that sees nothing proves nothing."""
    TAMPERINGS[name](monkeypatch)
    assert any(play(seed) is not None for seed in (SEEN_IN.get(name, 0), *range(200)))


@pytest.mark.parametrize("name", ORACLE)
def test_the_naive_reading_imports_nothing_of_the_product(name: str) -> None:
    tree = ast.parse((HERE / name).read_text(encoding="utf-8"))
    imported = [n.module or "" for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    imported += [alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names]
    allowed = {f"tests.scenarios.{other.removesuffix('.py')}" for other in ORACLE} | sys.stdlib_module_names
    assert {
        module for module in imported if module not in allowed and module.split(".")[0] not in allowed
    } == set()
    assert "importlib" not in imported


def test_the_scenarios_hold_what_they_are_for() -> None:
    """2 to 50 runs live at once, 1 to 4 workflows, and each thing that can happen, often."""
    happened: Counter[str] = Counter()
    most_live: list[int] = []
    for seed in range(1000):
        told, live, most = scenario(seed), set(), 0
        for fact in told.facts:
            happened[str(fact.get("kind") or fact.get("act") or fact["what"])] += 1
            if fact.get("kind") in ("run_launched", "sitting_opened"):
                live.add(fact["run"])
            elif fact.get("kind") == "run_ended":
                live.discard(fact["run"])
            most = max(most, len(live))
        most_live.append(most)
    assert min(most_live) == 2
    assert max(most_live) >= 49
    assert sum(most >= 10 for most in most_live) >= 30
    rare = {kind: count for kind, count in happened.items() if count < 20}
    assert not rare
    assert len(happened) >= 40


def test_a_seed_is_played_again_by_one_command() -> None:
    root = HERE.parents[1]
    env = {**os.environ, "PYTHONPATH": str(root / "app")}
    again = [sys.executable, "-m", "tests.scenarios.replay", "7", "12"]
    ran = subprocess.run(again, cwd=root, env=env, capture_output=True, text=True, timeout=60, check=True)
    assert "12 {'what'" in ran.stdout
    assert "13 {'what'" not in ran.stdout
    assert ran.stdout.rstrip().endswith("no fault")
