"""Lines of which blocks of a transcript are made: texts, muted lines, the sign of a fold, fences of Markdown. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.ui.language import Texts
from quarterdeck.ui.printed_text import Ink, Piece, Printer
from quarterdeck.ui.words import one_line, size_text

tr = Texts("BlockLines")

BLOCK_CHARS_MAX = 64_000
"""Of one text; more is said, and stands in the raw view."""


def body(text: str, role: str = "body") -> list[tuple[Piece, ...]]:
    """A text, line by line; what is too much is said to stand in the raw view."""
    printer = Printer(role)
    lines = [printer.line(line) for line in text[:BLOCK_CHARS_MAX].split("\n")]
    if len(text) > BLOCK_CHARS_MAX:
        rest = size_text(len(text[BLOCK_CHARS_MAX:].encode("utf-8", "replace")))
        lines.append(muted(tr("… {rest} more; the raw view has all", rest=rest)))
    return lines


def muted(text: str) -> tuple[Piece, ...]:
    """One quiet line."""
    return (Piece(one_line(text, 400), Ink("muted")),)


def fold(is_open: bool) -> Piece:
    """The sign of what can be opened and closed."""
    return Piece("▾ " if is_open else "▸ ", Ink("fold"))


def indented(name: str, value: str, limit: int = 400) -> tuple[Piece, ...]:
    """A name and its value below a folded line."""
    return (Piece(f"   {name}  ", Ink("muted")), Piece(one_line(value, limit), Ink("mono")))


def fenced(lines: Sequence[str]) -> str:
    """Lines between a fence that none of them holds."""
    longest = max((len(run) for line in lines for run in _backticks(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((fence, *lines, fence))


def _backticks(line: str) -> list[str]:
    return (
        [run for run in "".join(c if c == "`" else " " for c in line).split() if run] if "`" in line else []
    )
