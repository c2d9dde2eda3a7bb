"""The fourth list of failures is what it says of itself; nothing of the product is asked here."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.agents import held_out, held_out_third
from tests.agents.held_out_fourth import SHAPES

CLASSES = {"auth", "usage_limit", "rate_limit", "overloaded", "invalid", "other"}


@pytest.mark.parametrize("who", ["claude", "gemini", "codex", "opencode", "over acp"])
def test_each_class_is_in_the_fourth_list_for_each(who: str) -> None:
    assert {is_a for one, is_a, _ in SHAPES if one == who} == CLASSES


def test_the_fourth_list_repeats_neither_itself_nor_the_first_nor_the_third() -> None:
    told = Counter(repr(shape) for _, _, shape in SHAPES)
    assert [shape for shape, times in told.items() if times > 1] == []
    earlier = {repr(shape) for _, _, shape in (*held_out.SHAPES, *held_out_third.SHAPES)}
    assert told.keys() & earlier == set()


def test_the_fourth_list_is_long_enough_to_measure_with() -> None:
    of = Counter(is_a for _, is_a, _ in SHAPES)
    assert sum(of.values()) >= 150
    assert min(of.values()) >= 15
    assert of["auth"] >= 30
