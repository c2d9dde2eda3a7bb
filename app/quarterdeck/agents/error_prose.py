"""What the words of an error are about, where its program put nothing into a field. Pure.

Only an error that the program itself told comes here, never a text of the model, of a tool or of a file; and what is told by its words
alone is never sure: a report of it is of middle strength (AUT6).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from quarterdeck.agents.error_classes import class_of_status
from quarterdeck.domain.states import ErrorClass

LONG_WAIT_S = 600
"""What resets later than this is no pace of calls: a plan or a day is used up."""
_QUOTA_STATUSES = frozenset({400, 403, 429})
"""Statuses with which services say that nothing is left."""
_KEY_STATUSES = frozenset({400, 403})
_FRAMES = re.compile(r"^(?:Internal error: |\[?API Error: (?=[^\d(])|Failed to authenticate[.:] )*")
_STATUS_FIRST = re.compile(r"(?:\[?API Error:?\s*)?\(?(4\d\d|5\d\d)\)?(?=[\s:{·,.\])-]|$)")
_STATUS_LATER = re.compile(
    r"\b(?:HTTP|status(?: code)?|rejected|Repeated|API Error:?)[:\s(]*(4\d\d|5\d\d)\b", re.IGNORECASE
)
_KEY_BEGINS = re.compile(
    r"api[ _-]?key (?:not valid|is missing|expired|not found)|no refresh token\b|could not load (?:the default )?credentials"
    r"|failed to log ?in\b",
    re.IGNORECASE,
)
"""How a refused sign-in begins where a service calls it a bad request, or the program knows no status."""
_KEY_IS_GONE = re.compile(
    r"\bthis organization has been disabled\b|\bapi[ _-]?key was reported as leaked\b", re.IGNORECASE
)
_AUTH = re.compile(
    r"\b(?:incorrect|invalid|missing|expired) (?:api[ _-]?key|access token|token|credentials?)\b"
    r"|\bapi[ _-]?key (?:not valid|is missing|expired|not found)"
    r"|\b(?:did not|didn't) provide an? api[ _-]?key\b"
    r"|\b(?:unauthorized|not logged in|authentication (?:required|failed))\b"
    r"|\boauth (?:session|(?:access )?token) (?:has )?(?:expired|(?:been )?revoked)"
    r"|\baccess token could not be refreshed\b|\bplease sign in again\b",
    re.IGNORECASE,
)
_HIT = re.compile(r"\byou['\u2019]ve hit your (?!rate)[\w -]{0,40}limit\b", re.IGNORECASE)
_QUOTA = re.compile(
    r"\b(?:(?:exceeded|exhausted) your (?:current |daily )?quota|(?<!not your )usage limit|credit balance|insufficient quota"
    r"|free tier of the model has been exhausted|account is in good standing|usage credits required|insufficient balance|key limit exceeded|\d{1,3}-hour limit reached)\b",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"\b(?:rate limit (?:reached|exceeded)|too many requests|temporarily limiting requests)\b", re.IGNORECASE
)
_NO_CAPACITY = re.compile(r"\bno capacity available\b|\boverloaded\b", re.IGNORECASE)
_LOAD = re.compile(
    r"\bstream disconnected before completion\b|\bmodel is at capacity\b|\bexperiencing high demand\b",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(r"prompt is too long", re.IGNORECASE)
_WAIT = re.compile(r"\b(?:reset after|retry in) ((?:\d{1,6}(?:\.\d{1,9})?[hms]){1,3})", re.IGNORECASE)
_UNITS_S = {"h": 3600, "m": 60, "s": 1}
_UNTIL = re.compile(r"\|(\d{9,11})$")


class Told(NamedTuple):
    """What the words are about, and the HTTP status that stands among them."""

    error_class: ErrorClass
    status: int | None = None


def told_by(text: str) -> Told | None:
    """What the words of an error say; None where they say nothing that is known."""
    core = _FRAMES.sub("", text.strip())
    found = _STATUS_FIRST.match(core) or _STATUS_LATER.search(core)
    if found is not None:
        status = int(found[1])
        return Told(class_with_status(status, core), status)
    if _HIT.search(core) or _QUOTA.search(core):
        return Told(ErrorClass.USAGE_LIMIT)
    if _RATE.search(core):
        return Told(ErrorClass.RATE_LIMIT)
    if _LOAD.search(core):
        return Told(ErrorClass.OVERLOADED)
    if _TOO_LONG.match(core):
        return Told(ErrorClass.INVALID)
    is_auth = (_AUTH.search(core) or _KEY_BEGINS.match(core)) and "proxy" not in core.lower()
    return Told(ErrorClass.AUTH) if is_auth else None


def class_with_status(status: int, text: str) -> ErrorClass:
    """What a status says together with the words beside it: which limit it is, whether a bad request is about the key."""
    if status == 429:
        return narrowed_limit(text)
    if status in _QUOTA_STATUSES and (_HIT.search(text) or _QUOTA.search(text)):
        return ErrorClass.USAGE_LIMIT
    is_key_gone = status in _KEY_STATUSES and _KEY_IS_GONE.search(text)
    is_about_it = is_key_gone or (status == 400 and is_about_key(text))
    return ErrorClass.AUTH if is_about_it else class_of_status(status)


def is_about_key(text: str) -> bool:
    """Whether an error begins as one of a refused sign-in does."""
    return _KEY_BEGINS.match(text.strip()) is not None


def narrowed_limit(text: str) -> ErrorClass:
    """Which limit it is: none of the caller, one that a short wait gets over, or one after which nothing is left."""
    if _NO_CAPACITY.search(text):
        return ErrorClass.OVERLOADED
    wait_s = wait_told(text)
    if wait_s is not None:
        return ErrorClass.USAGE_LIMIT if wait_s >= LONG_WAIT_S else ErrorClass.RATE_LIMIT
    is_used_up = _HIT.search(text) or _QUOTA.search(text)
    return ErrorClass.USAGE_LIMIT if is_used_up else ErrorClass.RATE_LIMIT


def wait_told(text: str) -> float | None:
    """Seconds that the words say to wait: `reset after 8h44m7s`, `retry in 16.4s`."""
    found = _WAIT.search(text)
    if found is None:
        return None
    parts = re.findall(r"([\d.]+)([hms])", found[1].lower())
    return round(sum(float(number) * _UNITS_S[unit] for number, unit in parts), 3)


def reset_told(text: str) -> int | None:
    """The Unix time in seconds behind a bar, as an older Claude Code told when its limit resets."""
    found = _UNTIL.search(text.strip())
    return int(found[1]) if found is not None else None
