"""What an error of an ACP agent is about: one of the classes of the lines protocol, and how sure that is. Pure.

Only what the program answers to a request of ours is looked at: no text of the model, of a tool or of a file comes here. Strong
is what a field says that the program filled in for machines: the code, a status, a kind, a reason. What only its words say is
medium: it may be about something else (AUT6). Which word and status is which class stands in `error_classes`, for every program.
"""

from __future__ import annotations

import re
from typing import Any

from quarterdeck.agents.acp_wire import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from quarterdeck.agents.error_bodies import fields_of, parsed, status_in, words_in
from quarterdeck.agents.error_evidence import Judged, judged_text, judged_with_text
from quarterdeck.agents.error_prose import bare, status_told, wait_told
from quarterdeck.agents.error_reading import is_about_key, is_of_connection, is_unreached, names_sign_in
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

AUTH_REQUIRED = -32000
"""The protocol's own code for it, and that of JSON-RPC for any fault of a server."""
RESOURCE_NOT_FOUND = -32002
PARSE_ERROR, INVALID_REQUEST = -32700, -32600
UNKNOWN_STATUS = 500
"""Gemini also says it where it knows none."""
DELAY_FIELDS = frozenset({"retryAfter", "retry_after", "retry_after_s", "retryAfterSeconds", "retryDelay"})
RESET_FIELDS = frozenset({"resetsAt", "resets_at", "resetAt", "reset_at"})
TEXT_FIELDS = ("details", "error")
"""In which the agent hands on what its own library said."""
_CODE_BEHIND = re.compile(r"\(([a-z]+(?:_[a-z]+)+)\)\s*$")
_WORD = re.compile(r"[A-Za-z]+(?:_[A-Za-z]+)+")


def report_of(error: RpcError) -> Report:
    """The `error` report of a request that the agent answered with an error."""
    told = judge(error)
    fields, words = _fields(error), words_of(error)
    delays = (s for key, v in fields if key in DELAY_FIELDS and (s := _seconds(v)) is not None)
    resets = (v for key, v in fields if key in RESET_FIELDS and isinstance(v, str | int) and v)
    return error_report(
        told.error_class,
        words,
        STRONG if told.is_sure else MEDIUM,
        status=told.status,
        retry_after_s=next(delays, None) if (told_s := wait_told(words)) is None else told_s,
        resets_at=next(resets, None),
    )


def judge(error: RpcError) -> Judged:
    """The first of these that says anything: the program's own kinds and the status, the protocol's code, its words."""
    fields, words = _fields(error), words_of(error)[:TEXT_CHARS_MAX]
    status = error.code if error.code is not None and 400 <= error.code <= 599 else status_in(fields)
    said = words_in(fields)
    if _WORD.fullmatch(error.message.strip()):
        said |= {error.message.strip()}
    said |= set(_CODE_BEHIND.findall(error.message[-TEXT_CHARS_MAX:]))
    is_known = status is not None and (error.code != UNKNOWN_STATUS or status != error.code)
    told = judged_with_text(said, status if is_known else None, words)
    if status is None and told is not None and (in_words := status_told(bare(words))) is not None:
        told = _less_sure(told, judged_with_text(said, in_words, words))
    if told is not None and told.is_sure:
        return told._replace(
            status=status, is_sure=is_known or status is None or told.error_class is not ErrorClass.AUTH
        )
    if status is not None and not is_known:
        return _of_unknown_status(words, status)
    if told is not None and status is not None:
        return told
    return _by_code(error, words) or _by_prose(error) or told or Judged(ErrorClass.OTHER, is_sure=False)


def _less_sure(told: Judged, with_status: Judged | None) -> Judged:
    """The kind that the program named, weighed with the status that its words name: `authentication_failed`, and a 403."""
    if with_status is None or with_status.error_class is told.error_class:
        return told
    return with_status._replace(is_sure=False, status=None)


def _of_unknown_status(words: str, status: int) -> Judged:
    told = judged_text(words)
    is_told = told is not None and told.error_class in (
        ErrorClass.AUTH,
        ErrorClass.USAGE_LIMIT,
        ErrorClass.RATE_LIMIT,
        ErrorClass.INVALID,
    )
    return Judged(
        told.error_class if told is not None and is_told else ErrorClass.OVERLOADED,
        is_sure=False,
        status=status,
    )


def _by_code(error: RpcError, words: str) -> Judged | None:
    """By the code of the protocol. What is required is a sign-in only where its words do not speak of something else."""
    if error.code in (PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, RESOURCE_NOT_FOUND):
        return Judged(ErrorClass.INVALID, is_sure=True)
    if error.code != AUTH_REQUIRED:
        return None
    if is_unreached(words):
        return Judged(ErrorClass.OTHER, is_sure=False)
    told = _by_prose(error)
    if told is None:
        kind = ErrorClass.OTHER if is_of_connection(words) else ErrorClass.AUTH
        return Judged(kind, is_sure=kind is ErrorClass.AUTH and names_sign_in(words))
    is_auth = told.error_class is ErrorClass.AUTH or (
        told.error_class is ErrorClass.INVALID and is_about_key(words)
    )
    return Judged(ErrorClass.AUTH, is_sure=True) if is_auth else told


def _by_prose(error: RpcError) -> Judged | None:
    told = (judged_text(said) for key in TEXT_FIELDS if isinstance(said := error.data.get(key), str))
    return next((one for one in told if one is not None), None) or judged_text(_words_of(error, TEXT_FIELDS))


def words_of(error: RpcError) -> str:
    """What a person is told: the innermost message of a JSON text, and the details and kinds where they say more."""
    return _words_of(error, (*TEXT_FIELDS, "errorKind", "errorName"))


def _words_of(error: RpcError, more_fields: tuple[str, ...]) -> str:
    inner = parsed(error.message)
    message = error.message
    while inner is not None:
        said = inner.get("message")
        message = said if isinstance(said, str) else message
        error_part = inner.get("error")
        inner = error_part if isinstance(error_part, dict) else parsed(said)
    for more in map(error.data.get, ("message", *more_fields)):
        if isinstance(more, str) and more not in message:
            message = f"{message}: {more}" if message else more
    return message.encode("utf-8", "backslashreplace").decode("utf-8") or f"error {error.code}"


def _fields(error: RpcError) -> list[tuple[str, Any]]:
    """Names and plain values of the data, and of the message where it as a whole is the JSON of the service's answer."""
    inner = parsed(error.message)
    return [*fields_of(error.data), *(fields_of(inner) if inner is not None else ())]


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
