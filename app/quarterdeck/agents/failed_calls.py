"""What a program says of a failed call of its model service, as an error report. Pure.

Only what the program or the service put into fields counts: a status, and the word of a `code` or `type`. Prose is never
searched (AUT6). What may be a dead sign-in or something else (a 403 of a gateway, a 400) is `other` or `invalid`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.agents.error_reports import error_report
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

KEY_WORDS = frozenset(
    {
        "invalid_api_key",
        "api_key_invalid",
        "invalid_authentication",
        "authentication_error",
        "authentication_failed",
        "account_deactivated",
        "token_expired",
        "token_invalidated",
        "token_revoked",
        "unauthenticated",
    }
)
USAGE_WORDS = frozenset(
    {
        "billing_error",
        "billing_hard_limit_reached",
        "billing_not_active",
        "credit_balance_too_low",
        "insufficient_quota",
        "payment_required",
        "quota_exceeded",
        "usage_limit_exceeded",
        "usage_limit_reached",
        "usage_not_included",
    }
)
RATE_WORDS = frozenset({"rate_limit_exceeded", "rate_limit_error"})
LOAD_WORDS = frozenset({"overloaded_error", "server_is_overloaded", "slow_down"})
_NO_LOAD = frozenset({501, 505, 506, 508, 510, 511})
"""Of 5xx those that do not pass with time; 511 is a network that wants a sign-in of its own."""
_NO_FAULT_OF_THE_REQUEST = {403: ErrorClass.OTHER, 407: ErrorClass.OTHER, 451: ErrorClass.OTHER}
_IN_PASSING = frozenset({408, 425})
_WORD = re.compile(r"[A-Za-z0-9_.-]{1,80}")


@dataclass(frozen=True, slots=True)
class FailedCall:
    """One failed call. `words`: what stood in the fields `code` and `type`, in lower case."""

    message: str
    status: int | None = None
    words: frozenset[str] = frozenset()
    retry_after_s: float | None = None
    resets_at: str | None = None

    @property
    def error_class(self) -> ErrorClass:
        """By the status first, then by the words."""
        return _class_of(self.status, self.words)


def _class_of(status: int | None, words: frozenset[str]) -> ErrorClass:
    if status == 401:
        return ErrorClass.AUTH
    if status == 402 or (words & USAGE_WORDS and (status or 0) < 500):
        return ErrorClass.USAGE_LIMIT
    if status == 429 or (status is None and words & RATE_WORDS):
        return ErrorClass.RATE_LIMIT
    if words & KEY_WORDS and (status or 400) in (400, 403):
        return ErrorClass.AUTH
    if words & LOAD_WORDS or (status or 0) in _IN_PASSING:
        return ErrorClass.OVERLOADED
    if status is None:
        return ErrorClass.OTHER
    return _class_of_status(status)


def _class_of_status(status: int) -> ErrorClass:
    if 400 <= status < 500:
        return _NO_FAULT_OF_THE_REQUEST.get(status, ErrorClass.INVALID)
    return ErrorClass.OVERLOADED if 500 <= status < 600 and status not in _NO_LOAD else ErrorClass.OTHER


def words_of(body: str) -> tuple[frozenset[str], str]:
    """(words of the fields `code`, `type` and `status`, message) of an error body; nothing where it is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return frozenset(), ""
    error = value.get("error", value) if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return frozenset(), ""
    said = (error.get(name) for name in ("code", "type", "status"))
    words = frozenset(word.lower() for word in said if isinstance(word, str) and _WORD.fullmatch(word))
    message = error.get("message")
    return words, message if isinstance(message, str) else ""


def report_of(call: FailedCall, strength: str, *, is_passing: bool = False) -> Report:
    """The report of a failed call."""
    return error_report(
        call.error_class,
        call.message,
        strength,
        status=call.status,
        retry_after_s=call.retry_after_s,
        resets_at=call.resets_at,
        is_passing=is_passing,
    )


def wait_of(headers: object) -> float | None:
    """The seconds of a `retry-after` header, where it names seconds."""
    if not isinstance(headers, Mapping):
        return None
    found: Any = next((value for name, value in headers.items() if str(name).lower() == "retry-after"), None)
    return (
        float(found) if isinstance(found, str) and re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,3})?", found) else None
    )
