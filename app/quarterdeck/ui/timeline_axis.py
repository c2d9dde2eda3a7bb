"""Where moments lie on a timeline: pure. Within one boot by the boot clock, between boots by the wall clock.

So a wall clock that is set while a run is live moves nothing, and no bar can become negative. Stretches in which the run
was not live are drawn shorter than they were where they would take most of the room; ticks tell true times.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quarterdeck.domain.moment import Moment
from quarterdeck.ui.language import Texts

tr = Texts("TimelineAxis")

QUIET_SHARE_PERCENT = 25
"""A stretch without work is drawn at most so long, in percent of all the work's length."""
QUIET_MIN_MS = 20_000
STEPS_S = (
    *(1, 2, 5, 10, 20, 30, 60, 120, 240, 300, 600, 1_200, 1_800),
    *(3_600, 7_200, 14_400, 28_800, 43_200, 86_400, 172_800, 604_800, 2_592_000),
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the axis: from `true_ms` since the start on, drawn from `at` to `end` (axis milliseconds)."""

    at: int
    end: int
    true_ms: int
    true_end_ms: int


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark of the axis."""

    at: int
    text: str


class Clockwork:
    """Milliseconds since the run's start, never negative, rising within each boot and from boot to boot."""

    def __init__(self, start: Moment, known: Iterable[Moment]) -> None:
        self._start = start
        first: dict[str, Moment] = {start.boot: start}
        last: dict[str, Moment] = {start.boot: start}
        for moment in known:
            if moment.boot not in first or moment.boot_ms < first[moment.boot].boot_ms:
                first[moment.boot] = moment
            if moment.boot not in last or moment.boot_ms > last[moment.boot].boot_ms:
                last[moment.boot] = moment
        first[start.boot] = start
        self._anchors: dict[str, tuple[int, int]] = {}
        before: Moment | None = None
        reached = 0
        others = sorted((m for b, m in first.items() if b != start.boot), key=lambda m: m.wall_ms)
        for moment in (start, *others):
            since = max(0, moment.wall_ms - before.wall_ms) if before is not None else 0
            self._anchors[moment.boot] = (moment.boot_ms, reached + since)
            before = last[moment.boot]
            reached = self.at(before)

    def at(self, moment: Moment) -> int:
        """Milliseconds from the start to this moment; 0 for what is before it."""
        anchor = self._anchors.get(moment.boot)
        if anchor is None:
            return max(0, moment.wall_ms - self._start.wall_ms)
        return max(0, anchor[1] + moment.boot_ms - anchor[0])


class Axis:
    """From true milliseconds to drawn ones. `quiet`: stretches without work, in order, not overlapping."""

    def __init__(self, length_ms: int, quiet: Iterable[tuple[int, int]]) -> None:
        gaps = [(a, min(b, length_ms)) for a, b in quiet if a < min(b, length_ms)]
        active = max(1, length_ms - sum(b - a for a, b in gaps))
        limit = max(QUIET_MIN_MS, active * QUIET_SHARE_PERCENT // 100)
        stretches: list[Stretch] = []
        true = drawn = 0
        for start, end in gaps:
            drawn = _add(stretches, drawn, true, start, start - true)
            drawn = _add(stretches, drawn, start, end, min(end - start, limit))
            true = end
        self.length = _add(stretches, drawn, true, length_ms, length_ms - true)
        self.stretches = tuple(stretches)

    def place(self, true_ms: int) -> int:
        """Where a true time is drawn."""
        for part in self.stretches:
            if true_ms <= part.true_end_ms:
                whole = part.true_end_ms - part.true_ms
                into = max(0, true_ms - part.true_ms)
                return part.at + (into * (part.end - part.at) // whole if whole else 0)
        return self.length


def _add(stretches: list[Stretch], at: int, true: int, true_end: int, drawn: int) -> int:
    if true_end > true:
        stretches.append(Stretch(at, at + max(0, drawn), true, true_end))
        return at + max(0, drawn)
    return at


def ticks(stretches: tuple[Stretch, ...], ms_between_min: int) -> tuple[Tick, ...]:
    """Round times since the start, at least so far apart; none inside a stretch that is drawn shorter than it was."""
    step = next((s * 1000 for s in STEPS_S if s * 1000 >= ms_between_min), STEPS_S[-1] * 1000)
    marks: list[Tick] = []
    for part in stretches:
        if part.end - part.at < part.true_end_ms - part.true_ms:
            continue
        true = -(-part.true_ms // step) * step
        while true <= part.true_end_ms:
            at = part.at + true - part.true_ms
            if not marks or at - marks[-1].at >= ms_between_min:
                marks.append(Tick(at, _since(true, step)))
            true += step
    return tuple(marks)


def _since(true_ms: int, step_ms: int) -> str:
    """`0m`, `4m`, `30s`, `1m 30s`, `2h`, `1h 30m`, `3d`."""
    seconds = true_ms // 1000
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return tr("{days}d {hours}h", days=days, hours=hours) if hours else tr("{days}d", days=days)
    if hours:
        return (
            tr("{hours}h {minutes}m", hours=hours, minutes=minutes)
            if minutes
            else tr("{hours}h", hours=hours)
        )
    if step_ms < 60_000 and (seconds or not minutes):
        return (
            tr("{minutes}m {seconds}s", minutes=minutes, seconds=seconds)
            if minutes
            else tr("{seconds}s", seconds=seconds)
        )
    return tr("{minutes}m", minutes=minutes)
