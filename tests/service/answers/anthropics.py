"""What Anthropic's API answers, and those that speak its language: Bedrock, Vertex, Z.ai, Moonshot, DeepSeek, LiteLLM."""

from __future__ import annotations

from tests.service.answers.told import ANTHROPIC, Failing, anthropic, event, said, words

MINE = {"wires": (ANTHROPIC,)}
_WINDOW = {
    "anthropic-ratelimit-unified-status": "rejected",
    "anthropic-ratelimit-unified-reset": "1796200000",
    "anthropic-ratelimit-unified-representative-claim": "five_hour",
}


def _bedrock(name: str, is_a: str, status: int, kind: str, message: str, or_is: str = "") -> Failing:
    return said(
        name,
        is_a,
        status,
        {"message": message},
        headers={"x-amzn-errortype": f"{kind}:http://internal.amazon.com/coral/"},
        way="bedrock",
        or_is=or_is,
        **MINE,
    )


def _vertex(name: str, is_a: str, status: int, word: str, message: str, or_is: str = "") -> Failing:
    return said(
        name,
        is_a,
        status,
        [{"error": {"code": status, "message": message, "status": word}}],
        way="vertex",
        or_is=or_is,
        **MINE,
    )


def _in_stream(name: str, is_a: str, kind: str, message: str, or_is: str = "") -> Failing:
    body = event({"type": "error", "error": {"type": kind, "message": message}}, "error")
    return Failing(name, is_a, 200, body, begins=True, or_is=or_is, **MINE)


