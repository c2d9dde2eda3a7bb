"""Answers that people reported of services and of relays that stand before them, taken as they came to hand; played after all others."""

from __future__ import annotations

from tests.service.answers.told import (
    ANTHROPIC,
    OPENAI,
    Failing,
    anthropic,
    google,
    info,
    openai,
    said,
    words,
)

MINE = {"wires": OPENAI}
BOTH = {"wires": (ANTHROPIC, *OPENAI)}
REPORTED: tuple[Failing, ...] = (
    said(
        "a relay: client not on its list",
        "other",
        403,
        {
            "error": "Client not allowed",
            "message": "Your client is not authorized to use this API key",
            "allowedClients": ["codex_cli"],
            "userAgent": "codex-tui/0.1",
        },
        **BOTH,
    ),
    words("a 403 without a word", "other", 403, ""),
    said("a 400 with its own name", "invalid", 400, {"detail": "Bad Request"}, **MINE),
    said("instructions", "invalid", 400, {"detail": "Instructions are not valid"}, **MINE),
    openai(
        "a relay: upstream said 400",
        "invalid",
        400,
        "Provider API error: bad response status code 400",
        "upstream_error",
        "bad_response_status_code",
        or_is="overloaded",
        param="400",
    ),
    openai(
        "a relay: other programs",
        "other",
        403,
        "Please use in Codex. Third-party clients are not supported (request id: 2026)",
        "new_api_error",
        "",
    ),
    openai(
        "sealed reasoning",
        "invalid",
        400,
        "The encrypted content for item rs_00a could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        "invalid_request_error",
        "invalid_encrypted_content",
        param="",
    ),
    said(
        "a body that is cut",
        "invalid",
        400,
        {
            "error": {
                "message": "Invalid JSON payload: unexpected character: line 1 column 26867 (char 26866)",
                "type": "invalid_request_error",
                "param": "request_body",
                "code": "400",
            }
        },
        **BOTH,
    ),
    said(
        "Zhipu: parameters",
        "invalid",
        400,
        {
            "error": {
                "code": "1210",
                "message": "API \u8c03\u7528\u53c2\u6570\u6709\u8bef\uff0c\u8bf7\u68c0\u67e5\u6587\u6863\u3002",
            }
        },
        **BOTH,
    ),
    said(
        "a way that is not there",
        "invalid",
        404,
        {
            "error": {
                "message": "Invalid URL (POST /v1/messages)",
                "type": "invalid_request_error",
                "param": "",
                "code": "",
            }
        },
        **BOTH,
    ),
    words("520 without a word", "overloaded", 520, ""),
    anthropic(
        "a relay: not found, as a 500",
        "overloaded",
        500,
        "api_error",
        'API error 404: {"error": {"code": 404, "message": "Requested entity was not found.", "status": "NOT_FOUND"}}',
        or_is="invalid",
    ),
    google(
        "a project that is none",
        "other",
        403,
        "PERMISSION_DENIED",
        "Permission denied on resource project default.",
        info("CONSUMER_INVALID", consumer="projects/default"),
    ),
    google("the caller may not", "other", 403, "PERMISSION_DENIED", "The caller does not have permission"),
    google(
        "a role for Code Assist",
        "other",
        403,
        "PERMISSION_DENIED",
        "Permission 'cloudaicompanion.companions.generateChat' denied on resource '//cloudaicompanion.googleapis.com/projects/p1/locations/global' (or it may not exist).",
        info("IAM_PERMISSION_DENIED", permission="cloudaicompanion.companions.generateChat"),
    ),
    google(
        "a model of the garden",
        "other",
        400,
        "FAILED_PRECONDITION",
        "Project `p1` is not allowed to use Publisher Model `projects/p1/locations/l1/publishers/anthropic/models/m`",
        or_is="invalid",
    ),
    said(
        "a relay: its session",
        "auth",
        401,
        {
            "error": "unauthorized",
            "message": "Your coderouter session expired or was revoked. Run `cr login` and retry.",
            "retryable": False,
        },
        **BOTH,
    ),
    openai(
        "free credits shut",
        "usage_limit",
        403,
        "Free credits temporarily have restricted access due to abuse. Paid credits continue to have unrestricted access.",
        "no_providers_available",
        or_is="other",
    ),
    openai(
        "Together: a card",
        "usage_limit",
        402,
        "Your account needs a credit card on file to use this app.",
        "invalid_request_error",
    ),
    said(
        "a reseller: credits",
        "usage_limit",
        402,
        {"error": "Insufficient balance. Required: 5 credits"},
        **BOTH,
    ),
    said(
        "MiniMax: balance",
        "usage_limit",
        429,
        {
            "error": {
                "http_code": "429",
                "message": "insufficient balance (1008)",
                "type": "insufficient_balance_error",
            },
            "request_id": "0",
        },
        **BOTH,
    ),
    said("Mistral: detail", "auth", 401, {"detail": "Unauthorized"}, **MINE),
    said(
        "Chutes: balance",
        "usage_limit",
        429,
        {"detail": "Quota exceeded and account balance is $0.0, please pay with fiat or send tao"},
        **BOTH,
    ),
    openai(
        "an address instead of a key",
        "auth",
        401,
        "Incorrect API key provided: https://****lETQ. You can find your API key at https://platform.example/account/api-keys.",
        "invalid_request_error",
        "invalid_api_key",
    ),
    said(
        "OpenRouter: tokens of the prompt",
        "usage_limit",
        402,
        {
            "error": {
                "message": "Prompt tokens limit exceeded: 69120 > 36608. To increase, visit https://openrouter.example/settings/credits and upgrade to a paid account",
                "code": 402,
            }
        },
        **BOTH,
    ),
    said(
        "xAI: tokens a minute",
        "rate_limit",
        429,
        {
            "code": "Some resource has been exhausted",
            "error": "Too many tokens for team 0 and model m. Your team's rate limit is - Tokens per Minute (actual/limit): 65605/16000.",
        },
        **BOTH,
    ),
    openai(
        "Copilot: tokens",
        "rate_limit",
        429,
        "Sorry, you have exceeded your Copilot token usage. Please review our Terms of Service.",
        None,
        "rate_limited",
        or_is="usage_limit",
    ),
    said(
        "GitHub: calls",
        "rate_limit",
        403,
        {
            "message": "API rate limit exceeded for user ID 1. If you reach out to GitHub Support for help, please include the request ID 0.",
            "documentation_url": "https://docs.github.example/rest",
        },
        **BOTH,
    ),
    said(
        "a relay: group is full",
        "overloaded",
        429,
        {
            "error": {
                "message": "\u5f53\u524d\u5206\u7ec4\u4e0a\u6e38\u8d1f\u8f7d\u5df2\u9971\u548c\uff0c\u8bf7\u7a0d\u540e\u518d\u8bd5 (request id: 2026)",
                "type": "new_api_error",
                "code": "",
            }
        },
        or_is="rate_limit",
        **BOTH,
    ),
    said(
        "Kimi: key",
        "auth",
        401,
        {
            "error": {
                "message": "The API Key appears to be invalid or may have expired. Please verify your credentials and try again.",
                "type": "invalid_authentication_error",
            }
        },
        **BOTH,
    ),
    said(
        "Azure: a network",
        "other",
        403,
        {
            "error": {
                "code": "403",
                "message": "A Virtual Network is configured for this resource. Please use the correct endpoint for making requests.",
            }
        },
        **MINE,
    ),
    words(
        "Cerebras: a text",
        "rate_limit",
        429,
        '"Tokens per minute limit exceeded - too many tokens processed."',
        **BOTH,
    ),
    said(
        "Vercel's gateway: balance behind it",
        "usage_limit",
        429,
        {
            "error": {
                "message": "Insufficient balance or no resource package. Please recharge.",
                "type": "AI_APICallError",
                "param": {"error": "Insufficient balance", "statusCode": 429, "isRetryable": True},
            }
        },
        **BOTH,
    ),
    said(
        "a relay: every account",
        "usage_limit",
        429,
        {
            "error": {
                "message": "All accounts exhausted. Last error: HTTP 429: No capacity available for model m on the server"
            }
        },
        or_is="overloaded",
        **BOTH,
    ),
)
