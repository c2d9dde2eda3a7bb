"""What domain and engine say, in the person's language: found in `domain_words` by its English words.

What is not found there is what somebody else wrote (an agent's own error, a system's), and is shown as it is. So is any
text longer than a sentence of ours can be: this runs on the window's thread, and foreign text has no bound.
"""

from __future__ import annotations

import functools
import re
from functools import lru_cache

from quarterdeck.ui.domain_words import WHOLE
from quarterdeck.ui.language import Later, filled, generation

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
LOOKED_UP_MAX = 1_000
"""Characters; what is longer is never one of our sentences."""
_REASONS = frozenset({"why", "reason"})
PARTS_MAX = 8
"""Reasons that are joined in one text; what has more semicolons is somebody else's."""
TITLE_MAX = 200
_PAUSED = " (was paused)"
_JOINT = "; "


def in_words(text: str) -> str:
    """A state value, a reason or a refusal as it is shown. Reasons that were joined by a semicolon are looked up apart."""
    return _found(text, generation()) if len(text) <= LOOKED_UP_MAX else text


@lru_cache(maxsize=4096)
def _found(text: str, _generation: int) -> str:
    reason = text.removesuffix(_PAUSED)
    said = _reasons(reason)
    return said if reason == text else f"{said} ({_EXACT['was paused'].now})"


def _reasons(text: str) -> str:
    parts = text.split(_JOINT)
    if len(parts) > PARTS_MAX:
        return _one(text) or text
    known = [_one(part) for part in parts]
    if all(part is not None for part in known):
        return _JOINT.join(part for part in known if part is not None)
    whole = _one(text)
    if whole is not None:
        return whole
    return _JOINT.join(part if said is None else said for part, said in zip(parts, known, strict=True))


def _one(text: str) -> str | None:
    """One sentence; the reason of a run names the agent before it (`Lint: exit 1`), and only that name is split off."""
    known = _sentence(text)
    if known is not None:
        return known
    title, colon, rest = text.partition(": ")
    known = _sentence(rest) if colon and len(title) <= TITLE_MAX else None
    return f"{title}: {known}" if known is not None else None


def _sentence(text: str) -> str | None:
    exact = _EXACT.get(text)
    if exact is not None:
        return exact.now
    for source, pieces in _WITH_PLACES:
        if all(piece in text for piece in pieces) and (match := _pattern(source).fullmatch(text)) is not None:
            return filled(
                source.now, source, {name: _part(name, value) for name, value in match.groupdict().items()}
            )
    return None


def _part(name: str, value: str) -> str:
    """What stands in a placeholder may itself be a word of the table, and where a reason stands, a sentence of it; names of
    people's things are not looked into.
    """
    exact = _EXACT.get(value)
    if exact is not None:
        return exact.now
    return (_sentence(value) if name in _REASONS else None) or value


@functools.cache
def _pattern(source: Later) -> re.Pattern[str]:
    """Made when it is needed: all two hundred are 15 ms of a window's start."""
    pieces = _PLACEHOLDER.split(source)
    made = "".join(
        re.escape(piece) if place % 2 == 0 else f"(?P<{piece}>.+?)" for place, piece in enumerate(pieces)
    )
    return re.compile(made, re.DOTALL)


_EXACT = {str(source): source for source in WHOLE if "{" not in source}
_WITH_PLACES = tuple(
    (source, _PLACEHOLDER.split(source)[::2])
    for source in sorted(WHOLE, key=lambda text: len(_PLACEHOLDER.sub("", text)), reverse=True)
    if "{" in source
)
"""Each with what stands between its places. Those that say most come first: `{agent} is {state}.` fits almost anything that holds an *is*."""
