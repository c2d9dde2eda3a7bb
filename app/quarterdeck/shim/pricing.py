"""Cost from tokens, by the prices that the launch carried (ruling 23). Pure; exact decimals; always an estimate.

A price is {"input", "output", "cache_read", "cache_write"} in US dollars per million tokens, and may have `above`: for calls
with more input than `tokens` the prices of all its tokens. A running total is of many calls, so the lowest prices count there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from quarterdeck.domain.money import EXACT, parse_usd, usd_text
from quarterdeck.domain.reports import Report

PRICE_KEYS = {
    "input_tokens": "input",
    "output_tokens": "output",
    "cache_read_tokens": "cache_read",
    "cache_write_tokens": "cache_write",
}
MILLION = Decimal(1_000_000)
_DATE_OR_NOTE = re.compile(r"(?:\[[^\]]*\]|[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))+$", re.ASCII)
"""What programs add to the name of a model: a date of release, `latest`, `[1m]`."""


def with_cost(usage: Report, prices: Mapping[str, Mapping[str, Any]]) -> Report:
    """The usage report with an estimated cost where the agent gave none and every price it needs is known."""
    if usage["cost_usd"] is not None:
        return usage
    price = price_of(usage["model"] or "", prices)
    if price is None:
        return usage
    price = _for_size(usage, price)
    total = Decimal(0)
    for field, key in PRICE_KEYS.items():
        per_million = parse_usd(price.get(key))
        if usage[field] and per_million is None:
            return usage
        cost = EXACT.divide(EXACT.multiply(Decimal(usage[field]), per_million or Decimal(0)), MILLION)
        total = EXACT.add(total, cost)
    return {**usage, "cost_usd": usd_text(total), "source": "estimated"}


def price_of(model: str, prices: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The price of a model as an agent names it: as it is, else without its maker, case, date and notes; None unknown."""
    found = prices.get(model)
    if found is None and model:
        name = model.lower().rpartition("/")[2]
        found = prices.get(name) or prices.get(_DATE_OR_NOTE.sub("", name))
    return found


def _for_size(usage: Report, price: Mapping[str, Any]) -> Mapping[str, Any]:
    """The prices that hold for a call of that size."""
    steps = price.get("above")
    if not isinstance(steps, list) or usage.get("cumulative"):
        return price
    told = sum(usage[field] for field in PRICE_KEYS if field != "output_tokens")
    for step in steps:
        if told > step["tokens"]:
            price = step
    return price
