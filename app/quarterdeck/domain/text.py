"""Foreign text: whether it says anything to a reader (SLT10), and how it is shown so that nothing hides in it."""

from __future__ import annotations

import unicodedata

_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode classes as letters or symbols and that show nothing: fillers and the blank Braille cell."""
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Controls, marks of direction and width, private and unassigned characters, half pairs, separators of lines."""
_SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}


def has_visible_text(text: str | None) -> bool:
    """Whether at least one character can be seen: blanks, zero-width, controls and lone marks do not count."""
    return any(
        unicodedata.category(character)[0] in "LNPS" and character not in _INVISIBLE_LETTERS
        for character in text or ""
    )


def escaped(text: str, keep: str = "") -> str:
    """Foreign text in which nothing can hide, reorder or break a line: such characters as `\\x1b`, `\\u202e`, `\\U000e0001`.

    Window and terminal show them in this one form. keep: characters that stay, such as line breaks where several lines
    are shown. Text of any script stays as it is.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char in keep else _shown(char) for char in text)


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _UNSEEN_CATEGORIES:
        return char
    code = ord(char)
    if code < 0x100:
        return _SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
