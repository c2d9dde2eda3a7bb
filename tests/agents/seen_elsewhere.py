"""Failures as services and programs define them, each in the shape in which a program hands it on: (class, shape).

Labelled by what the source says of the error. Written down before the tables were mended by any of them; the rate of that day stands
in `docs/agents.md`. Only forms of errors are taken, no code. Sources: developers.openai.com error codes; openai/codex
`protocol/src/error.rs` and `codex-api/src/api_bridge.rs`; anomalyco/opencode `provider/error.ts`, issues 12671, 27593; OpenCode Zen's
`CreditsError` (TiaraBasori/OpenCode2API 5); learn.microsoft.com Azure OpenAI troubleshooting; docs.aws.amazon.com Bedrock error codes,
anthropics/claude-code issues 77, 1466, 2260; kimi.com error reference, platform.moonshot.ai; docs.z.ai and docs.bigmodel.cn api-code;
help.aliyun.com Model Studio error codes; api-docs.deepseek.com; console.groq.com; openrouter.ai; docs.litellm.ai exception mapping;
github/copilot-cli 730; google-gemini/gemini-cli `googleQuotaErrors.ts`, issues 1502, 6962, 10717, 13305; code.claude.com errors.
"""

from __future__ import annotations

import json

from tests.agents.failure_lines import Codex, OpenCode, Shape
from tests.agents.held_out import Acp, Claude


def _openai(message: str, kind: str | None, code: str | int | None = None) -> dict[str, object]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _api(status: int, body: object, message: str = "") -> OpenCode:
    error = body.get("error") if isinstance(body, dict) else None
    told = error.get("message") if isinstance(error, dict) else message
    return OpenCode("APIError", status, str(message or told), body)


def _raw(status: int, body: object) -> Claude:
    return Claude(None, None, f"API Error: {status} {json.dumps(body, ensure_ascii=False)}")


def _said(text: str) -> Acp:
    return Acp(-32603, "Internal error", {"details": text})


