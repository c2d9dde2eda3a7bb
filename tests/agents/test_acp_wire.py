"""The wire itself: bytes that end anywhere, messages that no agent should send, and errors that are put into classes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.agents.acp import AcpAdapter
from quarterdeck.agents.acp_errors import judge, words_of
from quarterdeck.agents.acp_usage import Usage
from quarterdeck.agents.acp_wire import RpcError
from quarterdeck.domain.reports import Report
from quarterdeck.store.lines import frame

KEYS = (
    "toolCallId", "status", "title", "kind", "content", "locations", "path", "rawInput", "options", "optionId", "name", "type",
    "text", "sessionUpdate", "update", "sessionId", "_meta", "usage", "quota", "token_count", "model_usage", "cost", "amount",
    "currency", "entries", "stopReason", "toolCall", "messageId", "codex", "threadStatus", "oldText", "newText", "inputTokens",
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
UPDATES = (
    "agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "usage_update", "user_message_chunk", "plan",
    "session_info_update", "novelty",
)  # fmt: skip


def opened() -> AcpAdapter:
    adapter = AcpAdapter({"prompt": "do it", "cwd": "/w"})
    adapter.begin()
    lines = b'{"id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true}}}\n'
    adapter.feed("stdout", lines + b'{"id":1,"result":{"sessionId":"s"}}\n')
    return adapter


def heard(lines: bytes, *cuts: int) -> list[Report]:
    adapter, reports, start = opened(), [], 0
    for cut in (*sorted(cuts), len(lines)):
        reports += adapter.feed("stdout", lines[start:cut])
        start = max(start, cut)
    return [*reports, *adapter.finish()]


@st.composite
def messages(draw: st.DrawFn) -> dict[str, Any]:
    update = draw(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6))
    kind = draw(st.sampled_from(("update", "permission", "answer", "request", "junk")))
    match kind:
        case "update":
            told = {"sessionId": "s", "update": {**update, "sessionUpdate": draw(st.sampled_from(UPDATES))}}
            return {"method": "session/update", "params": told}
        case "permission":
            return {"id": draw(JSON), "method": "session/request_permission", "params": update}
        case "answer":
            return {
                "id": draw(st.sampled_from((2, 3, "2", None))),
                draw(st.sampled_from(("result", "error"))): update,
            }
        case "request":
            return {"id": draw(JSON), "method": draw(st.text(max_size=5)), "params": draw(JSON)}
        case _:
            return update


@given(st.lists(messages(), max_size=6))
def test_whatever_an_agent_sends_gives_reports_that_can_be_written(told: list[dict[str, Any]]) -> None:
    adapter = opened()
    for message in told:
        for report in adapter.feed("stdout", json.dumps(message).encode() + b"\n"):
            frame({**report, "seq": 1})
            if report["kind"] == "approval":
                assert adapter.answer(report["id"], "Deny") is not None
                assert adapter.answer(report["id"], "Deny") is None
        for line in adapter.take_input().splitlines():
            assert json.loads(line)["jsonrpc"] == "2.0"
    list(adapter.finish())


@given(st.lists(messages(), max_size=4), st.lists(st.integers(0, 2000), max_size=4))
def test_where_chunks_end_makes_no_difference(told: list[dict[str, Any]], cuts: list[int]) -> None:
    lines = b"".join(json.dumps(message).encode() + b"\n" for message in told)

    assert heard(lines, *(min(cut, len(lines)) for cut in cuts)) == heard(lines)


@given(st.binary(max_size=200))
def test_any_bytes_are_survived(content: bytes) -> None:
    heard(content)


def test_texts_that_utf8_cannot_carry_are_escaped() -> None:
    half = json.dumps({"a": "\ud800"})[6:-2]
    update = (
        '{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c%s",'
        '"title":"t%s","kind":"edit","status":"completed","locations":[{"path":"p%s"}]}}}\n'
    )

    for report in heard((update % (half, half, half)).encode()):
        frame({**report, "seq": 1})


# ------------------------------------------------------------------------------------------- classes of errors

OPENAI_401 = {
    "error": {"message": "Incorrect API key", "type": "invalid_request_error", "code": "invalid_api_key"}
}
GOOGLE_KEY = {
    "error": {
        "code": 400,
        "message": "API key expired.",
        "status": "INVALID_ARGUMENT",
        "details": [{"@type": "x", "reason": "API_KEY_INVALID"}],
    }
}
JUDGED: list[tuple[RpcError, str, str, int | None]] = [
    (RpcError(-32000, "Authentication required"), "auth", "strong", None),
    (RpcError(400, json.dumps(GOOGLE_KEY)), "auth", "strong", 400),
    (RpcError(401, "Request had invalid authentication credentials."), "auth", "strong", 401),
    (RpcError(-32603, json.dumps(OPENAI_401)), "auth", "strong", None),
    (RpcError(-32603, "Internal error", {"errorKind": "authentication_failed"}), "auth", "strong", None),
    (RpcError(-32603, "x", {"error": {"errorName": "ProviderAuthError"}}), "auth", "strong", None),
    (
        RpcError(-32603, "Internal error", {"details": "401 Incorrect API key provided: sk-x."}),
        "auth",
        "medium",
        401,
    ),
    (RpcError(-32603, "Internal error: Incorrect API key provided: sk-x."), "auth", "medium", None),
    (RpcError(-32603, "Internal error: You didn't provide an API key."), "auth", "medium", None),
    (
        RpcError(
            -32603, "Internal error", {"message": "Quota exceeded.", "codexErrorInfo": "usageLimitExceeded"}
        ),
        "usage_limit",
        "strong",
        None,
    ),
    (RpcError(-32603, "Internal error: Rate limit reached for requests"), "rate_limit", "medium", None),
    (RpcError(-32603, "API Error: Request rejected (429) · later"), "rate_limit", "medium", 429),
    (RpcError(-32603, "Internal error", {"errorKind": "rate_limit"}), "rate_limit", "strong", None),
    (RpcError(429, "You have exhausted your daily quota on this model."), "usage_limit", "strong", 429),
    (RpcError(429, "Rate limit exceeded. Try again later."), "rate_limit", "strong", 429),
    (RpcError(-32603, "x", {"statusCode": 402}), "usage_limit", "strong", 402),
    (RpcError(403, "Your project may not use this model."), "other", "strong", 403),
    (RpcError(403, "Incorrect API key, said a proxy"), "other", "strong", 403),
    (RpcError(404, "no such model"), "invalid", "strong", 404),
    (RpcError(407, "Proxy Authentication Required"), "other", "strong", 407),
    (RpcError(-32603, "Proxy Authentication Required"), "other", "medium", None),
    (RpcError(503, "unavailable"), "overloaded", "strong", 503),
    (RpcError(500, "Incomplete JSON segment at the end"), "overloaded", "medium", 500),
    (RpcError(-32602, "Invalid params"), "invalid", "strong", None),
    (RpcError(-32603, "getaddrinfo ENOTFOUND api.example"), "other", "medium", None),
    (RpcError(-32603, "certificate has expired"), "other", "medium", None),
    (RpcError(None, ""), "other", "medium", None),
]


@pytest.mark.parametrize(("error", "error_class", "strength", "status"), JUDGED)
def test_an_error_is_judged_by_the_programs_own_fields(
    error: RpcError, error_class: str, strength: str, status: int | None
) -> None:
    """AUT6: 403 for a model, 407, TLS and DNS are no dead sign-in."""
    told = judge(error)
    assert (told.error_class, "strong" if told.is_sure else "medium", told.status) == (
        error_class,
        strength,
        status,
    )
    assert words_of(error)


# ------------------------------------------------------------------------------------------- usage by program

SPENT: list[tuple[str, dict[str, Any], tuple[int, int, int, int]]] = [
    ("claude", {"usage": {"inputTokens": 1000, "outputTokens": 50, "cachedReadTokens": 300, "cachedWriteTokens": 200,
                          "totalTokens": 1550}}, (1000, 50, 300, 200)),
    ("codex", {"usage": {"totalTokens": 3100, "inputTokens": 2400, "cachedReadTokens": 600, "outputTokens": 100,
                         "thoughtTokens": 20}}, (2400, 100, 600, 0)),
    ("cached ones among the input", {"usage": {"inputTokens": 1500, "outputTokens": 50, "totalTokens": 1550,
                                               "cachedReadTokens": 300}}, (1200, 50, 300, 0)),
    ("thoughts beside the output", {"usage": {"inputTokens": 10, "outputTokens": 5, "thoughtTokens": 7,
                                              "totalTokens": 22}}, (10, 12, 0, 0)),
    ("gemini", {"_meta": {"quota": {"model_usage": [{"model": "m", "token_count": {"input_tokens": 3000,
                                                                                   "output_tokens": 100}}]}}},
     (3000, 100, 0, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("program", "result", "tokens"), SPENT, ids=[row[0] for row in SPENT])
def test_each_token_is_counted_once_and_under_one_name(
    program: str, result: dict[str, Any], tokens: tuple[int, int, int, int]
) -> None:
    (told,) = Usage("m").of_answer(result)

    assert (
        told["input_tokens"],
        told["output_tokens"],
        told["cache_read_tokens"],
        told["cache_write_tokens"],
    ) == tokens
    assert (told["model"], told["cumulative"]) == ("m", False)


def test_where_each_model_call_tells_its_tokens_the_calls_are_the_turns() -> None:
    """Qwen: a call without a word, then its question, then the call that answers."""
    usage = {"inputTokens": 1500, "outputTokens": 50, "totalTokens": 1550, "cachedReadTokens": 300}
    ends = {
        "sessionUpdate": "agent_message_chunk",
        "content": {"type": "text", "text": ""},
        "_meta": {"usage": usage},
    }
    call = {"toolCallId": "c", "title": "run", "kind": "execute"}
    options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
    told = [
        {"method": "session/update", "params": {"sessionId": "s", "update": ends}},
        {"id": 7, "method": "session/request_permission", "params": {"toolCall": call, "options": options}},
        {
            "method": "session/update",
            "params": {"update": {**call, "sessionUpdate": "tool_call_update", "status": "completed"}},
        },
        {
            "method": "session/update",
            "params": {"sessionId": "s", "update": {**ends, "content": {"type": "text", "text": "Done."}}},
        },
        {"id": 2, "result": {"stopReason": "end_turn", "usage": usage}},
    ]

    reports = heard(b"".join(json.dumps(one).encode() + b"\n" for one in told))

    assert [one["kind"] for one in reports if one["kind"] in ("turn", "usage")] == [
        "turn",
        "usage",
        "turn",
        "usage",
    ]
    assert [one["input_tokens"] for one in reports if one["kind"] == "usage"] == [1200, 1200]
    assert reports[0] == {"kind": "session", "id": "s", "resumable": True}
