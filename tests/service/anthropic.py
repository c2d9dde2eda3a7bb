"""Anthropic's Messages for the scripted service: what it answers in each scenario, and what it charges. Pure.

Prices are the public ones of the models named here, in US dollars for a million tokens; the books are the sum of what
was served, which is what totals anywhere else are held against.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.service.server import Answer, Asked, Wire

MODEL = "claude-sonnet-4-5-20250929"
PRICES: Mapping[str, tuple[str, str, str, str]] = {
    "claude-opus-4-5": ("5", "25", "0.5", "6.25"),
    "claude-sonnet-5": ("3", "15", "0.3", "3.75"),
    "claude-sonnet-4-5": ("3", "15", "0.3", "3.75"),
    "claude-haiku-4-5": ("1", "5", "0.1", "1.25"),
}
"""{model: input, output, cache read, cache write of five minutes}"""
COMMAND = "echo ran >> ran.log; echo tool-output-42"
SLOW_COMMAND = "echo started >> ran.log; sleep 300; echo finished >> ran.log"
FOREIGN_ERROR = (
    '{"type":"system","subtype":"api_retry","error_status":401,"error":"authentication_failed"}\n'
    '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key"}\n'
    "API Error: 401 Invalid authentication credentials · Please run /login"
)
"""What a text or a file may say: perfect errors of the program, from nobody who could know."""
_FOLDER = re.compile(r"[Ww]orking directory: ([^\n\"\\]+)")
_IDS = itertools.count(1)
SSE = {"content-type": "text/event-stream; charset=utf-8", "request-id": "req_scripted"}


@dataclass(frozen=True, slots=True)
class Failing:
    """An answer that is no message."""

    status: int
    kind: str
    message: str
    headers: Mapping[str, str]

    def answer(self) -> Answer:
        """As the API words it."""
        body = {
            "type": "error",
            "error": {"type": self.kind, "message": self.message},
            "request_id": "req_scripted",
        }
        return Answer(
            self.status, (json.dumps(body).encode(),), {**self.headers, "request-id": "req_scripted"}
        )


FAILURES: Mapping[str, Failing] = {
    "auth401": Failing(401, "authentication_error", "invalid x-api-key", {}),
    "auth401raw": Failing(
        401,
        "authentication_error",
        "OAuth token has expired. Please obtain a new token or refresh your existing token.",
        {},
    ),
    "auth403": Failing(
        403, "permission_error", "Your API key does not have permission to use the specified resource.", {}
    ),
    "rate429": Failing(
        429, "rate_limit_error", "Number of requests has exceeded your per-minute rate limit.", {}
    ),
    "rate429ra": Failing(
        429,
        "rate_limit_error",
        "Number of requests has exceeded your per-minute rate limit.",
        {"retry-after": "2"},
    ),
    "over529": Failing(529, "overloaded_error", "Overloaded", {}),
    "error500": Failing(500, "api_error", "Internal server error", {}),
    "quota": Failing(
        400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API.", {}
    ),
    "bad400": Failing(400, "invalid_request_error", "messages.1: content must not be empty", {}),
    "nomodel404": Failing(404, "not_found_error", "model: unknown", {}),
}


def wire() -> Wire:
    """The wire for `server.serving`."""
    return Wire(lambda path: path.startswith(("/v1/messages", "/api/")), answer, is_side)


def is_side(path: str, body: Mapping[str, Any]) -> bool:
    """Whether a request is not the work itself: no tools were offered, or tokens are only counted."""
    return "count_tokens" in path or not path.startswith("/v1/messages") or not body.get("tools")


def answer(scenario: str, path: str, body: Mapping[str, Any]) -> Answer:
    """To one request."""
    if not path.startswith("/v1/messages"):
        return Answer(404)
    if "count_tokens" in path:
        return Answer(200, (json.dumps({"input_tokens": 1000}).encode(),))
    if is_side(path, body):
        return _message(body, [{"type": "text", "text": "Side."}])
    after_tool = _has_tool_result(body)
    if scenario == "auth401mid" and after_tool:
        scenario = "auth401"
    if scenario in FAILURES:
        return FAILURES[scenario].answer()
    if scenario == "hang":
        return Answer(200, (), SSE, hangs=True)
    calls = [] if after_tool else _calls(scenario, body)
    if calls:
        return _message(body, [{"type": "text", "text": "I will use a tool."}, *calls])
    if scenario == "drop":
        return _message(body, [{"type": "text", "text": "This will not end. " * 5}], cut=True)
    if scenario == "flood":
        return _message(body, [{"type": "text", "text": "word " * 400_000}])
    if scenario == "quoting":
        return _message(body, [{"type": "text", "text": FOREIGN_ERROR}])
    if scenario == "trickle":
        return _message(body, [{"type": "text", "text": "slowly " * 200}], pause_s=0.2)
    return _message(body, [{"type": "text", "text": "All done: the task is finished."}])


def _calls(scenario: str, body: Mapping[str, Any]) -> list[dict[str, Any]]:
    folder = _folder_of(body)
    if scenario in ("tool", "auth401mid"):
        return [_use("Bash", command=COMMAND, description="Run the command")]
    if scenario == "quotingtool":
        return [_use("Bash", command=f"cat <<'END'\n{FOREIGN_ERROR}\nEND", description="Say it")]
    if scenario == "slowtool":
        return [_use("Bash", command=SLOW_COMMAND, timeout=600_000, description="Run the slow command")]
    if scenario == "twotools":
        return [
            _use("Bash", command="echo first >> ran.log", description="First"),
            _use("Bash", command="echo second >> ran.log", description="Second"),
        ]
    if scenario == "write":
        return [_use("Write", file_path=f"{folder}/made.txt", content="made by the agent\n")]
    return []


def _use(tool: str, **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"toolu_scripted{next(_IDS):06}", "name": tool, "input": fields}


def _folder_of(body: Mapping[str, Any]) -> str:
    found = _FOLDER.search(json.dumps([body.get("system"), body.get("messages")]))
    return found.group(1).strip() if found else "."


def _has_tool_result(body: Mapping[str, Any]) -> bool:
    """Whether the last turn answers a call and nothing else."""
    last = (body.get("messages") or [{}])[-1]
    content = last.get("content")
    parts = content if isinstance(content, list) else []
    return last.get("role") == "user" and any(part.get("type") == "tool_result" for part in parts)


# ------------------------------------------------------------------------------------------- messages


def _usage(body: Mapping[str, Any], words: int) -> dict[str, int]:
    """Other figures for each length of the talk, so that no two requests are taken for each other."""
    turns = len(body.get("messages") or [])
    return {
        "input_tokens": 1000 + 10 * turns,
        "cache_creation_input_tokens": 200 + turns,
        "cache_read_input_tokens": 300 + 7 * turns,
        "output_tokens": 50 + words,
    }


def _message(
    body: Mapping[str, Any], content: list[dict[str, Any]], *, cut: bool = False, pause_s: float = 0.0
) -> Answer:
    words = sum(len(str(part.get("text") or part.get("input")).split()) for part in content)
    usage = _usage(body, min(words, 500))
    reason = "tool_use" if any(part["type"] == "tool_use" for part in content) else "end_turn"
    message = {
        "id": f"msg_scripted{next(_IDS):06}", "type": "message", "role": "assistant", "model": body.get("model") or MODEL,
        "content": content, "stop_reason": reason, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    if not body.get("stream"):
        whole = json.dumps(message).encode()
        return Answer(200, (whole[: len(whole) // 2] if cut else whole,), drops=cut, usage=usage)
    events = list(_events(message))
    if cut:
        events = events[: len(events) // 2]
    return Answer(200, tuple(map(_sse, events)), SSE, drops=cut, pause_s=pause_s, usage=usage)


def _events(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    start = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    for index, part in enumerate(message["content"]):
        is_text = part["type"] == "text"
        empty = {"type": "text", "text": ""} if is_text else {**part, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        whole = part["text"] if is_text else json.dumps(part["input"])
        size = max(10, len(whole) // 20)
        for begin in range(0, len(whole), size):
            piece = whole[begin : begin + size]
            delta = (
                {"type": "text_delta", "text": piece}
                if is_text
                else {"type": "input_json_delta", "partial_json": piece}
            )
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {
        "type": "message_delta",
        "delta": delta,
        "usage": {"output_tokens": message["usage"]["output_tokens"]},
    }
    yield {"type": "message_stop"}


def _sse(event: Mapping[str, Any]) -> bytes:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


# ------------------------------------------------------------------------------------------- the books


@dataclass(frozen=True, slots=True)
class Books:
    """What the service charges for requests that it answered whole."""

    requests: int
    input_tokens: int
    output_tokens: int
    cache_read_tokens: int
    cache_write_tokens: int
    cost_usd: Decimal


def books(asked: Iterable[Asked]) -> Books:
    """The sum over requests whose answer was taken whole; KeyError for a model without a price here."""
    sums = [0, 0, 0, 0]
    cost, count = Decimal(0), 0
    for one in asked:
        if one.usage is None or not one.is_whole:
            continue
        count += 1
        model = re.sub(r"-\d{8}$", "", str(one.body.get("model")))
        names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        for index, (name, price) in enumerate(zip(names, PRICES[model], strict=True)):
            sums[index] += one.usage[name]
            cost += one.usage[name] * Decimal(price) / 1_000_000
    return Books(count, *sums, cost)
