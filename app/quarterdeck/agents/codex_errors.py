"""What Codex says of a failed call, in its own words: `codex exec` in events of its stream, codex-acp behind a status of its thread. Pure.

Only the beginning of a message is read: what stands behind it may be anybody's (AUT6).
"""

from __future__ import annotations

import re

from quarterdeck.agents.error_bodies import body_of
from quarterdeck.agents.error_evidence import judged_text
from quarterdeck.agents.error_reading import is_unreached
from quarterdeck.agents.error_reports import MEDIUM
from quarterdeck.agents.failed_calls import FailedCall, report_of
from quarterdeck.domain.reports import Report
from quarterdeck.domain.states import ErrorClass

PASSING = frozenset({ErrorClass.RATE_LIMIT, ErrorClass.OVERLOADED})
"""What Codex tries again by itself, for as long as the service says."""
_RETRY = re.compile(r"Reconnecting\.\.\. [0-9]+/[0-9]+ \((.*)\)", re.DOTALL)
_STATUS = re.compile(
    r"(?:unexpected status|exceeded retry limit, last status:|Access blocked by Cloudflare[^(]{0,120}\(status|refresh token failed with status) "
    r"([1-5][0-9]{2})\b(?: [^:,\n]{2,60})?(?::\s*|$|[,)])"
)
_BEHIND = re.compile(r", (?:url|cf-ray|request id|auth error|auth error code): .*$", re.DOTALL)
_UNTIL = re.compile(r"[Tt]ry again (?:at|in) ([^.]{1,80})\.?\s*$")
_BEGINNINGS: tuple[tuple[str, str], ...] = (
    ("Missing environment variable:", "authentication_error"),
    ("Your access token could not be refreshed", "authentication_error"),
    ("Failed to refresh token", "authentication_error"),
    ("Token data is not available", "authentication_error"),
    ("Not logged in", "authentication_error"),
    ("You've hit your usage limit", "usage_limit_reached"),
    ("You hit your spend cap", "usage_limit_reached"),
    ("Your workspace is out of credits", "usage_limit_reached"),
    ("Quota exceeded.", "quota_exceeded"),
    ("To use Codex with your ChatGPT plan", "usage_not_included"),
    ("Selected model is at capacity", "server_is_overloaded"),
    ("Connection failed:", ""),
    ("Error while reading the server response", "server_is_overloaded"),
    ("request timed out", "server_is_overloaded"),
    ("rate limit exceeded:", "rate_limit_exceeded"),
    ("We're currently experiencing high demand", "server_is_overloaded"),
    ("Codex ran out of room in the model's context window", "context_window_exceeded"),
    ("The model `", "model_not_found"),
    ("The current provider can't read this thread's", "invalid_prompt"),
    ("Image poisoning", "invalid_image"),
    ("sandbox error:", ""),
    ("internal error; agent loop died", ""),
    ("Fatal error:", ""),
)
"""(how a message of Codex begins, the word that stands for it; none: the service was not heard, or had no part in it)."""
_BAD_REQUEST = 400
"""Codex hands on the bare body of this one alone."""
_ANSWER = re.compile(r'\s*\{\s*"(?:detail|error|message|code)"')
"""How an object begins that is a service's answer, also where none of its fields has a word."""
_SPOKEN = {
    ErrorClass.USAGE_LIMIT: "usage_limit_reached",
    ErrorClass.RATE_LIMIT: "rate_limit_exceeded",
    ErrorClass.OVERLOADED: "server_is_overloaded",
    ErrorClass.INVALID: "invalid_prompt",
}
_STREAM = "stream disconnected before completion"


def is_retry(message: str) -> bool:
    """Whether Codex says that it tries again."""
    return _RETRY.fullmatch(message) is not None


def told_of(call: FailedCall, *, is_passing: bool = False) -> Report:
    """The report of a failed call: never sure, as it stands in words alone."""
    return report_of(call, MEDIUM, is_passing=is_passing)


def failed_call(message: str) -> FailedCall:
    """What a message of Codex says, by how it begins."""
    retry = _RETRY.fullmatch(message)
    core = (retry.group(1) if retry else message).replace("\u2019", "'")
    status = _STATUS.match(core)
    if status:
        behind = _BEHIND.sub("", core[status.end() :])
        body = body_of(behind)
        words = frozenset(word.lower() for word in body.words)
        return FailedCall(core, int(status.group(1)), words, prose=body.text or behind)
    if core.lstrip().startswith("{"):
        body = body_of(core)
        words = frozenset(word.lower() for word in body.words)
        return FailedCall(
            body.text or core, _BAD_REQUEST if body.words or _ANSWER.match(core) else None, words
        )
    for beginning, word in _BEGINNINGS:
        if core.startswith(beginning):
            until = _UNTIL.search(core)
            words = frozenset({word} if word else ())
            return FailedCall(core, None, words, resets_at=until.group(1) if until else None, prose="")
    if core.startswith(_STREAM) and is_unreached(core):
        return FailedCall(core, None, frozenset(), prose="")
    if core.startswith(_STREAM):
        return FailedCall(core, None, frozenset({_word_of(core) or "server_is_overloaded"}), prose=core)
    word = _word_of(core)
    return FailedCall(core, None, frozenset({word} if word else ()), prose="")


def _word_of(core: str) -> str:
    """The word for what a message is about that begins in no way that is known: never a sign-in, as its words may be anybody's."""
    told = judged_text(core)
    return _SPOKEN.get(told.error_class, "") if told is not None and told.status is None else ""
