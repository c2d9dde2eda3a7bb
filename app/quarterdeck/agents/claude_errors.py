"""What Claude Code itself says of failed calls, in the classes of the lines protocol. Pure.

Only fields that the program fills count (AUT6): `error` and `error_status` of its `api_retry`, `error` beside a message, `is_error`
and `api_error_status` of its result. What a model, a tool or a file says stands in `content` and is never looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quarterdeck.agents.error_classes import AMBIGUOUS, class_of_status
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

WORDS: Mapping[str, ErrorClass] = {
    "authentication_failed": ErrorClass.AUTH,
    "oauth_org_not_allowed": ErrorClass.AUTH,
    "billing_error": ErrorClass.USAGE_LIMIT,
    "rate_limit": ErrorClass.RATE_LIMIT,
    "overloaded": ErrorClass.OVERLOADED,
    "server_error": ErrorClass.OVERLOADED,
    "invalid_request": ErrorClass.INVALID,
    "model_not_found": ErrorClass.INVALID,
    "max_output_tokens": ErrorClass.INVALID,
}
"""{`error` of a line: class}; `unknown` and what is new is judged by the status, and a 403 always: it calls each an
`authentication_failed`, also of a key that may not use one model.
"""


def report_of(
    word: object,
    status: object,
    message: object,
    *,
    error_type: object = None,
    retry_after_s: float | None = None,
    resets_at: object = None,
    is_passing: bool = False,
) -> Report:
    """word: its own name of the failure. status: of HTTP, where there was an answer. error_type: the service's own name of it, which
    newer versions hand on. is_passing: it tries again by itself.
    """
    code = status if isinstance(status, int) and not isinstance(status, bool) else None
    kind = _class_of(word, code, error_type)
    if kind is ErrorClass.RATE_LIMIT and resets_at is not None:
        kind = ErrorClass.USAGE_LIMIT
    said = message if isinstance(message, str) else ""
    return error_report(
        kind,
        said or _words(word, code),
        MEDIUM if code in AMBIGUOUS else STRONG,
        status=code,
        retry_after_s=retry_after_s,
        resets_at=resets_at if isinstance(resets_at, str | int | float) else None,
        is_passing=is_passing,
    )


def retry_report(line: Mapping[str, Any]) -> Report:
    """An `api_retry`: a call failed and is tried again. A cut connection has no status."""
    delay_ms, word, status = line.get("retry_delay_ms"), line.get("error"), line.get("error_status")
    is_number = isinstance(delay_ms, int | float) and not isinstance(delay_ms, bool) and delay_ms >= 0
    after_s = round(delay_ms / 1000, 3) if is_number and isinstance(delay_ms, int | float) else None
    if status is None and _known(word) is None:
        word = "server_error"
    attempt = f"attempt {line.get('attempt')} of {line.get('max_retries')}"
    code = status if isinstance(status, int) else None
    message = f"{_words(line.get('error'), code)}; it tries again ({attempt})"
    return report_of(word, status, message, retry_after_s=after_s, is_passing=True)


def tells_error(line: Mapping[str, Any]) -> bool:
    """Whether a line of the stream says that a call, or all of the work, failed."""
    match line.get("type"):
        case "system":
            return line.get("subtype") == "api_retry"
        case "assistant":
            return line.get("error") is not None
        case "result":
            return line.get("is_error") is True or line.get("subtype") != "success"
        case kind:
            return kind == "rate_limit_event"


def _class_of(word: object, status: int | None, error_type: object) -> ErrorClass:
    known = _known(word)
    if known is not None and not (known is ErrorClass.AUTH and status in AMBIGUOUS):
        return known
    if status is None:
        return ErrorClass.OTHER
    told = (one.lower() for one in (word, error_type) if isinstance(one, str))
    return class_of_status(status, frozenset(told))


def _known(word: object) -> ErrorClass | None:
    return WORDS.get(word) if isinstance(word, str) else None


def _words(word: object, status: int | None) -> str:
    what = str(word or "a call failed").replace("_", " ")[:200]
    return f"{what} ({status})" if status is not None else what
