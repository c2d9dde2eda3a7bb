"""The third list: errors that agents other than Gemini answer over the Agent Client Protocol.

Sources, by the word beside each group:

- claude: agentclientprotocol/claude-agent-acp: `errorKind`; the words are those of the list of Claude Code
- codex: agentclientprotocol/codex-acp and zed-industries/codex-acp, with the messages of openai/codex codex-rs/protocol/src/error.rs
- kimi: MoonshotAI/kimi-cli src/kimi_cli/acp/session.py (`data.error` is the error as the SDK of OpenAI spells it), MoonshotAI/kimi-cli 2011
- goose: aaif-goose/goose crates/goose/src/acp/server.rs, and issues 6615, 9783, 11831 of block/goose, now aaif-goose/goose
- grok: https://github.com/Anantys-oss/koan/issues/2412, Wei-Shaw/sub2api 4069
- opencode: anomalyco/opencode packages/opencode/src/acp/error.ts: `data.errorName`; the words of a service that speaks Chinese are as it says them
- copilot: https://github.com/github/copilot-cli issues 730, 3431, github/app 3006; cursor: what `agent acp` says before it is signed in
- qwen: https://github.com/QwenLM/qwen-code issues 73, 821, its retry.ts, Model Studio's list of error codes, continuedev/continue 10579
- tools: an MCP server's, git's and npm's own refusals, where they end a turn: operately/operately 4870, t8y2/dbx 1690
- sdk: an exception of an agent that is built on the TypeScript SDK stands in `data.details`
"""

from __future__ import annotations

from typing import Any

from tests.agents.held_out import Acp


def _internal(data: Any) -> Acp:
    return Acp(-32603, "Internal error", data)


def _thrown(text: str) -> Acp:
    return _internal({"details": text})


def _kimi(status: int, kind: str, message: str) -> Acp:
    return _internal(
        {"error": f"Error code: {status} - {{'error': {{'message': {message!r}, 'type': '{kind}'}}}}"}
    )


def _kind(kind: str, text: str) -> Acp:
    return Acp(-32603, f"Internal error: {text}", {"errorKind": kind})


def _opencode(text: str, name: str = "APIError") -> Acp:
    return Acp(-32603, f"Internal error: {text}", {"service": "session", "errorName": name})


def _codex(message: str, info: Any = "other") -> Acp:
    return _internal({"message": message, "codexErrorInfo": info})


def _rust(message: str, info: Any = "other") -> Acp:
    return _internal({"message": message, "codex_error_info": info})


