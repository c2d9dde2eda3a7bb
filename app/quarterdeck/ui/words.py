"""How single values read: durations, money, times, tokens, ids, and foreign text made harmless. Pure functions.

Nothing here knows a view; local time comes from the given zone or the machine's.
"""

from __future__ import annotations

from datetime import date, datetime, tzinfo
from decimal import Decimal
from functools import lru_cache

from PySide6.QtCore import QLocale

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import shown_usd
from quarterdeck.domain.text import cut_before, escaped
from quarterdeck.ui.language import Texts

tr = Texts("Words")

SHORT_ID_DIGITS = 4

NOT_KNOWN = tr.later("Not known yet.")
"""Before the engine has told anything."""
UNREADABLE = tr.later("The records cannot be read.")


SIZES = tr.later("{size} kB"), tr.later("{size} MB"), tr.later("{size} GB"), tr.later("{size} TB")


def duration_text(milliseconds: int) -> str:
    """`0m 13s`, `17m 04s`, `2h 05m`, `3d 04h`; whole seconds, rounded down."""
    seconds = max(0, milliseconds) // 1000
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return tr("{minutes}m {seconds}s", minutes=minutes, seconds=f"{seconds:02d}")
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return tr("{hours}h {minutes}m", hours=hours, minutes=f"{minutes:02d}")
    days, hours = divmod(hours, 24)
    return tr("{days}d {hours}h", days=days, hours=f"{hours:02d}")


def clock_text(milliseconds: int) -> str:
    """`0:13`, `15:31`, `2:05:09`: the short form in a node's row."""
    seconds = max(0, milliseconds) // 1000
    minutes, seconds = divmod(seconds, 60)
    if minutes < 60:
        return f"{minutes}:{seconds:02d}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}"


def least_clock_text(milliseconds: int, *, is_least: bool) -> str:
    """As `clock_text`; `≥ 0:57` of work that went on for so long at least (REC6)."""
    return f"≥ {clock_text(milliseconds)}" if is_least else clock_text(milliseconds)


def money_text(amount: Decimal | None, complete: bool = True, source: str = "reported") -> str:
    """`$3.21`; `unknown` where nothing is known; `at least $3.21` where a part is unknown (ruling 11); `$3.21 (estimate)`
    where it was worked out from tokens. source: `FiguresTotals.cost_source`.

    The figure is that of the terminal, and never more than is known (JNL5).
    """
    if amount is None:
        return tr("unknown")
    said = shown_usd(amount) if complete else tr("at least {amount}", amount=shown_usd(amount))
    if source == "mixed":
        return tr("{amount} (partly an estimate)", amount=said)
    return tr("{amount} (estimate)", amount=said) if source == "estimated" else said


def brief_money(amount: Decimal | None, complete: bool = True, source: str = "reported") -> str:
    """As `money_text`, where room is short: `$3.21`, `≥ $3.21`, `est. $3.21`, `$?`."""
    if amount is None:
        return "$?"
    said = money_text(amount) if complete else f"≥ {money_text(amount)}"
    return tr("est. {amount}", amount=said) if source in ("estimated", "mixed") else said


def tokens_text(count: int) -> str:
    """`812`, `9.2k`, `412k`, `1.3M`."""
    if count < 1000:
        return str(count)
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if count >= size:
            value = Decimal(count) / size
            return f"{value:.1f}{letter}" if value < 100 else f"{value:.0f}{letter}"
    raise AssertionError(count)


def size_text(size_bytes: int) -> str:
    """`812 B`, `9.2 kB`, `41 MB`."""
    if size_bytes < 1000:
        return tr("{size} B", size=size_bytes)
    value = Decimal(size_bytes)
    for unit in SIZES:
        value /= 1000
        if value < 1000 or unit is SIZES[-1]:
            return unit.now.format(size=f"{value:.1f}" if value < 100 else f"{value:.0f}")
    raise AssertionError(size_bytes)


def local_time(moment: Moment, zone: tzinfo | None = None) -> datetime:
    """The wall time of a moment in the given zone (default: the machine's)."""
    return datetime.fromtimestamp(moment.wall_ms / 1000, tz=zone).astimezone(zone)


def time_text(moment: Moment, zone: tzinfo | None = None) -> str:
    """`14:02`."""
    return local_time(moment, zone).strftime("%H:%M")


def exact_time_text(moment: Moment, zone: tzinfo | None = None) -> str:
    """`14:02:09`."""
    return local_time(moment, zone).strftime("%H:%M:%S")


def day_text(moment: Moment, now: Moment, zone: tzinfo | None = None) -> str:
    """`Today`, `Yesterday`, `Mon` within a week, else `3 Nov` or `3 Nov 2025`."""
    at, today = local_time(moment, zone), local_time(now, zone)
    days = (today.date() - at.date()).days
    if days == 0:
        return tr("Today")
    if days == 1:
        return tr("Yesterday")
    if 1 < days < 7:
        return day_name(at.date())
    month = month_name(at.date())
    if at.year == today.year:
        return tr("{day} {month}", day=at.day, month=month)
    return tr("{day} {month} {year}", day=at.day, month=month, year=at.year)


def day_name(day: date, *, brief: bool = True) -> str:
    """`Mon` or `Monday`, in the language in force."""
    form = QLocale.FormatType.ShortFormat if brief else QLocale.FormatType.LongFormat
    return QLocale().standaloneDayName(day.isoweekday(), form)


def month_name(day: date, *, brief: bool = True) -> str:
    """`Nov` or `November`, in the language in force."""
    form = QLocale.FormatType.ShortFormat if brief else QLocale.FormatType.LongFormat
    return QLocale().standaloneMonthName(day.month, form)


def short_id(run: RunId) -> str:
    """`r-7f3c` of `r-7f3c…`; the full id stands in tooltips and in copies."""
    head, dash, digits = run.partition("-")
    return f"{head}{dash}{digits[:SHORT_ID_DIGITS]}"


def shown_plainly(text: str) -> str:
    """Foreign text with control, bidirectional and other invisible characters as escapes, the terminal's own.

    Line breaks and tabs stay. What is shown is what was sent: nothing can hide or reorder it (ux, Approval).
    """
    return escaped(text, keep="\n\t")


def one_line(text: str, limit: int = 200) -> str:
    """Foreign text on one line, harmless, at most `limit` characters (an ellipsis tells that more follows)."""
    cut = text if len(text) <= limit else f"{cut_before(text, limit - 1)}…"
    return _on_one_line(cut)


@lru_cache(maxsize=4096)
def _on_one_line(text: str) -> str:
    """Titles and reasons are shown again with every look; they are bounded, as their number is here."""
    return " ".join(shown_plainly(text).split())
