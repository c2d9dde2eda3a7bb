"""What domain and engine say, in the person's language: found in `domain_words` by its English words.

What is not found there is what somebody else wrote (an agent's own error, a system's), and is shown as it is.
"""

from __future__ import annotations

import re
from functools import lru_cache

from quarterdeck.ui.domain_words import WHOLE
from quarterdeck.ui.language import Later, filled, generation

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_PAUSED = " (was paused)"
_JOINT = "; "


def in_words(text: str) -> str:
    """A state value, a reason or a refusal as it is shown. Reasons that were joined by a semicolon are looked up apart."""
    return _found(text, generation())


@lru_cache(maxsize=4096)
def _found(text: str, _generation: int) -> str:
    if text.endswith(_PAUSED):
        return f"{_found(text.removesuffix(_PAUSED), _generation)} ({_EXACT['was paused'].now})"
    parts = text.split(_JOINT)
    known = [_one(part, _generation) for part in parts]
    if all(part is not None for part in known):
        return _JOINT.join(part for part in known if part is not None)
    whole = _one(text, _generation)
    if whole is not None:
        return whole
    return _JOINT.join(part if said is None else said for part, said in zip(parts, known, strict=True))


def _one(text: str, at: int) -> str | None:
    exact = _EXACT.get(text)
    if exact is not None:
        return exact.now
    for pattern, source in _PATTERNS:
        match = pattern.fullmatch(text)
        if match is not None:
            parts = {name: _part(value, at) for name, value in match.groupdict().items()}
            return filled(source.now, source, dict(parts))
    title, colon, rest = text.partition(": ")  # the reason of a run names the agent: `Lint: exit 1`
    known = _one(rest, at) if colon and len(title) <= TITLE_MAX else None
    return f"{title}: {known}" if known is not None else None


TITLE_MAX = 200


def _part(value: str, at: int) -> str:
    """What stands in a placeholder may itself be a word of the table; names of people's things are not looked into."""
    exact = _EXACT.get(value)
    return exact.now if exact is not None else value


def _pattern(source: Later) -> re.Pattern[str]:
    pieces = _PLACEHOLDER.split(source)
    made = "".join(
        re.escape(piece) if place % 2 == 0 else f"(?P<{piece}>.+?)" for place, piece in enumerate(pieces)
    )
    return re.compile(made, re.DOTALL)


_EXACT = {str(source): source for source in WHOLE if "{" not in source}
_PATTERNS = tuple((_pattern(source), source) for source in WHOLE if "{" in source)
