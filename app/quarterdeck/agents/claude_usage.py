"""What Claude Code spent in one attempt: tokens of each message as they come, money when it says its result.

Each call of the model that is not a sub-agent's is a turn, and the tokens of every call are told once it was answered whole, by the message's id, without a cost, so
that a cap can act on an estimate. The result outranks them: its `modelUsage` holds cost and tokens of every model,
also of calls that are never shown. It counts from the start of the process (2.1.197), or of the whole session over all resumes
(2.1.332, which then tells the difference as `model_usage_since_last_result`); so what is told here is always a total of this
attempt alone, and nothing depends on what a killed process could not save.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from quarterdeck.agents.lines_fields import COUNT_MAX, ID_CHARS_MAX
from quarterdeck.domain import reports
from quarterdeck.domain.money import EXACT, parse_usd, usd_text
from quarterdeck.domain.reports import Report

SYNTHETIC = "<synthetic>"
"""The model of what the program says itself."""
MODELS_MAX = 100
UNIT = Decimal("1e-10")
_RELEASE = re.compile(r"(?:-\d{8}|\[[^\]]*\])+$", re.ASCII)
_STREAM = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_RESULT = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
_OURS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")


class Spending:
    """The calls and results of one process."""

    def __init__(self) -> None:
        self.model = ""
        """As the program said at its start."""
        self._open: dict[str | None, tuple[str, str, dict[str, int]]] = {}
        """{sub-agent's call, None for itself: (message, model, tokens) that has begun}."""
        self._seen: set[str] = set()
        self._sums: dict[str, list[Any]] = {}
        """{model: [tokens…, cost]} of the results so far, where they tell differences."""

    def stream(self, event: Mapping[str, Any], parent: str | None) -> Iterator[Report]:
        """One event of a message that is being answered."""
        kind = event.get("type")
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            message_id = str(message.get("id") or "")[:ID_CHARS_MAX]
            self._open[parent] = (
                message_id,
                _name(message.get("model")),
                _tokens(message.get("usage"), _STREAM),
            )
            self._note(message_id)
            if parent is None:
                yield {"kind": reports.TURN}
        elif kind == "message_delta" and parent in self._open:
            message_id, model, tokens = self._open.pop(parent)
            tokens |= {name: n for name, n in _tokens(event.get("usage"), _STREAM).items() if n}
            yield _usage(model, tokens, message_id=message_id)

    def message(self, message: Mapping[str, Any], parent: str | None) -> Iterator[Report]:
        """A whole message; one whose events were told adds nothing."""
        message_id, model = str(message.get("id") or "")[:ID_CHARS_MAX], message.get("model")
        if model == SYNTHETIC or not message_id or message_id in self._seen:
            return
        self._note(message_id)
        if parent is None:
            yield {"kind": reports.TURN}
        yield _usage(_name(model), _tokens(message.get("usage"), _STREAM), message_id=message_id)

    def result(self, line: Mapping[str, Any]) -> Iterator[Report]:
        """The totals of this attempt, by model; where it names no model, its whole cost."""
        self._open.clear()
        since = line.get("model_usage_since_last_result")
        used = since if isinstance(since, dict) else line.get("modelUsage")
        models: dict[str, list[Any]] = {}
        for name, told in list((used if isinstance(used, dict) else {}).items())[:MODELS_MAX]:
            if isinstance(told, dict):
                _add(models, _name(name), told)
        if isinstance(since, dict):
            for name, sums in models.items():
                _join(self._sums.setdefault(name, [0, 0, 0, 0, None]), sums)
            models = self._sums
        for name, (*tokens, cost) in models.items():
            yield _usage(name, dict(zip(_OURS, tokens, strict=True)), cost=cost, is_total=True)
        if not models:
            # Where differences are told and there is none, `total_cost_usd` is what earlier attempts of the session spent.
            cost = Decimal(0) if isinstance(since, dict) else _money(line.get("total_cost_usd"))
            yield _usage(self.model, dict.fromkeys(_OURS, 0), cost=cost, is_total=True)

    def _note(self, message_id: str) -> None:
        if len(self._seen) >= 10_000:  # the newest come again, not the oldest
            self._seen.clear()
        self._seen.add(message_id)


def _usage(
    model: str,
    tokens: Mapping[str, int],
    *,
    message_id: str | None = None,
    cost: Any = None,
    is_total: bool = False,
) -> Report:
    report: Report = {
        "kind": reports.USAGE,
        **tokens,
        "cost_usd": usd_text(cost),
        "source": "unknown" if cost is None else "reported",
        "model": model,
        "message_id": message_id,
        "cumulative": is_total,
    }
    if is_total:
        report["of"] = "attempt"
    return report


def _tokens(told: object, names: tuple[str, ...]) -> dict[str, int]:
    get = told.get if isinstance(told, dict) else {}.get
    return {ours: _count(get(name)) for ours, name in zip(_OURS, names, strict=True)}


def _count(value: object) -> int:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= COUNT_MAX
    return value if is_count and isinstance(value, int) else 0


def _money(value: object) -> Decimal | None:
    """It adds binary fractions, so its last digits are noise; no price of a token is finer than UNIT."""
    amount = parse_usd(value)
    return None if amount is None else amount.quantize(UNIT, context=EXACT)


def _name(model: object) -> str:
    """The model without its release and notes: results and messages spell it differently."""
    return _RELEASE.sub("", model)[:ID_CHARS_MAX] if isinstance(model, str) else ""


def _add(models: dict[str, list[Any]], name: str, told: Mapping[str, Any]) -> None:
    tokens = _tokens(told, _RESULT)
    _join(models.setdefault(name, [0, 0, 0, 0, None]), [*tokens.values(), _money(told.get("costUSD"))])


def _join(into: list[Any], more: list[Any]) -> None:
    for index in range(4):
        into[index] += more[index]
    if more[4] is not None:
        into[4] = more[4] if into[4] is None else EXACT.add(into[4], more[4])
