"""What a failing answer is, and how it is built. Pure.

Classes, by what the answer means for a person: auth (the sign-in is refused, for whatever is asked), usage_limit (nothing is left of what is paid
for or granted), rate_limit (too fast), overloaded (a fault of the service or of the way to it, which passes), invalid (this request can never be
answered), other (none of these: a rule, a place, a licence, a middle box).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = {"content-type": "application/json"}
PAGE = {"content-type": "text/html; charset=utf-8"}
TEXT = {"content-type": "text/plain; charset=utf-8"}
ANTHROPIC, GOOGLE, RESPONSES, CHAT = "anthropic", "google", "responses", "chat"
EVERY = (ANTHROPIC, GOOGLE, RESPONSES, CHAT)
OPENAI = (RESPONSES, CHAT)


@dataclass(frozen=True, slots=True)
class Failing:
    """One failing answer.

    is_a: the class that it is; or_is: another that can be argued, said beforehand. wires: the APIs that it is an answer of.
    begins: a good answer begins, and this comes in the middle of its stream. ends: `well`, `cut` (reset), `short` (closed early), `hangs`.
    mid: it comes only after the first tool call. way: how the service is reached: `plain`, `refused` (nothing listens), `lost` (a name
    that nobody knows), `tls` (a certificate that nobody vouches for), `proxy` (a proxy that refuses), `bedrock`, `vertex`.
    """

    name: str
    is_a: str
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    or_is: str = ""
    wires: tuple[str, ...] = EVERY
    begins: bool = False
    ends: str = "well"
    mid: bool = False
    way: str = "plain"


def said(name: str, is_a: str, status: int, value: Any, **more: Any) -> Failing:
    """A body of JSON."""
    headers = {**JSON, **more.pop("headers", {})}
    return Failing(name, is_a, status, json.dumps(value, ensure_ascii=False).encode(), headers, **more)


def words(name: str, is_a: str, status: int, text: str, **more: Any) -> Failing:
    """A body of plain text."""
    return Failing(name, is_a, status, text.encode(), {**TEXT, **more.pop("headers", {})}, **more)


def page(
    name: str, is_a: str, status: int, title: str, text: str = "", server: str = "nginx", **more: Any
) -> Failing:
    """A page for a person's browser."""
    html = f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n<center><h1>{title}</h1></center>\r\n{text}<hr><center>{server}</center>\r\n</body>\r\n</html>\r\n"
    return Failing(
        name, is_a, status, html.encode(), {**PAGE, "server": server, **more.pop("headers", {})}, **more
    )


def anthropic(name: str, is_a: str, status: int, kind: str, message: str, **more: Any) -> Failing:
    """An error as Anthropic's API spells it."""
    value = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_011CScripted"}
    return said(name, is_a, status, value, **{"wires": (ANTHROPIC,), **more})


def google(name: str, is_a: str, status: int, word: str, message: str, *details: Any, **more: Any) -> Failing:
    """An error as Google's APIs spell it."""
    error = {
        "code": status,
        "message": message,
        "status": word,
        **({"details": list(details)} if details else {}),
    }
    return said(name, is_a, status, {"error": error}, **{"wires": (GOOGLE,), **more})


def info(reason: str, **metadata: str) -> dict[str, Any]:
    """Google's ErrorInfo."""
    return {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": reason,
        "domain": "googleapis.com",
        "metadata": metadata,
    }


def openai(
    name: str,
    is_a: str,
    status: int,
    message: str,
    kind: str | None = None,
    code: str | int | None = None,
    **more: Any,
) -> Failing:
    """An error as OpenAI's API and those that copy it spell it."""
    error = {"message": message, "type": kind, "param": more.pop("param", None), "code": code}
    return said(name, is_a, status, {"error": error}, **{"wires": OPENAI, **more})


def event(value: Mapping[str, Any], name: str = "") -> bytes:
    """A server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(value)}\n\n".encode()
