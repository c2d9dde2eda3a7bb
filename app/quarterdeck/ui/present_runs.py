"""The run list's rows: sections Live, Pinned and Earlier, each run with icon, id, time, reason in words and spend."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Protocol

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.practice import NOTHING_SPENT, Spent, spent
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.ui.badges import Badge, badge_of_slot
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.present_money import spent_text
from quarterdeck.ui.present_past import PastRuns
from quarterdeck.ui.run_time import live_ms, ran_text
from quarterdeck.ui.silence import run_badge_at
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import (
    day_text,
    duration_text,
    local_time,
    one_line,
    short_id,
    time_text,
)

tr = Texts("PresentRuns")

SEGMENTS_MAX = 24
SHARES_ORDER = (
    Family.DONE,
    Family.FAILED,
    Family.INTERRUPTED,
    Family.NEEDS,
    Family.RUNNING,
    Family.NEUTRAL,
)
WORKFLOW_SHOWN_MAX = 40


class Looked(Protocol):
    """The parts of `Looking` that a row needs."""

    @property
    def workflow(self) -> Workflow | None:
        """The shown workflow."""

    @property
    def letters(self) -> Mapping[RunId, str]:
        """Letters of its live runs."""


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of the list: a section's heading (`run_id` None) or a run."""

    key: str
    heading: str = ""
    run_id: RunId | None = None
    short: str = ""
    letter: str = ""
    badge: Badge | None = None
    when: str = ""
    spend: str = ""
    is_live: bool = False
    foreign: bool = False
    segments: tuple[Family, ...] = ()
    """Of a live run, one for each agent; empty of one with more than `SEGMENTS_MAX`, which has `shares`."""
    shares: tuple[tuple[Family, int], ...] = ()
    """How many of its agents stand so, what is over first."""
    beside: str = ""
    """The workflow, where it is not the one that is shown."""
    moment: str = ""
    """`when` without the workflow."""
    briefs: tuple[str, ...] = ()
    """Shorter forms of `moment`, for where room is short: what it leaves out first is when a live run started."""
    spoken: str = ""
    """The whole row in words, for a screen reader."""
    workflow_id: str = ""
    workflow_name: str = ""
    spent: Spent = NOTHING_SPENT
    is_pinned: bool = False
    """A person holds it above the caps of the store."""


def past_runs(memo: Memo) -> PastRuns[RunRow]:
    """What is kept of past runs; one for each memo."""
    return memo.keeper("past", PastRuns[RunRow])


def closed_runs(memo: Memo) -> PastRuns[RunRow]:
    """The same of runs that left the store."""
    return memo.keeper("closed", PastRuns[RunRow])


def run_rows(
    living: tuple[RunSummary, ...],
    past: tuple[RunSummary, ...],
    pinned: frozenset[RunId],
    views: Mapping[RunId, RunView],
    looked: Looked,
    now: Moment,
    zone: tzinfo | None,
    memo: Memo,
) -> tuple[RunRow, ...]:
    """Rows of all runs, newest launch first in each section; a section without runs is left out. Pinned ones that ended
    have a section of their own.
    """
    shown = looked.workflow.id if looked.workflow is not None else None
    second, day = now.boot_ms // 1000, local_time(now, zone).date()
    live: list[RunRow] = []
    for run in living:
        view = views.get(run.run_id)
        is_pinned = run.run_id in pinned
        make = functools.partial(_live_row, run, view, looked, now, zone, is_pinned)
        parts = (run, view, looked.letters.get(run.run_id, ""), shown, second, is_pinned)
        live.append(memo.value(("run", run.run_id), parts, make))
    earlier = past_runs(memo).rows(
        past, views, (shown, day, zone), lambda run: _row(run, views.get(run.run_id), looked, now, zone)
    )
    held: tuple[RunRow, ...] = ()
    if pinned:
        split = functools.partial(_split, earlier, pinned)
        held, earlier = memo.value("pinned", (earlier, pinned), split)
    rows: list[RunRow] = []
    if live:
        rows += [RunRow(key="heading:live", heading=tr("Live"), spoken=tr("Live runs")), *live]
    if held:
        rows += [RunRow(key="heading:pinned", heading=tr("Pinned"), spoken=tr("Pinned runs")), *held]
    if earlier:
        rows += [RunRow(key="heading:earlier", heading=tr("Earlier"), spoken=tr("Earlier runs")), *earlier]
    return tuple(rows)


