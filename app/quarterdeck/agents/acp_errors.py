"""What an error of an ACP agent is about: one of the classes of the lines protocol, and how sure that is. Pure.

Only what the program answers to a request of ours is looked at: no text of the model, of a tool or of a file comes here. Strong
is what a field says that the program filled in for machines: the code, a status, a kind, a reason. What only its words say is
medium: it may be about something else (AUT6).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from quarterdeck.agents.acp_wire import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX
from quarterdeck.domain.reports import Report

AUTH_REQUIRED = -32000
"""The protocol's own code for it."""
RESOURCE_NOT_FOUND = -32002
UNKNOWN_STATUS = 500
"""Gemini also says it where it knows none."""
DEPTH_MAX = 4
ITEMS_MAX = 200
KINDS = {
    "authentication_failed": "auth",
    "authentication_error": "auth",
    "auth_required": "auth",
    "oauth_org_not_allowed": "auth",
    "providerautherror": "auth",
    "api_key_invalid": "auth",
    "unauthenticated": "auth",
    "invalid_api_key": "auth",
    "token_expired": "auth",
    "rate_limit": "rate_limit",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "resource_exhausted": "rate_limit",
    "billing_error": "usage_limit",
    "insufficient_quota": "usage_limit",
    "usage_limit_reached": "usage_limit",
    "usage_limit": "usage_limit",
    "quota_exceeded": "usage_limit",
    "overloaded": "overloaded",
    "overloaded_error": "overloaded",
    "server_error": "overloaded",
    "unavailable": "overloaded",
    "invalid_request": "invalid",
    "invalid_request_error": "invalid",
    "model_not_found": "invalid",
}
"""{word that a program puts into a field of its own: class}; lower case."""
KIND_FIELDS = frozenset(
    {"errorKind", "errorName", "error_kind", "error_name", "kind", "reason", "type", "code", "status"}
)
PRECEDENCE = ("auth", "usage_limit", "rate_limit", "overloaded")
"""A service says several: the narrowest counts. `invalid` is what it calls every refusal, so it counts last."""
STATUS_FIELDS = frozenset({"status", "statusCode", "status_code", "http_status", "httpStatus"})
DELAY_FIELDS = frozenset({"retryAfter", "retry_after", "retry_after_s", "retryAfterSeconds", "retryDelay"})
RESET_FIELDS = frozenset({"resetsAt", "resets_at", "resetAt", "reset_at"})
_STATUS_FIRST = re.compile(r"(?:\[?API Error:?\s*)?\(?(4\d\d|5\d\d)\)?\b")
_STATUS_LATER = re.compile(
    r"\b(?:HTTP|status(?: code)?|rejected|API Error:?)[:\s(]*(4\d\d|5\d\d)\b", re.IGNORECASE
)
_AUTH_WORDS = re.compile(
    r"\b(?:incorrect|invalid|missing|expired) (?:api[ _-]?key|token|credentials?)\b"
    r"|\bapi[ _-]?key (?:not valid|is missing|expired|not found)"
    r"|\b(?:unauthorized|not logged in|authentication (?:required|failed))\b",
    re.IGNORECASE,
)
_QUOTA_WORDS = re.compile(
    r"\b(?:(?:exceeded|exhausted) your (?:current |daily )?quota|usage limit|credit balance|insufficient quota)\b",
    re.IGNORECASE,
)


class Judged(NamedTuple):
    """Class, how sure it is, and the HTTP status where one is known."""

    error_class: str
    strength: str
    status: int | None


def report_of(error: RpcError) -> Report:
    """The `error` report of a request that the agent answered with an error."""
    judged = judge(error)
    fields = list(_fields(error))
    delays = (s for key, v in fields if key in DELAY_FIELDS and (s := _seconds(v)) is not None)
    resets = (v for key, v in fields if key in RESET_FIELDS and isinstance(v, str | int) and v)
    return error_report(
        judged.error_class,
        words_of(error),
        judged.strength,
        status=judged.status,
        retry_after_s=next(delays, None),
        resets_at=next(resets, None),
    )


def judge(error: RpcError) -> Judged:
    """The first of these that says anything: the program's own kinds, the status, the protocol's code, its words."""
    fields = list(_fields(error))
    status = _status(error, fields)
    told = {
        KINDS.get(value.lower()) for key, value in fields if key in KIND_FIELDS and isinstance(value, str)
    }
    for kind in PRECEDENCE:
        if kind in told:
            return Judged(kind, STRONG, status)
    if status is not None:
        of_status = _class_of_status(status, words_of(error))
        return Judged(of_status, MEDIUM if status == UNKNOWN_STATUS else STRONG, status)
    if error.code == AUTH_REQUIRED:
        return Judged("auth", STRONG, status)
    if "invalid" in told or error.code in (METHOD_NOT_FOUND, INVALID_PARAMS, RESOURCE_NOT_FOUND):
        return Judged("invalid", STRONG, status)
    return _judge_words(error, status)


def words_of(error: RpcError) -> str:
    """What a person is told: the innermost message of a JSON text, and the details where they say more."""
    inner = _parsed(error.message)
    message = error.message
    while isinstance(inner, dict):
        said = inner.get("message")
        message = said if isinstance(said, str) else message
        inner = inner.get("error") if isinstance(inner.get("error"), dict) else _parsed(said)
    for more in (error.data.get("details"), error.data.get("errorKind"), error.data.get("errorName")):
        if isinstance(more, str) and more not in message:
            message = f"{message}: {more}" if message else more
    return message.encode("utf-8", "backslashreplace").decode("utf-8") or f"error {error.code}"


def _judge_words(error: RpcError, status: int | None) -> Judged:
    words = words_of(error)
    found = _STATUS_FIRST.match(str(error.data.get("details") or words).strip()) or _STATUS_LATER.search(
        words
    )
    if found is not None:
        said = int(found[1])
        return Judged(_class_of_status(said, words), MEDIUM, said)
    if _QUOTA_WORDS.search(words):
        return Judged("usage_limit", MEDIUM, status)
    is_auth = _AUTH_WORDS.search(words) is not None and "proxy" not in words.lower()
    return Judged("auth" if is_auth else "other", MEDIUM, status)


def _class_of_status(status: int, words: str) -> str:
    """A 403 may be about a model, and a 400 about anything: neither says that the sign-in is dead (AUT6). A 429 is a limit, and
    only the words may say that waiting a little does not help.
    """
    if status == 401:
        return "auth"
    if status in (402, 429):
        return "usage_limit" if status == 402 or _QUOTA_WORDS.search(words) else "rate_limit"
    if status >= 500:
        return "overloaded"
    return "invalid" if status in (400, 404, 413, 422) else "other"


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
    inner = _parsed(error.message)
    if isinstance(inner, dict):
        yield from _leaves(inner, DEPTH_MAX + 2)


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


def _parsed(text: object) -> Any:
    if not isinstance(text, str) or text.lstrip()[:1] != "{" or len(text) > TEXT_CHARS_MAX:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


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
