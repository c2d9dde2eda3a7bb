"""Money as exact decimals; moments as text (ruling 10)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import hypothesis.strategies as st
import pytest
from hypothesis import given

from quarterdeck.domain.moment import Moment, duration_ms, iso_utc
from quarterdeck.domain.money import parse_usd, parse_usd_exact, shown_usd, sum_known, usd_text


@given(st.floats(1e-15, 1e8))
def test_a_float_counts_by_its_shortest_decimal_form(number: float) -> None:
    """Ruling 10; also where that form has more than eighteen decimals, as running totals of real programs have."""
    assert parse_usd(number) == Decimal(repr(number))
    assert parse_usd(0.0018244500000000002) == Decimal("0.0018244500000000002")


def test_amounts_are_read_exactly_or_not_at_all() -> None:
    good = {
        "0.1": "0.1",
        " 2.50 ": "2.5",
        3: "3",
        0.1: "0.1",
        "1E2": "100",
        "0": "0",
        "0.000000000000000001": None,
    }
    for given_, text in good.items():
        amount = parse_usd(given_)
        assert amount is not None
        if text is not None:
            assert usd_text(amount) == text
    for bad in (
        "",
        "NaN",
        "-0.01",
        "inf",
        True,
        None,
        [],
        "1e10",
        "1e-41",
        "0x1",
        "1,5",
        "1_000",
        "\u0661",
        ".",
    ):
        assert parse_usd(bad) is None, bad


@given(st.decimals(-(10**9), 10**9, allow_nan=False, places=9))
def test_text_of_money_is_plain_and_reads_back_equal(amount: Decimal) -> None:
    text = usd_text(amount)
    assert text is not None
    assert "E" not in text
    assert parse_usd_exact(text) == amount


@given(st.decimals(0, 10**6, allow_nan=False, allow_infinity=False, places=12))
def test_money_is_shown_as_never_more_than_is_known_and_never_as_nothing(amount: Decimal) -> None:
    """JNL5."""
    shown = Decimal(shown_usd(amount).removeprefix("$").replace(",", ""))
    assert shown <= amount
    assert (shown == 0) is (amount == 0)
    assert amount - shown < max(Decimal("0.0001"), amount / 10) or amount >= 1
    assert amount - shown < Decimal("0.01")


def test_unknown_money_is_none_and_never_zero() -> None:
    assert usd_text(None) is None
    assert parse_usd_exact(None) is None
    assert sum_known([]) is None
    assert sum_known([None, None]) is None
    assert sum_known([None, Decimal("0.1"), Decimal("0.2")]) == Decimal("0.3")
    with pytest.raises(ValueError, match="no amount"):
        parse_usd_exact("much")


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_moments_are_told_in_utc_with_milliseconds(when: datetime) -> None:
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    exact = when.replace(tzinfo=UTC, microsecond=when.microsecond // 1000 * 1000)
    wall_ms = (exact - epoch) // timedelta(milliseconds=1)
    expected = exact.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert iso_utc(wall_ms) == expected


def test_a_duration_goes_by_the_boot_clock_and_never_below_zero() -> None:
    """LSE5."""
    assert duration_ms(Moment("b", 10, 500), Moment("b", 40, 100)) == 30
    assert duration_ms(Moment("b", 10, 500), Moment("c", 4, 900)) == 400
    assert duration_ms(Moment("b", 40, 0), Moment("b", 10, 0)) == 0
