"""Money as exact decimals, in US dollars (ruling 10: numbers count by their shortest decimal form)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation

ZERO = Decimal(0)
EXACT = Context(prec=100)
"""Sums and differences are taken with this context: 100 digits hold every sum of sane figures without rounding (I5)."""
_PLAIN_AMOUNT = re.compile(r"-?[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?", re.ASCII)
"""Decimal reads more than that as a number: underscores and the digits of every script."""
LARGEST_USD = Decimal(10) ** 9
"""A single reported figure above this is refused as nonsense."""
SMALLEST_EXPONENT = -40
"""Floats of small amounts have many decimals (0.0018244500000000002 has nineteen); beyond forty it is nonsense."""


def parse_usd(value: object) -> Decimal | None:
    """The amount that a string or JSON number says, exactly; None where it is no finite, sane, non-negative amount.

    A float counts by its shortest decimal form (`repr`), so 0.1 is Decimal("0.1"). Booleans are no amounts.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        return None
    text = (repr(value) if isinstance(value, float) else str(value)).strip()
    if not _PLAIN_AMOUNT.fullmatch(text):
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    if not amount.is_finite() or amount < 0 or amount > LARGEST_USD:
        return None
    exponent = amount.as_tuple().exponent
    if isinstance(exponent, int) and exponent < SMALLEST_EXPONENT:
        return None
    return amount


def parse_usd_exact(text: str | None) -> Decimal | None:
    """Inverse of usd_text, for amounts that we wrote ourselves; a correction may be negative. Raises ValueError."""
    if text is None:
        return None
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"{text!r} is no amount of money") from error


def usd_text(amount: Decimal | None) -> str | None:
    """Plain decimal text without exponent or trailing zeros, as it stands in files and JSON; None stays None."""
    if amount is None:
        return None
    text = format(amount, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text or "0"


def shown_usd(amount: Decimal) -> str:
    """An amount as people read it, in terminal and window alike: `$3.21`, `$0.0264`, `$0.0000013`, `$1,234.50`.

    Cut off, never rounded up (JNL5): from a dollar on to cents, below to four decimals, and always to the first two
    digits that are not nought, so that a known spend never reads as nothing. JSON and files hold every digit.
    """
    places = 2 if abs(amount) >= 1 else max(4, 1 - amount.adjusted()) if amount else 2
    cut = amount.quantize(Decimal(1).scaleb(-places), ROUND_FLOOR, EXACT)
    whole, _, rest = f"{abs(cut):,f}".partition(".")
    return f"{'-' if cut < 0 else ''}${whole}.{rest.rstrip('0').ljust(2, '0')}"


def sum_known(amounts: Iterable[Decimal | None]) -> Decimal | None:
    """Exact sum of the known amounts; None where none is known (ruling 11), also for no amounts at all."""
    total: Decimal | None = None
    for amount in amounts:
        if amount is not None:
            total = amount if total is None else EXACT.add(total, amount)
    return total
