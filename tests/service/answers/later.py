"""Answers that were kept back: written down with the others, and played only after what those had shown was mended."""

from __future__ import annotations

from tests.service.answers.later_openais import OPENAIS_LATER
from tests.service.answers.told import (
    ANTHROPIC,
    OPENAI,
    Failing,
    anthropic,
    google,
    page,
    said,
    words,
)

MINE = {"wires": OPENAI}
THEIRS = {"wires": (ANTHROPIC,)}
PROBLEM = {"content-type": "application/problem+json"}
FRONTS: tuple[Failing, ...] = (
    words("Istio: token expired", "auth", 401, "Jwt is expired", headers={"server": "istio-envoy"}),
    said(
        "APISIX: key",
        "auth",
        401,
        {"message": "Invalid API key in request"},
        headers={"server": "APISIX/3.9"},
    ),
    said(
        "a problem document: token",
        "auth",
        401,
        {
            "type": "about:blank",
            "title": "Unauthorized",
            "status": 401,
            "detail": "The access token has expired",
        },
        headers=PROBLEM,
    ),
    said(
        "Spring: forbidden",
        "other",
        403,
        {"timestamp": "2026-12-01T06:00:00Z", "status": 403, "error": "Forbidden", "path": "/v1"},
    ),
    said(
        "Spring: not there",
        "invalid",
        404,
        {"timestamp": "2026-12-01T06:00:00Z", "status": 404, "error": "Not Found", "path": "/v1"},
    ),
    words("Traefik has nobody", "overloaded", 503, "no available server"),
    words("Traefik: bad way", "overloaded", 502, "Bad Gateway"),
    page(
        "HAProxy waited",
        "overloaded",
        504,
        "504 Gateway Time-out",
        "The server didn't respond in time.\r\n",
        "haproxy",
    ),
    page(
        "a wall",
        "other",
        200,
        "Request Rejected",
        "The requested URL was rejected. Your support ID is: 100\r\n",
        "F5",
        or_is="invalid",
    ),
    page(
        "Akamai",
        "other",
        403,
        "Access Denied",
        "You don't have permission to access this on this server. Reference #18.0\r\n",
        "AkamaiGHost",
    ),
    words("a body that is none", "overloaded", 502, "", or_is="other"),
    said("FastAPI: no credentials", "auth", 403, {"detail": "Not authenticated"}, or_is="other"),
    said(
        "Cloudflare's gateway: login",
        "auth",
        401,
        {
            "success": False,
            "result": [],
            "messages": [],
            "error": [{"code": 2009, "message": "Unauthorized"}],
        },
    ),
    said(
        "Vercel's gateway: no card",
        "usage_limit",
        403,
        {
            "error": {
                "message": "AI Gateway requires a valid credit card on file to service requests.",
                "type": "customer_verification_required",
            }
        },
        or_is="other",
    ),
    Failing("closed before a word", "overloaded", ends="short", status=0, or_is="other", begins=True),
)
ANTHROPICS_LATER: tuple[Failing, ...] = (
    anthropic(
        "MiniMax: nothing left, as a 500",
        "usage_limit",
        500,
        "api_error",
        "insufficient balance (1008)",
        or_is="overloaded",
    ),
    anthropic(
        "Kimi: billing cycle, as a 403",
        "usage_limit",
        403,
        "permission_error",
        "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.",
    ),
    anthropic(
        "a key that was disabled", "auth", 401, "authentication_error", "This API key has been disabled."
    ),
    anthropic(
        "a key of another workspace",
        "other",
        403,
        "permission_error",
        "This API key is not permitted to use this workspace's models.",
        or_is="auth",
    ),
    anthropic(
        "acceleration",
        "rate_limit",
        429,
        "rate_limit_error",
        "Your organization's usage increased too quickly. Please scale up gradually.",
    ),
    anthropic(
        "a picture too large",
        "invalid",
        400,
        "invalid_request_error",
        "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum",
    ),
    anthropic(
        "a tool without its result",
        "invalid",
        400,
        "invalid_request_error",
        "messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01",
        mid=True,
    ),
    anthropic(
        "a spend limit",
        "usage_limit",
        400,
        "invalid_request_error",
        "You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.",
        mid=True,
    ),
    anthropic(
        "credits, in the middle",
        "usage_limit",
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
        mid=True,
    ),
    said(
        "DashScope: key, in another language",
        "auth",
        401,
        {
            "type": "error",
            "error": {"type": "InvalidApiKey", "message": "Invalid API-key provided."},
            "request_id": "0",
        },
        **THEIRS,
    ),
    said(
        "a router: accounts",
        "rate_limit",
        429,
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "message": "All available accounts are rate limited. Try again in 2 minutes.",
            },
        },
        **THEIRS,
    ),
    said(
        "a router: none",
        "overloaded",
        503,
        {
            "type": "error",
            "error": {"type": "api_error", "message": "No available accounts: all upstreams failed"},
        },
        **THEIRS,
    ),
    said(
        "a plan's subscription ended",
        "usage_limit",
        403,
        {
            "type": "error",
            "error": {
                "type": "permission_error",
                "message": "Your subscription has expired. Renew it to go on.",
            },
        },
        or_is="other",
        **THEIRS,
    ),
)
GOOGLES_LATER: tuple[Failing, ...] = (
    google(
        "capacity of a model",
        "overloaded",
        429,
        "RESOURCE_EXHAUSTED",
        "No capacity available for model gemini-2.5-flash on the server",
        or_is="rate_limit",
    ),
    google(
        "key not found", "auth", 400, "INVALID_ARGUMENT", "API Key not found. Please pass a valid API key."
    ),
    google(
        "project deleted", "other", 403, "PERMISSION_DENIED", "Project 100 has been deleted.", or_is="auth"
    ),
    google(
        "a quota of money",
        "usage_limit",
        429,
        "RESOURCE_EXHAUSTED",
        "Your billing account has insufficient funds.",
    ),
    google(
        "a refused schema",
        "invalid",
        400,
        "INVALID_ARGUMENT",
        "Function calling config is set without function_declarations.",
    ),
    google(
        "token revoked, later", "auth", 401, "UNAUTHENTICATED", "Token has been expired or revoked.", mid=True
    ),
    google("it was cancelled", "overloaded", 499, "CANCELLED", "The operation was cancelled.", or_is="other"),
)
LATER: tuple[Failing, ...] = (*FRONTS, *ANTHROPICS_LATER, *GOOGLES_LATER, *OPENAIS_LATER)
