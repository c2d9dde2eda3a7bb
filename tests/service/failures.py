"""Ways in which a call of a model service fails, and what each of them is, by the meaning of HTTP and of the words
that services put into `code` and `type`. Written down without a look at what any program makes of them.

Classes: auth (the sign-in is refused), usage_limit (nothing is left of what is paid for), rate_limit (too fast), overloaded (the
service has a fault or is busy: it passes), invalid (this request can never be answered), other (none of these is sure).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.service.openai import Reply

HTML = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center><hr>proxy</body></html>"
JSON = {"content-type": "application/json"}
STREAM = {"content-type": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing answer, and its class. wire: `responses`, `chat` or `both`."""

    name: str
    reply: Reply
    is_a: str
    wire: str = "both"


def _json(status: int, message: str, code: str | None = None, type_: str | None = None, **more: Any) -> Reply:
    error = {"message": message, "type": type_, "param": None, "code": code, **more}
    return Reply(status, JSON, (json.dumps({"error": error}).encode(),))


def _page(status: int, title: str, **headers: str) -> Reply:
    return Reply(status, {"content-type": "text/html", **headers}, (HTML.format(title).encode(),))


def _failed_event(code: str, message: str) -> Reply:
    response = {"id": "resp_1", "status": "failed", "error": {"code": code, "message": message}}
    event = {"type": "response.failed", "response": response}
    return Reply(200, STREAM, (f"event: response.failed\ndata: {json.dumps(event)}\n\n".encode(),))


