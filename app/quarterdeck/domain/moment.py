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


def later_of(one: Moment, other: Moment) -> Moment:
    """The later of two; by the boot clock where both are of one boot, else by wall time. `other` where they are equal."""
    if one.boot == other.boot:
        return one if one.boot_ms > other.boot_ms else other
    return one if one.wall_ms > other.wall_ms else other


def iso_utc(wall_ms: int) -> str:
    """Unix time in milliseconds as ISO 8601 in UTC, `2026-11-29T23:07:33.120Z`; any year of the Gregorian calendar."""
    days, in_day = divmod(wall_ms, 86_400_000)
    # Days since 1 March of year 0, in eras of 400 years, so that a leap day is the last day of its year.
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year = era * 400 + year_of_era + (month <= 2)
    seconds, ms = divmod(in_day, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{ms:03d}Z"
