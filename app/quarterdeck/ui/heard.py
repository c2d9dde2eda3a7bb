"""How times and money sound: words for screen readers, where the eye gets `15:31` and `$1.92`. Pure functions."""

from __future__ import annotations

from decimal import Decimal

from quarterdeck.ui.language import Texts

tr = Texts("Heard")

CENT = Decimal("0.01")


def heard_duration(milliseconds: int, *, is_least: bool = False) -> str:
    """`13 seconds`, `15 minutes`, `2 hours 5 minutes`, `3 days 4 hours`; rounded down. `at least 13 seconds`."""
    said = _duration(milliseconds)
    return tr("at least {duration}", duration=said) if is_least else said


def _duration(milliseconds: int) -> str:
    seconds = max(0, milliseconds) // 1000
    if seconds < 60:
        return tr.count("{n} seconds", "{n} second", seconds)
    minutes = seconds // 60
    if minutes < 60:
        return tr.count("{n} minutes", "{n} minute", minutes)
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        rest = tr.count("{n} minutes", "{n} minute", minutes)
        whole = tr.count("{n} hours", "{n} hour", hours)
        return tr("{hours} {minutes}", hours=whole, minutes=rest) if minutes else whole
    days, hours = divmod(hours, 24)
    rest = tr.count("{n} hours", "{n} hour", hours)
    whole = tr.count("{n} days", "{n} day", days)
    return tr("{days} {hours}", days=whole, hours=rest) if hours else whole


def heard_money(amount: Decimal | None, complete: bool = True, source: str = "reported") -> str:
    """`1 dollar 92`, `12 dollars`, `4 cents`, `less than a cent`, `no cost`; `cost unknown` where nothing is known;
    `12 dollars, an estimate`.
    """
    if amount is None:
        return tr("cost unknown")
    said = _amount(amount)
    said = said if complete else tr("at least {amount}", amount=said)
    return tr("{amount}, an estimate", amount=said) if source in ("estimated", "mixed") else said


def _amount(amount: Decimal) -> str:
    if amount == 0:
        return tr("no cost")
    if amount < CENT:
        return tr("less than a cent")
    dollars, cents = divmod(int(amount * 100), 100)  # cut off: never more than is known (JNL5)
    if dollars == 0:
        return tr.count("{n} cents", "{n} cent", cents)
    whole = tr.count("{n} dollars", "{n} dollar", dollars)
    return f"{whole} {cents:02d}" if cents else whole