_AUTH = {
    "key": _json(401, "Incorrect API key provided: sk-a**b.", "invalid_api_key", "invalid_request_error"),
    "no code": _json(401, "You must be a member of an organization to use the API"),
    "expired": _json(
        401, "Your authentication token has expired. Please try signing in again.", "token_expired"
    ),
    "revoked": _json(401, "This session was ended.", "token_revoked"),
    "page": _page(401, "401 Authorization Required"),
    "empty": Reply(401, {}, ()),
    "plain": Reply(401, {"content-type": "text/plain"}, (b"Unauthorized\n",)),
    "quotes a quota": _json(401, "Not signed in; your quota was 429 requests and 503 tokens"),
    "quotes a 403": _json(401, "status 403 Forbidden was expected, this is worse"),
    "asks for a bearer": Reply(
        401, {**JSON, "www-authenticate": "Bearer"}, (b'{"detail":"Not authenticated"}',)
    ),
    "other spelling": Reply(401, JSON, (b'{"code":16,"message":"unauthenticated"}',)),
    "waits": Reply(401, {**JSON, "retry-after": "1"}, (b'{"error":{"message":"no"}}',)),
}
_USAGE = {
    "quota": _json(
        429,
        "You exceeded your current quota, please check your plan",
        "insufficient_quota",
        "insufficient_quota",
    ),
    "hard limit": _json(
        429, "Billing hard limit has been reached", "billing_hard_limit_reached", "insufficient_quota"
    ),
    "not paid": _json(402, "Payment required"),
    "not paid, a page": _page(402, "402 Payment Required"),
    "not paid, a code": _json(402, "Add credits to go on", "payment_required"),
    "no credits": _json(429, "insufficient balance", "insufficient_quota"),
}
_RATE = {
    "requests": _json(429, "Rate limit reached for requests", "rate_limit_exceeded", "requests"),
    "tokens": _json(
        429, "Rate limit reached for tokens. Please try again in 20ms.", "rate_limit_exceeded", "tokens"
    ),
    "no code": _json(429, "Too Many Requests"),
    "page": _page(429, "429 Too Many Requests"),
    "empty": Reply(429, {}, ()),
    "quotes a key": _json(429, "Too fast for this API key; invalid api key? 401 Unauthorized? no: 429"),
}
_LOAD = {
    "500": _json(500, "The server had an error while processing your request", type_="server_error"),
    "500 page": _page(500, "500 Internal Server Error"),
    "500 empty": Reply(500, {}, ()),
    "500 quotes 401": _json(500, "upstream said 401 Unauthorized: invalid api key", type_="server_error"),
    "502": _page(502, "502 Bad Gateway"),
    "502 json": _json(502, "bad gateway"),
    "503": _json(503, "The engine is currently overloaded, please try again later", type_="server_error"),
    "503 page": _page(503, "503 Service Temporarily Unavailable"),
    "503 code": _json(503, "busy", "server_is_overloaded"),
    "503 slow": _json(503, "slow down", "slow_down"),
    "504": _page(504, "504 Gateway Time-out"),
    "520": _page(520, "520: Web server is returning an unknown error"),
    "522": _page(522, "522: Connection timed out"),
    "524": _page(524, "524: A timeout occurred"),
    "529": _json(529, "Overloaded", type_="overloaded_error"),
}
_INVALID = {
    "400": _json(400, "Invalid request", type_="invalid_request_error"),
    "400 code": _json(
        400, "Unsupported parameter: 'reasoning'", "unsupported_parameter", "invalid_request_error"
    ),
    "400 value": _json(400, "Invalid value: 'input'", "invalid_value", "invalid_request_error"),
    "400 quotes 401": _json(
        400, "Unknown field: 401 Unauthorized, invalid api key", type_="invalid_request_error"
    ),
    "400 long": _json(400, "Input is too long " + "x" * 3000, type_="invalid_request_error"),
    "404 model": _json(
        404, "The model `scripted-model` does not exist", "model_not_found", "invalid_request_error"
    ),
    "404 page": _page(404, "404 Not Found"),
    "404 detail": Reply(404, JSON, (b'{"detail":"Not Found"}',)),
    "405": _json(405, "Method not allowed"),
    "409": _json(409, "Conflict"),
    "410": _json(410, "This model was retired"),
    "413": _page(413, "413 Request Entity Too Large"),
    "415": _json(415, "Unsupported media type"),
    "422": Reply(422, JSON, (b'{"detail":[{"loc":["body"],"msg":"field required"}]}',)),
}
_OTHER = {
    "403": _json(403, "Forbidden"),
    "403 page": _page(403, "403 Forbidden"),
    "403 country": _json(
        403, "Country, region, or territory not supported", "unsupported_country_region_territory"
    ),
    "403 model": _json(
        403, "Project does not have access to model", "model_not_found", "invalid_request_error"
    ),
    "403 quotes 401": _json(403, "status 401 Unauthorized at the gateway: invalid api key"),
    "403 address": _json(403, "Your IP is not on the list", "ip_not_authorized"),
    "451": _page(451, "451 Unavailable For Legal Reasons"),
}
_EVENTS = {
    ("usage_limit", "responses"): {
        "quota, told later": _failed_event("insufficient_quota", "You exceeded your quota")
    },
    ("overloaded", "responses"): {
        "busy, told later": _failed_event("server_is_overloaded", "The model is busy")
    },
    ("invalid", "responses"): {"too long, told later": _failed_event("context_length_exceeded", "Too long")},
}
LATER: tuple[Failure, ...] = tuple(
    Failure(f"{is_a}, later: {name}", reply, is_a)
    for is_a, group in {
        "auth": {
            "deleted": _json(401, "This API key has been deleted.", "invalid_api_key"),
            "region": _json(
                401, "Sign in again from this region; 500 servers were asked", type_="authentication_error"
            ),
            "xml": Reply(
                401, {"content-type": "application/xml"}, (b"<Error><Code>AccessDenied</Code></Error>",)
            ),
            "list": Reply(401, JSON, (b'["unauthorized"]',)),
        },
        "usage_limit": {
            "plan": _json(429, "Your plan has no more requests", "insufficient_quota"),
            "402 in words": Reply(402, {"content-type": "text/plain"}, (b"insufficient credits",)),
        },
        "rate_limit": {
            "minute": _json(429, "Limit 3 / min. Please slow down.", "rate_limit_exceeded", "requests"),
            "plain": Reply(429, {"content-type": "text/plain"}, (b"calm down",)),
            "input": _json(429, "Request too large for the limit of tokens", "rate_limit_exceeded", "tokens"),
        },
        "overloaded": {
            "500 words": Reply(500, {"content-type": "text/plain"}, (b"boom",)),
            "500 auth words": _json(
                500, "authentication_error in the token store", "internal_error", "server_error"
            ),
            "502 empty": Reply(502, {}, ()),
            "503 json": _json(503, "no healthy upstream", "unavailable"),
            "504 json": _json(504, "upstream timed out", "timeout"),
            "521": _page(521, "521: Web server is down"),
            "523": _page(523, "523: Origin is unreachable"),
        },
        "invalid": {
            "400 image": _json(400, "Invalid image data", "invalid_image", "invalid_request_error"),
            "400 words": Reply(400, {"content-type": "text/plain"}, (b"bad request",)),
            "400 tool": _json(
                400,
                "Invalid schema for function 'exec'",
                "invalid_function_parameters",
                "invalid_request_error",
            ),
            "404 empty": Reply(404, {}, ()),
            "411": _page(411, "411 Length Required"),
            "414": _page(414, "414 URI Too Long"),
            "422 json": _json(422, "Unprocessable", type_="invalid_request_error"),
        },
        "other": {
            "403 words": Reply(403, {"content-type": "text/plain"}, (b"blocked by policy",)),
            "403 key": _json(403, "This key may not use the endpoint", type_="permission_error"),
            "403 waf": _page(403, "Attention Required! | Access denied", server="waf"),
        },
    }.items()
    for name, reply in group.items()
)
"""Written after all others had been looked at."""
FAILURES: tuple[Failure, ...] = (
    *(
        Failure(f"{is_a}: {name}", reply, is_a)
        for is_a, group in (
            ("auth", _AUTH), ("usage_limit", _USAGE), ("rate_limit", _RATE),
            ("overloaded", _LOAD), ("invalid", _INVALID), ("other", _OTHER),
        )
        for name, reply in group.items()
    ),
    *(
        Failure(f"{is_a}: {name}", reply, is_a, wire)
        for (is_a, wire), group in _EVENTS.items()
        for name, reply in group.items()
    ),
)  # fmt: skip
