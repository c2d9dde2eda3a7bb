"""What Claude Code itself says of failed calls, in the classes of the lines protocol. Pure.

Only fields that the program fills count (AUT6): `error` and `error_status` of its `api_retry`, `error` beside a message, `is_error`
and `api_error_status` of its result; where an older version fills none of them, how the words of its failed result begin. What a
model, a tool or a file says stands in `content` and is never looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from quarterdeck.agents.error_classes import AMBIGUOUS, class_of_words
from quarterdeck.agents.error_evidence import judged_text, judged_with_text
from quarterdeck.agents.error_prose import reset_told
from quarterdeck.agents.error_reports import MEDIUM, STRONG, error_report
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

_HINTS = re.compile(r"[^\n{]{1,600}? \u00b7 (?=API Error: )")
"""What it advises before it hands on what the service said: to refresh a token, a proxy's as well."""


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
    said = message if isinstance(message, str) else ""
    words = frozenset(one for one in (word, error_type) if isinstance(one, str))
    of_service = _HINTS.sub("", said, count=1) if _HINTS.match(said) else said
    told = judged_with_text(words, code, of_service)
    is_field = told is not None
    if told is None and (told := judged_text(of_service)) is not None:
        code, resets_at = told.status, reset_told(said) or resets_at
    kind = ErrorClass.OTHER if told is None else told.error_class
    if kind is ErrorClass.RATE_LIMIT and is_field and resets_at is not None:
        kind = ErrorClass.USAGE_LIMIT
    is_sure = (told is None and word is not None) or (told is not None and told.is_sure)
    return error_report(
        kind,
        said or _words(word, code),
        STRONG if is_sure and code not in AMBIGUOUS else MEDIUM,
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
    if status is None and (not isinstance(word, str) or class_of_words((word,)) is None):
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


def _words(word: object, status: int | None) -> str:
    what = str(word or "a call failed").replace("_", " ")[:200]
    return f"{what} ({status})" if status is not None else what
