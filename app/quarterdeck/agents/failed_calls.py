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

from quarterdeck.agents.error_classes import class_of
from quarterdeck.agents.error_reports import error_report
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

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
        """By the status and the words."""
        return class_of(self.words, self.status) or ErrorClass.OTHER


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
