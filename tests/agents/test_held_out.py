"""AUT6: failures that were not used to write the classifier, each told in the class that it is."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from quarterdeck.agents.registry import adapter_for
from tests.agents.held_out import SHAPES, Acp, Claude, Retry, Shape
from tests.agents.wires import CLAUDE, CODEX_ACP, FIRST_ID, GEMINI, Wire, line

SHARE = 0.99
UUID = "57694501-69f5-429c-9f95-8f787e8963ed"


def _lines(shape: Shape) -> list[bytes]:
    """What the program prints."""
    about = {"session_id": UUID, "uuid": UUID}
    match shape:
        case Acp(code, message, data):
            more = {} if data is None else {"data": data}
            return [line(jsonrpc="2.0", id=FIRST_ID + 2, error={"code": code, "message": message, **more})]
        case Retry(word, status):
            told = {
                "attempt": 1,
                "max_retries": 10,
                "retry_delay_ms": 500,
                "error": word,
                "error_status": status,
            }
            return [line(type="system", subtype="api_retry", **told, **about)]
        case Claude(word, status, text, is_limit_told):
            content = {
                "model": "<synthetic>",
                "role": "assistant",
                "content": [{"type": "text", "text": text}],
            }
            limit = {"status": "rejected", "resetsAt": 1_796_000_000, "rateLimitType": "five_hour"}
            end = {"subtype": "success", "is_error": True, "num_turns": 1, "result": text}
            return [
                *([line(type="rate_limit_event", rate_limit_info=limit, **about)] if is_limit_told else []),
                line(type="assistant", message=content, **({} if word is None else {"error": word}), **about),
                line(
                    type="result", **end, **({} if status is None else {"api_error_status": status}), **about
                ),
            ]


def _wire(who: str, shape: Shape) -> Wire:
    if who == "claude":
        return CLAUDE
    return GEMINI if who == "gemini" or "codex" not in json.dumps(shape).lower() else CODEX_ACP


def told_of(who: str, shape: Shape) -> dict[str, Any]:
    """The error that stands after it."""
    wire = _wire(who, shape)
    adapter = adapter_for(wire.kind, wire.protocol, wire.wire)
    adapter.begin()
    reports = [*adapter.feed("stdout", b"".join([*wire.head(), *_lines(shape)])), *adapter.finish()]
    errors = [one for one in reports if one["kind"] == "error"]
    return errors[-1] if errors else {}


def wrong() -> dict[str, list[str]]:
    """{who: what is told in another class}."""
    found: dict[str, list[str]] = {}
    for who, is_a, shape in SHAPES:
        told = told_of(who, shape).get("class")
        if told != is_a:
            found.setdefault(who, []).append(f"{is_a}, told as {told}: {shape}")
    return found


def test_of_failures_that_were_not_used_to_write_the_tables_ninety_nine_in_a_hundred_are_told_right() -> None:
    """AUT6, of Claude Code, Gemini, and what others say over the Agent Client Protocol."""
    of = Counter(who for who, _, _ in SHAPES)
    for who, missed in wrong().items():
        assert len(missed) <= (1 - SHARE) * of[who], "\n".join(missed)
    assert sum(of.values()) >= 180


def test_no_other_failure_of_them_would_be_remembered_as_a_dead_sign_in() -> None:
    """AUT6: strong, and of the class auth, are refused sign-ins alone."""
    for who, is_a, shape in SHAPES:
        told = told_of(who, shape)
        assert not (told.get("class") == "auth" and told["strength"] == "strong" and is_a != "auth"), shape


@pytest.mark.parametrize("who", ["claude", "gemini", "over acp"])
def test_each_class_is_held_out_for_each(who: str) -> None:
    classes = {is_a for one, is_a, _ in SHAPES if one == who}
    assert classes == {"auth", "usage_limit", "rate_limit", "overloaded", "invalid", "other"}
