"""The table of `docs/agents.md` is what the records of the live tests come to, and holds every program in every scenario."""

from __future__ import annotations

import pytest

from tests.programs.berths import WAYS
from tests.programs.scenarios import SCENARIOS
from tests.programs.seen import FOLDER, path_of
from tests.programs.table import PAGE, end_cell, figures_cell, page_with, records, section

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
