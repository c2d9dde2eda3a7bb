"""The timeline of one run: a lane for each agent, attempts as bars, waits, gaps. Pure functions of views; no Qt.

A bar is what the view says of an attempt; it ends at its end, or at *now* while it lives. Nothing here has a state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from itertools import pairwise

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.run_time import is_time_at_least
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import AttemptView, RunView, SlotView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.badges import Badge, badge_of_word
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_money import attempt_money, run_money, slot_money
from quarterdeck.ui.present_waits import all_waits
from quarterdeck.ui.run_time import ran_text
from quarterdeck.ui.silence import attempt_badge_at, run_badge_at
from quarterdeck.ui.timeline_axis import Axis, Clockwork, Stretch
from quarterdeck.ui.timeline_gaps import Gap, gaps_of
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import (
    day_text,
    duration_text,
    exact_time_text,
    one_line,
    short_id,
    time_text,
)

tr = Texts("PresentTimeline")

LENGTH_MIN_MS = 1000
WAITED = Badge(Family.NEEDS, "hand", tr.later("Waited for you"))
ASKING = badge_of_word("Needs you")
RETRY = Badge(Family.NEEDS, "rotate-cw", tr.later("Waited to retry"))


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a bar, in axis milliseconds: work, or a wait for a person inside it."""

    start: int
    end: int
    badge: Badge
    is_wait: bool = False


@dataclass(frozen=True, slots=True)
class Bar:
    """One attempt, or one wait outside of attempts. `words`: label where there is room; `short` where there is less."""

    key: str
    run_id: RunId
    slot_id: SlotId
    attempt_id: AttemptId | None
    start: int
    end: int
    badge: Badge
    words: str
    short: str
    pieces: tuple[Piece, ...]
    is_live: bool
    agent: str
    began: str
    ended: str
    took: str
    turns: str
    cost: str
    reason: str

    @property
    def spoken(self) -> str:
        """The bar in words, with its exact times."""
        said = [f"{self.agent}, {self.words}, {self.badge.word}"]
        said.append(
            tr("{began} to {ended}, {took}", began=self.began, ended=self.ended, took=self.took)
            if self.began
            else tr("not started")
        )
        said += [part for part in (self.turns, self.cost, self.reason) if part]
        return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Lane:
    """One agent of the run."""

    slot_id: SlotId
    title: str
    kind: str
    cost: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class TimelineFacts:
    """Everything that a timeline shows. Places are axis milliseconds, from 0 to `length`."""

    run_id: RunId
    name: str
    line: str
    badge: Badge
    length: int
    lanes: tuple[Lane, ...]
    gaps: tuple[Gap, ...]
    stretches: tuple[Stretch, ...]
    now_at: int | None
    is_live: bool

    @property
    def bars(self) -> tuple[Bar, ...]:
        """Every bar, lane by lane, each lane from left to right."""
        return tuple(bar for lane in self.lanes for bar in lane.bars)


@dataclass(frozen=True, slots=True)
class _Scale:
    """What every bar needs: the run, its clocks, the axis."""

    view: RunView
    clocks: Clockwork
    axis: Axis
    now: Moment
    zone: tzinfo | None

    def at(self, moment: Moment) -> int:
        return self.axis.place(self.clocks.at(moment))

    def time(self, moment: Moment) -> str:
        return exact_time_text(moment, self.zone)

    def between(self, start: Moment, end: Moment) -> str:
        return duration_text(self.clocks.at(end) - self.clocks.at(start))


def timeline(
    view: RunView, waits: Iterable[Wait], now: Moment, letter: str = "", zone: tzinfo | None = None
) -> TimelineFacts:
    """The timeline of a run at this moment. waits: its questions, answered ones included; open ones the view has too."""
    questions = all_waits(view, waits)
    clocks = Clockwork(view.started_at, _moments(view, questions, now))
    gaps = gaps_of(view, questions, clocks, zone)
    end = now if view.is_live or view.ended_at is None else view.ended_at
    reached = max([clocks.at(end), LENGTH_MIN_MS, *(clocks.at(m) for m in _moments(view, questions, None))])
    axis = Axis(reached, [(gap.true_start, gap.true_end) for gap in gaps])
    scale = _Scale(view, clocks, axis, now, zone)
    lanes = tuple(
        _lane(slot, [w for w in questions if w.slot_id == slot.slot_id], scale) for slot in view.slots
    )
    named = (
        tr("Run {letter} {run}", letter=letter, run=short_id(view.run_id))
        if letter
        else tr("Run {run}", run=short_id(view.run_id))
    )
    return TimelineFacts(
        run_id=view.run_id,
        name=named,
        line=_line(view, now, zone),
        badge=run_badge_at(view, now),
        length=max(axis.length, LENGTH_MIN_MS),
        lanes=lanes,
        gaps=tuple(gap.placed(axis.place(gap.true_start), axis.place(gap.true_end)) for gap in gaps),
        stretches=axis.stretches,
        now_at=scale.at(now) if view.is_live else None,
        is_live=view.is_live,
    )


