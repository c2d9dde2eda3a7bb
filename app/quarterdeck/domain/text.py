"""Whether a text says anything to a reader (SLT10)."""

from __future__ import annotations

import unicodedata

_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode classes as letters or symbols and that show nothing: fillers and the blank Braille cell."""


def has_visible_text(text: str | None) -> bool:
    """Whether at least one character can be seen: blanks, zero-width, controls and lone marks do not count."""
    return any(
        unicodedata.category(character)[0] in "LNPS" and character not in _INVISIBLE_LETTERS
        for character in text or ""
    )
