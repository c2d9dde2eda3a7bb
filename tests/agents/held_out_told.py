"""What a program would print for a failure of the held-out lists, and what its adapter makes of it."""

from __future__ import annotations

import json
from typing import Any

from quarterdeck.agents.registry import adapter_for
from tests.agents.held_out import Acp, Claude, Retry
from tests.agents.held_out_third import Shape
from tests.agents.held_out_third_codex import CodexExec, CodexNotice
from tests.agents.held_out_third_opencode import OpenCode
from tests.agents.wires import CLAUDE, CODEX, CODEX_ACP, FIRST_ID, GEMINI, OPENCODE, SESSION, Wire, line

UUID = "57694501-69f5-429c-9f95-8f787e8963ed"


def _lines(shape: Shape) -> list[bytes]:
    """What the program prints."""
    about = {"session_id": UUID, "uuid": UUID}
    match shape:
        case Acp(code, message, data):
            more = {} if data is None else {"data": data}
            return [line(jsonrpc="2.0", id=FIRST_ID + 2, error={"code": code, "message": message, **more})]
        case CodexExec(message):
            return [line(type="error", message=message), line(type="turn.failed", error={"message": message})]
        case CodexNotice(cause):
            return [line(type="error", message=f"Reconnecting... 2/5 ({cause})")]
        case OpenCode(name, data):
            told = {"name": name, "data": data}
            return [line(type="error", timestamp=1_796_051_944_531, sessionID=SESSION, error=told)]
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
    if who in ("claude", "codex", "opencode"):
        return {"claude": CLAUDE, "codex": CODEX, "opencode": OPENCODE}[who]
    return GEMINI if who == "gemini" or "codex" not in json.dumps(shape).lower() else CODEX_ACP


def told_of(who: str, shape: Shape) -> dict[str, Any]:
    """The error that stands after it."""
    wire = _wire(who, shape)
    adapter = adapter_for(wire.kind, wire.protocol, wire.wire)
    adapter.begin()
    reports = [*adapter.feed("stdout", b"".join([*wire.head(), *_lines(shape)])), *adapter.finish()]
    errors = [one for one in reports if one["kind"] == "error"]
    return errors[-1] if errors else {}