def _line(view: RunView, now: Moment, zone: tzinfo | None) -> str:
    """`Yesterday 16:40 · 8 attempts by 5 agents · 31m 20s · $5.12`."""
    attempts = sum(len(slot.attempts) for slot in view.slots)
    agents = sum(bool(slot.attempts) for slot in view.slots)
    return " · ".join(
        (
            f"{day_text(view.started_at, now, zone)} {time_text(view.started_at, zone)}",
            tr(
                "{attempts} by {agents}",
                attempts=tr.count("{n} attempts", "{n} attempt", attempts),
                agents=tr.count("{n} agents", "{n} agent", agents),
            ),
            ran_text(view, now),
            run_money(view),
        )
    )


def _moments(view: RunView, waits: Iterable[Wait], now: Moment | None) -> Iterator[Moment]:
    """Every moment that is drawn."""
    found = [view.started_at, view.ended_at, now if view.is_live else None]
    for sitting in view.sittings:
        found += [sitting.opened_at, sitting.ended_at]
        found += [sitting.settled_at] if sitting is not view.sittings[-1] else []
    for sleep in view.sleeps:
        found += [sleep.began_at, sleep.ended_at]
    for slot in view.slots:
        for attempt in slot.attempts:
            found += [attempt.started_at, attempt.stood_at]
    for wait in waits:
        found += [wait.asked_at, wait.answered_at]
    return (moment for moment in found if moment is not None)


def _lane(slot: SlotView, waits: list[Wait], scale: _Scale) -> Lane:
    title = one_line(slot.title, 80)
    bars = [
        _attempt_bar(slot, title, number, attempt, waits, scale)
        for number, attempt in enumerate(slot.attempts, 1)
    ]
    bars += [_wait_bar(slot, title, wait, scale) for wait in waits if wait.attempt_id is None]
    bars += _retry_bars(slot, title, scale)
    cost = slot_money(slot)
    kind = "practice" if slot.is_practice else one_line(slot.agent_kind or slot.agent, 40)
    return Lane(slot.slot_id, title, kind, cost, tuple(sorted(bars, key=lambda b: (b.start, b.end))))


def _attempt_bar(
    slot: SlotView, title: str, number: int, attempt: AttemptView, waits: list[Wait], scale: _Scale
) -> Bar:
    end = _end_of(attempt, scale)
    is_open = end is scale.now
    start = attempt.started_at or end
    left = scale.at(start)
    right = max(left, scale.at(end))
    badge = _badge(slot, attempt, waits, is_open, scale.now)
    own = [w for w in waits if w.attempt_id == attempt.attempt_id]
    figures = attempt.figures
    ran = attempt.started_at is not None
    return Bar(
        key=f"{slot.slot_id}/{attempt.attempt_id}",
        run_id=scale.view.run_id,
        slot_id=slot.slot_id,
        attempt_id=attempt.attempt_id,
        start=left,
        end=right,
        badge=badge,
        words=tr("Attempt {number}", number=number),
        short=f"#{number}",
        pieces=_pieces(left, right, attempt_badge_at(attempt, scale.now), own, scale),
        is_live=is_open,
        agent=title,
        began=scale.time(start) if ran else "",
        ended=(tr("now") if is_open else scale.time(end)) if ran else "",
        took=_took(attempt, scale.between(start, end)) if ran else "",
        turns=tr.count("{n} turns", "{n} turn", figures.turns),
        cost=attempt_money(attempt),
        reason=one_line(in_words(attempt.reason), 160),
    )


def _end_of(attempt: AttemptView, scale: _Scale) -> Moment:
    """Its end, or where contact was lost; in a run that has ended nothing goes on (REC6)."""
    of_run = None if scale.view.is_live else scale.view.ended_at
    return attempt.stood_at or of_run or scale.now


