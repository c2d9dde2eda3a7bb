"""The page *Timeline and spend*: figures, spend per day, runs. Pure functions of rows, summaries, views; sums are exact.

A run whose view is known counts by its view, so live runs are in every sum; every other run counts by the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import StrEnum

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import EXACT, ZERO
from quarterdeck.domain.practice import PRACTICE
from quarterdeck.domain.spend_rows import HOUR_MS, SpendReport, SpendRow, joined, rows_of_view, total
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.language import Texts
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.present import Known
from quarterdeck.ui.present_cards import Card, cards
from quarterdeck.ui.present_money import practice_text, run_money
from quarterdeck.ui.run_time import ran_text
from quarterdeck.ui.silence import run_badge_at
from quarterdeck.ui.words import (
    day_name,
    day_text,
    local_time,
    money_text,
    month_name,
    one_line,
    short_id,
    time_text,
)

tr = Texts("PresentSpend")

WORKFLOW_SHOWN_MAX = 60

DAYS_BY_DAY_MAX = 62
GROUPS_MAX = 5
OTHERS = tr.later("others")
LINES_MAX = 2_000
"""Rows of the table of runs; sums and figures are of all."""


class Group(StrEnum):
    """What the bars of spend are made of."""

    KIND = "agent program"
    AGENT = "agent"
    MODEL = "model"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The filters of the page; None: all. `days` counts today."""

    workflow: WorkflowId | None = None
    days: int | None = 14
    kind: str | None = None
    group: Group = Group.KIND


@dataclass(frozen=True, slots=True)
class SpendBar:
    """One day (or month): an amount for each group, in the groups' order, and the whole."""

    key: date
    label: str
    name: str
    parts: tuple[Decimal, ...]
    cost_usd: Decimal
    complete: bool
    source: str = "reported"

    @property
    def spoken(self) -> str:
        """The bar in words."""
        return f"{self.name}: {money_text(self.cost_usd, self.complete, self.source)}"


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run of the table."""

    key: RunId
    short: str
    badge: Badge
    started: str
    time: str
    turns: str
    spend: str
    workflow: str


@dataclass(frozen=True, slots=True)
class Workflows:
    """A workflow that can be chosen."""

    id: WorkflowId
    name: str


@dataclass(frozen=True, slots=True)
class SpendFacts:
    """Everything that the page shows but the timeline."""

    cards: tuple[Card, ...]
    title: str
    groups: tuple[str, ...]
    bars: tuple[SpendBar, ...]
    lines: tuple[RunLine, ...]
    workflows: tuple[Workflows, ...]
    kinds: tuple[str, ...]
    note: str
    """What is not known of the sums, in words; empty where all is."""


def merged_rows(report: SpendReport, views: Iterable[RunView], now: Moment) -> tuple[SpendRow, ...]:
    """The ledger's rows, with those of runs whose view is known taken from the view: no part counts twice."""
    known = {view.run_id: view for view in views}
    kept = [row for row in report.rows if row.run not in known]
    return tuple(kept + [row for view in known.values() for row in rows_of_view(view, now)])


def spend_facts(
    known: Known,
    report: SpendReport,
    waits: Mapping[RunId, tuple[Wait, ...]],
    chosen: Chosen,
    now: Moment,
    zone: tzinfo | None = None,
    memo: Memo | None = None,
) -> SpendFacts:
    """Everything of the page for these filters at this moment. `memo` saves work and changes nothing."""
    memo = memo if memo is not None else Memo()
    days = _Days(now, zone)
    first = _first(chosen, days)
    viewed = frozenset(known.views)
    base = memo.value(
        "ledger", (report, viewed, chosen, days.today), lambda: _base(report, viewed, chosen, first, days)
    )
    fresh = [row for view in known.views.values() for row in rows_of_view(view, now)]
    told = base.rows + tuple(r for r in fresh if _fits(r, chosen, first, days))
    rows = tuple(r for r in told if _is_summed(r, chosen))
    runs = _runs(known, base, fresh, chosen, first, days)
    bars, groups, title = _bars(rows, chosen, first, days)
    shown = days.range(first, [bar.key for bar in bars])
    row_days = [days.of(row.hour) for row in rows]
    return SpendFacts(
        cards=cards(runs, rows, report.unread, waits, now, row_days, days.of_moment, shown),
        title=title,
        groups=groups,
        bars=bars,
        lines=tuple(_kept_line(run, now, zone, days.today, memo) for run in runs[:LINES_MAX]),
        workflows=_workflows(known),
        kinds=tuple(sorted({k for k in base.kinds | {r.agent_kind for r in fresh} if k})),
        note=_note(report, told, chosen),
    )


