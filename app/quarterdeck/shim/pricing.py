"""Cost from tokens, by the prices that the launch carried (ruling 23). Pure; exact decimals."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from quarterdeck.domain.money import EXACT, parse_usd, usd_text
from quarterdeck.domain.reports import Report

PRICE_KEYS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
}
MILLION = Decimal(1_000_000)


def with_cost(usage: Report, prices: Mapping[str, Mapping[str, str]]) -> Report:
    """The usage report with an estimated cost where the agent gave none and every price it needs is known."""
    if usage["cost_usd"] is not None:
        return usage
    price = prices.get(usage["model"])
    if price is None:
        return usage
    total = Decimal(0)
    for field, key in PRICE_KEYS.items():
        per_million = parse_usd(price.get(key))
        if usage[field] and per_million is None:
            return usage
        cost = EXACT.divide(EXACT.multiply(Decimal(usage[field]), per_million or Decimal(0)), MILLION)
        total = EXACT.add(total, cost)
    return {**usage, "cost_usd": usd_text(total), "source": "estimated"}
