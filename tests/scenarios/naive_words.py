"""How times, days and money read and sound, after ux.md. Imports nothing of the product."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_DOWN, Decimal


def local(wall_ms: int) -> dt.datetime:
    return dt.datetime.fromtimestamp(wall_ms / 1000).astimezone()


def day(wall_ms: int, now: int) -> str:
    at, today = local(wall_ms), local(now)
    gone = (today.date() - at.date()).days
    if gone in (0, 1):
        return ("Today", "Yesterday")[gone]
    if 1 < gone < 7:
        return at.strftime("%a")
    return f"{at.day} {at:%b}" + ("" if at.year == today.year else f" {at.year}")


def long_time(ms: int) -> str:
    seconds = max(0, ms) // 1000
    if seconds < 3600:
        return f"{seconds // 60}m {seconds % 60:02d}s"
    if seconds < 48 * 3600:
        return f"{seconds // 3600}h {seconds % 3600 // 60:02d}m"
    return f"{seconds // 86400}d {seconds % 86400 // 3600:02d}h"


def short_time(ms: int | None, is_least: bool = False) -> str:
    if ms is None:
        return ""
    seconds = ms // 1000
    hours = f"{seconds // 3600}:" if seconds >= 3600 else ""
    minutes = seconds % 3600 // 60
    told = f"{hours}{minutes:02d}" if hours else str(minutes)
    return f"{'≥ ' if is_least else ''}{told}:{seconds % 60:02d}"


def spoken_time(ms: int) -> str:
    def said(number: int, word: str) -> str:
        return f"{number:,} {word}" + ("" if number == 1 else "s")

    seconds = ms // 1000
    if seconds < 60:
        return said(seconds, "second")
    if seconds < 3600:
        return said(seconds // 60, "minute")
    big, small = (
        ((86400, "day"), (3600, "hour")) if seconds >= 48 * 3600 else ((3600, "hour"), (60, "minute"))
    )
    rest = seconds % big[0] // small[0]
    return said(seconds // big[0], big[1]) + (f" {said(rest, small[1])}" if rest else "")


def money(amount: Decimal | None, whole: bool = True) -> str:
    if amount is None:
        return "unknown"
    places = 2  # from a dollar on; below, four decimals, or as many as two digits need
    if 0 < amount < 1:
        places = 4
        while amount.quantize(Decimal(1).scaleb(-places), ROUND_DOWN) < Decimal(10).scaleb(-places):
            places += 1
    whole_part, rest = f"{amount.quantize(Decimal(1).scaleb(-places), ROUND_DOWN):,f}".split(".")
    while len(rest) > 2 and rest.endswith("0"):
        rest = rest[:-1]
    text = f"${whole_part}.{rest}"
    return text if whole else f"at least {text}"


def paid_money(paid: Decimal | None, whole: bool, pretended: Decimal | None, all_pretended: bool) -> str:
    if pretended is None:
        return money(paid, whole)
    practice = f"{money(pretended, all_pretended)} practice"
    return practice if paid == 0 and whole else f"{money(paid, whole)} and {practice}"


def spoken_money(amount: Decimal | None, whole: bool) -> str:
    if amount is None:
        return "cost unknown"
    cents = int(amount.quantize(Decimal("0.01"), ROUND_DOWN) * 100)
    if amount == 0:
        text = "no cost"
    elif amount < Decimal("0.01"):
        text = "less than a cent"
    elif cents < 100:
        text = "1 cent" if cents == 1 else f"{cents} cents"
    else:
        text = "1 dollar" if cents // 100 == 1 else f"{cents // 100:,} dollars"
        text += f" {cents % 100:02d}" if cents % 100 else ""
    return text if whole else f"at least {text}"


def short(run: str) -> str:
    return run[:6]
