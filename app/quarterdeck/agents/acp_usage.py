"""What an ACP agent says it used. Programs differ: tokens of a prompt or of a model call, by model or together, a cost or none.

Tokens are told apart for each prompt (or call) and add up; a cost is a running total of the agent's session, so it goes out as
cumulative, and what earlier attempts spent there is taken off by the fold. Both stand under one model: a total cannot be
divided, and tokens beside it must not be priced a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from quarterdeck.domain import reports
from quarterdeck.domain.money import parse_usd, usd_text
from quarterdeck.domain.reports import Report

COUNT_MAX = 10**15
MODELS_MAX = 50
NAMES = {
    "input_tokens": ("inputTokens", "input_tokens"),
    "output_tokens": ("outputTokens", "output_tokens"),
    "cache_read_tokens": (
        "cachedReadTokens",
        "cachedInputTokens",
        "cached_read_tokens",
        "cached_input_tokens",
    ),
    "cache_write_tokens": ("cachedWriteTokens", "cacheWriteInputTokens", "cached_write_tokens"),
}
"""{field of the report: what programs call it}."""
Tokens = dict[str, int]


class Usage:
    """The figures of one attempt, as they are told."""

    def __init__(self, model: str = "") -> None:
        self.model = model
        """The model at work, as far as the program named it."""
        self._cost_usd: str | None = None
        self.is_told_by_call = False
        """Whether each model call tells its own tokens: then those calls are the turns."""

    @property
    def has_cost(self) -> bool:
        """Whether the program told what its session cost."""
        return self._cost_usd is not None

    def of_chunk(self, meta: object) -> Iterator[Report]:
        """`_meta.usage` of a message: the tokens of one model call (Qwen)."""
        tokens = _tokens(meta.get("usage")) if isinstance(meta, dict) else None
        if tokens is not None:
            self.is_told_by_call = True
            yield from self._told({self.model: tokens})

    def of_update(self, update: Mapping[str, Any]) -> Iterator[Report]:
        """`usage_update`: the session's cost so far. The tokens it names say how full the context is, not what was used."""
        meta = update.get("_meta")
        if isinstance(meta, dict) and isinstance(named := meta.get("_claude/model"), str):
            self.model = named
        cost = update.get("cost")
        if not isinstance(cost, dict) or cost.get("currency") != "USD":
            return
        amount = usd_text(parse_usd(cost.get("amount")))
        if amount is not None and amount != self._cost_usd:
            self._cost_usd = amount
            yield self._cost()

    def of_answer(self, result: Mapping[str, Any]) -> Iterator[Report]:
        """The answer to a prompt: its tokens, by model where they are told apart."""
        if self.is_told_by_call:
            return
        by_model = _quota(result.get("_meta"))
        if not by_model:
            tokens = _tokens(result.get("usage"))
            by_model = {self.model: tokens} if tokens is not None else {}
        yield from self._told(by_model)

    def _told(self, by_model: Mapping[str, Tokens]) -> Iterator[Report]:
        """A cost that was told covers all of it: then the tokens stand together, and the total comes after them once more."""
        if self._cost_usd is None:
            for model, tokens in by_model.items():
                self.model = model or self.model
                yield _usage(self.model, tokens)
        elif by_model:
            yield _usage(self.model, {name: sum(t.get(name, 0) for t in by_model.values()) for name in NAMES})
            yield self._cost()

    def _cost(self) -> Report:
        return _usage(self.model, {}, cost_usd=self._cost_usd)


def nothing_known() -> Report:
    """Tokens that were used and never told: of no model that a price could be known of, so that the cost is “at least”."""
    return _usage("", {})


def is_without_call(result: Mapping[str, Any]) -> bool:
    """Whether a program that tells the tokens of each turn says that this one took none: no answer of the model was whole. Gemini
    ends such a turn as if all were well, with whatever had come.
    """
    meta = result.get("_meta")
    quota = meta.get("quota") if isinstance(meta, dict) else None
    counts = quota.get("token_count") if isinstance(quota, dict) else None
    return isinstance(counts, dict) and bool(counts) and not any(_count(n) for n in counts.values())


def _usage(model: str, tokens: Tokens, cost_usd: str | None = None) -> Report:
    return {
        "kind": reports.USAGE,
        **{name: tokens.get(name, 0) for name in NAMES},
        "cost_usd": cost_usd,
        "source": "unknown" if cost_usd is None else "reported",
        "model": model,
        "message_id": None,
        "cumulative": cost_usd is not None,
    }


def _quota(meta: object) -> dict[str, Tokens]:
    """`_meta.quota`, as several programs tell it: tokens by model, or together."""
    quota = meta.get("quota") if isinstance(meta, dict) else None
    listed = quota.get("model_usage") if isinstance(quota, dict) else None
    found: dict[str, Tokens] = {}
    for item in listed[:MODELS_MAX] if isinstance(listed, list) else []:
        if isinstance(item, dict) and (tokens := _tokens(item.get("token_count"))) is not None:
            found[str(item.get("model") or "")[:500]] = tokens
    return found


def _tokens(told: object) -> Tokens | None:
    """The counts that are there; None where nothing was used or nothing is told."""
    if not isinstance(told, dict):
        return None
    tokens = {
        name: next((n for key in keys if (n := _count(told.get(key)))), 0) for name, keys in NAMES.items()
    }
    return _apart(tokens, told) if any(tokens.values()) else None


def _apart(tokens: Tokens, told: Mapping[str, Any]) -> Tokens:
    """Each token under one name: some programs count cached ones among the input as well, or thoughts beside the output; the
    total that they give tells which.
    """
    total, thoughts = _count(told.get("totalTokens")), _count(told.get("thoughtTokens"))
    both = tokens["input_tokens"] + tokens["output_tokens"]
    cached = tokens["cache_read_tokens"] + tokens["cache_write_tokens"]
    if thoughts and total in (both + thoughts, both + thoughts + cached):
        tokens["output_tokens"] += thoughts
        both += thoughts
    if cached and total == both and tokens["input_tokens"] >= cached:
        tokens["input_tokens"] -= cached
    return tokens


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= COUNT_MAX:
        return 0
    return int(value)