SPENT = "API error (status 403 Forbidden): permission-denied: Your team deadb-a58d has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."
GROK = "API error (status 403 Forbidden): You have run out of credits or need a Grok subscription. Add credits at https://grok.com/?_s=usage or upgrade at https://grok.com/supergrok."
BLOCKED = "Access blocked by Cloudflare. This usually happens when connecting from a restricted region (status 403 Forbidden), url: https://chatgpt.com/backend-api/codex/responses, auth error: 403"
NOT_YOURS = '{"type":"error","status":400,"error":{"type":"invalid_request_error","message":"The \'gpt-5.3-codex-spark\' model is not supported when using Codex with a ChatGPT account."}}'
HANDSHAKE = "required MCP servers failed to initialize: operately: handshaking with MCP server failed: Send message error Transport error: Auth error: OAuth authorization required, when send initialize request"
GIT = "remote: Invalid username or token. Password authentication is not supported for Git operations.\nfatal: Authentication failed for 'https://github.com/o/r.git/'"
EXPIRED_SESSION = '{"RequestId":"8d170737","Code":"SessionExpired","Message":"session e482017b is expired"}'
NO_KEY = "Authentication required: Authentication failed: Missing API key for openai auth. Current model: 'm', baseUrl: 'http://127.0.0.1:8080/v1'. Provide an API key via settings (security.auth.apiKey), or set the environment variable 'OPENAI_API_KEY'."
OVER_ACP: tuple[tuple[str, Acp], ...] = (
    # the sign-in
    ("auth", _kind("authentication_failed", "Please run /login · API Error: 401 Invalid authentication credentials")),
    ("auth", _kind("authentication_failed", "Login expired · Please run /login")),
    ("auth", _codex("Your access token could not be refreshed because your refresh token was revoked. Please log out and sign in again.", "unauthorized")),
    ("auth", _codex("Missing bearer or basic authentication in header", {"responseStreamConnectionFailed": {"httpStatusCode": 401}})),
    ("auth", _rust("unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://api.openai.com/v1/responses")),
    ("auth", _rust("Your access token could not be refreshed because your refresh token has expired. Please log out and sign in again.", "unauthorized")),
    ("auth", _kimi(401, "invalid_authentication_error", "Invalid Authentication")),
    ("auth", _kimi(401, "invalid_authentication_error", "The API Key appears to be invalid or may have expired. Please verify your credentials and try again.")),
    ("auth", Acp(-32000, "Authentication required. Please run 'agent login' first, or set CURSOR_API_KEY environment variable.")),
    ("auth", Acp(-32000, NO_KEY, {"authMethods": [{"id": "openai", "name": "Use OpenAI API key"}]})),
    ("auth", _opencode("Anthropic API key is missing. Pass it using the 'apiKey' parameter or the ANTHROPIC_API_KEY environment variable.", "ProviderAuthError")),
    ("auth", _opencode("Authentication Fails, Your api key: ****66aa is invalid")),
    ("auth", _thrown("Failed to initialize Qwen: Qwen OAuth authentication failed")),
    ("auth", _thrown("401 No auth credentials found")),
    # refused, and not for the sign-in
    ("other", _kind("authentication_failed", "Failed to authenticate. API Error: 403 {\"error\":{\"type\":\"forbidden\",\"message\":\"Request not allowed\"}}")),
    ("other", _codex(BLOCKED)),
    ("other", _rust(BLOCKED)),
    ("other", _thrown("403 Country, region, or territory not supported")),
    ("other", _thrown("403 You are not authorized to use this Copilot feature, it requires an enterprise or organization policy to be enabled.")),
    ("other", _opencode("Forbidden: Access to this endpoint is forbidden. Please review our [Terms of Service](https://docs.github.com/en/site-policy).")),
    ("other", _kimi(403, "access_terminated_error", "Kimi For Coding is currently only available for Coding Agents such as Kimi CLI, Claude Code, Roo Code, Kilo Code, etc.")),
    ("other", _internal("Failed to resolve provider: Configuration value not found: GOOSE_PROVIDER")),
    # tools
    ("other", _codex(HANDSHAKE)),
    ("other", _thrown(f"Error POSTing to endpoint (HTTP 401): {EXPIRED_SESSION}")),
    ("other", _thrown("SSE error: Non-200 status code (401)")),
    ("other", _thrown(f"Command failed: git clone https://github.com/o/r.git\n{GIT}")),
    ("other", _thrown("git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.")),
    ("other", _thrown("npm error code E401 Incorrect or missing password.")),
    # the network
    ("other", _thrown("Proxy response (407) !== 200 when HTTP Tunneling")),
    ("other", _thrown("Connection error. (cause: connect ECONNREFUSED 127.0.0.1:7890)")),
    ("other", _internal({"error": "Connection error."})),
    ("other", _kind("unknown", "API Error: Unable to connect to API (ECONNRESET)")),
    ("other", _thrown("fetch failed (cause: unable to verify the first certificate)")),
    # limits
    ("usage_limit", Acp(-32603, "Please add credits to your account, then resend your message to continue.", {"reason": "credits_exhausted", "url": "https://openrouter.ai/settings/credits"})),
    ("usage_limit", _internal("Bad request (400): Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")),
    ("usage_limit", _opencode("已达到 5 小时的使用上限。您的限额将在 2026-12-01 16:32:32 重置。")),
    ("usage_limit", _opencode("Weekly usage limit reached. Resets in 3 days. To continue using this model now, enable usage from your available balance: https://opencode.ai/workspace/w/go")),
    ("usage_limit", _internal({"message": SPENT, "http_status": 403})),
    ("usage_limit", _internal({"message": GROK, "http_status": 403})),
    ("usage_limit", _thrown("402 {\"error\":{\"message\":\"You have no quota\",\"code\":\"quota_exceeded\"}}")),
    ("usage_limit", _codex("Your workspace is out of credits. Add credits to continue.", "usageLimitExceeded")),
    ("usage_limit", _rust("Quota exceeded. Check your plan and billing details.", "usage_limit_exceeded")),
    ("usage_limit", _kimi(403, "permission_error", "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.")),
    ("usage_limit", _thrown("Qwen OAuth quota exceeded: Your free daily quota has been reached.")),
    ("usage_limit", _thrown("429 week allocated quota exceeded.")),
    ("usage_limit", _thrown("429 you (ada) have reached your session usage limit, please wait or upgrade to continue")),
    ("rate_limit", _thrown("429 concurrency allocated quota exceeded.")),
    ("rate_limit", _internal("Rate limit exceeded: This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: x, model: claude-x).")),
    ("rate_limit", _kimi(429, "rate_limit_reached_error", "Your account org-x<ak-x> request reached organization max RPM: 3, please try again after 1 seconds")),
    ("rate_limit", _opencode("Rate limit reached for requests")),
    ("rate_limit", _rust("exceeded retry limit, last status: 429 Too Many Requests, request id: abc123")),
    # the service
    ("overloaded", _kimi(429, "engine_overloaded_error", "The engine is currently overloaded, please try again later")),
    ("overloaded", _kind("overloaded", "API Error: 529 [1305][The service may be temporarily overloaded, please try again later]")),
    ("overloaded", Acp(-32603, "Internal error: exceeded retry limit, last status: 500 Internal Server Error")),
    ("overloaded", Acp(-32603, "Internal error: Flex capacity unavailable.")),
    ("overloaded", _opencode("Overloaded")),
    ("overloaded", _codex("We're currently experiencing high demand, which may cause temporary errors.", "internalServerError")),
    ("overloaded", _thrown("503 Model is unavailable, please try again later.")),
    # the request
    ("invalid", _opencode("Model Not Exist")),
    ("invalid", _rust(NOT_YOURS)),
    ("invalid", _codex("no thread with id: 01a22901-7f1a-7703-bada-1ca7dae49a53", "badRequest")),
    ("invalid", _kimi(400, "invalid_request_error", "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)")),
    ("invalid", _kimi(400, "content_filter", "The request was rejected because it was considered high risk")),
    ("invalid", _thrown("400 Input or output data may contain inappropriate content.")),
    ("invalid", _thrown("400 This model only support stream mode, please enable the stream parameter to access the model.")),
    ("invalid", _internal("Request failed with status: 400 Bad Request. Message: * GenerateContentRequest.contents[13].parts: contents.parts must not be empty.")),
    ("invalid", _kind("invalid_request", "API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy (https://www.anthropic.com/legal/aup).")),
    ("invalid", Acp(-32602, "Invalid params", {"session_id": "Session not found"})),
    ("invalid", Acp(-32600, "Invalid request")),
)  # fmt: skip
