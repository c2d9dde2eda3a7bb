"""The third list: what `opencode run --format json` tells in its `error`: a name, and data that hold a status and the service's body, or neither.

Sources, by the word beside each group:

- names: anomalyco/opencode packages/opencode/src/provider/error.ts and session/message-v2.ts: its named errors, and what it makes of a stream's error
- zen: https://github.com/anomalyco/opencode issues 7795, 16568, 37161, 45473, and the bodies of Zen: a 401 of it that names the credits is no sign-in
- copilot: https://github.com/anomalyco/opencode issues 2617, 26344, github/app 298, 3006, github/copilot-cli 730, 3431
- openrouter: https://github.com/anomalyco/opencode/issues/12219, Alishahryar1/free-claude-code 772, 974, https://openrouter.ai/docs/api/reference/errors
- xai: continuedev/continue issues 10373, 12670; groq: continuedev/continue 10920, https://console.groq.com/docs/errors
- kimi: https://platform.kimi.ai/docs/api/errors, https://www.kimi.com/code/docs/en/kimi-code/error-reference.html, MoonshotAI/kimi-cli 2011
- azure: openai/codex 1354 and Azure's bodies; openai: https://developers.openai.com/docs/guides/error-codes; mistral: the bodies of its API
- deepseek: its bodies, as others quote them; zai: kaitranntt/ccs 402, zai-org/GLM-5 148; litellm: BerriAI/litellm, its ProxyErrorTypes
- network: Bun's and undici's words, as OpenCode passes them on
- tools: what git, npm and the SDK of the Model Context Protocol say when their own sign-in is refused, where it ends the run
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class OpenCodeError(NamedTuple):
    """Its `error`: {"name": …, "data": …}."""

    name: str
    data: dict[str, Any]


def _api(status: int | None, message: str, body: Any = None, **more: Any) -> OpenCodeError:
    """An `APIError`. body: of the service, as an object or as text."""
    told = {"message": message, "isRetryable": status in (408, 429) or (status or 0) >= 500, **more}
    about = {} if status is None else {"statusCode": status}
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return OpenCodeError("APIError", {**told, **about, **({} if body is None else {"responseBody": text})})


def _of(status: int | None, message: str, **error: Any) -> OpenCodeError:
    """The usual: the message stands in the body's `error` as well."""
    return _api(status, message, {"error": {"message": message, **error}})


def _anthropic(status: int, kind: str, message: str, **more: Any) -> OpenCodeError:
    return _api(status, message, {"type": "error", "error": {"type": kind, "message": message}}, **more)


def _unknown(message: str) -> OpenCodeError:
    return OpenCodeError("UnknownError", {"message": message})


