"""How what is known of a failed call is weighed: one order for every program. Pure.

1. A word that the service, or the program itself, put into a field for machines.
2. The HTTP status, or a word that says no more than one does; what the prose beside it says narrows it, and can never make more of it.
3. A word that no table knows, read as words.
4. The prose alone.

Only what stands in a field or a status is sure. A sign-in is dead for sure only where a word about the key itself says so, or a 401 that
nothing beside it speaks against (AUT6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from quarterdeck.agents.error_bodies import PER_MINUTE, body_of, names_in, prose_of
from quarterdeck.agents.error_classes import (
    AMBIGUOUS,
    BROAD,
    KEY_WORDS,
    LIKE_A_STATUS,
    PRECEDENCE,
    SERVER_FAULTS_FROM,
    WORDS,
    broad_class,
    class_of_status,
    class_of_words,
    spelled,
)
from quarterdeck.agents.error_prose import bare, status_told, wait_told
from quarterdeck.agents.error_reading import (
    asks_again,
    begins_with_key,
    class_read,
    is_about_key,
    is_by_minute,
    is_denied,
    is_of_gateway,
    is_paced,
    is_spent,
    is_unpaid,
    narrowed,
    plain,
)
from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX
from quarterdeck.domain.states import ErrorClass

LONG_WAIT_S: Final = 600
"""What resets later than this is no pace of calls: a plan or a day is used up."""
_KEY_STATUSES: Final = frozenset({400, 403})
"""With these a service may also mean the key."""
_ENDS = re.compile(r"(?:error|exception|exceeded|limit)$")


class Judged(NamedTuple):
    """The class; whether it is beyond doubt; and the HTTP status where one is known."""

    error_class: ErrorClass
    is_sure: bool
    status: int | None = None


def judged(words: Iterable[str], status: int | None, text: str) -> Judged | None:
    """By the words of fields, a status in a field, and the prose beside them; None where none of them says anything that is known."""
    said = frozenset(words)
    told = class_of_words(said, status)
    if told is not None and not (status == 401 and not _is_of_words(said)):
        return _by_words(told, said, status, text)
    if status is not None:
        return _by_status(status, text, said)
    broad = broad_class(said)
    if broad is not None:
        kind = class_with_status(LIKE_A_STATUS[broad], text)
        return Judged(kind, kind is not ErrorClass.AUTH)
    unknown = _unknown_class(said)
    return None if unknown is None else Judged(unknown, is_sure=False)


def judged_text(text: str) -> Judged | None:
    """What an error says that is told in prose alone: never sure."""
    core = bare(text[:TEXT_CHARS_MAX])
    status, body = status_told(core), body_of(core)
    told = judged(body.words | names_in(core), status or body.status, prose_of(core, body))
    if told is None:
        kind = class_read(core)
        if kind in (ErrorClass.RATE_LIMIT, ErrorClass.USAGE_LIMIT) and wait_told(core) is not None:
            kind = narrowed_limit(core)
        return None if kind is None else Judged(kind, is_sure=False)
    return Judged(told.error_class, is_sure=False, status=told.status)


def judged_with_text(words: Iterable[str], status: int | None, text: str) -> Judged | None:
    """The same where an answer of the service may stand in the text: what only its words say of a sign-in is not sure."""
    body, said = body_of(text), frozenset(words)
    prose = prose_of(text, body)
    told = judged(said, status, prose)
    if (
        status is None
        or not body.words
        or (told is not None and class_of_words(said, status) is told.error_class and status != 401)
    ):
        return told
    more = judged(said | body.words, status, prose)
    if more is None or (told is not None and more.error_class is told.error_class):
        return told
    return more._replace(is_sure=more.is_sure and more.error_class is not ErrorClass.AUTH)


def _by_words(told: ErrorClass, said: frozenset[str], status: int | None, text: str) -> Judged:
    """A number that is a word of one service may be another's: of a sign-in it is not sure without its 401."""
    spelt = set(map(spelled, said))
    if told is ErrorClass.RATE_LIMIT and PER_MINUTE not in said:
        told = narrowed_limit(text)
    elif told is ErrorClass.USAGE_LIMIT and status == 429 and is_by_minute(text) and not is_unpaid(text):
        told = ErrorClass.RATE_LIMIT
    if told is ErrorClass.AUTH and not spelt & KEY_WORDS and status != 401:
        told = class_with_status(401, text)
    is_number = status != 401 and not any(WORDS.get(word) is told and not word.isdigit() for word in spelt)
    is_doubtful = told is ErrorClass.AUTH and (status in AMBIGUOUS or is_number or is_of_gateway(text))
    return Judged(told, not is_doubtful, status)


