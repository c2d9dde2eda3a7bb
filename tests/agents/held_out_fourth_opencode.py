"""The fourth list: what `opencode run --format json` tells in its `error`: a name, and data that hold a status and the service's body, or neither.

Sources, by the word beside each group:

- login: https://github.com/anomalyco/opencode/issues/1084, cline/cline 1734, Gitlawb/openclaude 1303, continuedev/continue issues 10343, 11404,
  truera/trulens 1071, diegosouzapw/OmniRoute 844, router-for-me/CLIProxyAPI 3654
- refused: https://github.com/anomalyco/opencode/issues/40343, github/copilot-cli 18, Azure-Samples/azure-search-openai-demo 1837,
  TabularEditor/TabularEditor3 1557, thedotmack/claude-mem 690, openai/codex 4284
- tools: https://github.com/anthropics/claude-code issues 57009, 61189: what git says when the hoster refuses it
- spent: https://github.com/anomalyco/opencode/issues/17614, continuedev/continue 10190, gptme/gptme 1449, Gitlawb/openclaude 936,
  pollinations/pollinations 12136, hitsz-ids/airda 19, MoonshotAI/kimi-cli 1599, QwenLM/qwen-code 54, Cloudflare's Workers AI: answeroverflow.com
- rate: https://github.com/anomalyco/opencode/issues/7463, Aculeasis/openrouter-proxy 1, github/copilot-cli 138
- service: https://github.com/anomalyco/opencode issues 9038, 35163, 37231, brent-weatherall/opencode-commandcode-provider 8
- request: https://github.com/anomalyco/opencode issues 1000, 3437, 11141, vllm-project/vllm 20409, sipeed/picoclaw 1790, farion1231/cc-switch 995
"""

from __future__ import annotations

import json
from typing import Any

from tests.agents.held_out_third_opencode import OpenCodeError


def _api(status: int, message: str, body: Any) -> OpenCodeError:
    """An `APIError`. body: of the service, as an object or as text."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    may_be_tried = status in (408, 409, 429) or status >= 500
    return OpenCodeError(
        "APIError",
        {"message": message, "statusCode": status, "isRetryable": may_be_tried, "responseBody": text},
    )


def _of(status: int, message: str, **error: Any) -> OpenCodeError:
    """The usual: the message stands in the body's `error` as well."""
    return _api(status, message, {"error": {"message": message, **error}})


def _unknown(message: str) -> OpenCodeError:
    return OpenCodeError("UnknownError", {"message": message})


