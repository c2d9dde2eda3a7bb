"""codex-acp 2.6.0: what it says, and only it, of a turn that failed inside (`docs/codex-and-opencode.md`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.agents.acp_played import opened


def _updated(**update: Any) -> bytes:
    told = {"method": "session/update", "params": {"sessionId": "s", "update": update}}
    return json.dumps(told).encode() + b"\n"


def _codex(**said: Any) -> bytes:
    return _updated(sessionUpdate="session_info_update", _meta={"codex": said})


def _said(text: str) -> bytes:
    return _updated(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})


FAILED = _codex(threadStatus={"type": "systemError"})
ENDED_WELL = b'{"id":2,"result":{"stopReason":"end_turn"}}\n'
INSIDE = {
    "": ("other", "medium", None),
    "Missing environment variable: `KEY`.": ("auth", "medium", None),
    "exceeded retry limit, last status: 429 Too Many Requests": ("rate_limit", "medium", 429),
    "Quota exceeded. Check your plan and billing details.": ("usage_limit", "medium", None),
    '{"error": {"message": "no", "type": "invalid_request_error", "code": null}}': ("invalid", "medium", 400),
    "unexpected status 403 Forbidden: Forbidden, url: http://x": ("other", "medium", 403),
}


@pytest.mark.parametrize("words", INSIDE)
def test_a_system_error_that_ends_well_is_an_error_of_the_class_that_codex_acp_says(words: str) -> None:
    """codex-acp 2.6.0 says so in a status of its thread, and what it says after that is its own; what the model said is not read."""
    adapter = opened()
    quoted = _said("unexpected status 401 Unauthorized: no, url: http://x")

    told = adapter.feed("stdout", quoted + FAILED + (_said(words + "\n\n") if words else b"") + ENDED_WELL)

    (error,) = [report for report in told if report["kind"] == "error"]
    assert (error["class"], error.get("strength"), error.get("status")) == INSIDE[words]
    assert len([report for report in told if report["kind"] == "turn"]) == 1
    assert adapter.is_over


def test_what_codex_acp_tries_again_is_told_once_and_as_passing() -> None:
    again = {
        "message": "Reconnecting... 1/5",
        "additionalDetails": "unexpected status 503 Service",
        "willRetry": True,
    }
    refused = {**again, "additionalDetails": "unexpected status 403 Forbidden"}

    told = list(opened().feed("stdout", _codex(error=refused) + _codex(error=again) * 2))

    assert [(one["class"], one["status"], one["passing"]) for one in told] == [("overloaded", 503, True)]
