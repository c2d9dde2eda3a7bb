"""The third list of failures is what it says of itself; nothing of the product is asked here."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.agents import held_out
from tests.agents.held_out_third import SHAPES

CLASSES = {"auth", "usage_limit", "rate_limit", "overloaded", "invalid", "other"}


@pytest.mark.parametrize("who", ["claude", "gemini", "codex", "opencode", "over acp"])
def test_each_class_is_in_the_third_list_for_each(who: str) -> None:
    assert {is_a for one, is_a, _ in SHAPES if one == who} == CLASSES


def test_the_third_list_repeats_neither_itself_nor_the_first() -> None:
    told = Counter(repr(shape) for _, _, shape in SHAPES)
    assert [shape for shape, times in told.items() if times > 1] == []
    assert told.keys() & {repr(shape) for _, _, shape in held_out.SHAPES} == set()


def test_the_third_list_is_long_enough_to_measure_with() -> None:
    of = Counter(is_a for _, is_a, _ in SHAPES)
    assert sum(of.values()) >= 300
    assert min(of.values()) >= 20
