"""Totals of one attempt: the value that `exit`, `exit.json`, AttemptEnded and every view carry.

The fold that makes them from reports is in `domain.reports_fold`; this module is only their shape.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal


def source_of(sources: Iterable[str]) -> str:
    """Where a sum of costs is from, by where its parts are: `mixed` where some of it is an estimate and some is not. What is
    unknown adds nothing to the sum, and a known nothing is from nowhere.
    """
    parts = set(sources)
    known = parts & {"reported", "estimated", "mixed"}
    if not known:
        return "unknown" if "unknown" in parts else "none"
    return known.pop() if len(known) == 1 else "mixed"


@dataclass(frozen=True, slots=True)
class TokenCounts:
    """Tokens by kind; cache tokens are not part of input_tokens here."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0

    def __add__(self, other: TokenCounts) -> TokenCounts:
        return TokenCounts(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
        )


@dataclass(frozen=True, slots=True)
class ModelSpend:
    """What one model cost within an attempt; `model` is empty where the agent named none."""

    model: str
    cost_usd: Decimal | None
    tokens: TokenCounts


@dataclass(frozen=True, slots=True)
class FiguresTotals:
    """Folded figures of one attempt up to a report sequence (I5: exact decimals).

    cost_usd: sum of what is known, None when nothing is known (ruling 11). cost_is_complete: False when a part is
    unknown or a call was in flight. cost_source: `reported`, `estimated`, `mixed`, `unknown`, or `none` (a command
    agent that reports no usage costs a known 0).
    """

    turns: int = 0
    tokens: TokenCounts = TokenCounts()
    cost_usd: Decimal | None = None
    cost_is_complete: bool = False
    cost_source: str = "unknown"
    by_model: tuple[ModelSpend, ...] = ()
    late: bool = False
    beyond: tuple[str, ...] = ()
    """Limits of `usage_limits` that were passed: what is beyond is counted, and not told apart."""

    @property
    def is_unpriced(self) -> bool:
        """Tokens were told, no cost for them, and no price is known: a spending limit cannot act on it (case 88)."""
        unpriced = [one for one in self.by_model if one.cost_usd is None and one.tokens != TokenCounts()]
        return bool(unpriced) or (self.cost_usd is None and self.tokens != TokenCounts())