ANTHROPICS: tuple[Failing, ...] = (
    anthropic(
        "a login where keys are wanted",
        "auth",
        401,
        "authentication_error",
        "OAuth authentication is currently not supported.",
    ),
    anthropic(
        "a login that the firm forbids",
        "other",
        401,
        "authentication_error",
        "OAuth authentication is currently not allowed for this organization.",
        or_is="auth",
    ),
    anthropic(
        "a login revoked, as a 403",
        "auth",
        403,
        "permission_error",
        "OAuth token has been revoked. Please obtain a new token.",
    ),
    anthropic("a token that is none", "auth", 401, "authentication_error", "Invalid bearer token"),
    anthropic(
        "a token that is none, later", "auth", 401, "authentication_error", "Invalid bearer token", mid=True
    ),
    anthropic(
        "a firm that was shut",
        "other",
        400,
        "invalid_request_error",
        "This organization has been disabled.",
        or_is="auth",
    ),
    anthropic(
        "a login without leave for the program",
        "other",
        403,
        "permission_error",
        "OAuth authentication is not enabled for this organization; ask an administrator.",
        or_is="auth",
    ),
    anthropic("a country", "other", 403, "forbidden", "Request not allowed"),
    anthropic(
        "month's limit of a workspace",
        "usage_limit",
        400,
        "invalid_request_error",
        "You have reached your specified workspace API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.",
    ),
    anthropic(
        "not paid",
        "usage_limit",
        402,
        "billing_error",
        "There is a problem with the payment for this account.",
    ),
    anthropic(
        "tokens a minute",
        "rate_limit",
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
        headers={"retry-after": "1"},
    ),
    anthropic(
        "five hours of a plan",
        "usage_limit",
        429,
        "rate_limit_error",
        "This request would exceed your account's rate limit. Please try again later.",
        headers=_WINDOW,
        or_is="rate_limit",
    ),
    anthropic(
        "long prompts cost extra",
        "usage_limit",
        429,
        "rate_limit_error",
        "Extra usage is required for long context requests.",
        or_is="rate_limit",
    ),
    anthropic("too large", "invalid", 413, "request_too_large", "Request exceeds the maximum size"),
    anthropic(
        "too long",
        "invalid",
        400,
        "invalid_request_error",
        "prompt is too long: 213462 tokens > 200000 maximum",
    ),
    anthropic(
        "a setting that does not fit",
        "invalid",
        400,
        "invalid_request_error",
        "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for this model",
    ),
    anthropic("no such model", "invalid", 404, "not_found_error", "model: claude-sonnet-4-5"),
    anthropic(
        "a time-out of theirs", "overloaded", 504, "timeout_error", "The request took too long to process."
    ),
    anthropic("a fault of theirs", "overloaded", 500, "api_error", "Internal server error"),
    _in_stream("overloaded in the stream", "overloaded", "overloaded_error", "Overloaded"),
    _in_stream("a fault in the stream", "overloaded", "api_error", "Internal server error"),
    _in_stream(
        "too fast in the stream",
        "rate_limit",
        "rate_limit_error",
        "Number of request tokens has exceeded your per-minute rate limit",
    ),
    _bedrock(
        "Bedrock: token expired",
        "auth",
        403,
        "ExpiredTokenException",
        "The security token included in the request is expired",
    ),
    _bedrock(
        "Bedrock: token invalid",
        "auth",
        403,
        "UnrecognizedClientException",
        "The security token included in the request is invalid.",
    ),
    _bedrock(
        "Bedrock: no access to the model",
        "other",
        403,
        "AccessDeniedException",
        "You don't have access to the model with the specified model ID.",
    ),
    _bedrock(
        "Bedrock: not on demand",
        "invalid",
        400,
        "ValidationException",
        "Invocation of model ID anthropic.claude-sonnet-4-5 with on-demand throughput isn\u2019t supported. Retry with an inference profile.",
    ),
    _bedrock(
        "Bedrock: too many tokens",
        "rate_limit",
        429,
        "ThrottlingException",
        "Too many tokens, please wait before trying again.",
    ),
    _bedrock(
        "Bedrock: tokens of the day",
        "usage_limit",
        429,
        "ThrottlingException",
        "Too many tokens per day, please wait before trying again.",
        or_is="rate_limit",
    ),
    _bedrock(
        "Bedrock is not there",
        "overloaded",
        503,
        "ServiceUnavailableException",
        "Bedrock is unable to process your request.",
    ),
    _vertex(
        "Vertex: no sign-in",
        "auth",
        401,
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
    ),
    _vertex(
        "Vertex: a role is missing",
        "other",
        403,
        "PERMISSION_DENIED",
        "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p1/locations/us-east5/publishers/anthropic/models/m' (or it may not exist).",
    ),
    _vertex(
        "Vertex: quota of the minute",
        "rate_limit",
        429,
        "RESOURCE_EXHAUSTED",
        "Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: anthropic-claude-sonnet-4-5.",
        or_is="usage_limit",
    ),
    _vertex(
        "Vertex: no such model",
        "invalid",
        404,
        "NOT_FOUND",
        "Publisher Model `projects/p1/locations/us-east5/publishers/anthropic/models/m` was not found or your project does not have access to it.",
    ),
    said(
        "Z.ai: nothing left",
        "usage_limit",
        429,
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "code": "1113",
                "message": "[1113][Insufficient balance or no resource package. Please recharge.][20261201]",
            },
            "request_id": "20261201",
        },
        **MINE,
    ),
    said(
        "Z.ai: five hours",
        "usage_limit",
        429,
        {
            "type": "error",
            "error": {
                "type": "1308",
                "message": "Usage limit reached for 5 hour. Your limit will reset at 2026-12-01 18:30:12",
            },
            "request_id": "20261201",
        },
        **MINE,
    ),
    said(
        "Z.ai: token expired",
        "auth",
        401,
        {
            "type": "error",
            "error": {"type": "401", "message": "token expired or incorrect"},
            "request_id": "20261201",
        },
        **MINE,
    ),
    said(
        "Moonshot: no sign-in",
        "auth",
        401,
        {"error": {"message": "Invalid Authentication", "type": "invalid_authentication_error"}},
        **MINE,
    ),
    said(
        "Moonshot: program not wanted",
        "other",
        403,
        {
            "error": {
                "message": "This plan is only for coding agents on our list.",
                "type": "access_terminated_error",
            }
        },
        **MINE,
    ),
    said(
        "DeepSeek: nothing left",
        "usage_limit",
        402,
        {
            "error": {
                "message": "Insufficient Balance",
                "type": "unknown_error",
                "param": None,
                "code": "invalid_request_error",
            }
        },
        **MINE,
    ),
    said(
        "LiteLLM: budget",
        "usage_limit",
        429,
        {
            "error": {
                "message": "Budget has been exceeded! Current cost: 26.07, Max budget: 25.0",
                "type": "budget_exceeded",
                "param": None,
                "code": "429",
            }
        },
        **MINE,
    ),
    said(
        "LiteLLM: key unknown",
        "auth",
        401,
        {
            "error": {
                "message": "Authentication Error, Invalid proxy server token passed. Received API Key = sk-...0000, Unable to find token in cache",
                "type": "token_not_found_in_db",
                "param": "key",
                "code": "401",
            }
        },
        **MINE,
    ),
    said(
        "LiteLLM: key without the model",
        "other",
        401,
        {
            "error": {
                "message": "key not allowed to access model. This key can only access models=['small']. Tried to access claude-sonnet-4-5",
                "type": "key_model_access_denied",
                "param": "model",
                "code": "401",
            }
        },
        or_is="invalid",
        **MINE,
    ),
    words("Copilot: token expired", "auth", 401, "IDE token expired: unauthorized: token expired", **MINE),
)
