"""The time limit of one agent: time awake counts, held time and the machine's sleep do not (LSE5).

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
        self._window_s = min(WINDOW_S, limit_s or 0.0)
        self._over_at_s = None if limit_s is None else now_s + limit_s
        self._held_at_s: float | None = None
        self._slept, self._slept_ms = slept, slept()

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