def export_rows(
    known: Known, report: SpendReport, chosen: Chosen, now: Moment, zone: tzinfo | None = None
) -> tuple[SpendRow, ...]:
    """The rows behind the sums of these filters, run by run: what is exported. Practice is left out, as it is of the sums."""
    days = _Days(now, zone)
    first = _first(chosen, days)
    rows = merged_rows(report, known.views.values(), now)
    return tuple(r for r in rows if _fits(r, chosen, first, days) and _is_summed(r, chosen))


def run_lines(known: Known, now: Moment, zone: tzinfo | None = None) -> tuple[RunLine, ...]:
    """Every known run, newest first, as the table of runs shows it."""
    runs = (known.views.get(run.run_id) or run for run in known.runs[:LINES_MAX])
    return tuple(_line(run, now, zone) for run in runs)


def _is_summed(row: SpendRow, chosen: Chosen) -> bool:
    """What practice agents pretended is summed only where nothing else is."""
    return (row.agent_kind == PRACTICE) is (chosen.kind == PRACTICE)


@dataclass(frozen=True, slots=True)
class _Base:
    """What the ledger tells of runs whose view is not known, with the filters taken."""

    rows: tuple[SpendRow, ...]
    kinds: frozenset[str]
    having: frozenset[RunId]
    """Runs with the chosen agents."""


def _base(
    report: SpendReport, viewed: frozenset[RunId], chosen: Chosen, first: date | None, days: _Days
) -> _Base:
    hours: dict[date, int] = {}
    kept = [row for row in report.rows if row.run not in viewed]
    rows = joined(
        (row for row in kept if _fits(row, chosen, first, days)),
        lambda row: hours.setdefault(days.of(row.hour), row.hour),
    )
    having = frozenset(row.run for row in kept if row.agent_kind == chosen.kind)
    return _Base(rows, frozenset(row.agent_kind for row in kept), having)


def _first(chosen: Chosen, days: _Days) -> date | None:
    return days.today - timedelta(days=chosen.days - 1) if chosen.days is not None else None


def _kept_line(
    run: RunSummary | RunView, now: Moment, zone: tzinfo | None, today: date, memo: Memo
) -> RunLine:
    tick = now.boot_ms // 1000 if run.is_live else today
    return memo.value(("line", run.run_id), (run, tick), lambda: _line(run, now, zone))


