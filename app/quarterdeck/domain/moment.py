"""A point in time as it is recorded: boot-time clock for durations, wall clock for people (LSE5, style 25)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Moment:
    """One reading of both clocks.

    boot: the machine's boot id; boot_ms: CLOCK_BOOTTIME in milliseconds (counts sleep); wall_ms: Unix time in
    milliseconds. Durations are only meaningful between moments of one boot.
    """

    boot: str
    boot_ms: int
    wall_ms: int


def duration_ms(start: Moment, end: Moment) -> int:
    """Milliseconds from start to end; by the boot clock where both are of one boot, else by wall time, never < 0."""
    if start.boot == end.boot:
        return max(0, end.boot_ms - start.boot_ms)
    return max(0, end.wall_ms - start.wall_ms)
