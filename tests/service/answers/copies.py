"""What services answer that copied OpenAI's API: other makers of models, local servers."""

from __future__ import annotations

from tests.service.answers.told import OPENAI, Failing, openai, said, words

MINE = {"wires": OPENAI}
COPIES: tuple[Failing, ...] = (
    openai(
        "DashScope: key",
        "auth",
        401,
        "Incorrect API key provided.",
        "invalid_request_error",
        "invalid_api_key",
    ),
    openai(
        "DashScope: owes money",
        "usage_limit",
        400,
        "Access denied, please make sure your account is in good standing.",
        "Arrearage",
        "Arrearage",
    ),
    openai(
        "DashScope: free part",
        "usage_limit",
        403,
        "The free quota has been exhausted. To go on, complete your payment information.",
        "AllocationQuota.FreeTierOnly",
        "AllocationQuota.FreeTierOnly",
    ),
    openai(
        "DashScope: not bought",
        "other",
        403,
        "Access to model denied. Please make sure you are eligible for using the model.",
        "AccessDenied.Unpurchased",
        "Model.AccessDenied",
    ),
    openai(
        "DashScope: too fast",
        "rate_limit",
        429,
        "You have exceeded your current request limit.",
        "limit_requests",
        "limit_requests",
    ),
    openai(
        "DashScope: inspected",
        "invalid",
        400,
        "Input data may contain inappropriate content.",
        "data_inspection_failed",
        "data_inspection_failed",
        or_is="other",
    ),
    openai(
        "DeepSeek: key",
        "auth",
        401,
        "Authentication Fails, Your api key: ****0000 is invalid",
        "authentication_error",
        "invalid_request_error",
    ),
    openai(
        "DeepSeek: nothing left",
        "usage_limit",
        402,
        "Insufficient Balance",
        "unknown_error",
        "invalid_request_error",
    ),
    openai(
        "Groq: tokens of the minute",
        "rate_limit",
        413,
        "Request too large for model `scripted-model` in organization `org_0` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again.",
        "tokens",
        "rate_limit_exceeded",
        or_is="invalid",
    ),
    openai(
        "Groq: firm shut",
        "other",
        400,
        "Organization has been restricted. Please reach out to support if you believe this was in error.",
        "invalid_request_error",
        "organization_restricted",
        or_is="auth",
    ),
    said("Mistral: key", "auth", 401, {"message": "Unauthorized", "request_id": "c61f2f"}, **MINE),
    said(
        "Mistral: capacity",
        "rate_limit",
        429,
        {
            "object": "error",
            "message": "Service tier capacity exceeded for this model.",
            "type": "service_tier_capacity_exceeded",
            "param": None,
            "code": "3505",
        },
        or_is="overloaded",
        **MINE,
    ),
    said(
        "Moonshot: suspended",
        "usage_limit",
        429,
        {
            "error": {
                "message": "Your account org-0 <ak-0> is suspended due to insufficient balance, please recharge your account",
                "type": "exceeded_current_quota_error",
            }
        },
        **MINE,
    ),
    said(
        "Moonshot: not active",
        "usage_limit",
        403,
        {
            "error": {
                "message": "Your account is not active, organization exceeded current quota, please check your plan",
                "type": "exceeded_current_quota_error",
            }
        },
        **MINE,
    ),
    said(
        "Moonshot: busy",
        "overloaded",
        429,
        {
            "error": {
                "message": "The engine is currently overloaded, please try again later",
                "type": "engine_overloaded_error",
            }
        },
        or_is="rate_limit",
        **MINE,
    ),
    said(
        "Zhipu: nothing left",
        "usage_limit",
        429,
        {
            "error": {
                "code": "1113",
                "message": "\u4f59\u989d\u4e0d\u8db3\u6216\u65e0\u53ef\u7528\u8d44\u6e90\u5305,\u8bf7\u5145\u503c\u3002",
            }
        },
        **MINE,
    ),
    said(
        "Zhipu: too many at once",
        "rate_limit",
        429,
        {
            "error": {
                "code": "1302",
                "message": "High concurrency usage of this API, please reduce concurrency or contact customer service.",
            }
        },
        **MINE,
    ),
    said(
        "Zhipu: token",
        "auth",
        401,
        {
            "error": {
                "code": "401",
                "message": "\u4ee4\u724c\u5df2\u8fc7\u671f\u6216\u9a8c\u8bc1\u4e0d\u6b63\u786e",
            }
        },
        **MINE,
    ),
    said(
        "xAI: key, as a 400",
        "auth",
        400,
        {
            "code": "Client specified an invalid argument",
            "error": "Incorrect API key provided: ab***cd. You can obtain an API key from https://console.example.",
        },
        **MINE,
    ),
    said(
        "xAI: no credits",
        "usage_limit",
        403,
        {
            "code": "The caller does not have permission to execute the specified operation",
            "error": "Your newly created team doesn't have any credits or licenses yet.",
        },
        or_is="other",
        **MINE,
    ),
    openai(
        "Cerebras: key",
        "auth",
        401,
        "Wrong API Key",
        "invalid_request_error",
        "wrong_api_key",
        param="api_key",
    ),
    said(
        "Cerebras: tokens",
        "rate_limit",
        429,
        {
            "message": "Tokens per minute limit exceeded - too many tokens processed.",
            "type": "too_many_tokens_error",
            "param": "quota",
            "code": "token_quota_exceeded",
        },
        or_is="usage_limit",
        **MINE,
    ),
    said(
        "Fireworks: spent",
        "usage_limit",
        412,
        {
            "error": {
                "object": "error",
                "type": "invalid_request_error",
                "code": "invalid_request_error",
                "message": "Account is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.",
            }
        },
        **MINE,
    ),
    said(
        "Hugging Face: month's credits",
        "usage_limit",
        402,
        {
            "error": "You have exceeded your monthly included credits for Inference Providers. Subscribe to get more."
        },
        **MINE,
    ),
    words("Copilot: token expired", "auth", 401, "IDE token expired: unauthorized: token expired", **MINE),
    openai(
        "Copilot: no licence",
        "other",
        403,
        "You are not licensed to use this product.",
        None,
        "not_licensed",
        or_is="auth",
    ),
    openai(
        "Copilot: quota",
        "usage_limit",
        402,
        "You have no quota left for premium requests.",
        None,
        "quota_exceeded",
    ),
    openai(
        "Copilot: model",
        "invalid",
        400,
        "The requested model is not supported.",
        "invalid_request_error",
        "model_not_supported",
        param="model",
    ),
    said("Databricks: token", "auth", 403, {"error_code": 403, "message": "Invalid access token."}, **MINE),
    said(
        "Snowflake: token",
        "auth",
        401,
        {"code": "390318", "message": "OAuth access token expired. [390318]", "request_id": "0"},
        **MINE,
    ),
    said(
        "watsonx: token",
        "auth",
        401,
        {
            "errors": [
                {
                    "code": "authentication_token_expired",
                    "message": "Failed to authenticate the request due to an expired token",
                }
            ],
            "trace": "0",
            "status_code": 401,
        },
        **MINE,
    ),
    openai(
        "Ollama: no such model",
        "invalid",
        404,
        'model "scripted-model" not found, try pulling it first',
        "api_error",
    ),
    openai(
        "Ollama: no tools",
        "invalid",
        400,
        "registry.ollama.example/library/scripted-model does not support tools",
        "api_error",
    ),
    said("Ollama: nobody", "auth", 401, {"error": "unauthorized"}, **MINE),
    said(
        "LM Studio: nothing loaded",
        "invalid",
        404,
        {
            "error": {
                "message": "No models loaded. Please load a model in the developer page or use the load command.",
                "type": "invalid_request_error",
                "param": "model",
                "code": "model_not_found",
            }
        },
        **MINE,
    ),
    said(
        "LM Studio: too long",
        "invalid",
        400,
        {
            "error": "Trying to keep the first 9024 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens."
        },
        **MINE,
    ),
    said(
        "vLLM: too long",
        "invalid",
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 8192 tokens. However, you requested 9210 tokens.",
            "type": "BadRequestError",
            "param": None,
            "code": 400,
        },
        **MINE,
    ),
    said("vLLM: key", "auth", 401, {"error": "Unauthorized"}, **MINE),
    said(
        "llama.cpp: loading",
        "overloaded",
        503,
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
        **MINE,
    ),
    said(
        "llama.cpp: key",
        "auth",
        401,
        {"error": {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}},
        **MINE,
    ),
    said(
        "llama.cpp: too long",
        "invalid",
        400,
        {
            "error": {
                "code": 400,
                "message": "the request exceeds the available context size. try increasing the context size or enable context shift",
                "type": "exceed_context_size_error",
            }
        },
        **MINE,
    ),
)
