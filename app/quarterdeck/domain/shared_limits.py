"""Limits of spending beyond one run: of all runs of a workflow together, and of the night (all runs since a time of day). Pure.

They are a person's settings, so no pin: they hold for runs that are live when they are set, too (ADR 0095). Practice agents
cost nothing, so they add nothing. Amounts are US dollars.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType

from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.figures import source_of
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.money import EXACT, ZERO

NIGHT_FROM = "18:00"
_TIME_OF_DAY = re.compile(r"([01]\d|2[0-3]):([0-5]\d)", re.ASCII)
HOUR_MS = 3_600_000


@dataclass(frozen=True, slots=True)
class SharedLimits:
    """What a person set; None is no limit. night_from: `HH:MM`, local time of this computer."""

    night_usd: Decimal | None = None
    night_from: str = NIGHT_FROM
    workflows: Mapping[WorkflowId, Decimal] = field(default_factory=lambda: MappingProxyType({}))

    def with_workflow(self, workflow: WorkflowId, limit_usd: Decimal | None) -> SharedLimits:
        """With another limit for one workflow; None takes it away."""
        workflows = {name: limit for name, limit in self.workflows.items() if name != workflow}
        return replace(self, workflows=workflows if limit_usd is None else workflows | {workflow: limit_usd})

    @property
    def is_none(self) -> bool:
        """Nothing is limited."""
        return self.night_usd is None and not self.workflows


def minute_of_day(text: str) -> int | None:
    """Minutes since midnight of `HH:MM`; None where it is no time of day."""
    found = _TIME_OF_DAY.fullmatch(text)
    return int(found[1]) * 60 + int(found[2]) if found else None


@dataclass(frozen=True, slots=True)
class Part:
    """What one attempt or a whole run adds to a sum. ended_ms: by the wall clock, None while it lives."""

    run: RunId
    workflow: WorkflowId
    ended_ms: int | None
    cost_usd: Decimal | None
    complete: bool
    source: str = "reported"
    """As in `FiguresTotals.cost_source`."""


@dataclass(frozen=True, slots=True)
class Sum:
    """An exact sum of parts. complete: no part is unknown; source: as of a part."""

    cost_usd: Decimal = ZERO
    complete: bool = True
    source: str = "none"

    def plus(self, part: Part | Sum) -> Sum:
        """With one more."""
        return Sum(
            EXACT.add(self.cost_usd, part.cost_usd or ZERO),
            self.complete and part.complete and part.cost_usd is not None,
            source_of((self.source, part.source)),
        )


@dataclass(frozen=True, slots=True)
class Standing:
    """How one shared limit stands now. since_ms: when the night began by the wall clock; None for a workflow's limit."""

    scope: Shared
    workflow: WorkflowId | None
    limit_usd: Decimal
    spent: Sum
    since_ms: int | None = None

    @property
    def is_spent(self) -> bool:
        """Whether it is reached: nothing more is claimed, and what runs under it ends."""
        return self.spent.cost_usd >= self.limit_usd

    @property
    def left_usd(self) -> Decimal:
        """Never below 0."""
        return max(ZERO, EXACT.subtract(self.limit_usd, self.spent.cost_usd))

    @property
    def key(self) -> tuple[Shared, WorkflowId | None, Decimal, int | None]:
        """One for each limit: a raised one, and that of another night, is another."""
        return self.scope, self.workflow, self.limit_usd, self.since_ms


@dataclass(frozen=True, slots=True)
class SharedSpending:
    """Every shared limit and how it stands. fault: why the limits cannot be told, in words; empty where they can. `limits` are
    the last that could be told.
    """

    standings: tuple[Standing, ...] = ()
    fault: str = ""
    limits: SharedLimits = SharedLimits()

    def of(self, scope: Shared, workflow: WorkflowId | None = None) -> Standing | None:
        """How one stands; None where there is no such limit."""
        fitting = (one for one in self.standings if one.scope is scope and one.workflow == workflow)
        return next(fitting, None)


class Books:
    """Sums of what is recorded, by run, so that a live run can be taken out again: it is counted as it stands."""

    def __init__(self, parts: Iterable[Part], since_ms: int | None) -> None:
        self.since_ms = since_ms
        self._by_workflow: dict[WorkflowId, dict[RunId, Sum]] = {}
        self._night: dict[RunId, Sum] = {}
        for part in parts:
            runs = self._by_workflow.setdefault(part.workflow, {})
            runs[part.run] = runs.get(part.run, Sum()).plus(part)
            if self.is_of_night(part):
                self._night[part.run] = self._night.get(part.run, Sum()).plus(part)

    def is_of_night(self, part: Part) -> bool:
        """An attempt counts to the night in which it ended, whole; one that lives counts to this one."""
        if self.since_ms is None:
            return False
        return part.ended_ms is None or part.ended_ms >= self.since_ms

    def standings(self, limits: SharedLimits, live: Iterable[Part]) -> tuple[Standing, ...]:
        """Every limit, the night's first. live: every attempt of live runs; what is recorded of such a run does not count."""
        parts = tuple(live)
        are_live = {part.run for part in parts}
        found = []
        if limits.night_usd is not None and self.since_ms is not None:
            spent = _sum(self._night, are_live, filter(self.is_of_night, parts))
            found.append(Standing(Shared.NIGHT, None, limits.night_usd, spent, self.since_ms))
        for workflow, limit in sorted(limits.workflows.items()):
            recorded = self._by_workflow.get(workflow, {})
            spent = _sum(recorded, are_live, (part for part in parts if part.workflow == workflow))
            found.append(Standing(Shared.WORKFLOW, workflow, limit, spent))
        return tuple(found)


def _sum(recorded: Mapping[RunId, Sum], are_live: set[RunId], live: Iterable[Part]) -> Sum:
    total = Sum()
    for run, spent in recorded.items():
        if run not in are_live:
            total = total.plus(spent)
    for part in live:
        total = total.plus(part)
    return total
