"""What six real programs printed of 290 failing answers, read by the product's adapters: the class that each is was written down before any was played."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.agents.recorded_failures import KINDS, SILENT, Judged, judged, shapes

SHARE = 0.99
LISTS = {"first": 200, "later": 100, "reported": 100}
"""{list: how many shapes it has at least}. `later` was played only after what `first` had shown was mended, `reported` after both."""
SAID_OF_ALL = "Authentication required"
"""What codex-acp answers to every 401, by the protocol's own code: also to one for a role or a model."""


@cache
def _found(called: str) -> tuple[Judged, ...]:
    return tuple(judged(shape) for shape in shapes(called))


@pytest.mark.parametrize("called", LISTS)
def test_ninety_nine_in_a_hundred_recorded_failures_are_told_right(called: str) -> None:
    """AUT6. None was used to write the tables before it was judged; docs/agents.md says how many were right then."""
    found = _found(called)
    wrong = [(one.shape.program, one.shape.name, one.told) for one in found if not one.is_right]
    assert len(found) >= LISTS[called]
    assert len(wrong) <= (1 - SHARE) * len(found), wrong


@pytest.mark.parametrize("called", LISTS)
def test_no_refused_sign_in_goes_unnoticed(called: str) -> None:
    """Where nothing else can be argued, and the program's words are not those of other failures too."""
    missed = [
        (one.shape.program, one.shape.name)
        for one in _found(called)
        if one.shape.is_a == ("auth",) and one.shape.hidden_as in ("", "auth") and one.told != "auth"
    ]
    assert not missed


@pytest.mark.parametrize("called", LISTS)
def test_only_a_refused_sign_in_refuses_other_agents(called: str) -> None:
    """But for what codex-acp says of every 401."""
    wrong = [
        (one.shape.program, one.shape.name)
        for one in _found(called)
        if one.is_remembered and "auth" not in one.shape.is_a
    ]
    told_of_all = {
        (one.shape.program, one.shape.name)
        for one in _found(called)
        if one.shape.program == "codex-acp" and one.message == SAID_OF_ALL
    }
    assert set(wrong) <= told_of_all


def test_every_class_and_every_program_is_met() -> None:
    found = _found("first")
    assert {one.shape.program for one in found} == set(KINDS)
    classes = Counter(one.shape.is_a[0] for one in found)
    assert set(classes) == {"auth", "usage_limit", "rate_limit", "overloaded", "invalid", "other"}
    assert min(classes.values()) >= 20


def test_what_is_left_out_was_played_and_told_nothing() -> None:
    """Nothing is left out of which more could be told than that the agent ended without an answer."""
    left_out = [shape for called in LISTS for shape in shapes(called, is_told=False)]
    assert {(one.program, one.name) for one in left_out} == SILENT
    assert all(judged(one).message.startswith(("None", "The agent ended ")) for one in left_out)
