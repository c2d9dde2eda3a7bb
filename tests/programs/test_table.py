"""The table of `docs/agents.md` is what the records of the live tests come to, and holds every program in every scenario."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.programs import kills_table
from tests.programs.berths import WAYS
from tests.programs.moments import MOMENTS
from tests.programs.scenarios import SCENARIOS
from tests.programs.seen import FOLDER, KINDS, path_of
from tests.programs.table import PAGE, end_cell, figures_cell, page_with, records, section

PRICE_NAMES = dict(zip(KINDS, ("input", "cache_read", "cache_write", "output"), strict=True))
SEEN = {
    "end": "failed",
    "exit": "SIGKILL",
    "errors": ["auth (strong, 401)"],
    "turns": 1,
    "tokens": {"input_tokens": 5, "cache_read_tokens": 3, "cache_write_tokens": 2, "output_tokens": 1},
    "booked": {"input_tokens": 9, "cache_read_tokens": 3, "cache_write_tokens": 0, "output_tokens": 1},
    "cost_usd": "0.1",
    "cost_source": "estimated",
    "cost_is_complete": False,
    "effects": ["Bash unknown"],
    "questions": 1,
    "files": ["made.txt"],
    "output": False,
    "session": "kept",
}


def test_the_page_says_what_the_records_come_to() -> None:
    """`python -m tests.programs.table` writes it anew."""
    assert section(records()) in PAGE.read_text("utf-8")


@pytest.mark.parametrize("program", WAYS)
def test_every_scenario_was_played_with_every_program(program: str) -> None:
    assert set(records()[program]) == set(SCENARIOS)


def test_no_record_is_of_a_program_or_a_version_that_is_not_played() -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == {
        path_of(name, way.version).name for name, way in WAYS.items()
    }


def test_the_page_says_what_was_told_after_every_kill_that_is_kept() -> None:
    """`python -m tests.programs.kills_table` writes it anew."""
    assert kills_table.section(kills_table.records()) in PAGE.read_text("utf-8")


@pytest.mark.parametrize("program", WAYS)
def test_no_kill_is_kept_that_left_something_or_was_called_done(program: str) -> None:
    """EFF2: in the kept records as well; a moment that is not in the list is not kept on."""
    seen = kills_table.records()[program]
    assert set(seen) <= set(MOMENTS)
    for moment, by_victim in seen.items():
        for victim, record in by_victim.items():
            assert record["gone_s"] <= 6.0, (moment, victim)
            assert record["end"] in ("failed", "interrupted"), (moment, victim)
            assert victim != "app" or record["had_ended"] or record["run"] == "interrupted", moment


WELL = ("plain", "tool", "write", "flood", "resumed")
CLASSES = {
    "nokey": "auth", "auth401": "auth", "auth401mid": "auth", "auth403": "auth other", "rate429": "rate_limit", "rate429ra": "rate_limit",
    "quota": "usage_limit", "over529": "overloaded", "drop": "overloaded other", "bad400": "invalid other", "unknown": "invalid other",
    "killed": "other",
}  # fmt: skip
"""{scenario: what a program may say of it}; those that try again for ever say nothing."""


@pytest.mark.parametrize("program", WAYS)
def test_every_program_tells_every_failure_in_a_class_that_is_true(program: str) -> None:
    """AUT6: a sign-in that is refused beyond doubt is told of no other failure."""
    for scenario, seen in records()[program].items():
        told = {error.partition(" (")[0] for error in seen["errors"]}
        assert told <= set(CLASSES.get(scenario, "").split()), scenario
        assert scenario != "auth403" or not [
            error for error in seen["errors"] if error.startswith("auth (strong")
        ]


@pytest.mark.parametrize("program", WAYS)
def test_every_program_does_its_work_and_goes_on_after_a_kill(program: str) -> None:
    """EFF2, case 83: the call that was cut off is not known, and the session is taken up."""
    seen = records()[program]
    assert {(seen[name]["end"], seen[name]["output"], seen[name]["session"]) for name in WELL} == {
        ("succeeded", True, "kept")
    }
    assert (seen["killed"]["end"], seen["killed"]["exit"], seen["killed"]["session"]) == (
        "failed",
        "SIGKILL",
        "kept",
    )
    assert [effect.rpartition(" ")[2] for effect in seen["killed"]["effects"]] == ["unknown"]
    assert set(seen["resumed"]["effects"]) <= {"step confirmed"}, (
        "OpenCode's, which stands for what it may be doing"
    )


@pytest.mark.parametrize("program", WAYS)
def test_a_cost_that_is_called_complete_is_what_the_service_booked(program: str) -> None:
    """Ruling 11: to the last digit; what else was booked is at least so much, or not known."""
    price = WAYS[program].price[1]
    for scenario, seen in records()[program].items():
        owed = sum(
            seen["booked"][kind] * Decimal(price.get(name, "0")) / 1_000_000
            for kind, name in PRICE_NAMES.items()
        )
        if seen["cost_is_complete"]:
            assert Decimal(seen["cost_usd"]) == owed, scenario
        else:
            assert seen["cost_usd"] is None or Decimal(seen["cost_usd"]) <= owed, scenario


def test_a_row_says_how_it_ended_and_what_is_not_known() -> None:
    assert end_cell(SEEN) == "failed, SIGKILL; auth (strong, 401)"
    assert figures_cell(SEEN) == (
        "1 turn; 5 / 3 + 2 written / 1 of 9 / 3 / 1 booked; at least $0.1 estimated; Bash unknown; asked 1×; "
        "file made.txt; session kept"
    )
    assert end_cell({**SEEN, "exit": "stopped by a person", "errors": []}).startswith(
        "does not end by itself"
    )


def test_a_page_without_the_marks_is_left_alone() -> None:
    with pytest.raises(ValueError, match="no marks"):
        page_with("# Agents\n", "made")
