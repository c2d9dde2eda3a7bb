"""The oracle of what is told of a damaged folder sees each lie that it is there for, and is silent about the truth."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.crash.told import Truth, judge

TRUTH = Truth(
    "r-1", "stays", Decimal("0.31"), 2, frozenset({"a"}), frozenset({"a", "b"}), frozenset({"send"}), False
)


def told() -> dict[str, Any]:
    figures = {"turns": 2, "cost_usd": "0.31", "cost_is_complete": True}
    line = {
        **figures,
        "phase": "ended",
        "outcome": "interrupted",
        "reason": "app closed",
        "slots": {"a": "Done", "b": "Stopped"},
    }
    agent = {"slot_id": "b", "effects": ["send"], "outside": "to check", "unread": False}
    owed = {**figures, "torn": False, "damage": "", "agents": [agent], "texts": ["2 turns, $0.31"]}
    return {
        "runs": {"r-1": line},
        "owed": {"r-1": owed},
        "unreadable": [],
        "statuses": [{"name": "stays", "live": 0, "outcome": "interrupted"}],
        "texts": ["Stopped", "r-1 Interrupted $0.31"],
    }


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "it is live": lambda t: t["runs"]["r-1"].update(phase="live"),
    "it goes on": lambda t: t["texts"].append("B running"),
    "a workflow has one live": lambda t: t["statuses"][0].update(live=1),
    "it is completed": lambda t: t["runs"]["r-1"].update(outcome="completed"),
    "the workflow is completed": lambda t: t["statuses"][0].update(outcome="completed"),
    "less was spent": lambda t: t["runs"]["r-1"].update(cost_usd="0.02"),
    "more was spent": lambda t: t["runs"]["r-1"].update(cost_usd="0.40", cost_is_complete=False),
    "fewer turns": lambda t: t["runs"]["r-1"].update(turns=1),
    "the prompt says less": lambda t: t["owed"]["r-1"].update(cost_usd="0.02"),
    "what was cut off is done": lambda t: t["runs"]["r-1"]["slots"].update(b="Done"),
    "what is done is asked about": lambda t: t["owed"]["r-1"]["agents"][0].update(slot_id="a"),
    "nothing was in flight": lambda t: t["owed"]["r-1"]["agents"][0].update(
        effects=[], outside="none in flight"
    ),
    "the prompt is forgotten": lambda t: t["owed"].clear(),
    "the run is forgotten": lambda t: t["runs"].clear(),
    "there is another run": lambda t: t["runs"].update({"r-2": t["runs"]["r-1"]}),
    "damaged, and all is known": lambda t: t["owed"]["r-1"].update(damage="its journal is damaged"),
    "at least is kept back": lambda t: t["owed"]["r-1"].update(cost_is_complete=False),
}


def test_it_is_silent_about_the_truth() -> None:
    assert judge([TRUTH], told()) == []


@pytest.mark.parametrize("lie", LIES)
def test_it_sees_a_lie(lie: str) -> None:
    spoilt = copy.deepcopy(told())
    LIES[lie](spoilt)
    assert judge([TRUTH], spoilt)


def test_less_is_no_lie_where_it_is_said_to_be_less() -> None:
    less = told()
    for place in (less["runs"]["r-1"], less["owed"]["r-1"]):
        place.update(cost_usd="0.02", turns=1, cost_is_complete=False)
    less["owed"]["r-1"].update(torn=True, texts=["at least 1 turn, at least $0.02"])
    less["owed"]["r-1"]["agents"][0].update(effects=[], outside="not told", unread=True)
    assert judge([TRUTH], less) == []


def test_a_store_that_is_not_opened_names_a_file() -> None:
    assert judge([TRUTH], {"unusable": "it cannot be used"})
    assert not judge([TRUTH], {"unusable": "store.json is damaged"})
