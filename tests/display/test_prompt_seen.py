"""What is read back out of the prompt, and which words in it are faults."""

from __future__ import annotations

import pytest

from tests.display.person import Thing
from tests.display.prompt_seen import SENTENCE, read_prompt

ROWS = (
    ("label", f"Quarterdeck restarted nothing. {SENTENCE}"),
    ("label", "A"),
    ("label", "attempt 2 · 6 turns"),
    ("label", "Stopped"),
    ("label", "Outside effects: Unknown: mail m may have happened"),
    ("push button", "Resume A"),
    ("label", "attempt 1 · 1 turn"),
    ("label", "Outside effects: None in flight"),
    ("push button", "Resume B"),
    ("label", "r-7e63 · started today 11:02 · ran 0m 02s · 7 turns · $1,234.12"),
)


def things(*rows: tuple[str, str]) -> list[Thing]:
    return [
        Thing((":1", f"/{n}"), name, "", role, frozenset(), frozenset(), None, ("Interrupted runs",))
        for n, (role, name) in enumerate(rows)
    ]


def test_a_prompt_is_read_back_into_its_document() -> None:
    told, faults = read_prompt(things(*ROWS), ["r-7e631111", "r-9"])
    assert faults == []
    (run,) = told["runs"]
    assert (run["run_id"], run["turns"], run["cost_usd"]) == ("r-7e631111", 7, "1234.12")
    assert [(a["node_id"], a["attempt"], a["turns"], a["effects"]) for a in run["agents"]] == [
        ("a", 2, 6, 1),
        ("b", 1, 1, 0),
    ]


@pytest.mark.parametrize(
    "row",
    [("label", "A running"), ("label", "it continues"), ("label", "resuming"), ("label", "at least $1")],
)
def test_words_that_a_restored_agent_may_not_have_are_faults(row: tuple[str, str]) -> None:
    assert read_prompt(things(*ROWS, row), ["r-7e631111"])[1]


def test_a_missing_sentence_and_a_missing_run_are_faults() -> None:
    assert read_prompt(things(*ROWS[1:]), ["r-7e631111"])[1]
    assert read_prompt(things(*ROWS[:-1]), ["r-7e631111"])[1]
