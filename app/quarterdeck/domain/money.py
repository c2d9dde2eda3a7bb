"""Money as exact decimals, in US dollars (ruling 10: numbers count by their shortest decimal form)."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

ZERO = Decimal(0)
LARGEST_USD = Decimal(10) ** 9
"""A single reported figure above this is refused as nonsense."""
SMALLEST_EXPONENT = -18


def parse_usd(value: object) -> Decimal | None:
    """The amount that a string or JSON number says, exactly; None where it is no finite, sane, non-negative amount.

    A float counts by its shortest decimal form (`repr`), so 0.1 is Decimal("0.1"). Booleans are no amounts.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        return None
    text = repr(value) if isinstance(value, float) else str(value)
    try:
        amount = Decimal(text.strip())
    except InvalidOperation:
        return None
    if not amount.is_finite() or amount < 0 or amount > LARGEST_USD:
        return None
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and exponent < SMALLEST_EXPONENT:
        return None
    return amount


def usd_text(amount: Decimal | None) -> str | None:
    """Plain decimal text without exponent or trailing zeros, as it stands in files and JSON; None stays None."""
    if amount is None:
        return None
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text or "0"
