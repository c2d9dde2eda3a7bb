"""What stands in the words of an error in a form of its own: the status, how long to wait, when a limit resets. Pure.

Only an error that the program itself told comes here, never a text of the model, of a tool or of a file; and what is told by its words
alone is never sure: a report of it is of middle strength (AUT6).
"""

from __future__ import annotations

import re

_FRAMES = re.compile(
    r"^(?:Internal error: |\[?API Error: (?=[^\d(])|Failed to authenticate[.:] (?=API Error|\d)|Error: (?=\d)|Provider error: )*"
)
_STATUS_FIRST = re.compile(r"(?:\[?API Error:?\s*)?\(?(4\d\d|5\d\d)\)?(?=[\s:{·,.\])-]|$)")
_STATUS_LATER = re.compile(
    r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|error code|rejected|Repeated|API Error:?)[\"']?[=:\s(]*(4\d\d|5\d\d)\b",
    re.IGNORECASE,
)
_WAIT = re.compile(
    r"\b(?:reset after|(?:re)?try(?: again)? (?:in|after)|wait) "
    r"((?:\d{1,6}(?:\.\d{1,9})? ?(?:days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|ms|[dhms])\b[, ]*|\d{1,6}(?:\.\d{1,9})?[hms]){1,4})",
    re.IGNORECASE,
)
_PART = re.compile(r"(\d+(?:\.\d+)?) ?(ms|[dhms])", re.IGNORECASE)
_UNITS_S = {"d": 86_400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}
_UNTIL = re.compile(r"\|(\d{9,11})$")


def bare(text: str) -> str:
    """An error without the words that a program puts before every one."""
    return _FRAMES.sub("", text.strip())


def status_told(core: str) -> int | None:
    """The HTTP status that an error without its frame begins with, or names as one."""
    found = _STATUS_FIRST.match(core) or _STATUS_LATER.search(core)
    return int(found[1]) if found is not None else None


def wait_told(text: str) -> float | None:
    """Seconds that the words say to wait: `reset after 8h44m7s`, `retry in 16.4s`, `try again in 3 days`."""
    found = _WAIT.search(text)
    if found is None:
        return None
    return round(sum(float(number) * _UNITS_S[unit.lower()] for number, unit in _PART.findall(found[1])), 3)


def reset_told(text: str) -> int | None:
    """The Unix time in seconds behind a bar, as an older Claude Code told when its limit resets."""
    found = _UNTIL.search(text.strip())
    return int(found[1]) if found is not None else None
