"""Spend as rows that can be summed in any way: by day, agent, model, run. Pure; amounts are exact decimals (I5).

Rows come from lines of the ledger (what runs cost once they were recorded) or from a run's view (what it costs as it
stands). One run's rows come from one of the two, never from both: a view has everything that its lines have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quarterdeck.domain.figures import FiguresTotals, source_of
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import EXACT, parse_usd_exact
from quarterdeck.domain.views import RunView

HOUR_MS = 3_600_000
SPEND_KINDS = frozenset({"spend", "spend_late"})

Key = tuple[RunId, WorkflowId, str, str, str, int]


@dataclass(frozen=True, slots=True)
class SpendRow:
    """What one agent of one run spent on one model, counted to one hour.

    hour: hours since 1970 in UTC. cost_usd: sum of what is known, None where nothing is. complete: no part is unknown.
    """

    run: RunId
    workflow: WorkflowId
    agent: str
    agent_kind: str
    model: str
    hour: int
    cost_usd: Decimal | None
    complete: bool
    turns: int
    source: str = "reported"
    """As in `FiguresTotals.cost_source`."""


@dataclass(frozen=True, slots=True)
class SpendReport:
    """The whole ledger. `unread`: lines or places that could not be read; with any, sums are "at least"."""

    rows: tuple[SpendRow, ...] = ()
    unread: int = 0


class _Sums:
    def __init__(self) -> None:
        self._found: dict[Key, tuple[Decimal | None, bool, int, str]] = {}

    def add(self, key: Key, cost_usd: Decimal | None, complete: bool, turns: int, source: str) -> None:
        before, was_complete, had_turns, was_from = self._found.get(key, (None, True, 0, "none"))
        if cost_usd is not None:
            before = cost_usd if before is None else EXACT.add(before, cost_usd)
        is_whole = was_complete and complete and cost_usd is not None
        self._found[key] = (before, is_whole, had_turns + turns, source_of((was_from, source)))

    def rows(self) -> tuple[SpendRow, ...]:
        return tuple(SpendRow(*key, *value) for key, value in self._found.items())


def rows_of_lines(lines: Iterable[Mapping[str, Any]]) -> SpendReport:
    """The rows of ledger lines, each line given once; other kinds of lines are none of its business."""
    sums, unread = _Sums(), 0
    for line in lines:
        if line.get("kind") not in SPEND_KINDS:
            continue
        try:
            key = (
                RunId(str(line["run"])),
                WorkflowId(str(line["workflow"])),
                str(line["agent"]),
                str(line["agent_kind"]),
                str(line["model"]),
                int(line["hour"]),
            )
            cost_usd = parse_usd_exact(line["cost_usd"])
            complete, turns = bool(line["complete"]), int(line["turns"])
            source = str(line.get("source", "reported"))
        except (KeyError, TypeError, ValueError):
            unread += 1
            continue
        sums.add(key, cost_usd, complete, turns, source)
    return SpendReport(sums.rows(), unread)


def rows_of_view(view: RunView, now: Moment) -> tuple[SpendRow, ...]:
    """The rows of a run as it stands; what an agent that still works has spent counts to this hour."""
    sums = _Sums()
    for slot in view.slots:
        for attempt in slot.attempts:
            hour = (attempt.ended_at or now).wall_ms // HOUR_MS
            about = (view.run_id, view.workflow_id, attempt.agent, attempt.agent_kind)
            for figures in (attempt.figures, attempt.late):
                if figures is not None:
                    _add_figures(sums, about, hour, figures)
    return sums.rows()


def _add_figures(
    sums: _Sums, about: tuple[RunId, WorkflowId, str, str], hour: int, figures: FiguresTotals
) -> None:
    source = figures.cost_source
    if not figures.by_model:
        sums.add((*about, "", hour), figures.cost_usd, figures.cost_is_complete, figures.turns, source)
    for index, spend in enumerate(figures.by_model):
        turns = figures.turns if index == 0 else 0
        sums.add((*about, spend.model, hour), spend.cost_usd, figures.cost_is_complete, turns, source)


def joined(rows: Iterable[SpendRow], hour_of: Callable[[SpendRow], int]) -> tuple[SpendRow, ...]:
    """The same sums in fewer rows: runs and workflows are left out, hours are those of `hour_of`."""
    sums = _Sums()
    for row in rows:
        key = (RunId(""), WorkflowId(""), row.agent, row.agent_kind, row.model, hour_of(row))
        sums.add(key, row.cost_usd, row.complete, row.turns, row.source)
    return sums.rows()


@dataclass(frozen=True, slots=True)
class Total:
    """A sum: `cost_usd` None where no row is known, `complete` False where it is "at least"."""

    cost_usd: Decimal | None = None
    complete: bool = True
    turns: int = 0
    source: str = "none"
    """As of a row."""


def total(rows: Iterable[SpendRow]) -> Total:
    """Exact sum. No rows at all are a known nothing (complete)."""
    rows = tuple(rows)
    cost_usd: Decimal | None = None
    complete, turns = True, 0
    for row in rows:
        if row.cost_usd is not None:
            cost_usd = row.cost_usd if cost_usd is None else EXACT.add(cost_usd, row.cost_usd)
        complete = complete and row.complete
        turns += row.turns
    return Total(cost_usd, complete, turns, source_of(row.source for row in rows))
