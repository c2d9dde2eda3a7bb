"""How each program prints a failure: the lines of its stream for each shape, and the error that stands after them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from quarterdeck.agents.registry import adapter_for
from tests.agents.held_out import Acp, Claude, Retry
from tests.agents.held_out_third_codex import CodexExec, CodexNotice
from tests.agents.held_out_third_opencode import OpenCodeError
from tests.agents.wires import CLAUDE, CODEX, CODEX_ACP, FIRST_ID, GEMINI, OPENCODE, SESSION, UUID, Wire, line


class Codex(NamedTuple):
    """`turn.failed` of `codex exec`."""

    message: str


class OpenCode(NamedTuple):
    """The `error` event of `opencode run`. body: what the service answered, as JSON or as text."""

    name: str
    status: int | None
    message: str
    body: Any = None


Shape = Claude | Retry | Acp | Codex | OpenCode | CodexExec | CodexNotice | OpenCodeError


def lines_of(shape: Shape) -> list[bytes]:
    """What the program prints."""
    about = {"session_id": UUID, "uuid": UUID}
    match shape:
        case Codex(message) | CodexExec(message):
            told = {"type": "error", "message": message}
            return [line(**told), line(type="turn.failed", error={"message": message})]
        case CodexNotice(cause):
            return [line(type="error", message=f"Reconnecting... 2/5 ({cause})")]
        case OpenCodeError(name, of_it):
            return [line(type="error", sessionID=SESSION, timestamp=1, error={"name": name, "data": of_it})]
        case OpenCode(name, status, message, body):
            data = {
                "message": message,
                **({} if status is None else {"statusCode": status, "isRetryable": False}),
            }
            if body is not None:
                data["responseBody"] = body if isinstance(body, str) else json.dumps(body)
            return [line(type="error", sessionID=SESSION, timestamp=1, error={"name": name, "data": data})]
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


def wire_of(shape: Shape, who: str = "") -> Wire:
    """Whose stream it stands in."""
    match shape:
        case Codex() | CodexExec() | CodexNotice():
            return CODEX
        case OpenCode() | OpenCodeError():
            return OPENCODE
        case Claude() | Retry():
            return CLAUDE
    return GEMINI if who == "gemini" or "codex" not in json.dumps(shape).lower() else CODEX_ACP


def told_of(shape: Shape, who: str = "") -> dict[str, Any]:
    """The error that stands after it."""
    wire = wire_of(shape, who)
    adapter = adapter_for(wire.kind, wire.protocol, wire.wire)
    adapter.begin()
    head = [] if wire is OPENCODE else wire.head()
    reports = [*adapter.feed("stdout", b"".join([*head, *lines_of(shape)])), *adapter.finish()]
    errors = [one for one in reports if one["kind"] == "error"]
    return errors[-1] if errors else {}
