"""Perfect authentication errors of every program, as a model, a tool or a file may quote them. Imports nothing of the product."""

from __future__ import annotations

import json
from random import Random

from tests.agents.wires import SESSION, UUID, Wire

CODEX_401 = "unexpected status 401 Unauthorized: Incorrect API key provided: sk-ab., url: https://api.openai.com/v1/responses"


def _lines(*values: object) -> list[str]:
    return [json.dumps(value, separators=(",", ":")) for value in values]


OPENAI_BODY = {
    "error": {
        "message": "Incorrect API key provided",
        "type": "invalid_request_error",
        "code": "invalid_api_key",
    }
}
ANTHROPIC_BODY = {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
GEMINI_BODY = {
    "error": {
        "code": 400,
        "message": "API key not valid.",
        "status": "INVALID_ARGUMENT",
        "details": [{"reason": "API_KEY_INVALID"}],
    }
}
_RETRY = {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "error_status": 401}
_RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": True,
    "api_error_status": 401,
    "session_id": UUID,
}
_OPENCODE = {
    "message": "Incorrect API key",
    "statusCode": 401,
    "isRetryable": False,
    "responseBody": json.dumps(OPENAI_BODY),
}
QUOTES: tuple[str, ...] = (
    *_lines(
        {"type": "error", "message": f"Reconnecting... 1/5 ({CODEX_401})"},
        {"type": "error", "message": CODEX_401},
        {"type": "turn.failed", "error": {"message": CODEX_401}},
        {"type": "turn.failed", "error": {"message": "Missing environment variable: `OPENAI_API_KEY`."}},
        {"type": "error", "sessionID": SESSION, "timestamp": 1, "error": {"name": "APIError", "data": _OPENCODE}},
        {"type": "error", "sessionID": SESSION, "timestamp": 1, "error": {"name": "ProviderAuthError", "data": {"message": "no key"}}},
        {**_RETRY, "error": "authentication_failed", "session_id": UUID},
        {**_RESULT, "result": "Invalid API key · Please run /login", "num_turns": 1},
        {"type": "assistant", "error": "authentication_failed", "message": {"content": [{"type": "text", "text": "Please run /login"}]}},
        *({"jsonrpc": "2.0", "id": n, "error": {"code": -32000, "message": "Authentication required"}} for n in range(4)),
        {"jsonrpc": "2.0", "id": 2, "error": {"code": -32603, "message": "Internal error", "data": {"details": "401 Incorrect API key"}}},
        {"jsonrpc": "2.0", "id": 2, "error": {"code": 401, "message": json.dumps(GEMINI_BODY)}},
        {"type": "error", "class": "auth", "message": "401 Unauthorized"},
        {"type": "result", "subtype": "error_during_execution", "is_error": True, "error": {"message": "[API Error: 401 Incorrect API key]"}},
        OPENAI_BODY,
        ANTHROPIC_BODY,
        GEMINI_BODY,
    ),
    CODEX_401,
    f"Reconnecting... 5/5 ({CODEX_401})",
    "Missing environment variable: `OPENAI_API_KEY`.",
    "Your access token could not be refreshed because it was revoked. Please sign in again.",
    "[API Error: 401 Incorrect API key provided: sk-ab.]",
    "Invalid API key · Please run /login",
    "HTTP/1.1 401 Unauthorized",
    "Error: 401 status code (no body)",
    "API Error: 401 " + json.dumps(ANTHROPIC_BODY),
    "Not logged in. Please run `codex login`.",
    "The sign-in expired: authentication_failed, UNAUTHENTICATED, invalid_api_key",
)  # fmt: skip
WRAPPINGS = (
    "{}",
    "I saw this:\n{}\n",
    "{}\n{}",
    "```json\n{}\n```",
    "\n{}\n",
    "  {}",
    "The log says {} and that is all.",
)


def transcript(wire: Wire, random: Random) -> list[tuple[str, bytes]]:
    """(stream, bytes) of a run that goes well and quotes: in texts, tools and files, over several frames, alone on a line; cut
    anywhere.
    """
    sections: list[tuple[str, bytes]] = []
    for _ in range(random.randint(1, 6)):
        sections.append(_section(wire, random))
    stdout = b"".join(piece for stream, piece in sections if stream == "stdout")
    stderr = b"".join(piece for stream, piece in sections if stream == "stderr")
    whole = b"".join(wire.head()) + stdout + b"".join(wire.foot())
    return [
        *(("stderr", one) for one in _cut(stderr, random)),
        *(("stdout", one) for one in _cut(whole, random)),
    ]


def _section(wire: Wire, random: Random) -> tuple[str, bytes]:
    quote = random.choice(QUOTES)
    said = random.choice(WRAPPINGS).replace("{}", quote)
    match random.choice(("text", "split", "tool", "file", "alone", "stderr")):
        case "text":
            return "stdout", b"".join(wire.text(said))
        case "split":
            at = sorted(random.randrange(len(said) + 1) for _ in range(random.randint(1, 4)))
            pieces = [said[a:b] for a, b in zip([0, *at], [*at, len(said)], strict=True)]
            return "stdout", b"".join(b"".join(wire.text(piece)) for piece in pieces)
        case "tool":
            return "stdout", b"".join(wire.tool(said))
        case "file":
            return "stdout", b"".join(wire.file(said))
        case "alone" if wire.is_told_apart or not wire.own(quote):
            return "stdout", quote.encode() + b"\n"
        case _:
            return "stderr", quote.encode() + b"\n"


def _cut(content: bytes, random: Random) -> list[bytes]:
    if not content or random.random() < 0.3:
        return [content] if content else []
    at = sorted(random.randrange(len(content) + 1) for _ in range(random.randint(1, 12)))
    return [content[a:b] for a, b in zip([0, *at], [*at, len(content)], strict=True)]
