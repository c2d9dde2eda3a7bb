"""The time limits of one agent, on its work and on its silence: time awake counts, held time and the machine's sleep do not (LSE5).

After a sleep the agent gets one clean window: whatever it waited for is gone, and it may need a moment to begin again.
Seconds are those of the monotonic clock, which stands still while the machine sleeps.
"""

from __future__ import annotations

from collections.abc import Callable

from quarterdeck.store.machine import slept_ms

WINDOW_S = 60.0
"""So long, or the whole limit where that is shorter, an agent has at least once the machine is awake again."""
SLEPT_MIN_MS = 500
"""A smaller step between the two clocks is no sleep."""


class TimeLimit:
    """`limit_s` None: no limit; then nothing is ever due."""

    def __init__(self, limit_s: float | None, now_s: float, slept: Callable[[], int] = slept_ms) -> None:
        self._limit_s = limit_s or 0.0
        self._window_s = min(WINDOW_S, self._limit_s)
        self._over_at_s = None if limit_s is None else now_s + limit_s
        self._held_at_s: float | None = None
        self._slept, self._slept_ms = slept, slept()

    def restart(self, now_s: float) -> None:
        """The whole limit from here."""
        if self._over_at_s is not None:
            self._over_at_s = now_s + self._limit_s

    def hold(self, now_s: float) -> None:
        """The agent is held from here."""
        self._held_at_s = now_s

    def go_on(self, now_s: float) -> None:
        """It goes on: held time is not the agent's."""
        if self._over_at_s is not None and self._held_at_s is not None:
            self._over_at_s += now_s - self._held_at_s
        self._held_at_s = None

    @property
    def is_held(self) -> bool:
        """Whether the agent is held."""
        return self._held_at_s is not None

    def is_over(self, now_s: float) -> bool:
        """Whether the time is used up; sees first whether the machine slept since the last look."""
        if self._over_at_s is None or self._held_at_s is not None:
            return False
        slept_ms = self._slept()
        if slept_ms - self._slept_ms >= SLEPT_MIN_MS:
            self._over_at_s = max(self._over_at_s, now_s + self._window_s)
        self._slept_ms = slept_ms
        return now_s >= self._over_at_s

    def wait_s(self, now_s: float) -> float | None:
        """Seconds until it is to be asked again: once at the beginning of the last window, so that a sleep before it
        adds nothing, and at the end.
        """
        if self._over_at_s is None or self._held_at_s is not None:
            return None
        left_s = self._over_at_s - now_s
        return left_s - self._window_s if left_s > self._window_s else left_s


class TimeLimits:
    """Both limits of an agent. Its silence ends with any byte that it prints, and while it waits for a person it is none."""

    def __init__(
        self,
        timeout_s: float | None,
        stall_timeout_s: float | None,
        now_s: float,
        slept: Callable[[], int] = slept_ms,
    ) -> None:
        self._work = TimeLimit(timeout_s, now_s, slept)
        self._silence = TimeLimit(stall_timeout_s, now_s, slept)

    def hold(self, now_s: float) -> None:
        """The agent is held from here."""
        self._work.hold(now_s)

    def go_on(self, now_s: float) -> None:
        """It goes on."""
        self._work.go_on(now_s)
        self._silence.restart(now_s)

    @property
    def is_held(self) -> bool:
        """Whether the agent is held."""
        return self._work.is_held

    def saw_output(self, now_s: float) -> None:
        """It printed something."""
        self._silence.restart(now_s)

    def passed(self, now_s: float, *, is_asking: bool) -> str | None:
        """`timeout` or `stall`, whichever is used up; None where neither is. is_asking: a question of the agent is open."""
        if self.is_held:
            return None
        if self._work.is_over(now_s):
            return "timeout"
        if is_asking:
            self._silence.restart(now_s)
        return "stall" if self._silence.is_over(now_s) else None

    def wait_s(self, now_s: float) -> float | None:
        """Seconds until they are to be asked again."""
        waits = [] if self.is_held else [self._work.wait_s(now_s), self._silence.wait_s(now_s)]
        due = [wait_s for wait_s in waits if wait_s is not None]
        return min(due) if due else None
