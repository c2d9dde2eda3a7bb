"""What the reports of an attempt say that it spent, counted anew (rulings 9–11). Imports nothing of the product."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.scenarios.naive_runs import Fact, Tried

TOLD_BY_FREE = {"command", "practice"}
"""Kinds of agents that cost a known nothing as long as they tell no usage (ruling 11)."""


def amount_of(report: Fact) -> Decimal:
    return Decimal(report["cost_usd"])


def _is_free(tried: Tried) -> bool:
    return tried.kind in TOLD_BY_FREE or not any(r["kind"] == "started" for r in tried.heard())


def usage_of(
    tried: Tried, reports: list[Fact], messages: dict[tuple[str, str], Decimal]
) -> tuple[list[Decimal], bool]:
    """Amounts that this attempt told, a message id once in its agent's session, a running total by its last figure."""
    usage = [r for r in reports if r["kind"] == "usage"]
    if not usage:
        free = _is_free(tried)
        return ([Decimal(0)] if free else []), free
    session = next((r["id"] for r in reports if r["kind"] == "session"), tried.id)
    amounts: list[Decimal] = []
    total: Decimal | None = None
    for r in usage:
        if r["cost_usd"] is None:
            continue
        if r["cumulative"]:
            total, amounts = amount_of(r), []
        elif r["message_id"] is not None:
            messages[session, r["message_id"]] = amount_of(r)
        else:
            amounts.append(amount_of(r))
    known = any(r["cost_usd"] is not None for r in usage)
    complete = known and all(r["cost_usd"] is not None for r in usage) and not _in_flight(tried, reports)
    return amounts + ([total] if total is not None else []), complete


def _in_flight(tried: Tried, reports: list[Fact]) -> bool:
    """A turn began whose usage never came, and the agent did not end well by itself."""
    marks = [r["kind"] for r in reports if r["kind"] in ("turn", "usage")]
    if not marks or marks[-1] == "usage":
        return False
    within = reports if tried.upto is None else reports[: tried.upto]
    over = next((r for r in reversed(within) if r["kind"] == "exit"), None)
    return over is None or over["after_ending"] or over["code"] != 0
