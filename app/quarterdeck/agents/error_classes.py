"""Which class a failed call of a model service is in, by its HTTP status and the words that stand in fields made for machines. Pure.

One table for every program and service (`error_words`), so that no two adapters judge one answer differently (AUT6). Prose is never
searched here (`error_reading`); how the two are weighed says `error_evidence`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from quarterdeck.agents import error_words as told_words
from quarterdeck.domain.states import ErrorClass

AUTH, USAGE, RATE = ErrorClass.AUTH, ErrorClass.USAGE_LIMIT, ErrorClass.RATE_LIMIT
LOAD, INVALID, OTHER = ErrorClass.OVERLOADED, ErrorClass.INVALID, ErrorClass.OTHER
SERVER_FAULTS_FROM = 500


def spelled(word: str) -> str:
    """A word as it stands in the tables: `usageLimitExceeded` and `usage_limit_exceeded` are one."""
    return word.lower().replace("_", "").replace("-", "")


def _table(words: Mapping[ErrorClass, str]) -> dict[str, ErrorClass]:
    return {spelled(word): kind for kind, told in words.items() for word in told.split()}


KEY_WORDS: Final = frozenset(_table({AUTH: told_words.KEY}))
"""Those that are about the key itself."""
WORDS: Final[Mapping[str, ErrorClass]] = {
    **dict.fromkeys(KEY_WORDS, AUTH),
    **_table(
        {
            OTHER: told_words.DENIED,
            AUTH: told_words.SIGN_IN,
            USAGE: told_words.USED_UP,
            RATE: told_words.PACE,
            LOAD: told_words.BUSY,
            INVALID: told_words.WRONG,
        }
    ),
}
"""{word: class} of those that are narrower than a status."""
BROAD: Final[Mapping[str, ErrorClass]] = _table(
    {
        RATE: told_words.BROAD_PACE,
        LOAD: told_words.BROAD_BUSY,
        INVALID: told_words.BROAD_WRONG,
        OTHER: told_words.BROAD_DENIED,
    }
)
"""{word: class} of those that say no more than a status does; they count where there is none."""
LIKE_A_STATUS: Final = {RATE: 429, LOAD: 503, INVALID: 400, OTHER: 403}
"""{class of a broad word: the status that says as much}."""
PRECEDENCE: Final = (OTHER, USAGE, AUTH, LOAD, RATE, INVALID)
"""A service says several: the narrowest counts, and what stands against a dead sign-in before it. What is invalid is what it calls
every refusal, so that counts last.
"""
STATUSES: Mapping[int, ErrorClass] = {
    401: AUTH,
    402: USAGE,
    403: OTHER,
    407: OTHER,
    408: LOAD,
    425: LOAD,
    429: RATE,
    451: OTHER,
    498: LOAD,
    499: OTHER,
    **dict.fromkeys((501, 505, 506, 508, 510, 511), OTHER),
}
"""{status: class} of those that are not as their hundred: 403 may be about a model, a country or a gateway, 407 is a proxy's, 498 is
Groq's for no capacity, 499 says that the caller went away, and of 5xx some do not pass with time; 511 is a network that wants a
sign-in of its own.
"""
SIGN_IN_STATUSES = frozenset({400, 401})
"""Beside any other status a word is of a sign-in only where it is about the key itself."""
AMBIGUOUS = frozenset({403, 407})
"""A gateway says them as well: what they are about is never sure."""


def class_of_status(status: int) -> ErrorClass:
    """What a status alone says."""
    if status in STATUSES:
        return STATUSES[status]
    if 400 <= status < SERVER_FAULTS_FROM:
        return INVALID
    return LOAD if SERVER_FAULTS_FROM <= status < 600 else OTHER


def class_of_words(words: Iterable[str], status: int | None = None) -> ErrorClass | None:
    """What the words of fields say, in any spelling, beside a status where there is one; None where they say nothing that the status
    does not. A server's fault says nothing of a sign-in, and what is neither 400 nor 401 only where a word is about the key itself.
    A 401 is a refused sign-in unless a word says that it is money, or a rule of the service.
    """
    said = frozenset(map(spelled, words))
    told = {WORDS[word] for word in said if word in WORDS}
    return _weighed(told, status, is_about_key=bool(said & KEY_WORDS))


def broad_class(words: Iterable[str]) -> ErrorClass | None:
    """What the words say that say no more than a status does."""
    told = {BROAD[word] for word in map(spelled, words) if word in BROAD}
    return next((kind for kind in (RATE, LOAD, OTHER, INVALID) if kind in told), None)


def _weighed(told: set[ErrorClass], status: int | None, *, is_about_key: bool) -> ErrorClass | None:
    if status is not None:
        told = told - {INVALID}
        if status == 401:
            return next((kind for kind in (OTHER, USAGE) if kind in told), AUTH)
        if status not in SIGN_IN_STATUSES and not is_about_key:
            told -= {AUTH}
        if status == 402:
            told -= {AUTH, RATE, LOAD}
        if status >= SERVER_FAULTS_FROM:
            told -= {AUTH, USAGE, RATE}
    return next((kind for kind in PRECEDENCE if kind in told), None)