def _live_row(
    run: RunSummary,
    view: RunView | None,
    looked: Looked,
    now: Moment,
    zone: tzinfo | None,
    is_pinned: bool,
) -> RunRow:
    row = _row(run, view, looked, now, zone)
    return _pinned(row) if is_pinned else row


def _split(
    rows: tuple[RunRow, ...], pinned: frozenset[RunId]
) -> tuple[tuple[RunRow, ...], tuple[RunRow, ...]]:
    """Pinned ones, and the rest."""
    held = tuple(_pinned(row) for row in rows if row.run_id in pinned)
    return held, tuple(row for row in rows if row.run_id not in pinned)


def _pinned(row: RunRow) -> RunRow:
    return replace(row, is_pinned=True, spoken=f"{row.spoken}, {tr('pinned')}")


def _row(run: RunSummary, view: RunView | None, looked: Looked, now: Moment, zone: tzinfo | None) -> RunRow:
    full: RunSummary | RunView = view or run
    badge = run_badge_at(full, now)
    letter = looked.letters.get(run.run_id, "")
    cost = spent(full)
    spend = spent_text(cost)
    when = _when_live(run, now, zone) if run.is_live else _when_ended(run, now, zone)
    is_other = looked.workflow is None or looked.workflow.id != run.workflow_id
    beside, moment = one_line(run.workflow_name, WORKFLOW_SHOWN_MAX) if is_other else "", when
    if is_other:
        when = f"{beside} · {moment}"
    named = (
        tr("Run {letter} {run}", letter=letter, run=short_id(run.run_id))
        if letter
        else tr("Run {run}", run=short_id(run.run_id))
    )
    return RunRow(
        key=run.run_id,
        run_id=run.run_id,
        short=short_id(run.run_id),
        letter=letter,
        badge=badge,
        when=when,
        spend=spend,
        is_live=run.is_live,
        foreign=run.foreign,
        segments=_segments(view) if run.is_live else (),
        shares=_shares(view) if run.is_live else (),
        beside=beside,
        moment=moment,
        briefs=_briefs(run, now) if run.is_live else (),
        spoken=f"{named}, {badge.word}, {when}, {spend}",
        workflow_id=run.workflow_id,
        workflow_name=one_line(run.workflow_name, WORKFLOW_SHOWN_MAX),
        spent=cost,
    )


def _when_live(run: RunSummary, now: Moment, zone: tzinfo | None) -> str:
    told = tr(
        "Started {time} · {duration}",
        time=time_text(run.started_at, zone),
        duration=duration_text(live_ms(run, now)),
    )
    return f"{told} · {owner_text(run)}" if run.foreign else told


def _briefs(run: RunSummary, now: Moment) -> tuple[str, ...]:
    """`4m 51s · terminal`, `4m 51s`."""
    elapsed = duration_text(live_ms(run, now))
    return (f"{elapsed} · {owner_text(run)}", elapsed) if run.foreign else (elapsed,)


def owner_text(run: RunSummary | RunView) -> str:
    """Where a run of another process is kept."""
    if run.owner == "terminal":
        return tr("terminal")
    return tr("another window") if run.owner == "window" else tr("in another process")


def _when_ended(run: RunSummary, now: Moment, zone: tzinfo | None) -> str:
    day = f"{day_text(run.started_at, now, zone)} {time_text(run.started_at, zone)}"
    if run.outcome is not Outcome.COMPLETED and run.reason:
        return f"{day} · {one_line(in_words(run.reason))}"
    if run.ended_at is None:
        return day
    return f"{day} · {ran_text(run, now)}"


def _segments(view: RunView | None) -> tuple[Family, ...]:
    if view is None or len(view.slots) > SEGMENTS_MAX:
        return ()
    return tuple(badge_of_slot(slot).family for slot in view.slots)


def _shares(view: RunView | None) -> tuple[tuple[Family, int], ...]:
    if view is None or len(view.slots) <= SEGMENTS_MAX:
        return ()
    counts = Counter(badge_of_slot(slot).family for slot in view.slots)
    return tuple((family, counts[family]) for family in SHARES_ORDER if counts[family])
