"""The pseudo-locale `qps`: every text that is looked up comes back accented, in brackets and about a third longer.

What stands in the window without brackets was not looked up; what is cut there has no room for a longer language. For
tests and for a look by eye (`QUARTERDECK_LOCALE=qps`), never offered to a person.
"""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QTranslator

NAME = "qps"
LONGER = 0.35
KEYS = frozenset({"QShortcut"})
"""Names of keys, which are put together one by one."""
_PLAIN = "ABCDEFGHIJKLMNOPRSTUVWYZabcdefghijklmnoprstuvwyz"
_ACCENTED = "ÀƁÇÐÉƑĜĤÎĴĶĻḾÑÖÞŔŠŢÛṼŴÝŽàƀçðéƒĝĥîĵķļḿñöþŕšţûṽŵýž"
_LETTERS = str.maketrans(_PLAIN, _ACCENTED)
_KEPT = re.compile(r"(\{[^{}]*\}|%[\dnL]\d?|<[^<>]*>|&(?=\w))")
"""Placeholders, Qt's own placeholders, markup and the mark of a mnemonic."""


def pseudo(text: str) -> str:
    """`Stop…` → `[Šţöþ… ~~]`. Placeholders and markup stay as they are; an empty text stays empty."""
    if not text.strip():
        return text
    pieces = _KEPT.split(text)
    accented = "".join(
        piece if place % 2 else piece.translate(_LETTERS) for place, piece in enumerate(pieces)
    )
    return f"[{accented} {'~' * max(1, math.ceil(len(text) * LONGER) - 3)}]"


class PseudoTranslator(QTranslator):
    """Answers for every context, Qt's own as well, but for the names of keys."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str:
        if context in KEYS:
            return text
        return pseudo(disambiguation if n == 1 and disambiguation else text)
