"""Counting what one attempt used: message ids once, cumulative figures by difference (rulings 10 and 11).

A message id counts once for each slot and agent session; a cumulative figure is a running total of the agent's session.
What earlier attempts of the slot already counted in that session is the `Baseline`; it travels in `launch.json`, so that
shim, engine and tests count the same.

Decisions where the pages leave room:
- A line that says no cost never unmakes a known cost that it replaces; it makes the sum incomplete.
- A field of a cumulative line that is absent or 0 was not told: that field stays. So an agent may give its cost as a
  running total and its tokens by message.
- A cumulative line `of` the attempt is a running total since the attempt began; nothing is taken from it.
- What cannot be told apart (`usage_limits`) counts together; a running total there only raises the sum, which is "at least".
- A cumulative figure below what the session had spent before is a counter that was set back: it counts whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple

from quarterdeck.domain.figures import ModelSpend, TokenCounts
from quarterdeck.domain.kept_facts import SESSIONS
from quarterdeck.domain.money import EXACT, ZERO, parse_usd_exact, usd_text
from quarterdeck.domain.usage_limits import OTHER_MODELS, ToldApart


class UsageLine(NamedTuple):
    """What one usage report says. `is_unknown`: it named no cost, whatever `cost` was kept from a line before."""

    model: str
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost: Decimal | None
    is_unknown: bool
    is_estimated: bool = False
    """`cost` was worked out from tokens and prices."""

    @property
    def tokens(self) -> tuple[int, int, int, int]:
        """The four kinds in order."""
        return self[1:5]


@dataclass(frozen=True, slots=True)
class SessionSpend:
    """What earlier attempts of a slot counted in one agent session."""

    messages: Mapping[str, UsageLine] = field(default_factory=dict)
    spent: Mapping[str, UsageLine] = field(default_factory=dict)
    """By model; exact sums."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """What earlier attempts of the same slot counted, by agent session."""

    sessions: Mapping[str, SessionSpend] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON for `launch.json`."""
        return {
            session: {
                "messages": {key: _line_to_json(line) for key, line in spend.messages.items()},
                "spent": {model: _line_to_json(line) for model, line in spend.spent.items()},
            }
            for session, spend in self.sessions.items()
        }

    @staticmethod
    def from_json(value: Mapping[str, Any] | None) -> Baseline:
        """Inverse of to_json; None or {} is no baseline. Raises KeyError or ValueError where it is neither."""
        return Baseline(
            {
                session: SessionSpend(
                    {key: _line_from_json(line) for key, line in spend["messages"].items()},
                    {model: _line_from_json(line) for model, line in spend["spent"].items()},
                )
                for session, spend in (value or {}).items()
            }
        )


EMPTY = Baseline()
_NO_SPEND = SessionSpend()


def _line_to_json(line: UsageLine) -> list[Any]:
    return [line.model, *line.tokens, usd_text(line.cost), line.is_unknown, line.is_estimated]


def _line_from_json(value: list[Any]) -> UsageLine:
    model, i, o, r, w, cost, is_unknown, *more = value  # an earlier version told no more
    tokens = (int(i), int(o), int(r), int(w))
    return UsageLine(str(model), *tokens, parse_usd_exact(cost), bool(is_unknown), any(more))


class ModelSum:
    """Running sum of one model: tokens by kind, known money, and how many of its parts are known, estimated, or not known."""

    __slots__ = ("cache_read", "cache_write", "cost", "estimated", "inputs", "known", "outputs", "unknown")

    def __init__(self) -> None:
        self.inputs = self.outputs = self.cache_read = self.cache_write = 0
        self.cost = ZERO
        self.known = self.estimated = self.unknown = 0

    def add(self, line: UsageLine) -> None:
        """Count a line."""
        self.inputs += line[1]
        self.outputs += line[2]
        self.cache_read += line[3]
        self.cache_write += line[4]
        if line[5] is not None:
            self.cost = EXACT.add(self.cost, line[5])
            self.known += 1
            self.estimated += line[7]
        if line[6]:
            self.unknown += 1

    def raise_to(self, line: UsageLine, base: UsageLine | None) -> None:
        """A running total of one of several that count together, less what all of them had spent before: at least that."""
        before = base.tokens if base is not None else (0, 0, 0, 0)
        self.inputs = max(self.inputs, line.input_tokens - before[0])
        self.outputs = max(self.outputs, line.output_tokens - before[1])
        self.cache_read = max(self.cache_read, line.cache_read_tokens - before[2])
        self.cache_write = max(self.cache_write, line.cache_write_tokens - before[3])
        if line.cost is not None:
            spent = base.cost if base is not None else None
            cost = line.cost if spent is None else EXACT.subtract(line.cost, spent)
            self.cost, self.known = max(self.cost, cost), max(1, self.known)
            self.estimated = max(self.estimated, line.is_estimated)
        self.unknown = max(1, self.unknown)

    def take_back(self, line: UsageLine, *, is_own: bool) -> None:
        """Uncount a line. One of an earlier attempt (not own) is a known correction: what follows counts the rest."""
        self.inputs -= line[1]
        self.outputs -= line[2]
        self.cache_read -= line[3]
        self.cache_write -= line[4]
        if line[5] is not None:
            self.cost = EXACT.subtract(self.cost, line[5])
            self.known += -1 if is_own else 1
            self.estimated -= line[7] and is_own
        if line[6]:
            self.unknown -= is_own

    def replace(self, line: UsageLine, base: UsageLine | None) -> None:
        """Set the sum to a running total less what the session had spent before."""
        before = base.tokens if base is not None and not _was_set_back(line, base) else (0, 0, 0, 0)
        spent = base.cost if base is not None and not _was_set_back(line, base) else None
        if line.input_tokens:
            self.inputs = line.input_tokens - before[0]
        if line.output_tokens:
            self.outputs = line.output_tokens - before[1]
        if line.cache_read_tokens:
            self.cache_read = line.cache_read_tokens - before[2]
        if line.cache_write_tokens:
            self.cache_write = line.cache_write_tokens - before[3]
        if line.cost is None:
            self.unknown = 1
        else:
            self.cost = line.cost if spent is None else EXACT.subtract(line.cost, spent)
            self.known, self.estimated, self.unknown = 1, int(line.is_estimated), 0

    @property
    def is_empty(self) -> bool:
        """Nothing was counted."""
        return not (
            self.known or self.unknown or self.inputs or self.outputs or self.cache_read or self.cache_write
        )

    @property
    def source(self) -> str:
        """Where its cost is from, as `FiguresTotals.cost_source`. A running total that the agent tells replaces what was
        estimated before.
        """
        if not self.known:
            return "unknown"
        return "mixed" if 0 < self.estimated < self.known else "estimated" if self.estimated else "reported"

    def as_line(self, model: str) -> UsageLine:
        """The sum as one line."""
        cost = self.cost if self.known else None
        return UsageLine(
            model,
            self.inputs,
            self.outputs,
            self.cache_read,
            self.cache_write,
            cost,
            bool(self.unknown),
            bool(self.estimated),
        )