PAGE = "<!DOCTYPE html><html><head><title>403 Forbidden</title></head><body><h1>Forbidden</h1><p>Blocked by your organization.</p></body></html>"
GATEWAY = "Forbidden: request was blocked by a gateway or proxy. You may not have permission to access this resource — check your account and provider settings."
TERMS = "Access to this endpoint is forbidden. Please review our [Terms of Service](https://docs.github.com/en/site-policy/github-terms/github-terms-of-service)."
POLICY = "You are not authorized to use this Copilot feature, it requires an enterprise or organization policy to be enabled."
TEAM = "Your team 16f2151a has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."
FIVE_HOURS = "5-hour usage limit reached. Resets in 2hr 30min. To continue using this model now, enable usage from your available balance: https://opencode.ai/workspace/w/go"
AZURE_KEY = "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."
AZURE_RATE = "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-12-01 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 60 seconds."
AZURE_FILTER = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry."
GROQ = "Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Used 11000, Requested 2000. Please try again in 5s."
SORRY = "The server had an error while processing your request. Sorry about that!"
NO_QUOTA = "Quota exceeded. Check your plan and billing details."
NO_PAYMENT = "No payment method. Add a payment method here: https://opencode.ai/workspace/wrk_01/billing"
NO_BALANCE = "Insufficient balance. Manage your billing here: https://opencode.ai/workspace/wrk_01/billing"
GIT = "remote: Invalid username or token. Password authentication is not supported for Git operations.\nfatal: Authentication failed for 'https://github.com/o/r.git/'"
OPENCODE: tuple[tuple[str, OpenCodeError], ...] = (
    # names: the sign-in
    ("auth", OpenCodeError("ProviderAuthError", {"providerID": "anthropic", "message": "Anthropic API key is missing. Pass it using the 'apiKey' parameter or the ANTHROPIC_API_KEY environment variable."})),
    ("auth", OpenCodeError("ProviderAuthError", {"providerID": "x", "message": "Authentication required. Run opencode auth login."})),
    # copilot, openrouter, xai, kimi, azure, deepseek: the sign-in
    ("auth", _of(401, "IDE token expired: unauthorized: token expired")),
    ("auth", _of(401, "User not found.", code=401)),
    ("auth", _of(401, "No auth credentials found", code=401)),
    ("auth", _api(400, "Incorrect API key provided: xa***aa. You can obtain an API key from https://console.x.ai.", {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xa***aa. You can obtain an API key from https://console.x.ai."})),
    ("auth", _of(401, "Invalid Authentication", type="invalid_authentication_error")),
    ("auth", _of(401, AZURE_KEY, code="401")),
    ("auth", _of(401, "Authentication Fails, Your api key: ****66aa is invalid", type="authentication_error", param=None, code="invalid_request_error")),
    # zen
    ("usage_limit", _anthropic(401, "CreditsError", NO_PAYMENT)),
    ("usage_limit", _anthropic(401, "CreditsError", NO_BALANCE)),
    ("usage_limit", _anthropic(429, "FreeUsageLimitError", "Rate limit exceeded. Please try again later.", responseHeaders={"retry-after": "19014"})),  # its name and the wait of hours say more than its words
    ("usage_limit", _anthropic(429, "GoUsageLimitError", FIVE_HOURS)),
    # openrouter, xai, copilot, kimi, zai: paid for no longer
    ("usage_limit", _of(402, "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 0. To increase, visit https://openrouter.ai/settings/keys and create a key with a higher monthly limit", code=402)),
    ("usage_limit", _of(402, "Insufficient credits. This account never purchased credits. Make sure your key is on the correct account or org, and if so, purchase more at https://openrouter.ai/settings/credits", code=402)),
    ("usage_limit", _api(403, "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai/team/481c.", {"code": "The caller does not have permission to execute the specified operation", "error": "Your newly created team doesn't have any credits or licenses yet. You can purchase those on https://console.x.ai/team/481c."})),
    ("usage_limit", _api(429, TEAM, {"code": "Some resource has been exhausted", "error": TEAM})),
    ("usage_limit", _of(402, "You have no quota", code="quota_exceeded")),
    ("usage_limit", _of(403, "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.", type="permission_error")),
    ("usage_limit", _of(429, "Insufficient balance or no resource package. Please recharge.", code="1113")),
    # names: what a stream told, without a status
    ("usage_limit", _api(None, NO_QUOTA, {"type": "error", "error": {"type": "insufficient_quota", "code": "insufficient_quota", "message": "You exceeded your current quota."}})),
    ("usage_limit", _api(None, "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.", {"type": "error", "error": {"code": "usage_not_included"}})),
    ("rate_limit", _api(None, "Provider rate limit exceeded. Please try again shortly.", {"type": "error", "error": {"code": "rate_limit_exceeded", "message": ""}}, isRetryable=True)),
    ("overloaded", _api(None, SORRY, {"type": "error", "error": {"code": "server_error", "message": SORRY}}, isRetryable=True)),
    ("overloaded", _api(None, "Server error.", {"type": "error", "error": {"code": "server_is_overloaded"}}, isRetryable=True)),
    ("invalid", _api(None, "Invalid prompt.", {"type": "error", "error": {"code": "invalid_prompt"}})),
    ("invalid", OpenCodeError("ContextOverflowError", {"message": "Input exceeds context window of this model", "responseBody": "{\"type\":\"error\",\"error\":{\"code\":\"context_length_exceeded\"}}"})),
    ("invalid", OpenCodeError("ContextOverflowError", {"message": "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)"})),
    ("invalid", OpenCodeError("MessageOutputLengthError", {})),
    ("invalid", OpenCodeError("ProviderModelNotFoundError", {"providerID": "anthropic", "modelID": "claude-nonexistent-0", "suggestions": []})),
    # groq, zai, kimi, azure: too much at once
    ("rate_limit", _of(429, GROQ, type="tokens", code="rate_limit_exceeded")),
    ("rate_limit", _of(429, "High concurrency usage of this API, please reduce concurrency or contact customer service to increase limits", code="1302")),
    ("rate_limit", _of(429, "Your account org-x<ak-x> request reached organization max RPM: 3, please try again after 1 seconds", type="rate_limit_reached_error")),
    ("rate_limit", _of(429, AZURE_RATE, code="429")),
    # the service
    ("overloaded", _anthropic(529, "overloaded_error", "Overloaded")),
    ("overloaded", _of(429, "The engine is currently overloaded, please try again later", type="engine_overloaded_error")),
    ("overloaded", _of(502, "Provider returned error", code=502)),
    ("overloaded", _api(503, "Service unavailable.", {"object": "error", "message": "Service unavailable.", "type": "internal_server_error", "code": "3700"})),
    ("overloaded", _of(500, SORRY, type="server_error", code=None)),
    # openrouter, azure, mistral: the request
    ("invalid", _of(404, "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection", code=404)),
    ("invalid", _of(404, "No endpoints available matching your guardrail restrictions and data policy. Configure: https://openrouter.ai/settings/privacy", code=404)),
    ("invalid", _of(400, AZURE_FILTER, type=None, code="content_filter")),
    ("invalid", _of(404, "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.", code="DeploymentNotFound")),
    ("invalid", _api(422, "Unprocessable Entity: {\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"x\"]}]}", {"detail": [{"type": "extra_forbidden", "loc": ["body", "x"]}]})),
    ("invalid", _of(400, "The request was rejected because it was considered high risk", type="content_filter")),
    # copilot, openai, litellm, openrouter, kimi: refused, and not for the sign-in
    ("other", _api(403, f"Forbidden: {TERMS}", TERMS)),
    ("other", _of(403, POLICY)),
    ("other", _of(403, "Country, region, or territory not supported", code="unsupported_country_region_territory", param=None, type="request_forbidden")),
    ("other", _of(403, "key not allowed to access model. This key can only access models=['gpt-4o-mini']. Tried to access gpt-4o", type="key_model_access_denied", code="403")),
    ("other", _of(403, "x requires moderation on Anthropic. Your input was flagged for \"violence\". No credits were charged.", code=403)),
    ("other", _of(403, "Kimi For Coding is currently only available for Coding Agents such as Kimi CLI, Claude Code, Roo Code, Kilo Code, etc.", type="access_terminated_error")),
    ("other", _api(403, GATEWAY, PAGE)),
    ("other", _api(407, "Proxy Authentication Required", "")),
    # network
    ("other", _api(None, "Cannot connect to API: Unable to connect. Is the computer able to access the url?", isRetryable=True)),
    ("other", _api(None, "Cannot connect to API: self signed certificate in certificate chain", isRetryable=True)),
    ("other", _api(None, "Cannot connect to API: getaddrinfo ENOTFOUND api.openai.com", isRetryable=True, metadata={"code": "ENOTFOUND"})),
    # tools
    ("other", _unknown(f"Error: {GIT}")),
    ("other", _unknown("Error: Error POSTing to endpoint (HTTP 401): Unauthorized")),
    ("other", _unknown("Error: npm error code E401\nnpm error Incorrect or missing password.")),
)  # fmt: skip
