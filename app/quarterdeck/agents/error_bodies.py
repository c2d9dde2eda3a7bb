"""What a service's answer says in its fields, wherever it stands: alone, in a list, inside a text, in a text inside a text. Pure.

Services answer in JSON; programs hand that on as it is, behind words of their own, or as Python prints it.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX

DEPTH_MAX: Final = 4
ITEMS_MAX: Final = 200
STARTS_MAX: Final = 4
"""Places of a text at which an object may begin that are tried."""
PRINTED_CHARS_MAX: Final = 8000
PER_DAY, PER_MINUTE = "quota_per_day", "quota_per_minute"
KIND_FIELDS: Final = frozenset(
    [
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
        "name",
        "error",
        "errorCode",
        "error_code",
        "errorType",
        "error_type",
        "__type",
    ]
)
STATUS_FIELDS: Final = frozenset(
    [
        "status",
        "statusCode",
        "status_code",
        "http_status",
        "httpStatus",
        "httpStatusCode",
        "http_status_code",
        "code",
    ]
)
ANY_ANSWER: Final = "APIError"
"""How the libraries of services name whatever a service answers: no `api_error`."""
QUOTA_FIELDS: Final = frozenset({"quotaId", "quota_limit"})
"""Of Google: its name says for how long a quota is, and its words do not."""
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.#-]{0,79}")
_NAMED = re.compile(r"\b(?:[a-z]+\.)?([A-Z][A-Za-z]{2,60}(?:Error|Exception))\b")
_CODED = re.compile(r"\b(?:code|type|reason): ?[`'\"]?([A-Za-z][A-Za-z0-9_.]{2,79})")
_LED = re.compile(r"(?:\d{3} )?([A-Z][A-Za-z]+(?:\.[A-Za-z]+)*): ")


@dataclass(frozen=True, slots=True)
class Body:
    """words: what stood in the fields for kinds. status: of HTTP. text: its message."""

    words: frozenset[str] = frozenset()
    status: int | None = None
    text: str = ""


NOTHING: Final = Body()


def body_of(text: object) -> Body:
    """What the object says that a text is, or that stands in it."""
    value = parsed(text) or _inside(text)
    if value is None:
        return NOTHING
    fields = list(fields_of(value))
    return Body(words_in(fields), status_in(fields), message_of(value))


def prose_of(text: str, body: Body) -> str:
    """What a text says in words: the message of the body that stands in it, and what stands before that; without one the whole."""
    return f"{body.text}\n{text.partition('{')[0]}" if body is not NOTHING else text


def names_in(text: str) -> frozenset[str]:
    """Names of exceptions and codes that lead a text: `ThrottlingException: …`, `litellm.RateLimitError: …`, `… code: InvalidApiKey`."""
    head = text[:400]
    led = _LED.match(head.removeprefix("Internal error: "))
    return (
        frozenset(_NAMED.findall(head)) | frozenset(_CODED.findall(head)) | frozenset([led[1]] if led else [])
    )


def words_in(fields: list[tuple[str, Any]]) -> frozenset[str]:
    """What stands in the fields for kinds, and for how long a quota is."""
    said = {
        value
        for key, value in fields
        if key in KIND_FIELDS and isinstance(value, str) and value != ANY_ANSWER and _WORD.fullmatch(value)
    }
    said = {value.rsplit("#", 1)[-1] for value in said}
    quotas = [value for key, value in fields if key in QUOTA_FIELDS and isinstance(value, str)]
    if any("PerDay" in quota or "Daily" in quota for quota in quotas):
        said.add(PER_DAY)
    elif any("PerMinute" in quota for quota in quotas):
        said.add(PER_MINUTE)
    return frozenset(said)


def status_in(fields: list[tuple[str, Any]]) -> int | None:
    """The first HTTP status in a field for one."""
    for key, value in fields:
        if key in STATUS_FIELDS and not isinstance(value, bool):
            number = int(value) if isinstance(value, str) and re.fullmatch("[45][0-9]{2}", value) else value
            if isinstance(number, int) and 400 <= number <= 599:
                return number
    return None


def fields_of(value: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Names and plain values of an object, and of those that stand in it as texts."""
    inner: dict[str, Any] | None = dict(value)
    depth = 0
    while inner is not None and depth <= DEPTH_MAX:
        found = list(_leaves(inner, DEPTH_MAX + 2))
        yield from found
        wrapped = (one for key, told in found if key in _WRAPS and (one := parsed(told)) is not None)
        inner, depth = next(wrapped, None), depth + 1


_WRAPS: Final = frozenset({"message", "responseBody", "body", "raw", "details", "error"})


def message_of(value: Mapping[str, Any]) -> str:
    """The innermost message."""
    message, inner, depth = "", dict(value), 0
    while depth <= DEPTH_MAX:
        depth += 1
        said = next(
            (
                one
                for name in ("message", "Message", "detail", "error", "error_description")
                if isinstance(one := inner.get(name), str)
            ),
            None,
        )
        message = message if said is None else said
        error = inner.get("error")
        deeper = error if isinstance(error, dict) else parsed(said)
        if deeper is None:
            break
        inner = deeper
    return message


def parsed(text: object) -> dict[str, Any] | None:
    """The object that a text is, or the first of a list of them: Code Assist answers so."""
    if not isinstance(text, str) or text.lstrip()[:1] not in ("{", "[") or len(text) > TEXT_CHARS_MAX:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, dict) else None


def _inside(text: object) -> dict[str, Any] | None:
    """The first object that stands in a text, as JSON or as Python prints it."""
    if not isinstance(text, str) or "{" not in text:
        return None
    for start in [found.start() for found in re.finditer(r"\{", text[:TEXT_CHARS_MAX])][:STARTS_MAX]:
        value = _beginning(text[start:TEXT_CHARS_MAX])
        if isinstance(value, dict) and value:
            return value
    return None


def _beginning(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        pass
    end = text.rfind("}", 0, PRINTED_CHARS_MAX) + 1
    with warnings.catch_warnings(action="ignore"):  # of escapes that Python does not know
        try:
            return ast.literal_eval(text[:end])
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None


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
