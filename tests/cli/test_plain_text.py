"""Foreign text on a terminal: nothing of it can move the cursor, hide or reorder what a person reads."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.cli import plain_text


@pytest.mark.parametrize(
    ("foreign", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[2J\x07", "\\x1b[2J\\x07"),
        ("a\r\nb", "a\\r\\nb"),
        ("pay \u202ereversed", "pay \\u202ereversed"),
        ("zero\u200bwidth\u2066", "zero\\u200bwidth\\u2066"),
        ("\x9b31m", "\\x9b31m"),
        ("line\u2028sep", "line\\u2028sep"),
        ("naïve 日本 ✓", "naïve 日本 ✓"),
        ("lone \udc80", "lone \\udc80"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_could_fool_a_reader_is_escaped(foreign: str, shown: str) -> None:
    assert plain_text.escaped(foreign) == shown


@given(st.text())
def test_no_control_character_survives(text: str) -> None:
    forbidden = {
        *map(chr, range(32)),
        *map(chr, range(0x7F, 0xA0)),
        *"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
    }
    assert not forbidden & set(plain_text.escaped(text))
    assert not (forbidden - {"\n", "\t"}) & set(plain_text.escaped_lines(text))


def test_transcript_text_keeps_its_lines_and_loses_its_colours() -> None:
    assert plain_text.escaped_lines("\x1b[31mred\x1b[0m\r\n10%\r20%\n\x1b]0;title\x07") == (
        "red\n10%\n20%\n\\x1b]0;title\\x07"
    )


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("✓", 1), ("한글 ok", 7)]
)
def test_width_counts_columns_not_characters(text: str, columns: int) -> None:
    assert plain_text.width(text) == columns


@given(st.text(), st.integers(0, 40))
def test_padded_text_fills_exactly_its_columns(text: str, columns: int) -> None:
    safe = plain_text.escaped(text)
    assert plain_text.width(plain_text.padded(safe, columns)) == columns


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0s"),
        (59_999, "59s"),
        (60_000, "1m 00s"),
        (1_024_000, "17m 04s"),
        (7_500_000, "2h 05m"),
        (273_600_000, "3d 04h"),
    ],
)
def test_durations_in_words(ms: int, text: str) -> None:
    assert plain_text.duration_text(ms) == text


def test_money_keeps_every_digit_and_unknown_is_never_zero() -> None:
    assert plain_text.money_text(Decimal("0.0000000000013"), is_complete=True) == "$0.0000000000013"
    assert plain_text.money_text(Decimal("1.50"), is_complete=False) == "at least $1.50"
    assert plain_text.money_text(None, is_complete=False) == "unknown"


def test_a_table_escapes_its_cells_and_fits_its_width() -> None:
    text = plain_text.table(("A", "B"), [("x\x1b[1m", "日" * 50), ("longer", "y")], 30)
    assert "\x1b" not in text
    assert all(plain_text.width(line) <= 30 for line in text.splitlines())
    assert text.splitlines()[2].startswith("longer")