def _took(attempt: AttemptView, known: str) -> str:
    return tr("at least {duration}", duration=known) if is_time_at_least(attempt) else known


def _badge(slot: SlotView, attempt: AttemptView, waits: list[Wait], is_open: bool, now: Moment) -> Badge:
    asks = any(w.attempt_id == attempt.attempt_id and w.answered_at is None for w in waits)
    return ASKING if is_open and asks and slot.display == "Needs you" else attempt_badge_at(attempt, now)


def _pieces(left: int, right: int, badge: Badge, waits: list[Wait], scale: _Scale) -> tuple[Piece, ...]:
    """The bar cut at its waits; pieces touch, are in order and fill the bar exactly."""
    found: list[Piece] = []
    reached = left
    for wait in waits:
        start = min(max(scale.at(wait.asked_at), reached), right)
        end = min(scale.at(wait.answered_at or scale.now), right)
        if end <= start and wait.answered_at is not None:
            continue
        if start > reached:
            found.append(Piece(reached, start, badge))
        found.append(Piece(start, max(start, end), WAITED if wait.answered_at else ASKING, True))
        reached = max(start, end)
    if reached < right or not found:
        found.append(Piece(reached, right, badge))
    return tuple(found)


def _wait_bar(slot: SlotView, title: str, wait: Wait, scale: _Scale) -> Bar:
    """The question of an approval node: no process, no attempt (ruling 6)."""
    end = wait.answered_at or scale.now
    badge = WAITED if wait.answered_at is not None else ASKING
    left = scale.at(wait.asked_at)
    right = max(left, scale.at(end))
    question = one_line(wait.question, 160)
    return _other_bar(
        slot, title, scale, f"wait/{wait.request_id}", badge, wait.asked_at, (left, right), end, question
    )


def _retry_bars(slot: SlotView, title: str, scale: _Scale) -> Iterator[Bar]:
    """Between a failure and the attempt that followed it in the same sitting; and the wait for the next one."""
    for before, after in pairwise(slot.attempts):
        start, end = before.ended_at, after.started_at
        if before.status is not AttemptStatus.FAILED or start is None or end is None:
            continue
        if not _leaves_sitting(scale.view, start, end, scale.clocks):
            yield _retry_bar(slot, title, before, start, end, False, scale)
    last = slot.attempts[-1] if slot.attempts else None
    if slot.retry_at_ms is not None and last is not None and last.ended_at is not None and scale.view.is_live:
        yield _retry_bar(slot, title, last, last.ended_at, scale.now, True, scale)


def _retry_bar(
    slot: SlotView, title: str, of: AttemptView, start: Moment, end: Moment, waits_on: bool, scale: _Scale
) -> Bar:
    badge = badge_of_word("Retrying") if waits_on else RETRY
    left = scale.at(start)
    words = ""
    if waits_on and slot.retry_at_ms is not None:
        words = tr("next attempt in {duration}", duration=duration_text(slot.retry_at_ms - scale.now.boot_ms))
    key = f"retry/{of.attempt_id}"
    return _other_bar(slot, title, scale, key, badge, start, (left, max(left, scale.at(end))), end, words)


def _leaves_sitting(view: RunView, start: Moment, end: Moment, clocks: Clockwork) -> bool:
    return any(
        s.ended_at is not None and clocks.at(start) <= clocks.at(s.ended_at) <= clocks.at(end)
        for s in view.sittings
    )


def _other_bar(
    slot: SlotView,
    title: str,
    scale: _Scale,
    key: str,
    badge: Badge,
    start: Moment,
    places: tuple[int, int],
    end: Moment,
    reason: str,
) -> Bar:
    is_live = end is scale.now
    return Bar(
        key=f"{slot.slot_id}/{key}",
        run_id=scale.view.run_id,
        slot_id=slot.slot_id,
        attempt_id=None,
        start=places[0],
        end=places[1],
        badge=badge,
        words=tr("Question") if badge.icon == "hand" else tr("Retry"),
        short="",
        pieces=(Piece(places[0], places[1], badge, badge.icon == "hand"),),
        is_live=is_live,
        agent=title,
        began=scale.time(start),
        ended=tr("now") if is_live else scale.time(end),
        took=scale.between(start, end),
        turns="",
        cost="",
        reason=reason,
    )
