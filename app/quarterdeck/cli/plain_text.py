"""Foreign text made safe for a terminal, and its width there; durations, money and times in words.

Pure functions. Whatever an agent, a file or a person wrote passes `escaped` before it reaches a terminal: no control
sequence, no line of another's making and no reordered text can come through.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import datetime
from decimal import Decimal

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import shown_usd
from quarterdeck.domain.text import cut_before, escaped

__all__ = [
    "UNKNOWN",
    "clipped",
    "count_text",
    "duration_text",
    "escaped",
    "escaped_lines",
    "money_text",
    "padded",
    "table",
    "time_text",
    "width",
]

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_NEW_LINES = re.compile(r"\r\n?")
UNKNOWN = "unknown"
CELL_COLUMNS_MAX = 40


def escaped_lines(text: str) -> str:
    """Several lines: as `escaped`, but `\\n` and tab stay, carriage returns become `\\n`, colours are left out."""
    return escaped(_COLOURS.sub("", _NEW_LINES.sub("\n", text)), keep="\n\t")


def width(text: str) -> int:
    """Columns that escaped text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(_char_width(char) for char in text)


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def clipped(text: str, columns: int) -> str:
    """The text in at most `columns` columns; where it was cut, `…` ends it."""
    if width(text) <= columns:
        return text
    if columns <= 0:
        return ""
    kept, used = [], 0
    for char in text:
        used += _char_width(char)
        if used > columns - 1:
            break
        kept.append(char)
    return cut_before("".join(kept), len(kept)) + "…"


def padded(text: str, columns: int) -> str:
    """The text clipped or filled with spaces to exactly `columns` columns."""
    text = clipped(text, columns)
    return text + " " * (columns - width(text))


def duration_text(duration_ms: int) -> str:
    """`4s`, `17m 04s`, `2h 05m`, `3d 04h`."""
    seconds = max(0, duration_ms) // 1000
    minutes, seconds = divmod(seconds, 60)
    if not minutes:
        return f"{seconds}s"
    hours, minutes = divmod(minutes, 60)
    if not hours:
        return f"{minutes}m {seconds:02d}s"
    days, hours = divmod(hours, 24)
    return f"{days}d {hours:02d}h" if days else f"{hours}h {minutes:02d}m"


ESTIMATES = {"estimated": " (estimate)", "mixed": " (partly an estimate)"}
"""What stands behind an amount, by its `cost_source`: an estimate is called one wherever it is shown."""


def money_text(amount: Decimal | None, is_complete: bool, source: str = "reported") -> str:
    """`$0.42`, `at least $0.42`, `$0.42 (estimate)`, or `unknown`; as the window shows it, never more than is known (JNL5)."""
    if amount is None:
        return UNKNOWN
    least = "" if is_complete else "at least "
    return f"{least}{shown_usd(amount)}{ESTIMATES.get(source, '')}"


def time_text(moment: Moment | None) -> str:
    """Local date and time to the second; `–` where there is none."""
    if moment is None:
        return "–"
    return datetime.fromtimestamp(moment.wall_ms / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def count_text(count: int, word: str) -> str:
    """`1 turn`, `2 turns`."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def table(head: tuple[str, ...], rows: list[tuple[str, ...]], columns_max: int) -> str:
    """Left-aligned columns, two spaces apart, none over CELL_COLUMNS_MAX; the last is clipped to what is left of `columns_max`."""
    shown = [tuple(escaped(cell) for cell in row) for row in [head, *rows]]
    widths = [min(CELL_COLUMNS_MAX, max(width(row[i]) for row in shown)) for i in range(len(head) - 1)]
    room = max(10, columns_max - sum(widths) - 2 * len(widths))
    lines = []
    for row in shown:
        cells = [padded(cell, wide) for cell, wide in zip(row[:-1], widths, strict=True)]
        lines.append("  ".join([*cells, clipped(row[-1], room)]).rstrip())
    return "\n".join(lines) + "\n"


def size_text(size_bytes: int) -> str:
    """`812 B`, `9.2 kB`, `41 MB`."""
    value, units = Decimal(size_bytes), ["B", "kB", "MB", "GB"]
    unit = units.pop(0)
    while value >= 1000 and units:
        value, unit = value / 1000, units.pop(0)
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
