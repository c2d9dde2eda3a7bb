"""What codex-acp 2.6.0 and OpenCode 1.18.33 alone do of the Agent Client Protocol (`docs/codex-and-opencode.md`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.shim.pricing import with_cost
from tests.agents.acp_played import opened, spent


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


CALL = _updated(sessionUpdate="tool_call", toolCallId="c", title="bash", kind="execute", status="pending")
CALLED = _updated(sessionUpdate="tool_call_update", toolCallId="c", status="completed")
COST = _updated(sessionUpdate="usage_update", used=9, size=99, cost={"amount": 0.01, "currency": "USD"})
USED = b'{"id":2,"result":{"stopReason":"end_turn","usage":{"inputTokens":5,"outputTokens":1,"totalTokens":6}}}\n'
PRICES = {"m": {"input": "1", "output": "1"}}


@pytest.mark.parametrize(
    ("told", "is_complete"),
    [
        (_said("Done."), True),
        (CALL + CALLED + _said("Done."), False),
        (CALL + CALLED + COST + _said("Done."), True),
    ],
    ids=["one call", "two calls", "two calls and a cost"],
)
def test_tokens_of_the_last_call_alone_make_an_estimate_at_least(told: bytes, is_complete: bool) -> None:
    """Ruling 11: OpenCode tells a cost only of models whose limits it knows."""
    adapter = opened(usage="last call")
    reports = [one for one in adapter.feed("stdout", told + USED) if one["kind"] in ("turn", "usage")]
    usage = {"model": "m", "cost_usd": None}
    priced = [
        one
        if one["kind"] == "turn" or one["cost_usd"]
        else with_cost({**one, **usage} if one["input_tokens"] else one, PRICES)
        for one in reports
    ]
    assert spent(priced)["cost_is_complete"] is is_complete