def _was_set_back(line: UsageLine, base: UsageLine) -> bool:
    """Whether a running total fell below what was spent before; by money where both know it, else by tokens."""
    if line.cost is not None and base.cost is not None:
        return line.cost < base.cost
    return any(0 < now < before for now, before in zip(line.tokens, base.tokens, strict=True))


class SessionCount:
    """What one attempt counted in one agent session; in several together where `is_shared`."""

    __slots__ = ("_earlier", "_is_shared", "_told", "base", "messages", "models")

    def __init__(self, told: ToldApart, base: SessionSpend | None = None, *, is_shared: bool = False) -> None:
        self.base = base or _NO_SPEND
        self._told, self._is_shared = told, is_shared
        self._earlier = dict(self.base.messages)
        """Messages of earlier attempts that were not told again."""
        self.messages: dict[str, UsageLine] = {}
        self.models: dict[str, ModelSum] = {}

    def sum_of(self, model: str) -> ModelSum:
        """The model's sum, begun where there is none yet."""
        found = self.models.get(model)
        if found is None:
            found = self.models[model] = ModelSum()
        return found

    def count(self, line: UsageLine, message_id: str | None, is_cumulative: bool) -> None:
        """Take one usage line, its model named as it is told apart."""
        if is_cumulative and (self._is_shared or line.model == OTHER_MODELS):
            self.sum_of(line.model).raise_to(line, self.base.spent.get(line.model))
        elif is_cumulative:
            self.sum_of(line.model).replace(line, self.base.spent.get(line.model))
        elif message_id is not None:
            self._count_message(line, message_id)
        else:
            self.sum_of(line.model).add(line)

    def set_own(self, line: UsageLine) -> None:
        """Take a running total of this attempt alone: the program, or its adapter, counts from the attempt's beginning."""
        if self._is_shared or line.model == OTHER_MODELS:
            self.sum_of(line.model).raise_to(line, None)
        else:
            self.sum_of(line.model).replace(line, None)

    def _count_message(self, line: UsageLine, message_id: str) -> None:
        old = self.messages.get(message_id)
        is_own = old is not None
        if old is None:
            self._told.remember(self.messages, message_id)
            old = self._earlier.pop(message_id, None)
        if old is not None:
            self.sum_of(self._told.model(old.model)).take_back(old, is_own=is_own)
            if line.cost is None and old.cost is not None:
                line = line._replace(cost=old.cost, is_estimated=old.is_estimated)
        self.messages[message_id] = line
        self.sum_of(line.model).add(line)


def add_lines(a: UsageLine, b: UsageLine) -> UsageLine:
    """Exact sum of two lines of one model."""
    cost = a.cost if b.cost is None else b.cost if a.cost is None else EXACT.add(a.cost, b.cost)
    return UsageLine(
        a.model,
        a.input_tokens + b.input_tokens,
        a.output_tokens + b.output_tokens,
        a.cache_read_tokens + b.cache_read_tokens,
        a.cache_write_tokens + b.cache_write_tokens,
        cost,
        a.is_unknown or b.is_unknown,
        a.is_estimated or b.is_estimated,
    )


def merge_counts(counts: Iterable[tuple[str, SessionCount]]) -> Baseline:
    """The baseline that attempts leave, oldest first, as (agent session, count); within the limits of `kept_facts`."""
    sessions: dict[str, tuple[dict[str, UsageLine], dict[str, UsageLine]]] = {}
    told = ToldApart()
    for session, count in counts:
        messages, spent = sessions[session] = sessions.pop(session, ({}, {}))
        for model, total in count.models.items():
            line = total.as_line(told.model(model))
            spent[line.model] = add_lines(spent[line.model], line) if line.model in spent else line
        for message_id, message in count.messages.items():
            if message_id not in messages:
                told.remember(messages, message_id)
            messages[message_id] = message
        if len(sessions) > SESSIONS.count:
            del sessions[next(iter(sessions))]
    return Baseline({session: SessionSpend(*both) for session, both in sessions.items()})


def model_spend(line: UsageLine) -> ModelSpend:
    """A line as the value that figures carry."""
    return ModelSpend(line.model, line.cost, TokenCounts(*line.tokens))
