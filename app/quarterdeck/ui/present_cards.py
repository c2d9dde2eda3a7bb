"""The four figures at the top of *Timeline and spend*, each with a line of words and a spark line of days. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.money import EXACT, ZERO
from quarterdeck.domain.practice import spent
from quarterdeck.domain.spend_rows import SpendRow, total
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.language import Texts
from quarterdeck.ui.run_time import live_ms
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import duration_text, money_text

tr = Texts("PresentCards")

Run = RunSummary | RunView
_OUTCOMES = (
    (Outcome.COMPLETED, tr.later("{count} done")),
    (Outcome.FAILED, tr.later("{count} failed")),
    (Outcome.STOPPED, tr.later("{count} stopped")),
    (Outcome.INTERRUPTED, tr.later("{count} interrupted")),
)


@dataclass(frozen=True, slots=True)
class Card:
    """One figure. spark: a value for each day, oldest first; None where there is none."""

    title: str
    value: str
    line: str
    spark: tuple[Decimal | None, ...]
    family: Family = Family.RUNNING

    @property
    def spoken(self) -> str:
        """The card in words."""
        return f"{self.title}: {self.value}. {self.line}"


def cards(
    runs: Sequence[Run],
    rows: Sequence[SpendRow],
    unread: int,
    waits: Mapping[RunId, tuple[Wait, ...]],
    now: Moment,
    row_days: Sequence[date],
    day_of: Callable[[Moment], date],
    days: Sequence[date],
) -> tuple[Card, ...]:
    """Runs, recorded spend, typical run time, waiting.

    waits: of the runs whose waits were read. row_days: the day of each row; days: those of the spark lines.
    """
    run_days = [day_of(run.started_at) for run in runs]
    return (
        _count_card(runs, run_days, days),
        _spend_card(runs, rows, unread, row_days, days),
        _time_card(runs, now, run_days, days),
        _wait_card(runs, waits, now, run_days, days),
    )


def _count_card(runs: Sequence[Run], run_days: Sequence[date], days: Sequence[date]) -> Card:
    said = []
    live = sum(run.is_live for run in runs)
    if live:
        said.append(tr("{count} live", count=f"{live:,}"))
    for outcome, words in _OUTCOMES:
        count = sum(run.outcome is outcome and not run.is_live for run in runs)
        if count:
            said.append(words.now.format(count=f"{count:,}"))
    counts = {day: Decimal(0) for day in days}
    for day in run_days:
        if day in counts:
            counts[day] += 1
    return Card(tr("Runs"), f"{len(runs):,}", " · ".join(said) or tr("none yet"), tuple(counts.values()))


def _spend_card(
    runs: Sequence[Run], rows: Sequence[SpendRow], unread: int, row_days: Sequence[date], days: Sequence[date]
) -> Card:
    whole = total(rows)
    amount = whole.cost_usd if whole.cost_usd is not None or rows else ZERO
    known = [paid for run in runs if not run.is_live and (paid := spent(run).paid) is not None]
    typical = middle(known)
    line = (
        tr("{money} for a typical run", money=money_text(typical))
        if typical is not None
        else tr("no ended run yet")
    )
    by_day = dict.fromkeys(days, ZERO)
    for row, day in zip(rows, row_days, strict=True):
        if day in by_day and row.cost_usd is not None:
            by_day[day] = EXACT.add(by_day[day], row.cost_usd)
    value = money_text(amount, whole.complete and not unread, whole.source)
    return Card(tr("Recorded spend"), value, line, tuple(by_day.values()))


def _time_card(runs: Sequence[Run], now: Moment, run_days: Sequence[date], days: Sequence[date]) -> Card:
    timed = [
        (day, Decimal(live_ms(run, now))) for run, day in zip(runs, run_days, strict=True) if not run.is_live
    ]
    typical = middle([ms for _, ms in timed])
    if typical is None:
        return Card(tr("Typical run time"), "–", tr("no ended run yet"), tuple(None for _ in days))
    slow = tenth([ms for _, ms in timed])
    spark = tuple(middle([ms for day, ms in timed if day == wanted]) for wanted in days)
    return Card(
        tr("Typical run time"),
        duration_text(int(typical)),
        tr("slowest tenth over {duration}", duration=duration_text(int(slow))),
        spark,
    )


def _wait_card(
    runs: Sequence[Run],
    waits: Mapping[RunId, tuple[Wait, ...]],
    now: Moment,
    run_days: Sequence[date],
    days: Sequence[date],
) -> Card:
    by_day = {day: Decimal(0) for day in days}
    whole = asked = 0
    for run, day in zip(runs, run_days, strict=True):
        waited = waited_ms(waits.get(run.run_id, ()), now)
        whole += waited
        asked += len(waits.get(run.run_id, ()))
        if day in by_day:
            by_day[day] += waited
    live = sum(live_ms(run, now) for run in runs)
    line = tr.count("{n} questions", "{n} question", asked)
    if live:
        line = f"{tr('{share} % of run time', share=100 * whole // live)} · {line}"
    told = duration_text(whole)
    if any(run.run_id not in waits for run in runs):
        told = tr("at least {duration}", duration=told)  # not read yet, or beyond those that are
    return Card(tr("Waiting for you"), told, line, tuple(by_day.values()), Family.NEEDS)


def waited_ms(waits: Iterable[Wait], now: Moment) -> int:
    """How long at least one question of a run was open, in milliseconds: two at a time count once."""
    spans = sorted((w.asked_at.wall_ms, duration_ms(w.asked_at, w.answered_at or now)) for w in waits)
    whole = reached = 0
    for start, length in spans:
        end = start + length
        whole += max(0, end - max(start, reached))
        reached = max(reached, end)
    return whole


def middle(values: Sequence[Decimal]) -> Decimal | None:
    """The median; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    half = len(ordered) // 2
    return (
        ordered[half]
        if len(ordered) % 2
        else EXACT.divide(EXACT.add(ordered[half - 1], ordered[half]), Decimal(2))
    )


def tenth(values: Sequence[Decimal]) -> Decimal:
    """The value that nine tenths do not pass. values: at least one."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, 9 * len(ordered) // 10)]