ELSEWHERE: tuple[tuple[str, Shape], ...] = (
    # openai, and Codex's own words
    ("usage_limit", _api(429, _openai("You exceeded your current quota.", "insufficient_quota", "credit_balance_exhausted"))),
    ("usage_limit", _api(429, _openai("The project has reached its limit.", "insufficient_quota", "project_spend_limit_exceeded"))),
    ("usage_limit", _api(429, _openai("no", "invalid_request_error", "organization_usage_limit_exceeded"))),
    ("auth", _api(401, _openai("Your API key has been deactivated.", "invalid_request_error", "account_deactivated"))),
    ("auth", _api(401, _openai("You must be a member of an organization to use the API", "invalid_request_error", None))),
    ("other", _api(401, _openai("Your IP is not authorized.", "invalid_request_error", "ip_not_authorized"))),
    ("other", _api(403, _openai("Country, region, or territory not supported", "request_forbidden", "unsupported_country_region_territory"))),
    ("overloaded", _api(503, _openai("That model is currently overloaded with other requests.", "server_error", None))),
    ("overloaded", _api(503, _openai("Slow down", "service_unavailable_error", "slow_down"))),
    ("invalid", _api(400, _openai("Invalid service_tier argument", "invalid_request_error", None))),
    ("usage_limit", Codex("Your workspace is out of credits. Add credits to continue.")),
    ("usage_limit", Codex("Your workspace is out of credits. Ask your workspace owner to refill in order to continue.")),
    ("usage_limit", Codex("You hit your spend cap set in your workspace. Increase your spend cap to continue.")),
    ("usage_limit", Codex("You've hit your usage limit for codex-spark. Switch to another model now, or try again at 5:01 PM.")),
    ("usage_limit", Codex("You've hit your usage limit. To get more access now, send a request to your admin or try again later.")),
    ("auth", Codex("Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.")),
    ("overloaded", Codex("We're currently experiencing high demand, which may cause temporary errors.")),
    ("overloaded", Codex("Error while reading the server response: error decoding response body, request id: r")),
    ("other", Codex("stream disconnected before completion: error sending request for url (https://chatgpt.com/backend-api/codex/responses)")),
    ("other", Codex("Access blocked by Cloudflare. This usually happens when connecting from a restricted region (status 403 Forbidden), url: https://x")),
    ("other", Codex("unexpected status 403 Forbidden: Unknown error, url: https://x")),
    ("usage_limit", Codex("unexpected status 402 Payment Required: Insufficient Balance, url: https://x")),
    ("other", Codex("sandbox error: Landlock was not able to fully enforce all sandbox rules")),
    ("other", Codex("turn aborted. Something went wrong? Hit `/feedback` to report the issue.")),
    ("other", Codex("internal error; agent loop died unexpectedly")),
    ("invalid", Codex(json.dumps({"detail": "The 'gpt-5.2-codex' model is not supported when using Codex with a ChatGPT account."}))),
    ("invalid", Codex(json.dumps(_openai("Invalid value: 'x'.", "invalid_request_error", "invalid_value")))),
    ("other", Codex("This request has been flagged for possible cybersecurity risk.")),
    ("invalid", Codex("Image poisoning")),
    # OpenCode, its own service and others behind it
    ("usage_limit", _api(401, {"type": "error", "error": {"type": "CreditsError", "message": "Insufficient balance. Manage your billing here"}})),
    ("usage_limit", _api(429, {"type": "error", "error": {"type": "FreeUsageLimitError", "message": "Rate limit exceeded. Please try again later."}})),
    ("usage_limit", _api(401, {"type": "error", "error": {"type": "MonthlyLimitError", "message": "Your workspace has reached its monthly spending limit"}})),
    ("auth", _api(401, {"type": "error", "error": {"type": "AuthError", "message": "Invalid API key."}})),
    ("usage_limit", _api(402, _openai("Insufficient Balance", "unknown_error", "invalid_request_error"))),
    ("usage_limit", _api(429, {"error": {"code": "1113", "message": "Insufficient balance or no resource package. Please recharge."}})),
    ("usage_limit", _api(429, {"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}})),
    ("usage_limit", OpenCode("APIError", 429, "Insufficient balance or no resource package. Please recharge.")),
    ("rate_limit", _api(429, {"error": {"code": "1302", "message": "您当前使用该 API 的并发数过高,请降低并发,或联系客服增加限额"}})),
    ("usage_limit", _api(429, {"error": {"code": "1308", "message": "已达到 5 小时的使用上限。您的限额将在 2026-01-01 01:00:00 重置"}})),
    ("usage_limit", _api(429, {"error": {"code": "1310", "message": "您已达到每周/每月使用上限"}})),
    ("overloaded", _api(429, {"error": {"code": "1312", "message": "该模型当前访问量过大,请您稍后再试"}})),
    ("auth", _api(401, {"error": {"code": "1002", "message": "Authentication Token 非法"}})),
    ("invalid", _api(400, {"error": {"code": "1261", "message": "Prompt 超长"}})),
    ("invalid", OpenCode("ContextOverflowError", None, "Input exceeds context window of this model")),
    ("usage_limit", OpenCode("APIError", None, "Quota exceeded. Check your plan and billing details.", _openai("q", "insufficient_quota", "insufficient_quota"))),
    ("auth", OpenCode("ProviderAuthError", None, "API key is missing")),
    ("other", OpenCode("MessageAbortedError", None, "The operation was aborted.")),
    ("other", OpenCode("UnknownError", None, "Error: Unable to connect. Is the computer able to access the url?")),
    # azure
    ("auth", _api(401, {"error": {"code": "401", "message": "Access denied due to invalid subscription key or wrong API endpoint."}})),
    ("invalid", _api(404, {"error": {"code": "DeploymentNotFound", "message": "The API deployment for this resource does not exist."}})),
    ("invalid", _api(400, {"error": {"code": "content_filter", "message": "The response was filtered", "type": None, "status": 400}})),
    ("rate_limit", _api(429, {"error": {"code": "429", "message": "Requests to the API have exceeded call rate limit of your current AIServices S0 pricing tier."}})),
    ("overloaded", _api(429, {"error": {"code": "NoCapacity", "message": "The system is currently experiencing high demand and cannot process your request."}})),
    # bedrock, as Claude Code says it
    ("auth", Claude(None, None, "API Error: 403 The security token included in the request is invalid.")),
    ("auth", Claude(None, None, "API Error: 403 The security token included in the request is expired")),
    ("rate_limit", Claude(None, None, "API Error: 429 Too many tokens, please wait before trying again.")),
    ("usage_limit", Claude(None, None, "API Error: 429 Too many tokens per day, please wait before trying again.")),
    ("other", Claude(None, None, "API Error: 403 You don't have access to the model with the specified model ID.")),
    ("invalid", Claude(None, None, "API Error: 400 Invocation of model ID x with on-demand throughput isn't supported.")),
    ("rate_limit", Acp(-32603, "Internal error", {"name": "ThrottlingException", "message": "Rate exceeded"})),
    ("auth", Acp(-32603, "Internal error: UnrecognizedClientException: The security token included in the request is invalid.")),
    ("overloaded", Acp(-32603, "Internal error: ModelNotReadyException: Model is not ready for inference.")),
    ("invalid", Acp(-32603, "Internal error: ValidationException: The provided model identifier is invalid.")),
    # kimi
    ("auth", _said("401 The API Key appears to be invalid or may have expired. Please verify your credentials and try again.")),
    ("usage_limit", _said("402 We're unable to verify your membership benefits at this time.")),
    ("usage_limit", _said("403 You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.")),
    ("other", _said("403 Kimi For Coding is currently only available for Coding Agents")),
    ("overloaded", _said("429 The engine is currently overloaded, please try again later")),
    ("usage_limit", _raw(429, _openai("Your account is suspended due to insufficient balance, please recharge", "exceeded_current_quota_error"))),
    ("rate_limit", _raw(429, _openai("Your account reached max request per minute", "rate_limit_reached_error"))),
    ("overloaded", _raw(429, _openai("The engine is currently overloaded", "engine_overloaded_error"))),
    ("auth", _raw(401, _openai("Invalid Authentication", "invalid_authentication_error"))),
    ("invalid", _said("LLM provider error: Error code: 400 - {'error': {'message': 'Invalid request: Your request exceeded model token limit: 262144', 'type': 'invalid_request_error'}}")),
    # model studio
    ("auth", _said("401 Incorrect API key provided. code: InvalidApiKey")),
    ("usage_limit", _said("400 Arrearage: Access denied, please make sure your account is in good standing.")),
    ("rate_limit", _api(429, {"code": "Throttling.RateQuota", "message": "Requests rate limit exceeded, please try again later.", "request_id": "r"})),
    ("usage_limit", _api(429, {"code": "Throttling.AllocationQuota", "message": "Free allocated quota exceeded."})),
    ("rate_limit", _api(429, {"code": "Throttling", "message": "Requests throttling triggered."})),
    ("invalid", _api(400, {"code": "DataInspectionFailed", "message": "Input data may contain inappropriate content."})),
    ("other", _api(403, {"code": "AccessDenied.Unpurchased", "message": "Access to model denied."})),
    # deepseek, groq, openrouter, litellm, copilot
    ("auth", _api(401, _openai("Authentication Fails, Your api key: ****ab is invalid", "authentication_error", "invalid_request_error"))),
    ("overloaded", _api(498, _openai("capacity exceeded", "capacity_exceeded", "capacity_exceeded"))),
    ("rate_limit", _api(413, _openai("Request too large for model on tokens per minute (TPM): Limit 6000", "tokens", "rate_limit_exceeded"))),
    ("usage_limit", _api(402, {"error": {"code": 402, "message": "Insufficient credits. Add more using https://openrouter.ai/settings/credits"}})),
    ("auth", _api(401, {"error": {"code": 401, "message": "No auth credentials found"}})),
    ("other", _api(403, {"error": {"code": 403, "message": "Input was flagged", "metadata": {"reasons": ["violence"]}}})),
    ("overloaded", _api(503, {"error": {"code": 503, "message": "No available model provider that meets your routing requirements"}})),
    ("invalid", _said("litellm.ContextWindowExceededError: litellm.BadRequestError: prompt is longer than the model's context length")),
    ("auth", _said("litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided: sk-ab")),
    ("rate_limit", _said("litellm.RateLimitError: RateLimitError: OpenAIException - Rate limit reached")),
    ("usage_limit", _said("Budget has been exceeded! Current cost: 1.2, Max budget: 1.0")),
    ("usage_limit", _api(402, {"error": {"message": "You have no quota", "code": "quota_exceeded"}})),
    ("auth", _said("401 IDE token expired: unauthorized: token expired")),
    # gemini
    ("usage_limit", Acp(429, "You have exhausted your daily quota on this model.")),
    ("rate_limit", _said("[API Error: got status: 429 Too Many Requests. Resource exhausted. Please try again later]")),
    ("usage_limit", Acp(403, json.dumps({"error": {"code": 403, "message": "no", "status": "PERMISSION_DENIED", "details": [{"reason": "INSUFFICIENT_G1_CREDITS_BALANCE"}]}}))),
    ("other", Acp(-32603, "Unexpected line format in response: ,")),
    # Claude Code
    ("auth", Claude("authentication_failed", 403, 'API Error: 403 {"type":"error","error":{"type":"permission_error","message":"OAuth token has been revoked. Please obtain a new token."}}')),
    ("other", Claude(None, None, "API Error: Unable to connect to API (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)")),
    ("usage_limit", Claude("invalid_request", 400, "API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-01-01 at 00:00 UTC.")),
    ("invalid", Claude(None, None, "Request too large. Try with a smaller file.")),
    ("overloaded", Claude("unknown", None, "API Error: Repeated 529 Overloaded errors")),
)  # fmt: skip
