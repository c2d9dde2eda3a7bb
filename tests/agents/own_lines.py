"""The very lines in which each program tells its own errors, and further frames in which it hands on what others said.

Lines are those that the programs printed (`recorded/`), with the session and the number of the request of the attempt that quotes
them. Imports nothing of the product.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.agents.wires import (
    FIRST_ID,
    SESSION,
    THREAD,
    UUID,
    Lines,
    acp_update,
    claude_message,
    codex_item,
    line,
    opencode_part,
)

RECORDED = Path(__file__).with_name("recorded")
Frame = Callable[[str], Lines]
_SESSIONS = {"session_id": UUID, "sessionID": SESSION, "thread_id": THREAD}


# ------------------------------------------------------------------------------------------- what a program itself prints


def _recorded(*patterns: str) -> Iterator[dict[str, Any]]:
    for pattern in patterns:
        for path in sorted(RECORDED.glob(pattern)):
            yield from (
                value
                for one in path.read_text("utf-8").splitlines()
                if isinstance(value := json.loads(one), dict)
            )


def _told_by_claude() -> Iterator[dict[str, Any]]:
    for value in _recorded("claude-*/*.jsonl"):
        if (
            value.get("subtype") == "api_retry"
            or value.get("is_error") is True
            or value.get("error") is not None
        ):
            yield value
    limit = {"status": "rejected", "resetsAt": 1_796_000_000, "rateLimitType": "five_hour"}
    yield {"type": "rate_limit_event", "rate_limit_info": limit, "session_id": UUID, "uuid": UUID}


def _told_over_acp() -> Iterator[dict[str, Any]]:
    for value in _recorded("gemini-*/*.jsonl"):
        if "error" in value:
            yield {**value, "id": FIRST_ID + 2}
    data: tuple[dict[str, Any], ...] = (
        {"details": "401 Incorrect API key provided: sk-ab."},
        {"errorKind": "authentication_failed"},
        {"message": "You've hit your usage limit.", "codexErrorInfo": "usageLimitExceeded"},
        {"errorName": "ProviderAuthError", "error": {"name": "ProviderAuthError"}},
    )
    for one in data:
        yield {
            "jsonrpc": "2.0",
            "id": FIRST_ID + 2,
            "error": {"code": -32603, "message": "Internal error", "data": one},
        }
    yield {
        "jsonrpc": "2.0",
        "id": FIRST_ID + 2,
        "error": {"code": -32000, "message": "Authentication required"},
    }
    status = {"codex": {"threadStatus": {"type": "systemError"}}}
    retry = {
        "codex": {
            "error": {
                "willRetry": True,
                "message": "exceeded retry limit, last status: 429 Too Many Requests",
            }
        }
    }
    for meta in (status, retry):
        yield json.loads(acp_update("session_info_update", _meta=meta))


def _told_in_failures(program: str) -> Iterator[dict[str, Any]]:
    for run in _recorded(f"{program}-failures.jsonl"):
        for printed in run["stdout"]:
            value = json.loads(printed) if printed.startswith("{") else {}
            if value.get("type") in ("error", "turn.failed"):
                yield value


def _told_in_lines() -> Iterator[dict[str, Any]]:
    for name in ("auth", "rate_limit", "usage_limit"):
        yield {
            "type": "error",
            "class": name,
            "message": "401 Unauthorized: invalid api key",
            "retry_after_s": 60,
        }


def _printed(values: Iterator[dict[str, Any]]) -> tuple[str, ...]:
    """Each kind once, as one line of this attempt's session."""
    found: dict[str, str] = {}
    for value in values:
        told = {key: _SESSIONS.get(key, one) for key, one in value.items()}
        shape = json.dumps(
            [
                sorted(told),
                told.get("class"),
                told.get("error"),
                told.get("error_status"),
                told.get("api_error_status"),
            ]
        )
        found.setdefault(shape, json.dumps(told, separators=(",", ":"), ensure_ascii=False))
    return tuple(found.values())


_ACP_LINES = _printed(_told_over_acp())
OWN_LINES: Mapping[str, tuple[str, ...]] = {
    "claude": _printed(_told_by_claude()),
    **dict.fromkeys(("acp", "gemini", "qwen", "codex-acp"), _ACP_LINES),
    "codex": _printed(_told_in_failures("codex")),
    "opencode": _printed(_told_in_failures("opencode")),
    "lines": _printed(_told_in_lines()),
    "text": (),
}
"""{name of a wire: the lines that its program prints of its own errors}."""


