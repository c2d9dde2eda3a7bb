"""How each program wraps what a model says, what a tool prints and what stands in a file: a line of `WIRES` for each wire.

Written from what the programs print; imports nothing of the product. A wire whose kind is not built is left out by the tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

SESSION = "ses_dd6f61175ffe4M7kUEhwzcr6Cg"
THREAD = "01a22901-8355-7a20-ad38-0eb09305ca9d"
UUID = "57694501-69f5-429c-9f95-8f787e8963ed"
FIRST_ID = 0x5769450
"""Of the requests of a connection of the Agent Client Protocol: each attempt begins with another number."""
Lines = list[bytes]


@dataclass(frozen=True, slots=True)
class Wire:
    """One wire. text, tool, file: the lines of a text, of a tool's output and of a file's content; head, foot: what comes first
    and last of a run that goes well. is_told_apart: an error in the program's own spelling, alone on a line of stdout, can be
    told from the program's own. own: whether a quote cannot, as whatever stands there is the program's word.
    """

    name: str
    kind: str
    protocol: str
    head: Callable[[], Lines]
    text: Callable[[str], Lines]
    tool: Callable[[str], Lines]
    file: Callable[[str], Lines]
    foot: Callable[[], Lines]
    is_told_apart: bool = False
    own: Callable[[str], bool] = lambda _quote: False
    wire: Mapping[str, Any] = field(default_factory=dict)


def line(**value: Any) -> bytes:
    """One JSON object, as a line."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


# ------------------------------------------------------------------------------------------- codex exec --json


def codex_item(kind: str, event: str = "item.completed", **fields: Any) -> bytes:
    """One event of an item of Codex."""
    return line(type=event, item={"id": "item_1", "type": kind, **fields})


def _codex_tool(output: str) -> Lines:
    called = {"command": "/bin/bash -lc 'cat log'", "aggregated_output": ""}
    begun = codex_item("command_execution", "item.started", **called, exit_code=None, status="in_progress")
    ended = {**called, "aggregated_output": output, "exit_code": 1, "status": "failed"}
    return [begun, codex_item("command_execution", **ended)]


def _codex_file(content: str) -> Lines:
    called = {"server": "files", "tool": "read", "arguments": {"path": "log"}}
    result = {"content": [{"type": "text", "text": content}], "structured_content": None}
    ended = codex_item("mcp_tool_call", **called, result=result, error={"message": content}, status="failed")
    return [codex_item("mcp_tool_call", "item.started", **called, status="in_progress"), ended]


CODEX = Wire(
    "codex",
    "codex",
    "codex",
    lambda: [line(type="thread.started", thread_id=THREAD), line(type="turn.started")],
    lambda text: [codex_item("agent_message", text=text)],
    _codex_tool,
    _codex_file,
    lambda: [
        codex_item("agent_message", text="Done."),
        line(type="turn.completed", usage={"input_tokens": 1}),
    ],
    is_told_apart=True,
)

# ------------------------------------------------------------------------------------------- opencode run --format json


def opencode_part(kind: str, **part: Any) -> bytes:
    """One event of OpenCode."""
    told = {"id": "prt_1", "messageID": "msg_1", "sessionID": SESSION, **part}
    return line(type=kind, timestamp=1795984853426, sessionID=SESSION, part=told)


def _opencode_tool(output: str) -> Lines:
    state = {"status": "completed", "input": {"command": "cat log"}, "output": output, "title": "cat log"}
    state["metadata"] = {"output": output, "exit": 1}
    return [opencode_part("tool_use", type="tool", tool="bash", callID="call_1", state=state)]


def _opencode_file(content: str) -> Lines:
    state = {"status": "error", "input": {"filePath": "log", "content": content}, "error": content}
    return [opencode_part("tool_use", type="tool", tool="write", callID="call_1", state=state)]


OPENCODE = Wire(
    "opencode",
    "opencode",
    "opencode",
    lambda: [opencode_part("step_start", type="step-start")],
    lambda text: [opencode_part("text", type="text", text=text)],
    _opencode_tool,
    _opencode_file,
    lambda: [
        opencode_part("step_start"),
        opencode_part("text", text="Done."),
        opencode_part("step_finish", reason="stop", cost=0.1),
    ],
    is_told_apart=True,
)

# ------------------------------------------------------------------------------------------- the Agent Client Protocol


def acp_update(kind: str, /, **fields: Any) -> bytes:
    """One `session/update` of our session."""
    params = {"sessionId": UUID, "update": {"sessionUpdate": kind, **fields}}
    return line(jsonrpc="2.0", method="session/update", params=params)


def _acp_tool(output: str) -> Lines:
    begun = {
        "toolCallId": "call_1",
        "status": "pending",
        "title": "cat log",
        "kind": "execute",
        "rawInput": {},
    }
    text = {"type": "content", "content": {"type": "text", "text": output}}
    ended = {
        "toolCallId": "call_1",
        "status": "failed",
        "content": [text],
        "rawOutput": {"output": output, "error": output},
    }
    return [acp_update("tool_call", **begun), acp_update("tool_call_update", **ended)]


