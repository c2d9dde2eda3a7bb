"""When nothing of a run could go on: between its sittings, after the app was gone, while the computer slept. Pure.

A sitting whose owner was lost ends with the last sign of it; from there until it was settled the app was gone. A record of
an earlier version has such a sitting end when it was settled: there the last sign of an agent tells since when. What is
between is *App closed*; from there to the next sitting the run was at rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import tzinfo

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import RunView, SittingView, SleepView
from quarterdeck.domain.waits import Wait
from quarterdeck.ui.language import Texts
from quarterdeck.ui.timeline_axis import Clockwork
from quarterdeck.ui.words import duration_text, time_text

tr = Texts("TimelineGaps")

CLOSED_MIN_MS = 10_000
"""Less than this between the last sign of life and the sitting's end is the app's own ending, not its absence."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A band across all lanes. `is_closed`: the app was gone. `true_…`: milliseconds since the run's start."""

    title: str
    began: str
    ended: str
    is_closed: bool
    true_start: int
    true_end: int
    start: int = 0
    end: int = 0

    def placed(self, start: int, end: int) -> Gap:
        """The same band at its place on the axis."""
        return replace(self, start=start, end=end)

    @property
    def words(self) -> str:
        """From when to when."""
        return tr("{began} to {ended}", began=self.began, ended=self.ended)

    @property
    def spoken(self) -> str:
        """The band in words."""
        return f"{self.title}, {self.words}, {duration_text(self.true_end - self.true_start)}"


def gaps_of(view: RunView, waits: Iterable[Wait], clocks: Clockwork, zone: tzinfo | None) -> tuple[Gap, ...]:
    """Bands in order; they do not overlap."""
    found: list[Gap] = []
    signs = _signs(view, waits)
    for place, sitting in enumerate(view.sittings):
        following = view.sittings[place + 1] if place + 1 < len(view.sittings) else None
        if sitting.ended_at is not None:
            found += _after(view, sitting, sitting.ended_at, following, signs, clocks, zone)
    found += (_asleep(sleep, clocks, zone) for sleep in view.sleeps)
    return tuple(
        sorted((gap for gap in found if gap.true_end > gap.true_start), key=lambda gap: gap.true_start)
    )


def _asleep(sleep: SleepView, clocks: Clockwork, zone: tzinfo | None) -> Gap:
    """The computer was suspended in the middle of a sitting (LSE5): nothing ended, nothing went on."""
    start, end = clocks.at(sleep.began_at), clocks.at(sleep.ended_at)
    return Gap(tr("Computer asleep"), *_from_to(sleep.began_at, sleep.ended_at, zone), False, start, end)


def _after(
    view: RunView,
    sitting: SittingView,
    ended_at: Moment,
    following: SittingView | None,
    signs: list[Moment],
    clocks: Clockwork,
    zone: tzinfo | None,
) -> Iterable[Gap]:
    """What lies behind one sitting."""
    opened, end = clocks.at(sitting.opened_at), clocks.at(ended_at)
    if sitting.settled_at is not None:
        yield from _while_lost(ended_at, sitting.settled_at, following, clocks, zone)
        return
    was_cut = _was_cut(view, opened, end, following is None, clocks)
    start = end
    if was_cut:
        alive = max(
            (m for m in signs if opened <= clocks.at(m) < end - CLOSED_MIN_MS), key=clocks.at, default=None
        )
        has_later = any(end - CLOSED_MIN_MS <= clocks.at(m) <= end for m in signs)
        if alive is not None and not has_later:
            start = clocks.at(alive)
            yield Gap(tr("App closed"), *_from_to(alive, ended_at, zone), True, start, end)
    if following is not None:
        is_closed = was_cut and start == end
        title = tr("App closed") if is_closed else tr("Not live")
        times = _from_to(ended_at, following.opened_at, zone)
        yield Gap(title, *times, is_closed, end, clocks.at(following.opened_at))


def _while_lost(
    ended_at: Moment,
    settled_at: Moment,
    following: SittingView | None,
    clocks: Clockwork,
    zone: tzinfo | None,
) -> Iterable[Gap]:
    """Behind a sitting whose owner was lost; a run that was not taken up again ends there."""
    if following is None:
        return
    end, settled, opened = clocks.at(ended_at), clocks.at(settled_at), clocks.at(following.opened_at)
    if settled - end < CLOSED_MIN_MS:
        yield Gap(tr("App closed"), *_from_to(ended_at, following.opened_at, zone), True, end, opened)
        return
    yield Gap(tr("App closed"), *_from_to(ended_at, settled_at, zone), True, end, settled)
    yield Gap(tr("Not live"), *_from_to(settled_at, following.opened_at, zone), False, settled, opened)


def _was_cut(view: RunView, opened: int, end: int, is_last: bool, clocks: Clockwork) -> bool:
    """Whether the loss of the app ended this sitting."""
    if is_last and view.outcome is Outcome.INTERRUPTED:
        return True
    return any(
        attempt.status is AttemptStatus.INTERRUPTED
        and attempt.ended_at is not None
        and opened <= clocks.at(attempt.ended_at) <= end
        for slot in view.slots
        for attempt in slot.attempts
    )


def _signs(view: RunView, waits: Iterable[Wait]) -> list[Moment]:
    """Moments at which an agent or the app was surely there: ends that are only found later are none."""
    found = [view.started_at, *(s.opened_at for s in view.sittings), *(s.ended_at for s in view.sleeps)]
    for slot in view.slots:
        for attempt in slot.attempts:
            if attempt.started_at is not None:
                found.append(attempt.started_at)
            if attempt.ended_at is not None and attempt.evidence == "exit_file":
                found.append(attempt.ended_at)
    for wait in waits:
        found += [
            m for m in (wait.asked_at, wait.answered_at if wait.was_answered else None) if m is not None
        ]
    return found


def _from_to(start: Moment, end: Moment, zone: tzinfo | None) -> tuple[str, str]:
    return time_text(start, zone), time_text(end, zone)