class _Days:
    """Local days of hours and moments; each hour is worked out once."""

    def __init__(self, now: Moment, zone: tzinfo | None) -> None:
        self._zone = zone
        self._known: dict[int, date] = {}
        self.today = local_time(now, zone).date()

    def of(self, hour: int) -> date:
        found = self._known.get(hour)
        if found is None:
            at = datetime.fromtimestamp(hour * HOUR_MS // 1000, tz=self._zone).astimezone(self._zone)
            found = self._known[hour] = at.date()
        return found

    def of_moment(self, moment: Moment) -> date:
        return self.of(moment.wall_ms // HOUR_MS)

    def range(self, first: date | None, found: Sequence[date]) -> list[date]:
        """The days of a spark line: those of the filter, else the last thirty with anything in them."""
        begin = first or max(min(found, default=self.today), self.today - timedelta(days=29))
        return [begin + timedelta(days=i) for i in range((self.today - begin).days + 1)]


def _fits(row: SpendRow, chosen: Chosen, first: date | None, days: _Days) -> bool:
    return (
        (chosen.workflow is None or row.workflow == chosen.workflow)
        and (chosen.kind is None or row.agent_kind == chosen.kind)
        and (first is None or days.of(row.hour) >= first)
    )


def _runs(
    known: Known, base: _Base, fresh: Iterable[SpendRow], chosen: Chosen, first: date | None, days: _Days
) -> tuple[RunSummary | RunView, ...]:
    """Runs that fit, newest launch first, each by its view where that is known."""
    having = base.having | {row.run for row in fresh if row.agent_kind == chosen.kind}
    return tuple(
        known.views.get(run.run_id, run)
        for run in known.runs
        if (chosen.workflow is None or run.workflow_id == chosen.workflow)
        and (chosen.kind is None or run.run_id in having)
        and (first is None or run.is_live or days.of_moment(run.started_at) >= first)
    )


def _bars(
    rows: tuple[SpendRow, ...], chosen: Chosen, first: date | None, days: _Days
) -> tuple[tuple[SpendBar, ...], tuple[str, ...], str]:
    begin = first or min((days.of(r.hour) for r in rows), default=days.today)
    by_month = (days.today - begin).days >= DAYS_BY_DAY_MAX
    groups = _groups(rows, chosen.group)
    place = {name: i for i, name in enumerate(groups)}
    found: dict[date, list[SpendRow]] = {day: [] for day in _axis(begin, days.today, by_month)}
    for row in rows:
        day = days.of(row.hour)
        key = day.replace(day=1) if by_month else day
        found.setdefault(key, []).append(row)
    bars = tuple(_bar(key, found[key], place, chosen.group, by_month) for key in sorted(found))
    return bars, groups, tr("Spend per month") if by_month else tr("Spend per day")


def _axis(begin: date, end: date, by_month: bool) -> list[date]:
    if not by_month:
        return [begin + timedelta(days=i) for i in range(max(0, (end - begin).days) + 1)]
    months, at = [], begin.replace(day=1)
    while at <= end:
        months.append(at)
        at = (at + timedelta(days=32)).replace(day=1)
    return months


def _name(row: SpendRow, group: Group) -> str:
    match group:
        case Group.KIND:
            return row.agent_kind or tr("unknown")
        case Group.AGENT:
            return row.agent or tr("unknown")
        case Group.MODEL:
            return row.model or tr("no model named")


def _groups(rows: tuple[SpendRow, ...], group: Group) -> tuple[str, ...]:
    """The names that spent most, by name; the rest together is *others*."""
    sums: dict[str, Decimal] = {}
    for row in rows:
        name = _name(row, group)
        sums[name] = EXACT.add(sums.get(name, ZERO), row.cost_usd or ZERO)
    spent = [name for name in sums if sums[name] > 0] or list(sums)
    most = sorted(spent, key=lambda n: (-sums[n], n))
    shown = tuple(sorted(most[:GROUPS_MAX]))
    return (*shown, OTHERS) if len(most) > GROUPS_MAX else shown


def _bar(key: date, rows: list[SpendRow], place: Mapping[str, int], group: Group, by_month: bool) -> SpendBar:
    parts = [ZERO] * max(1, len(place))
    for row in rows:
        at = place.get(_name(row, group), place.get(OTHERS, 0))
        parts[at] = EXACT.add(parts[at], row.cost_usd or ZERO)
    whole = total(rows)
    label = month_name(key) if by_month else str(key.day)
    month = month_name(key, brief=False)
    name = (
        tr("{month} {year}", month=month, year=key.year)
        if by_month
        else tr("{weekday} {day} {month}", weekday=day_name(key, brief=False), day=key.day, month=month)
    )
    return SpendBar(key, label, name, tuple(parts), whole.cost_usd or ZERO, whole.complete, whole.source)


def _line(run: RunSummary | RunView, now: Moment, zone: tzinfo | None) -> RunLine:
    return RunLine(
        key=run.run_id,
        short=short_id(run.run_id),
        badge=run_badge_at(run, now),
        started=_started(run.started_at, now, zone),
        time=ran_text(run, now),
        turns=f"{run.turns:,}",
        spend=run_money(run),
        workflow=one_line(run.workflow_name, WORKFLOW_SHOWN_MAX),
    )


def _started(at: Moment, now: Moment, zone: tzinfo | None) -> str:
    """`19:13` of today; of another day with it: `Yesterday 19:13`, `3 Nov 19:13`."""
    time = time_text(at, zone)
    is_today = local_time(at, zone).date() == local_time(now, zone).date()
    return time if is_today else f"{day_text(at, now, zone)} {time}"


def _workflows(known: Known) -> tuple[Workflows, ...]:
    names: dict[WorkflowId, str] = {}
    for run in known.runs:
        names.setdefault(run.workflow_id, one_line(run.workflow_name, WORKFLOW_SHOWN_MAX))
    return tuple(sorted((Workflows(i, n) for i, n in names.items()), key=lambda w: (w.name.casefold(), w.id)))


def _note(report: SpendReport, rows: Iterable[SpendRow], chosen: Chosen) -> str:
    said = []
    if report.unread:
        said.append(
            tr.count(
                "{n} places of the ledger cannot be read: sums are at least what is shown.",
                "{n} place of the ledger cannot be read: sums are at least what is shown.",
                report.unread,
            )
        )
    practice = total(row for row in rows if row.agent_kind == PRACTICE).cost_usd
    if chosen.kind == PRACTICE:
        said.append(tr("What practice agents cost is pretended: nothing was paid."))
    elif practice:
        said.append(tr("Left out, as nothing was paid: {amount}.", amount=practice_text(practice)))
    return " ".join(said)