NO_TOKEN = "Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired."
BLOCKED = '<!DOCTYPE html><html lang="en-US"><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1></body></html>'
BAD_GATEWAY = "<html><head><title>502 Bad Gateway</title></head><body>The origin web server returned an invalid or incomplete response to Cloudflare.</body></html>"
COPILOT = "unauthorized: not authorized to use this Copilot feature"
NEURONS = "4006: you have used up your daily free allocation of 10,000 neurons, please upgrade to Cloudflare's Workers Paid plan if you would like to continue usage."
SUSPENDED = "Account ada is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information."
PLAN = "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
TOKENS = "Tokens per minute limit exceeded - too many tokens processed."
RAW = "google/gemini-2.0-flash-exp:free is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits: https://openrouter.ai/settings/integrations"
CONTEXT = "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion."
KEEP = "Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)"
SOON = "Service temporarily unavailable. Please try again shortly."
OPENCODE: tuple[tuple[str, OpenCodeError], ...] = (
    # login
    ("auth", _api(401, "Unauthorized", {"message": "Unauthorized", "request_id": "f61c2f15feca71626a990e3740f99245"})),
    ("auth", _of(401, "Invalid API key", type="authentication_error", code="api_key_invalid")),
    ("auth", _of(401, "Incorrect API key provided: sk-ab***b5Zh. You can find your API key at https://platform.openai.com/account/api-keys.", type="invalid_request_error", param=None, code="invalid_api_key")),
    ("auth", _api(401, "unauthorized", {"error": "unauthorized"})),
    ("auth", _api(401, NO_TOKEN, {"statusCode": 401, "message": NO_TOKEN})),
    ("auth", _of(401, "Incorrect API key provided. For details, see: https://www.alibabacloud.com/help/en/model-studio/error-code#apikey-error", type="invalid_request_error", code="invalid_api_key")),
    ("auth", _of(401, "Your authentication token has been invalidated. Please try signing in again.", type="invalid_request_error", code="token_invalidated", param=None)),
    # refused: the sign-in is good
    ("other", _api(403, f"Forbidden: {COPILOT}", f"{COPILOT}\n")),
    ("other", _of(401, "Principal does not have access to API/Operation.", code="PermissionDenied")),
    ("other", _of(403, "Public access is disabled. Please configure private endpoint.", code="403")),
    ("other", _of(401, "key not allowed to access model. This key can only access models=['gpt-4']. Tried to access gpt-5.5", type="key_model_access_denied", param="model", code="401")),
    ("other", _api(403, "Forbidden: {\"model\":\"mimo-v2.5\"}", "{\"model\":\"mimo-v2.5\"}")),
    ("other", _api(403, f"Forbidden: {BLOCKED}", BLOCKED)),
    # tools
    ("other", _unknown("Error: remote: Permission to ada/r.git denied to ada.\nfatal: unable to access 'https://github.com/ada/r.git/': The requested URL returned error: 403")),
    ("other", _unknown("Error: ! [remote rejected] main -> main (refusing to allow an OAuth App to create or update workflow `.github/workflows/ci.yml` without `workflow` scope)")),
    # spent
    ("usage_limit", _of(402, "Insufficient Balance", type="unknown_error", param=None, code="invalid_request_error")),
    ("usage_limit", _of(403, "Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys", code=403)),
    ("usage_limit", _of(429, "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", code=429, metadata={"headers": {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0"}})),
    ("usage_limit", _of(412, SUSPENDED, param=None, code="PRECONDITION_FAILED", type="error")),
    ("usage_limit", _of(429, PLAN, type="insufficient_quota", param=None, code="insufficient_quota")),
    ("usage_limit", _of(429, "The usage limit has been reached", type="usage_limit_reached")),
    ("usage_limit", _of(429, "Your account org-x / proj-x <ak-x> request reached organization TPD rate limit, current: 1526210, limit: 1500000", type="rate_limit_reached_error")),
    ("usage_limit", _of(400, "Access denied, please make sure your account is in good standing.", type="Arrearage", param=None, code="Arrearage")),
    ("usage_limit", _of(429, NEURONS, stage="pipeline", code="internal_error")),
    # rate
    ("rate_limit", _api(429, TOKENS, {"message": TOKENS, "type": "too_many_tokens_error", "param": "quota", "code": "token_quota_exceeded"})),
    ("rate_limit", _of(429, "Provider returned error", code=429, metadata={"raw": RAW, "provider_name": "Google AI Studio"})),
    ("rate_limit", _of(429, "rate limit exceeded", code="rate_limited")),
    # service
    ("overloaded", _api(502, "Bad Gateway", BAD_GATEWAY)),
    ("overloaded", _api(503, SOON, {"type": "server_error", "message": SOON})),
    ("overloaded", _of(500, "Error from provider (Console Go): Upstream request failed")),
    ("overloaded", _of(520, "unknown error, 520 (1000)")),
    # request
    ("invalid", _api(400, KEEP, {"error": KEEP})),
    ("invalid", _of(400, "registry.ollama.ai/library/qwen3-coder-30b-32k:latest does not support tools", type="invalid_request_error", param=None, code=None)),
    ("invalid", _of(400, "`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model", type="invalid_request_error")),
    ("invalid", _of(404, "No allowed providers are available for the selected model.", code=404, metadata={"available_providers": ["z-ai"], "requested_providers": ["anthropic"]})),
    ("invalid", _of(400, "minimax-m2.5:free is not a valid model ID", code=400)),
    ("invalid", _api(400, CONTEXT, {"object": "error", "message": CONTEXT, "type": "BadRequestError", "param": None, "code": 400})),
)  # fmt: skip
