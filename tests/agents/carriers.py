"""One answer of a service, in every form in which programs hand it on: what it is must not hang on the form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http import HTTPStatus
from typing import Any, NamedTuple

from tests.agents.failure_lines import Codex, OpenCode, Shape
from tests.agents.held_out import Acp, Claude


class Answer(NamedTuple):
    """What a service answers: its status, the words of its fields, its message."""

    status: int
    kind: str
    code: str | None
    message: str


def _openai(answer: Answer) -> dict[str, Any]:
    return {"error": {"message": answer.message, "type": answer.kind, "param": None, "code": answer.code}}


def _anthropic(answer: Answer) -> dict[str, Any]:
    told = {"type": answer.code or answer.kind, "message": answer.message}
    return {"type": "error", "error": told, "request_id": "req_1"}


def _google(answer: Answer) -> dict[str, Any]:
    about = {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": answer.code or answer.kind,
        "domain": "x",
    }
    return {
        "error": {"code": answer.status, "message": answer.message, "status": answer.kind, "details": [about]}
    }


def _plain(answer: Answer) -> dict[str, Any]:
    return {"code": answer.code or answer.kind, "message": answer.message, "request_id": "r"}


BODIES: tuple[Callable[[Answer], dict[str, Any]], ...] = (_openai, _anthropic, _google, _plain)


def _reason(status: int) -> str:
    return f" {HTTPStatus(status).phrase}" if status in set(HTTPStatus) else " <unknown status code>"


def _in(text: str) -> dict[str, Any]:
    return {"error": {"message": text, "code": None, "status": ""}}


def carried(answer: Answer, body: dict[str, Any]) -> Iterator[tuple[str, Shape]]:
    """(name of the form, shape) of each."""
    status, text = answer.status, json.dumps(body, ensure_ascii=False)
    api = f"API Error: {status} {text}"
    yield "claude, words alone", Claude(None, None, api)
    yield "claude, words and a hint", Claude(None, None, f"{api} · Please try again")
    yield "claude, status", Claude(None, status, api)
    yield "claude, unknown", Claude("unknown", status, api)
    yield (
        "codex",
        Codex(
            f"unexpected status {status}{_reason(status)}: {text}, url: https://x/v1/responses, request id: r"
        ),
    )
    yield "opencode", OpenCode("APIError", status, answer.message, body)
    yield (
        "opencode, body alone",
        OpenCode("APIError", status, HTTPStatus(status).phrase if status in set(HTTPStatus) else "", text),
    )
    yield "acp, status and data", Acp(-32603, "Internal error", {"statusCode": status, "responseBody": text})
    yield "acp, status as code", Acp(status, text)
    yield "acp, body in a body", Acp(status, json.dumps(_in(text)))
    yield "acp, a list of one", Acp(status, json.dumps([body]))
    yield "acp, details", Acp(-32603, "Internal error", {"details": f"{status} {text}"})
    yield (
        "acp, details in brackets",
        Acp(-32603, "Internal error", {"details": f"[API Error: {status} {text}]"}),
    )
    yield "acp, as Python prints it", Acp(-32603, f"Internal error: Error code: {status} - {body!r}")
    yield "acp, codex's info", Acp(-32603, "Internal error", {"message": f"unexpected status {status}{_reason(status)}: {text}", "codexErrorInfo": {"httpConnectionFailed": {"httpStatusCode": status}}})  # fmt: skip


def worded(answer: Answer) -> Iterator[tuple[str, Shape]]:
    """The same where nothing but status and message is handed on."""
    status, said = answer.status, answer.message
    yield "claude", Claude(None, None, f"API Error: {status} {said}")
    yield "claude, in brackets", Claude(None, None, f"API Error ({status} {said})")
    yield "codex", Codex(f"unexpected status {status}{_reason(status)}: {said}, url: https://x/v1/responses")
    yield "opencode", OpenCode("APIError", status, said)
    yield "acp, details", Acp(-32603, "Internal error", {"details": f"{status} {said}"})
    yield "acp, in brackets", Acp(-32603, f"Internal error: [API Error: {status} {said}]")
    yield "acp, HTTP", Acp(-32603, f"HTTP {status}: {said}")
    yield "acp, status code", Acp(-32603, f"Request failed with status code {status}: {said}")