def _is_of_words(said: frozenset[str]) -> bool:
    """Whether words, and not the 401 beside them, make it what it is."""
    spelt = set(map(spelled, said))
    return bool(spelt & KEY_WORDS) or any(
        WORDS.get(word) in (ErrorClass.USAGE_LIMIT, ErrorClass.OTHER) for word in spelt
    )


def _by_status(status: int, text: str, said: frozenset[str]) -> Judged:
    kind, by_status = class_with_status(status, text), class_of_status(status)
    unknown = _unknown_class(said)
    is_of_minute = unknown is ErrorClass.USAGE_LIMIT and is_by_minute(text)
    if kind is by_status and unknown is not None and not is_of_minute and _may_narrow(status, unknown):
        kind = unknown
    is_sure = kind is not ErrorClass.AUTH or (status == 401 and not is_of_gateway(text))
    return Judged(kind, is_sure, status)


def _may_narrow(status: int, kind: ErrorClass) -> bool:
    """What a word that no table knows may make of a status: never a dead sign-in, nor of a fault of the service anything else."""
    narrower = {
        ErrorClass.USAGE_LIMIT: status < SERVER_FAULTS_FROM,
        ErrorClass.OVERLOADED: status == 429,
        ErrorClass.RATE_LIMIT: status < SERVER_FAULTS_FROM and status not in (401, 402),
    }
    return narrower.get(kind, False)


def _unknown_class(said: frozenset[str]) -> ErrorClass | None:
    """Words that no table knows, read as words: `RequestQuotaDepleted`."""
    found = set()
    for word in said:
        if spelled(word) in WORDS or spelled(word) in BROAD or len(word) < 5 or word.isdigit():
            continue
        parts = plain(word)
        kind = class_read(f"{parts} exceeded" if _ENDS.search(parts) else parts)
        if kind is not None:
            found.add(kind)
    return next((kind for kind in PRECEDENCE if kind in found), None)


def class_with_status(status: int, text: str) -> ErrorClass:
    """What a status says together with the words beside it: which limit it is, whether a refusal is about the key, money or a rule."""
    kind = class_of_status(status)
    if status == 429:
        return narrowed_limit(text)
    if status >= SERVER_FAULTS_FROM:
        return ErrorClass.USAGE_LIMIT if is_unpaid(text) else kind
    if status in (402, 407, 408):
        return kind
    if is_spent(text):
        return ErrorClass.USAGE_LIMIT
    if status == 401:
        return ErrorClass.OTHER if is_denied(text) else kind
    if status in (*_KEY_STATUSES, 413) and is_paced(text):
        return narrowed_limit(text)
    is_about_it = (
        status == 400 and begins_with_key(re.sub(rf"(?m)^[^\n]{{0,60}}?\b{status}\b\W*", "", text))
    ) or (status == 403 and (is_about_key(text) or asks_again(text)))
    return ErrorClass.AUTH if is_about_it else kind


def narrowed_limit(text: str) -> ErrorClass:
    """Which limit it is: none of the caller, one that a short wait gets over, or one after which nothing is left."""
    kind = narrowed(plain(text))
    wait_s = wait_told(text)
    if kind is ErrorClass.OVERLOADED or wait_s is None:
        return kind
    return ErrorClass.USAGE_LIMIT if wait_s >= LONG_WAIT_S else ErrorClass.RATE_LIMIT
