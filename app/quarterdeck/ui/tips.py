"""Texts that show while the pointer rests: plain text of bounded size, whoever wrote it. Every tooltip is made here.

Qt takes a tooltip for HTML where it looks like it, and there is no way to tell it not to. It looks for a tag or an escaped
one; a character without width behind each `<` and `&` makes both none, and is neither seen nor heard.
"""

from __future__ import annotations

import re
import textwrap

from quarterdeck.ui.words import shown_plainly

LINE_MAX, LINES_MAX = 96, 24
_OPENERS = re.compile("[<&]")
_NO_WIDTH = "\u2060"


def tip(text: str) -> str:
    """The tooltip for a text: escapes for what cannot be seen, wrapped, at most LINES_MAX lines, never HTML."""
    if not text:
        return ""
    lines: list[str] = []
    for line in shown_plainly(text[: LINE_MAX * LINES_MAX * 2]).split("\n"):
        lines += textwrap.wrap(line, LINE_MAX, break_on_hyphens=False, replace_whitespace=False) or [""]
    if len(lines) > LINES_MAX:
        lines = [*lines[: LINES_MAX - 1], "…"]
    return _OPENERS.sub(rf"\g<0>{_NO_WIDTH}", "\n".join(lines))
