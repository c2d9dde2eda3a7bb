"""Single values read as ux.md writes them, and foreign text can hide nothing."""

from __future__ import annotations

from datetime import UTC
from decimal import Decimal

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.words import (
    clock_text,
    day_text,
    duration_text,
    money_text,
    one_line,
    short_id,
    shown_plainly,
    size_text,
    time_text,
    tokens_text,
)
from tests.ui.made import at


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (0, "0m 00s"),
        (13_999, "0m 13s"),
        (1_024_000, "17m 04s"),
        (7_500_000, "2h 05m"),
        (273_600_000, "3d 04h"),
        (-5, "0m 00s"),
    ],
)
def test_durations_are_whole_seconds_in_the_house_form(ms: int, words: str) -> None:
    assert duration_text(ms) == words


def test_short_times_keep_two_digits_of_seconds() -> None:
    assert [clock_text(ms) for ms in (13_000, 931_000, 7_509_000)] == ["0:13", "15:31", "2:05:09"]


@pytest.mark.parametrize(
    ("amount", "complete", "words"),
    [
        (None, True, "unknown"),
        (None, False, "unknown"),
        (Decimal("3.21"), True, "$3.21"),
        (Decimal("3.2"), False, "at least $3.20"),
        (Decimal(0), True, "$0.00"),
        (Decimal("0.0004"), True, "$0.0004"),
        (Decimal("1234567.899"), True, "$1,234,567.89"),
        (Decimal("0.026"), True, "$0.026"),
        (Decimal("0.586"), False, "at least $0.586"),
        (Decimal("0.99999"), True, "$0.9999"),
    ],
)
def test_money_is_exact_and_says_what_it_does_not_know(
    amount: Decimal | None, complete: bool, words: str
) -> None:
    """Ruling 11: unknown is never nought, incomplete is *at least*, a known spend never reads as nothing."""
    assert money_text(amount, complete) == words


def test_counts_and_sizes() -> None:
    assert [tokens_text(n) for n in (812, 9_200, 412_000, 1_300_000)] == ["812", "9.2k", "412k", "1.3M"]
    assert [size_text(n) for n in (812, 9_200, 41_000_000)] == ["812 B", "9.2 kB", "41.0 MB"]


def test_times_are_of_the_given_zone() -> None:
    assert time_text(at(0), UTC) == "13:02"
    assert [day_text(at(-d * 86_400), at(0), UTC) for d in (0, 1, 2, 30)] == [
        "Today",
        "Yesterday",
        "Thu",
        "30 Oct",
    ]


def test_run_ids_are_shortened_for_the_eye_only() -> None:
    assert short_id(RunId("r-7f3c9b21aa")) == "r-7f3c"


@pytest.mark.parametrize("bad", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\ue000", "\u2028"])
def test_invisible_and_reordering_characters_are_shown_as_escapes(bad: str) -> None:
    shown = shown_plainly(f"rm {bad}tmp")
    assert bad not in shown
    assert (f"\\x{ord(bad):02x}" if ord(bad) < 256 else f"\\u{ord(bad):04x}") in shown


def test_ordinary_text_of_any_script_stays() -> None:
    assert shown_plainly("größer 你好 عربي\n\tx") == "größer 你好 عربي\n\tx"


def test_one_line_is_short_and_single() -> None:
    assert one_line("a\nb\t c") == "a b c"
    assert len(one_line("x" * 10_000, 50)) == 50
