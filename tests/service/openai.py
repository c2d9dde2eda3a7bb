"""OpenAI's two wires (Responses and Chat) for the scripted service: what it answers in each scenario, and what it counted.

Pure: a request comes in as a path and a JSON body, an answer goes out as status, headers and pieces. Imports nothing of
the product.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MODEL = "scripted-model"
TEXT = "The scripted work is done."
COMMAND = "echo ran >> ran.log; echo tool-output-42"
SLOW_COMMAND = "echo started >> ran.log; sleep 300; echo finished >> ran.log"
WRITTEN = ("written.txt", "written by the agent")
FLOOD_LINES = 20_000
_FOLDER = re.compile(r"working in the directory: ([^\n\"\\]+)")
"""What Qwen tells its model."""
QUOTED = """{"type":"error","message":"unexpected status 401 Unauthorized: Incorrect API key provided"}
{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}
{"error":{"type":"authentication_error","message":"invalid x-api-key"}}"""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one answer cost, as the service counts: `asked` holds the cached ones."""

    asked: int
    cached: int
    given: int
    reasoned: int = 0

    @property
    def fresh(self) -> int:
        """Asked and not cached."""
        return self.asked - self.cached


@dataclass(slots=True)
class Books:
    """What was answered and so is owed, in the order of the answers; refused requests cost nothing."""

    answered: list[Tokens] = field(default_factory=list)

    def next_tokens(self) -> Tokens:
        """Other numbers for each answer, so that a sum tells which were counted."""
        nth = len(self.answered) + 1
        tokens = Tokens(1000 + 101 * nth, 300 + 7 * nth, 50 + 3 * nth, nth % 3)
        self.answered.append(tokens)
        return tokens

    def total(self) -> Tokens:
        """All of them together."""
        return Tokens(
            sum(one.asked for one in self.answered),
            sum(one.cached for one in self.answered),
            sum(one.given for one in self.answered),
            sum(one.reasoned for one in self.answered),
        )


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back. ends: `well`, `cut` (the connection breaks in the middle) or `hangs` (nothing more comes)."""

    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]
    ends: str = "well"


def refusal(
    status: int, message: str, code: str | None = None, wait_s: int | None = None, type_: str = ""
) -> Reply:
    """An error as OpenAI spells it."""
    told = {"message": message, "type": type_ or "invalid_request_error", "param": None, "code": code}
    headers = {"content-type": "application/json"}
    if wait_s is not None:
        headers["retry-after"] = str(wait_s)
    return Reply(status, headers, (json.dumps({"error": told}).encode(),))


REFUSALS = {
    "auth401": refusal(401, "Incorrect API key provided: sk-dummy.", "invalid_api_key"),
    "auth401raw": refusal(401, "Your authentication token has expired.", "token_expired"),
    "auth403": refusal(403, "Forbidden"),
    "rate429": refusal(429, "Rate limit reached for requests", "rate_limit_exceeded"),
    "rate429ra": refusal(429, "Rate limit reached for requests", "rate_limit_exceeded", 2),
    "over529": refusal(503, "The server is overloaded", "server_is_overloaded", type_="server_error"),
    "quota": refusal(
        429, "You exceeded your current quota", "insufficient_quota", type_="insufficient_quota"
    ),
    "bad400": refusal(400, "Invalid request"),
}
MIDDLE = {"auth401mid": "auth401", "rate429mid": "rate429"}
"""Refused only after the first tool call."""
SCENARIOS = (
    *REFUSALS,
    *MIDDLE,
    "plain",
    "tool",
    "asktool",
    "write",
    "slowtool",
    "slowasktool",
    "quoted",
    "flood",
    "drop",
    "hang",
)


def reply_to(path: str, body: Mapping[str, Any], books: Books, own: Reply | None = None) -> Reply:
    """The answer to `POST /s/SCENARIO/v1/responses` or `…/chat/completions`; what stands behind a `~` makes it a place of its own.
    own: a failure of the test's; in a scenario whose name ends in `mid` it comes after the first tool call.
    """
    scenario = path.split("/")[2].partition("~")[0]
    is_chat = path.endswith("/chat/completions")
    had_tool = _had_tool(body, is_chat)
    failure = own or REFUSALS.get(MIDDLE.get(scenario, scenario))
    if failure is not None and (had_tool or not scenario.endswith("mid")):
        return failure
    call = None if had_tool else _tool_call(scenario, body, is_chat)
    if scenario == "hang":
        return Reply(200, {"content-type": "text/event-stream"}, (), "hangs")
    text = {"quoted": QUOTED, "flood": "line of a flood\n" * FLOOD_LINES}.get(scenario, TEXT)
    tokens = None if scenario == "drop" else books.next_tokens()
    pieces = tuple(_chat(text, call, tokens) if is_chat else _responses(text, call, tokens))
    return Reply(200, {"content-type": "text/event-stream"}, pieces, "cut" if scenario == "drop" else "well")


def _had_tool(body: Mapping[str, Any], is_chat: bool) -> bool:
    """A tool was called since the last thing that the person said."""
    had = False
    for item in body.get("messages" if is_chat else "input") or []:
        kind = str(item.get("role") if is_chat else item.get("type", "message"))
        if kind == "tool" or kind.endswith("_output"):
            had = True
        elif kind == "user" or item.get("role") == "user":
            had = False
    return had


def _tool_call(scenario: str, body: Mapping[str, Any], is_chat: bool) -> tuple[str, dict[str, Any]] | None:
    """(tool, arguments) in the words of the program that asks; None where it is offered none, or needs none."""
    offered = {str((one.get("function") or one).get("name")) for one in body.get("tools") or []}
    if scenario in ("tool", "slowtool", "asktool", "slowasktool") or scenario.endswith("mid"):
        call = _shell(offered, SLOW_COMMAND if scenario.startswith("slow") else COMMAND)
        if "asktool" in scenario and call is not None and call[0] == "exec_command":
            call[1].update(sandbox_permissions="require_escalated", justification="May I run it?")
        return call
    if scenario != "write":
        return None
    name, content = WRITTEN
    if "write" in offered:
        return "write", {"filePath": name, "content": content}
    if "write_file" in offered:  # which takes no path but an absolute one
        folder = _FOLDER.search(json.dumps(body.get("messages")))
        return "write_file", {"file_path": f"{folder[1] if folder else '.'}/{name}", "content": content}
    patch = f"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {name}\n+{content}\n*** End Patch\nEOF"
    return _shell(offered, patch)


def _shell(offered: set[str], command: str) -> tuple[str, dict[str, Any]] | None:
    for tool, place in (
        ("exec_command", "cmd"),
        ("shell_command", "command"),
        ("run_shell_command", "command"),
    ):
        if tool in offered:
            return tool, {place: command}
    return ("bash", {"command": command, "description": "Run it"}) if "bash" in offered else None


# ------------------------------------------------------------------------------------------- the two wires


def _event(value: Mapping[str, Any], name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()


def _responses(text: str, call: tuple[str, dict[str, Any]] | None, tokens: Tokens | None) -> Iterator[bytes]:
    def event(name: str, **fields: Any) -> bytes:
        return _event({"type": name, **fields}, name)

    yield event("response.created", response={"id": "resp_1"})
    item: dict[str, Any] = {"type": "message", "role": "assistant", "id": "msg_1"}
    item["content"] = [{"type": "output_text", "text": text}]
    if call is not None:
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": call[0]}
        item["arguments"] = json.dumps(call[1])
    yield event("response.output_item.added", output_index=0, item=item)
    if tokens is None:
        return
    yield event("response.output_item.done", output_index=0, item=item)
    usage = {
        "input_tokens": tokens.asked,
        "input_tokens_details": {"cached_tokens": tokens.cached},
        "output_tokens": tokens.given,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoned},
        "total_tokens": tokens.asked + tokens.given,
    }
    yield event("response.completed", response={"id": "resp_1", "usage": usage})


def _chat(text: str, call: tuple[str, dict[str, Any]] | None, tokens: Tokens | None) -> Iterator[bytes]:
    def chunk(delta: Mapping[str, Any], reason: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": MODEL}
        return _event({**head, "choices": [choice], **more})

    if call is None:
        yield chunk({"role": "assistant", "content": text})
    else:
        function = {"name": call[0], "arguments": json.dumps(call[1])}
        told = {"index": 0, "id": "call_1", "type": "function", "function": function}
        yield chunk({"role": "assistant", "content": None, "tool_calls": [told]})
    if tokens is None:
        return
    usage = {
        "prompt_tokens": tokens.asked,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
        "completion_tokens": tokens.given,
        "completion_tokens_details": {"reasoning_tokens": tokens.reasoned},
        "total_tokens": tokens.asked + tokens.given,
    }
    yield chunk({}, "stop" if call is None else "tool_calls", usage=usage)
    yield b"data: [DONE]\n\n"
