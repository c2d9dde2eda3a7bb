"""How an error report is built: in one place for every adapter, and how sure it is always said. Pure.

What a sign-in is judged by (AUT6) hangs on `strength`, so that it can not be left out: who knows no better says `medium`.
"""

from __future__ import annotations

from quarterdeck.agents.lines_fields import TEXT_CHARS_MAX
from quarterdeck.domain import reports
from quarterdeck.domain.reports import MEDIUM, STRONG, Report

__all__ = ["MEDIUM", "STRONG", "error_report"]


def error_report(
    error_class: str,
    message: str,
    strength: str,
    *,
    status: int | None = None,
    retry_after_s: float | None = None,
    resets_at: str | int | float | None = None,
    is_passing: bool = False,
) -> Report:
    """An error report. error_class: an `ErrorClass`. strength: STRONG where a field that the program fills for machines says it
    beyond doubt, else MEDIUM. status: of HTTP. retry_after_s: in seconds. is_passing: the program tries again by itself.
    """
    report: Report = {
        "kind": reports.ERROR,
        "class": str(error_class),
        "message": message if len(message) <= TEXT_CHARS_MAX else message[:TEXT_CHARS_MAX] + "…",
        "retry_after_s": retry_after_s,
        "resets_at": resets_at,
        "strength": strength,
        "status": status,
    }
    if is_passing:
        report["passing"] = True
    return report
