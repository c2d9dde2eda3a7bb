"""Foreign text: whether it says anything to a reader (SLT10), and how it is shown so that nothing hides in it."""

from __future__ import annotations

import re
import unicodedata

_INVISIBLE_LETTERS = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Characters that Unicode classes as letters or symbols and that show nothing: fillers and the blank Braille cell."""
_UNSEEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"})
"""Controls, marks of direction and width, private and unassigned characters, half pairs, separators of lines."""
_JOINER = "\u200d"
_EMOJI = (
    r"[\U0001f300-\U0001f3fa\U0001f400-\U0001faff"
    r"\u2194\u2195\u2620\u2640\u2642\u2695\u2696\u26a7\u26d3\u26f9\u2708\u2764\u27a1\u2b1b]"
    r"[\ufe0f\U0001f3fb-\U0001f3ff]?"
)
"""A picture that emoji are joined of, and how it is drawn: in colour, or the tone of its skin."""
_JOINED = re.compile(f"{_EMOJI}(?:{_JOINER}{_EMOJI}){{1,3}}")
"""One emoji of two to four pictures, as Unicode has them: a joiner inside hides nothing and is no gap."""
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
    are shown. Text of any script stays as it is, and so does an emoji that is joined of several.
    """
    if text.isascii() and text.isprintable():
        return text
    if _JOINER not in text:
        return _each_shown(text, keep)
    shown, end = [], 0
    for joined in _JOINED.finditer(text):
        pictures = (_each_shown(part, keep) for part in joined[0].split(_JOINER))
        shown += [_each_shown(text[end : joined.start()], keep), _JOINER.join(pictures)]
        end = joined.end()
    return "".join([*shown, _each_shown(text[end:], keep)])


def cut_before(text: str, end: int) -> str:
    """The first characters of a text, up to `end`; of an emoji that is joined of several no joiner is left behind."""
    return text[:end].rstrip(_JOINER)


def _each_shown(text: str, keep: str) -> str:
    return "".join([char if char in keep else _shown(char) for char in text])


def _shown(char: str) -> str:
    if unicodedata.category(char) not in _UNSEEN_CATEGORIES:
        return char
    code = ord(char)
    if code < 0x100:
        return _SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
