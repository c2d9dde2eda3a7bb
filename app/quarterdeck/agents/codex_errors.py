"""What Codex says of a failed call, in its own words: `codex exec` in events of its stream, codex-acp behind a status of its thread. Pure.

Only the beginning of a message is read: what stands behind it may be anybody's (AUT6).
"""

from __future__ import annotations

import re

from quarterdeck.agents.error_reports import MEDIUM
from quarterdeck.agents.failed_calls import FailedCall, report_of, words_of
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

PASSING = frozenset({ErrorClass.RATE_LIMIT, ErrorClass.OVERLOADED})
"""What Codex tries again by itself, for as long as the service says."""
_RETRY = re.compile(r"Reconnecting\.\.\. [0-9]+/[0-9]+ \((.*)\)", re.DOTALL)
_STATUS = re.compile(r"(?:unexpected status|exceeded retry limit, last status:) ([1-5][0-9]{2})\b")
_UNTIL = re.compile(r"[Tt]ry again (?:at|in) ([^.]{1,80})\.?\s*$")
_BEGINNINGS: tuple[tuple[str, str], ...] = (
    ("Missing environment variable:", "authentication_error"),
    ("Your access token could not be refreshed", "authentication_error"),
    ("You've hit your usage limit", "usage_limit_reached"),
    ("You\u2019ve hit your usage limit", "usage_limit_reached"),
    ("Quota exceeded.", "quota_exceeded"),
    ("To use Codex with your ChatGPT plan", "usage_not_included"),
    ("Selected model is at capacity", "server_is_overloaded"),
    ("stream disconnected before completion", "server_is_overloaded"),
    ("Connection failed:", "server_is_overloaded"),
    ("request timed out", "server_is_overloaded"),
    ("rate limit exceeded:", "rate_limit_exceeded"),
    ("We're currently experiencing high demand", "server_is_overloaded"),
    ("We\u2019re currently experiencing high demand", "server_is_overloaded"),
)
"""(how a message of Codex begins, the word that stands for it)."""
_INVALID = ("Codex ran out of room in the model's context window", "The model `")


def is_retry(message: str) -> bool:
    """Whether Codex says that it tries again."""
    return _RETRY.fullmatch(message) is not None


def told_of(call: FailedCall, *, is_passing: bool = False) -> Report:
    """The report of a failed call: never sure, as it stands in words alone."""
    return report_of(call, MEDIUM, is_passing=is_passing)


def failed_call(message: str) -> FailedCall:
    """What a message of Codex says, by how it begins."""
    retry = _RETRY.fullmatch(message)
    core = retry.group(1) if retry else message
    status = _STATUS.match(core)
    if status:
        return FailedCall(core, int(status.group(1)))
    if core.lstrip().startswith("{"):
        words, said = words_of(core)
        return FailedCall(said or core, 400 if words else None, words)
    if core.startswith(_INVALID):
        return FailedCall(core, 400)
    for beginning, word in _BEGINNINGS:
        if core.startswith(beginning):
            until = _UNTIL.search(core)
            return FailedCall(core, None, frozenset({word}), resets_at=until.group(1) if until else None)
    return FailedCall(core)
