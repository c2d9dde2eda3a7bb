"""What the Gemini API answers, by scenario (`streamGenerateContent` as server-sent events). Pure: a request in, an answer out.

Known here are the scenarios of the scripted service that make sense for this API. Usage is always the same small numbers, so
that a test can count with its fingers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from tests.service.server import Answer, Wire

INPUT_TOKENS, OUTPUT_TOKENS = 1500, 50
WORDS = ("Hello ", "from ", "the ", "script.")
COMMAND = "echo ran >> ran.log; echo tool-output-42"
SLOW_COMMAND = "echo started >> ran.log; sleep 300; echo finished >> ran.log"
KEY_REASON = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    "reason": "API_KEY_INVALID",
    "domain": "googleapis.com",
}

DAILY = {
    "quotaMetric": "generativelanguage.googleapis.com/requests",
    "quotaId": "GenerateRequestsPerDayPerProject",
}


def answer(scenario: str, path: str, body: Mapping[str, Any]) -> Answer:
    """To one POST. `path` ends in `:streamGenerateContent`, `:generateContent` or `:countTokens`."""
    if ":countTokens" in path:
        return Answer(200, (json.dumps({"totalTokens": INPUT_TOKENS}).encode(),))
    failure = FAILURES.get(scenario)
    after_tool = _has_tool_result(body)
    if scenario == "auth401mid" and after_tool:
        failure = FAILURES["auth401raw"]
    if failure is not None:
        status, reason, message, details, headers = failure
        error = {"error": {"code": status, "message": message, "status": reason, "details": list(details)}}
        return Answer(status, (json.dumps(error).encode(),), headers)
    if scenario == "hang":
        return Answer(200, (), hangs=True)
    call = None if after_tool else _call(scenario)
    if call is not None:
        parts = [{"text": "I will use a tool."}, {"functionCall": call}]
        return _stream([_chunk(parts, "STOP")])
    words = ("All ", "done.") if after_tool else WORDS
    chunks = [_chunk([{"text": word}], None) for word in words]
    if scenario == "flood":
        chunks = [_chunk([{"text": _thousand(number)}], None) for number in range(300)]
    if scenario == "drop":
        return _stream(chunks[:2], drops=True)
    return _stream([*chunks, _chunk([{"text": " "}], "STOP")])


def _thousand(number: int) -> str:
    """A thousand characters that come only once: Gemini ends a turn in which the model repeats itself."""
    return hashlib.shake_256(str(number).encode()).hexdigest(500)


def _call(scenario: str) -> dict[str, Any] | None:
    if scenario == "write":
        return {"name": "write_file", "args": {"file_path": "made.txt", "content": "made by a tool\n"}}
    command = {"tool": COMMAND, "auth401mid": COMMAND, "slowtool": SLOW_COMMAND}.get(scenario)
    if command is None:
        return None
    return {"name": "run_shell_command", "args": {"command": command, "description": "Run the command"}}


def _has_tool_result(body: Mapping[str, Any]) -> bool:
    contents = body.get("contents") or [{}]
    return any("functionResponse" in part for part in contents[-1].get("parts") or ())


def _chunk(parts: list[dict[str, Any]], finish: str | None) -> bytes:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
    if finish:
        candidate["finishReason"] = finish
    told = {
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": INPUT_TOKENS,
            "candidatesTokenCount": OUTPUT_TOKENS,
            "totalTokenCount": INPUT_TOKENS + OUTPUT_TOKENS,
        },
        "modelVersion": "gemini-2.5-flash",
        "responseId": "scripted",
    }
    return b"data: " + json.dumps(told).encode() + b"\r\n\r\n"


def _stream(chunks: list[bytes], *, drops: bool = False) -> Answer:
    used = None if drops else {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
    return Answer(200, tuple(chunks), {"content-type": "text/event-stream"}, drops=drops, usage=used)


def wire() -> Wire:
    """For the scripted service."""
    return Wire(
        fits=lambda path: "GenerateContent" in path or "generateContent" in path or ":countTokens" in path,
        answer=answer,
        is_side=lambda path, _body: ":countTokens" in path,
    )


Failure = tuple[int, str, str, tuple[dict[str, Any], ...], Mapping[str, str]]
FAILURES: Mapping[str, Failure] = {
    "auth401": (
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        (KEY_REASON,),
        {},
    ),
    "auth401raw": (401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", (), {}),
    "auth403": (403, "PERMISSION_DENIED", "Your project has been denied access to this model.", (), {}),
    "rate429": (429, "RESOURCE_EXHAUSTED", "Too many requests.", (), {}),
    "rate429ra": (429, "RESOURCE_EXHAUSTED", "Too many requests.", (), {"retry-after": "2"}),
    "quota": (
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        ({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [DAILY]},),
        {},
    ),
    "over529": (503, "UNAVAILABLE", "The model is overloaded. Please try again later.", (), {}),
    "bad400": (400, "INVALID_ARGUMENT", "Invalid JSON payload received.", (), {}),
}
"""{scenario: (status, Google's word for it, message, details, headers)}; Google says 400 to a key that it does not know."""
