"""How times and money sound: words for screen readers, where the eye gets `15:31` and `$1.92`. Pure functions."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from quarterdeck.ui.words import CENT, count_text


def heard_duration(milliseconds: int) -> str:
    """`13 seconds`, `15 minutes`, `2 hours 5 minutes`, `3 days 4 hours`; rounded down."""
    seconds = max(0, milliseconds) // 1000
    if seconds < 60:
        return count_text(seconds, "second", "seconds")
    minutes = seconds // 60
    if minutes < 60:
        return count_text(minutes, "minute", "minutes")
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        rest = count_text(minutes, "minute", "minutes") if minutes else ""
        return f"{count_text(hours, 'hour', 'hours')} {rest}".rstrip()
    days, hours = divmod(hours, 24)
    rest = count_text(hours, "hour", "hours") if hours else ""
    return f"{count_text(days, 'day', 'days')} {rest}".rstrip()


def heard_money(amount: Decimal | None, complete: bool = True) -> str:
    """`1 dollar 92`, `12 dollars`, `4 cents`, `less than a cent`, `no cost`; `cost unknown` where nothing is known."""
    if amount is None:
        return "cost unknown"
    said = _amount(amount)
    return said if complete else f"at least {said}"


def _amount(amount: Decimal) -> str:
    if amount == 0:
        return "no cost"
    if amount < CENT:
        return "less than a cent"
    dollars, cents = divmod(int(amount.quantize(CENT, ROUND_HALF_UP) * 100), 100)
    if dollars == 0:
        return count_text(cents, "cent", "cents")
    whole = count_text(dollars, "dollar", "dollars")
    return f"{whole} {cents:02d}" if cents else whole