# ------------------------------------------------------------------------------------------- further frames


def _value(quote: str) -> Any:
    """The object that the quote is, else the text: tools hand on both."""
    try:
        return json.loads(quote)
    except ValueError:
        return quote


def _thirds(text: str) -> list[str]:
    third = len(text) // 3 + 1
    return [text[:third], text[third : 2 * third], text[2 * third :]]


def _delta(kind: str, field: str, text: str) -> Lines:
    def event(**told: Any) -> bytes:
        return line(type="stream_event", event=told, session_id=UUID, parent_tool_use_id=None, uuid=UUID)

    pieces = [
        event(type="content_block_delta", index=0, delta={"type": kind, field: one}) for one in _thirds(text)
    ]
    return [
        event(type="content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *pieces,
        event(type="content_block_stop", index=0),
    ]


def _claude_result_of(content: Any, **more: Any) -> bytes:
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, "is_error": True}
    return claude_message("user", [result], **more)


def _claude_call(given: Any) -> Lines:
    called = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": given}
    return [claude_message("assistant", [called])]


def _claude_system(subtype: str, **told: Any) -> Lines:
    return [line(type="system", subtype=subtype, session_id=UUID, uuid=UUID, **told)]


def _claude_said(quote: str) -> Lines:
    told = {"subtype": "success", "is_error": False, "num_turns": 1, "result": quote, "session_id": UUID}
    denied = [{"tool_name": "Bash", "tool_use_id": "toolu_1", "tool_input": _value(quote)}]
    return [line(type="result", **told, permission_denials=denied)]


def _claude_user(content: Any) -> Lines:
    return [
        line(
            type="user",
            message={"role": "user", "content": content},
            session_id=UUID,
            parent_tool_use_id=None,
        )
    ]


_CLAUDE: tuple[Frame, ...] = (
    lambda q: [*_delta("text_delta", "text", q), claude_message("assistant", [{"type": "text", "text": q}])],
    lambda q: [*_delta("thinking_delta", "thinking", q), claude_message("assistant", [{"type": "thinking", "thinking": q}])],
    lambda q: [*_delta("input_json_delta", "partial_json", json.dumps({"command": q})), *_claude_call({"command": q})],
    lambda q: [*_claude_call({"command": "cat log"}), _claude_result_of(q, tool_use_result={"stdout": q, "interrupted": False})],
    lambda q: [*_claude_call(_value(q)), _claude_result_of([{"type": "text", "text": q}], tool_use_result=_value(q))],
    lambda q: [claude_message("assistant", [{"type": "text", "text": q}], parent_tool_use_id="toolu_9")],
    lambda q: [_claude_result_of(q, parent_tool_use_id="toolu_9", toolUseResult=_value(q))],
    lambda q: _claude_user(f"<local-command-stdout>{q}</local-command-stdout>"),
    lambda q: _claude_user([{"type": "text", "text": q}]),
    lambda q: _claude_system("hook_response", hook_name="Stop", stdout=q + "\n", stderr=q, output=_value(q)),
    lambda q: _claude_system("local_command_output", content=q),
    lambda q: _claude_system("task_notification", task_id="1", status="failed", summary=q, output_file="log"),
    _claude_said,
)  # fmt: skip


def _acp_words(kind: str, text: str, **more: Any) -> bytes:
    return acp_update(kind, content={"type": "text", "text": text}, **more)


def _acp_call(**told: Any) -> Lines:
    begun = {"toolCallId": "call_1", "title": "cat log", "kind": "read", "status": "pending"}
    return [
        acp_update("tool_call", **{**begun, **told}),
        acp_update("tool_call_update", toolCallId="call_1", status="completed"),
    ]


def _acp_asked(quote: str) -> Lines:
    call = {"toolCallId": "call_3", "title": quote, "kind": "execute", "rawInput": _value(quote)}
    options = [{"optionId": "n", "name": quote, "kind": "reject_once"}]
    params = {"sessionId": UUID, "toolCall": call, "options": options}
    return [line(jsonrpc="2.0", id=FIRST_ID + 2, method="session/request_permission", params=params)]


