"""Perfect authentication errors of every program, as a model, a tool or a file may quote them. Imports nothing of the product."""

from __future__ import annotations

import json
from random import Random

from tests.agents.own_lines import FRAMES, OWN_LINES
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


OTHERS_SESSION = "b509ed89-075d-4e2f-91f8-b5b16ff7f5ad"


def quotes_of(wire: Wire) -> tuple[str, ...]:
    """What is quoted over this wire: errors of every program, and the very lines that its own program prints."""
    every = (one for lines in OWN_LINES.values() for one in lines[:4])
    return (*QUOTES, *OWN_LINES[wire.name], *every)


def alone(wire: Wire, quote: str) -> bytes | None:
    """The quote as a line of stdout, as of another session or request of the same program; None where it is the program's word."""
    if wire.name == "claude":  # a log begins with the beginning of its talk
        quote = json.dumps({"type": "system", "subtype": "init", "session_id": UUID}) + "\n" + quote
    told = quote.replace(UUID, OTHERS_SESSION) if wire.name == "claude" else quote
    if wire.protocol == "acp" and '"jsonrpc"' in quote:
        value = json.loads(quote)
        other = (
            {"id": value["id"] % 5}
            if "id" in value
            else {"params": {**value["params"], "sessionId": OTHERS_SESSION}}
        )
        told = json.dumps({**value, **other})
    return told.encode() + b"\n" if wire.is_told_apart or not wire.own(quote) else None


def transcript(wire: Wire, random: Random) -> list[tuple[str, bytes]]:
    """(stream, bytes) of a run that goes well and quotes: in texts, tools and files, over several frames, alone on a line; cut
    anywhere.
    """
    sections = [_section(wire, random) for _ in range(random.randint(1, 6))]
    stdout = b"".join(piece for stream, piece in sections if stream == "stdout")
    stderr = b"".join(piece for stream, piece in sections if stream == "stderr")
    whole = b"".join(wire.head()) + stdout + b"".join(wire.foot())
    return [
        *(("stderr", one) for one in _cut(stderr, random)),
        *(("stdout", one) for one in _cut(whole, random)),
    ]


def _section(wire: Wire, random: Random) -> tuple[str, bytes]:
    quote = random.choice(quotes_of(wire))
    said = random.choice(WRAPPINGS).replace("{}", quote)
    frames = (wire.text, wire.tool, wire.file, *FRAMES[wire.name])
    match random.choice(("frame", "frame", "exact", "split", "alone", "stderr")):
        case "frame":
            return "stdout", b"".join(random.choice(frames)(said))
        case "exact":
            return "stdout", b"".join(random.choice(frames)(quote))
        case "split":
            at = sorted(random.randrange(len(said) + 1) for _ in range(random.randint(1, 4)))
            pieces = [said[a:b] for a, b in zip([0, *at], [*at, len(said)], strict=True)]
            return "stdout", b"".join(b"".join(wire.text(piece)) for piece in pieces)
        case "alone" if (told := alone(wire, quote)) is not None:
            return "stdout", told
        case _:
            return "stderr", quote.encode() + b"\n"


def _cut(content: bytes, random: Random) -> list[bytes]:
    if not content or random.random() < 0.3:
        return [content] if content else []
    at = sorted(random.randrange(len(content) + 1) for _ in range(random.randint(1, 12)))
    return [content[a:b] for a, b in zip([0, *at], [*at, len(content)], strict=True)]