def _acp_file(content: str) -> Lines:
    diff = {"type": "diff", "path": "/home/ada/log", "oldText": None, "newText": content}
    return [
        acp_update(
            "tool_call", toolCallId="call_2", status="completed", title="Write", kind="edit", content=[diff]
        )
    ]


def _acp_head() -> Lines:
    hello = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "authMethods": []}
    opened = line(jsonrpc="2.0", id=FIRST_ID + 1, result={"sessionId": UUID})
    return [line(jsonrpc="2.0", id=FIRST_ID, result=hello), opened]


def _acp_words(text: str, **more: Any) -> bytes:
    return acp_update("agent_message_chunk", content={"type": "text", "text": text}, **more)


def _acp_foot(**more: Any) -> Lines:
    return [line(jsonrpc="2.0", id=FIRST_ID + 2, result={"stopReason": "end_turn", **more})]


def _qwen_words(text: str) -> Lines:
    used = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7}
    return [_acp_words(text), _acp_words("", _meta={"usage": used})]


def _codex_acp_head() -> Lines:
    about = acp_update("session_info_update", _meta={"codex": {"threadId": THREAD}})
    return [*_acp_head(), about]


_ACP_WIRE: Mapping[str, Any] = {"prompt": "Do it.", "cwd": "/home/ada", "first_id": FIRST_ID}
_QUOTA = {"quota": {"token_count": {"input_tokens": 5, "output_tokens": 2}, "model_usage": []}}


def _acp_wire(name: str, kind: str, head: Any, text: Any, foot: Any, **more: Any) -> Wire:
    wire = {**_ACP_WIRE, **more}
    return Wire(name, kind, "acp", head, text, _acp_tool, _acp_file, foot, is_told_apart=True, wire=wire)


ACP = _acp_wire("acp", "acp", _acp_head, lambda text: [_acp_words(text)], _acp_foot)
GEMINI = _acp_wire(
    "gemini", "gemini", _acp_head, lambda text: [_acp_words(text)], lambda: _acp_foot(_meta=_QUOTA)
)
QWEN = _acp_wire("qwen", "acp", _acp_head, _qwen_words, _acp_foot)
CODEX_ACP = _acp_wire(
    "codex-acp",
    "codex",
    _codex_acp_head,
    lambda text: [_acp_words(text, messageId="msg_1")],
    lambda: [_acp_words("Done.", messageId="msg_2"), *_acp_foot()],
)

# ------------------------------------------------------------------------------------------- claude, stream-json


def claude_message(kind: str, content: list[dict[str, Any]], **more: Any) -> bytes:
    """One message of Claude's stream."""
    message = {
        "id": "msg_1",
        "role": kind,
        "model": "claude-x",
        "content": content,
        "usage": {"output_tokens": 1},
    }
    return line(**{"type": kind, "message": message, "parent_tool_use_id": None, "session_id": UUID, **more})


def _claude_tool(output: str) -> Lines:
    called = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "cat log"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": output, "is_error": True}
    return [
        claude_message("assistant", [called]),
        claude_message("user", [result], tool_use_result={"stdout": output, "stderr": output}),
    ]


def _claude_file(content: str) -> Lines:
    written = {"file_path": "/home/ada/log", "content": content}
    called = {"type": "tool_use", "id": "toolu_2", "name": "Write", "input": written}
    result = {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": content}]}
    return [
        claude_message("assistant", [called]),
        claude_message("user", [result], tool_use_result={"content": content}),
    ]


def _claude_foot() -> Lines:
    told = {"subtype": "success", "is_error": False, "num_turns": 2, "result": "Done.", "session_id": UUID}
    return [line(type="result", **told, total_cost_usd=0.1, usage={"input_tokens": 1, "output_tokens": 1})]


CLAUDE = Wire(
    "claude",
    "claude-code",
    "claude",
    lambda: [line(type="system", subtype="init", session_id=UUID, model="claude-x", apiKeySource="none")],
    lambda text: [claude_message("assistant", [{"type": "text", "text": text}])],
    _claude_tool,
    _claude_file,
    _claude_foot,
    is_told_apart=True,
    wire={"prompt": "Do it.", "cwd": "/home/ada", "session": UUID},
)

# ------------------------------------------------------------------------------------------- lines, and text

LINES = Wire(
    "lines",
    "command",
    "lines",
    lambda: [line(type="session", id="s", resumable=True), line(type="turn")],
    lambda text: [line(type="text", text=text)],
    lambda output: [
        line(type="effect", id="e", state="confirmed", kind="shell", target="cat log", detail=output)
    ],
    lambda content: [
        line(type="note", kind="source", text=content),
        line(type="artifact", name="log", text=content),
    ],
    lambda: [line(type="output", value="Done.")],
    own=lambda quote: '"class"' in quote,
)
TEXT = Wire(
    "text",
    "command",
    "text",
    list,
    lambda text: [text.encode() + b"\n"],
    lambda output: [output.encode() + b"\n"],
    lambda content: [content.encode() + b"\n"],
    lambda: [b"Done.\n"],
    is_told_apart=True,
)
WIRES = (CODEX, OPENCODE, ACP, GEMINI, QWEN, CODEX_ACP, CLAUDE, LINES, TEXT)