def _acp_other(quote: str) -> Lines:
    told = {
        "sessionId": SESSION,
        "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": quote}},
    }
    return [
        line(jsonrpc="2.0", method="session/update", params=told),
        line(jsonrpc="2.0", method="_log", params={"error": _value(quote)}),
    ]


_ACP: tuple[Frame, ...] = (
    lambda q: [_acp_words("agent_message_chunk", one, messageId="msg_1") for one in _thirds(q)],
    lambda q: [_acp_words("agent_message_chunk", q)],
    lambda q: [_acp_words("agent_thought_chunk", q)],
    lambda q: [_acp_words("user_message_chunk", q), _acp_words("agent_message_chunk", "I see.", messageId="msg_1")],
    lambda q: _acp_call(title=q, rawInput=_value(q), rawOutput=_value(q), locations=[{"path": q}]),
    lambda q: _acp_call(content=[{"type": "content", "content": {"type": "resource", "resource": {"uri": "file:///log", "text": q}}}]),
    lambda q: _acp_call(_meta={"terminal_output": {"data": q + "\n"}, "error": _value(q)}),
    lambda q: [acp_update("plan", entries=[{"content": q, "priority": "high", "status": "in_progress"}])],
    lambda q: [acp_update("session_info_update", title=q, _meta={"note": _value(q), "codex": {"title": q}})],
    lambda q: [acp_update("available_commands_update", availableCommands=[{"name": q, "description": q}])],
    _acp_asked,
    _acp_other,
)  # fmt: skip


def _mcp(quote: str) -> Lines:
    result = {"content": [{"type": "text", "text": quote}], "structured_content": _value(quote)}
    return [
        codex_item(
            "mcp_tool_call", server="files", tool="read", result=result, error=_value(quote), status="failed"
        )
    ]


_CODEX: tuple[Frame, ...] = (
    lambda q: [codex_item("reasoning", text=q)],
    lambda q: [
        codex_item(
            "command_execution", command=q, aggregated_output=q + "\n", exit_code=0, status="completed"
        )
    ],
    lambda q: [codex_item("todo_list", items=[{"text": q, "completed": False}])],
    lambda q: [codex_item("web_search", query=q)],
    lambda q: [codex_item("error", message=q), codex_item("agent_message", text="I go on.")],
    lambda q: [codex_item("agent_message", "item.updated", text=one) for one in _thirds(q)],
    _mcp,
)


def _opencode_tool(quote: str, status: str) -> Lines:
    state = {
        "status": status,
        "input": _value(quote),
        "output": quote,
        "error": quote,
        "metadata": {"output": quote, "error": _value(quote)},
    }
    return [opencode_part("tool_use", type="tool", tool="read", callID="call_1", state=state)]


_OPENCODE: tuple[Frame, ...] = (
    lambda q: [opencode_part("reasoning", type="reasoning", text=q)],
    lambda q: [opencode_part("text", type="text", text=one) for one in _thirds(q)],
    lambda q: _opencode_tool(q, "completed"),
    lambda q: _opencode_tool(q, "error"),
)
_LINES: tuple[Frame, ...] = (
    lambda q: [line(type="text", text=f"before\n{q}\nafter")],
    lambda q: [line(type="effect", id="e", state="sent", kind=q, target=q, detail=q), line(type="effect", id="e", state="confirmed")],
    lambda q: [line(type="checkpoint", step="s", data=_value(q))],
    lambda q: [line(type="approval", id="a", question=q, options=[q, "Deny"], where=q)],
    lambda q: [line(type="progress", done=1, total=2, label=q)],
    lambda q: [line(type="output", value=_value(q))],
    lambda q: [line(type="result", value=_value(q), error=_value(q)), line(type="log", **{"class": "auth", "message": q})],
)  # fmt: skip
FRAMES: Mapping[str, tuple[Frame, ...]] = {
    "claude": _CLAUDE,
    **dict.fromkeys(("acp", "gemini", "qwen", "codex-acp"), _ACP),
    "codex": _CODEX,
    "opencode": _OPENCODE,
    "lines": _LINES,
    "text": (),
}
"""{name of a wire: frames beside those of `Wire`}."""
