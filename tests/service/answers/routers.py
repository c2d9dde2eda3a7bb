"""What routers answer that speak OpenAI's language for others: OpenRouter, LiteLLM, new-api."""

from __future__ import annotations

from tests.service.answers.told import CHAT, OPENAI, Failing, event, openai, said

MINE = {"wires": OPENAI}
ROUTERS: tuple[Failing, ...] = (
    said(
        "OpenRouter: credits",
        "usage_limit",
        402,
        {
            "error": {
                "message": "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 3395.",
                "code": 402,
                "metadata": {"provider_name": None},
            },
            "user_id": "user_0",
        },
        **MINE,
    ),
    said("OpenRouter: nobody", "auth", 401, {"error": {"message": "User not found.", "code": 401}}, **MINE),
    said(
        "OpenRouter: nobody, later",
        "auth",
        401,
        {"error": {"message": "No auth credentials found", "code": 401}},
        mid=True,
        **MINE,
    ),
    said(
        "OpenRouter: cap of a key",
        "usage_limit",
        403,
        {
            "error": {
                "message": "Key limit exceeded (total limit). Manage it using https://openrouter.example/settings/keys",
                "code": 403,
            }
        },
        or_is="other",
        **MINE,
    ),
    said(
        "OpenRouter: free of the day",
        "usage_limit",
        429,
        {
            "error": {
                "message": "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day",
                "code": 429,
                "metadata": {"headers": {"X-RateLimit-Remaining": "0"}},
            }
        },
        or_is="rate_limit",
        **MINE,
    ),
    said(
        "OpenRouter: moderated",
        "other",
        403,
        {
            "error": {
                "message": "Your input was flagged by moderation",
                "code": 403,
                "metadata": {"reasons": ["violence"], "provider_name": "OpenAI"},
            }
        },
        or_is="invalid",
        **MINE,
    ),
    said(
        "OpenRouter: no endpoint",
        "invalid",
        404,
        {"error": {"message": "No endpoints found that support tool use.", "code": 404}},
        **MINE,
    ),
    said(
        "OpenRouter: privacy",
        "invalid",
        404,
        {
            "error": {
                "message": "No endpoints found matching your data policy. Configure it in your privacy settings.",
                "code": 404,
            }
        },
        or_is="other",
        **MINE,
    ),
    said(
        "OpenRouter: upstream",
        "overloaded",
        502,
        {
            "error": {
                "message": "Provider returned error",
                "code": 502,
                "metadata": {"raw": "upstream timed out", "provider_name": "Other"},
            }
        },
        **MINE,
    ),
    Failing(
        "OpenRouter: upstream in the stream",
        "overloaded",
        200,
        event(
            {
                "id": "gen-1",
                "object": "chat.completion.chunk",
                "error": {"code": 502, "message": "Provider disconnected"},
                "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
            }
        ),
        begins=True,
        wires=(CHAT,),
    ),
    openai(
        "LiteLLM: budget",
        "usage_limit",
        400,
        "Budget has been exceeded! Current cost: 14.2, Max budget: 10.0",
        "budget_exceeded",
        "400",
    ),
    openai(
        "LiteLLM: key unknown",
        "auth",
        401,
        "Authentication Error, Invalid proxy server token passed. Received API Key = sk-...0000. Unable to find token in cache or database",
        "token_not_found_in_db",
        "401",
        param="key",
    ),
    openai(
        "LiteLLM: key expired",
        "auth",
        401,
        "Authentication Error - Expired Key. Key Expiry time 2026-11-30 and current time 2026-12-01",
        "expired_key",
        "401",
    ),
    openai(
        "LiteLLM: key without the model",
        "other",
        401,
        "key not allowed to access model. This key can only access models=['small']",
        "key_model_access_denied",
        "401",
        or_is="invalid",
    ),
    openai(
        "LiteLLM: none is free",
        "rate_limit",
        429,
        "No deployments available for selected model, Try again in 5 seconds. Passed model=scripted-model",
        "None",
        "429",
        or_is="overloaded",
    ),
    openai(
        "LiteLLM: theirs refused",
        "auth",
        401,
        "litellm.AuthenticationError: AzureException AuthenticationError - Access denied due to invalid subscription key",
        None,
        "401",
        or_is="other",
    ),
    said(
        "new-api: quota",
        "usage_limit",
        403,
        {
            "error": {
                "message": "user quota is not enough (request id: 20261201)",
                "type": "v_api_error",
                "param": "",
                "code": "insufficient_user_quota",
            }
        },
        **MINE,
    ),
    said(
        "new-api: token",
        "auth",
        401,
        {
            "error": {
                "message": "\u65e0\u6548\u7684\u4ee4\u724c (request id: 20261201)",
                "type": "new_api_error",
            }
        },
        **MINE,
    ),
    said(
        "new-api: no channel",
        "overloaded",
        503,
        {
            "error": {
                "message": "\u5f53\u524d\u5206\u7ec4 default \u4e0b\u5bf9\u4e8e\u6a21\u578b scripted-model \u65e0\u53ef\u7528\u6e20\u9053",
                "type": "new_api_error",
                "code": "model_not_found",
            }
        },
        or_is="invalid",
        **MINE,
    ),
)
