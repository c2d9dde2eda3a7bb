"""What an error of an ACP agent is about: one of the classes of the lines protocol, and how sure that is. Pure.

Only what the program answers to a request of ours is looked at: no text of the model, of a tool or of a file comes here. Strong
is what a field says that the program filled in for machines: the code, a status, a kind, a reason. What only its words say is
medium: it may be about something else (AUT6). Which word and status is which class stands in `error_classes`, for every program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from quarterdeck.agents.acp_wire import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from quarterdeck.agents.error_classes import AMBIGUOUS, class_of_words
from quarterdeck.agents.error_prose import (
    Told,
    class_with_status,
    is_about_key,
    narrowed_limit,
    told_by,
    wait_told,
)
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

AUTH_REQUIRED = -32000
"""The protocol's own code for it."""
RESOURCE_NOT_FOUND = -32002
PER_DAY, PER_MINUTE = "quota_per_day", "quota_per_minute"
UNKNOWN_STATUS = 500
"""Gemini also says it where it knows none."""
DEPTH_MAX = 4
ITEMS_MAX = 200
KIND_FIELDS = frozenset(
    {
        "codexErrorInfo",
        "codex_error_info",
        "errorKind",
        "errorName",
        "error_kind",
        "error_name",
        "kind",
        "reason",
        "type",
        "code",
        "status",
    }
)
STATUS_FIELDS = frozenset(
    {
        "status",
        "statusCode",
        "status_code",
        "http_status",
        "httpStatus",
        "httpStatusCode",
        "http_status_code",
        "code",
    }
)
QUOTA_FIELD = "quotaId"
"""Of Google: its name says for how long a quota is, and its words do not."""
DELAY_FIELDS = frozenset({"retryAfter", "retry_after", "retry_after_s", "retryAfterSeconds", "retryDelay"})
RESET_FIELDS = frozenset({"resetsAt", "resets_at", "resetAt", "reset_at"})
_WORD = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")


class Judged(NamedTuple):
    """Class, how sure it is, and the HTTP status where one is known."""

    error_class: str
    strength: str
    status: int | None


def report_of(error: RpcError) -> Report:
    """The `error` report of a request that the agent answered with an error."""
    judged = judge(error)
    fields, words = list(_fields(error)), words_of(error)
    delays = (s for key, v in fields if key in DELAY_FIELDS and (s := _seconds(v)) is not None)
    resets = (v for key, v in fields if key in RESET_FIELDS and isinstance(v, str | int) and v)
    return error_report(
        judged.error_class,
        words,
        judged.strength,
        status=judged.status,
        retry_after_s=next(delays, None) if (told_s := wait_told(words)) is None else told_s,
        resets_at=next(resets, None),
    )


def judge(error: RpcError) -> Judged:
    """The first of these that says anything: the program's own kinds, the status, the protocol's code, its words."""
    fields, words = list(_fields(error)), words_of(error)
    status = _status(error, fields)
    said = _words_of_fields(error, fields)
    told = class_of_words(said, None if status == UNKNOWN_STATUS else status)
    if told is not None:
        if told is ErrorClass.RATE_LIMIT and PER_MINUTE not in said:
            told = narrowed_limit(words)
        is_sure = not (told is ErrorClass.AUTH and status in AMBIGUOUS)
        return Judged(told, STRONG if is_sure else MEDIUM, status)
    if status == UNKNOWN_STATUS:
        return Judged(ErrorClass.AUTH if is_about_key(words) else ErrorClass.OVERLOADED, MEDIUM, status)
    if status is not None:
        told = class_with_status(status, words)
        is_by_words = told is ErrorClass.AUTH and status != 401
        return Judged(told, MEDIUM if is_by_words else STRONG, status)
    if error.code == AUTH_REQUIRED:
        return Judged(ErrorClass.AUTH, STRONG, status)
    if error.code in (METHOD_NOT_FOUND, INVALID_PARAMS, RESOURCE_NOT_FOUND):
        return Judged(ErrorClass.INVALID, STRONG, status)
    by_words = told_by(str(error.data.get("details") or "")) or told_by(words) or Told(ErrorClass.OTHER)
    return Judged(by_words.error_class, MEDIUM, by_words.status)


def _words_of_fields(error: RpcError, fields: list[tuple[str, Any]]) -> set[str]:
    """What stands in the fields for kinds; a message that is nothing but such a word; and for how long a quota is."""
    said = {value for key, value in fields if key in KIND_FIELDS and isinstance(value, str)}
    if _WORD.fullmatch(error.message.strip()):
        said.add(error.message.strip())
    quotas = [value for key, value in fields if key == QUOTA_FIELD and isinstance(value, str)]
    if any("PerDay" in quota for quota in quotas):
        said.add(PER_DAY)
    elif any("PerMinute" in quota for quota in quotas):
        said.add(PER_MINUTE)
    return said


def words_of(error: RpcError) -> str:
    """What a person is told: the innermost message of a JSON text, and the details where they say more."""
    inner = _parsed(error.message)
    message = error.message
    while inner is not None:
        said = inner.get("message")
        message = said if isinstance(said, str) else message
        error_part = inner.get("error")
        inner = error_part if isinstance(error_part, dict) else _parsed(said)
    for more in map(error.data.get, ("message", "details", "errorKind", "errorName")):
        if isinstance(more, str) and more not in message:
            message = f"{message}: {more}" if message else more
    return message.encode("utf-8", "backslashreplace").decode("utf-8") or f"error {error.code}"


def _status(error: RpcError, fields: list[tuple[str, Any]]) -> int | None:
    """The HTTP status that the program gave: its code (Gemini puts it there), or a field for it."""
    if error.code is not None and 400 <= error.code <= 599:
        return error.code
    for key, value in fields:
        if (
            key in STATUS_FIELDS
            and isinstance(value, int)
            and not isinstance(value, bool)
            and 400 <= value <= 599
        ):
            return value
    return None


def _fields(error: RpcError) -> Iterator[tuple[str, Any]]:
    """Names and plain values of the data, and of the message where it as a whole is the JSON of the service's answer."""
    yield from _leaves(error.data, DEPTH_MAX)
    inner, depth = _parsed(error.message), 0
    while inner is not None and depth < DEPTH_MAX:
        found = list(_leaves(inner, DEPTH_MAX + 2))
        yield from found
        wrapped = (
            parsed for key, value in found if key == "message" and (parsed := _parsed(value)) is not None
        )
        inner, depth = next(wrapped, None), depth + 1


def _leaves(value: Mapping[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for key, item in list(value.items())[:ITEMS_MAX]:
        if isinstance(item, dict) and depth:
            yield from _leaves(item, depth - 1)
        elif isinstance(item, list) and depth:
            for part in item[:ITEMS_MAX]:
                if isinstance(part, dict):
                    yield from _leaves(part, depth - 1)
        else:
            yield key, item


def _parsed(text: object) -> dict[str, Any] | None:
    """The object that a text is, or the first of a list of them: Code Assist answers so."""
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "[") or len(text) > TEXT_CHARS_MAX:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else None


def _seconds(value: object) -> float | None:
    """A number, or a text such as `34s`."""
    if isinstance(value, str):
        try:
            value = float(value.removesuffix("s"))
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 10**9:
        return None
    return value
