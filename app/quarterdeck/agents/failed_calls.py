"""What a program says of a failed call of its model service, as an error report. Pure.

What the program or the service put into fields counts first: a status, and the word of a `code` or `type`; the prose beside them
only narrows it (`error_evidence`). What may be a dead sign-in or something else (a 403 of a gateway, a 400) is `other` or `invalid`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.agents.error_bodies import body_of
from quarterdeck.agents.error_evidence import Judged, judged
from quarterdeck.agents.error_reports import error_report
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass


@dataclass(frozen=True, slots=True)
class FailedCall:
    """One failed call. words: what stood in the fields for kinds, in lower case. prose: what may narrow it; None: the message."""

    message: str
    status: int | None = None
    words: frozenset[str] = frozenset()
    retry_after_s: float | None = None
    resets_at: str | None = None
    prose: str | None = None

    @property
    def judged(self) -> Judged:
        """By the status, the words and the prose, in the order of evidence."""
        told = judged(self.words, self.status, self.message if self.prose is None else self.prose)
        return told or Judged(ErrorClass.OTHER, is_sure=False)

    @property
    def error_class(self) -> ErrorClass:
        """What it is."""
        return self.judged.error_class


def words_of(body: str) -> tuple[frozenset[str], str]:
    """(words of the fields for kinds, message) of an error body; nothing where it is none."""
    told = body_of(body)
    return frozenset(word.lower() for word in told.words), told.text


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
