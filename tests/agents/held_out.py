"""Failures as programs were seen to tell them, and what each of them is, by what its source says of it: (class, shape) in groups.

Written down before any of it was shown to the classifier, and not used to write its first tables; the rate of that day stands in
`docs/agents.md`. Only forms of errors are taken, no code. Imports nothing of the product. Sources, by the word beside each group:

- errors: https://code.claude.com/docs/en/errors; api: https://platform.claude.com/docs/en/api/errors
- kinds: the documented values of `error` of Claude Code's messages and of `errorKind` of claude-agent-acp
- claude: https://github.com/anthropics/claude-code issues 356, 6459, 10712, 11733, 18190, 47486, 55876, 79500, 85675; umputun/ralphex 192,
  paperclipai/paperclip 139, Alishahryar1/free-claude-code 1223
- gemini: https://github.com/google-gemini/gemini-cli issues 1905, 2020, 13004, 13135, 14811, 19501, 22107, 23986, 25103, 25198, 25607, 26070, and
  packages/cli/src/acp (the code is the status or 500; the message is the innermost one, or in older versions the whole body)
- google: https://ai.google.dev/gemini-api/docs/troubleshooting, google.api.ErrorReason, continuedev/continue 10077, 10560, 10902, cline/cline 4526
- qwen: https://github.com/QwenLM/qwen-code issues 3309, 3314, 3449, 10577, and Model Studio's list of error codes
- codex: https://github.com/agentclientprotocol/codex-acp issues 244, 495, CodexErrorInfo of codex-app-server-protocol; rust: zed-industries/codex-acp
- acp: https://github.com/anomalyco/opencode issues 17285, 25568, roshan-c/cursor-acp 5
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Claude(NamedTuple):
    """What a stream of Claude Code tells at the end of a failed turn. word: `error` of its message, None in versions without it."""

    word: str | None
    status: int | None
    text: str
    is_limit_told: bool = False
    """A `rate_limit_event` came before it."""


class Retry(NamedTuple):
    """Its `api_retry`."""

    word: str
    status: int | None


class Acp(NamedTuple):
    """An `error` that answers a prompt, or the opening of a session."""

    code: int
    message: str
    data: Any = None


Shape = Claude | Retry | Acp


def _body(kind: str, message: str) -> str:
    error = {
        "type": "error",
        "error": {"type": kind, "message": message},
        "request_id": "req_011CUfEoUHxoPjKj7PJHsAZt",
    }
    return json.dumps(error, separators=(",", ":"))


EXPIRED = "OAuth token has expired. Please obtain a new token or refresh your existing token."
ORG = "Your organization has disabled Claude subscription access for Claude Code · Use an Anthropic API key instead, or ask your admin to enable access"
LIMITS = ("You've hit your session limit · resets 3:45pm", "You've hit your weekly limit · resets Mon 12:00am", "You've hit your Opus limit · resets 3:45pm",
          "You've hit your limit · resets 2pm (America/New_York)", "You've hit your individual spend limit · run /usage-credits to ask your admin for a higher limit")  # fmt: skip
CLAUDE: tuple[tuple[str, Claude | Retry], ...] = (
    # errors, claude
    ("auth", Claude("authentication_failed", None, "Not logged in · Please run /login")),
    ("auth", Claude("authentication_failed", 401, "OAuth token revoked · Please run /login")),
    ("auth", Claude("authentication_failed", 401, f"API Error: 401 {_body('authentication_error', EXPIRED)} · Please run /login")),
    ("auth", Claude("authentication_failed", None, f"Failed to authenticate. API Error: 401 {_body('authentication_error', EXPIRED)}")),
    ("auth", Claude("authentication_failed", None, "Failed to authenticate: OAuth session expired and could not be refreshed")),
    ("auth", Claude("authentication_failed", 401, f"API Error: 401 {_body('authentication_error', 'OAuth authentication is currently not supported.')}")),
    ("auth", Claude("oauth_org_not_allowed", 403, ORG)),
    ("auth", Claude("oauth_org_not_allowed", None, ORG)),
    ("auth", Claude("verification_required", 403, "Verify your account to go on using Claude Code")),
    ("auth", Claude("cloud_credential_error", None, "API Error: Could not load credentials from any providers")),
    ("usage_limit", Claude("account_on_hold", 403, "Your account is on hold")),
    ("usage_limit", Claude("billing_error", 402, f"API Error: 402 {_body('billing_error', 'Billing error')}")),
    ("usage_limit", Claude("billing_error", 400, "Credit balance is too low")),
    *(("usage_limit", Claude("rate_limit", 429, text, is_limit_told=True)) for text in LIMITS),
    *(("usage_limit", Claude("rate_limit", 429, text)) for text in LIMITS),
    *(("usage_limit", Claude("rate_limit", None, text)) for text in LIMITS[:2]),
    ("rate_limit", Claude("rate_limit", 429, "API Error: Server is temporarily limiting requests (not your usage limit)")),
    ("rate_limit", Claude("rate_limit", 429, "API Error: Request rejected (429) · this may be a temporary capacity issue")),
    ("rate_limit", Claude("rate_limit", None, "API Error: Server is temporarily limiting requests (not your usage limit)")),
    ("rate_limit", Claude("rate_limit", 429, f"API Error: 429 {_body('rate_limit_error', 'Upstream provider KIMI returned HTTP 429.')}")),
    ("overloaded", Claude("overloaded", 529, "API Error: Repeated 529 Overloaded errors · check status.claude.com")),
    ("overloaded", Claude("overloaded", None, "API Error: Repeated 529 Overloaded errors · check status.claude.com")),
    ("overloaded", Claude("server_error", 500, f"API Error: 500 {_body('api_error', 'Internal server error')} · check status.claude.com")),
    ("overloaded", Claude("server_error", None, "Request timed out")),
    ("overloaded", Claude("server_error", 504, f"API Error: 504 {_body('timeout_error', 'Request timeout')}")),
    ("overloaded", Claude("unknown", 503, "API Error: 503 upstream connect error")),
    ("overloaded", Claude("unknown", 529, f"API Error: 529 {_body('overloaded_error', 'Overloaded')}")),
    ("overloaded", Claude("unknown", 408, "API Error: 408 Request Timeout")),
    ("overloaded", Claude("server_error", None, "API Error: Connection closed mid-response. The response above may be incomplete.")),
    ("other", Claude("unknown", None, "API Error: Unable to connect to API (ECONNREFUSED)")),
    ("other", Claude("unknown", None, "API Error: SSL certificate verification failed. Check your proxy")),
    ("other", Claude("authentication_failed", 403, f"API Error: 403 {_body('permission_error', 'Your API key does not have permission.')}")),
    ("other", Claude("authentication_failed", 403, "API Error: 403 host_not_allowed")),
    ("other", Claude("unknown", 407, "API Error: 407 Proxy Authentication Required")),
    ("invalid", Claude("invalid_request", 400, "Prompt is too long")),
    ("invalid", Claude("invalid_request", 413, "Request too large (max 32MB). Try with a smaller file.")),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 due to tool use concurrency issues.")),
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {_body('invalid_request_error', 'thinking.type.enabled is not supported for this model')}")),
    ("invalid", Claude("model_not_found", 404, "There's an issue with the selected model (claude-x). It may not exist or you may not have access to it.")),
    ("invalid", Claude("max_output_tokens", None, "API Error: Claude's response exceeded the 32000 output token maximum.")),
    ("invalid", Claude("unknown", 409, f"API Error: 409 {_body('conflict_error', 'Conflict')}")),
    ("invalid", Claude("unknown", 422, "API Error: 422 Unprocessable Entity")),
    # versions that told it in words alone
    ("auth", Claude(None, None, "Invalid API key · Please run /login")),
    ("auth", Claude(None, None, "Invalid API key · Fix external API key")),
    ("auth", Claude(None, None, "Not logged in · Please run /login")),
    ("auth", Claude(None, None, f"API Error: 401 {_body('authentication_error', EXPIRED)} · Please run /login")),
    ("auth", Claude(None, None, f"Failed to authenticate. API Error: 401 {_body('authentication_error', EXPIRED)}")),
    ("auth", Claude(None, None, "OAuth token revoked · Please run /login")),
    ("usage_limit", Claude(None, None, "Credit balance is too low")),
    ("usage_limit", Claude(None, None, "Claude AI usage limit reached|1796000000")),
    ("usage_limit", Claude(None, None, "You've hit your limit · resets 8am (Europe/London)")),
    ("rate_limit", Claude(None, None, f"API Error: 429 {_body('rate_limit_error', 'This request would exceed the rate limit. Please try again later.')}")),
    ("overloaded", Claude(None, None, f"API Error: 529 {_body('overloaded_error', 'Overloaded')}")),
    ("overloaded", Claude(None, None, f"API Error: 500 {_body('api_error', 'Internal server error')}")),
    ("overloaded", Claude(None, None, "API Error: Repeated 529 Overloaded errors")),
    ("invalid", Claude(None, None, f"API Error: 400 {_body('invalid_request_error', 'messages.5: tool_use ids were found without tool_result blocks')}")),
    ("invalid", Claude(None, None, "Prompt is too long")),
    ("other", Claude(None, None, f"API Error: 403 {_body('permission_error', 'The key may not use this.')}")),
    ("other", Claude(None, None, "API Error: Connection error.")),
    # kinds, api: what it tries again
    ("auth", Retry("authentication_failed", 401)), ("rate_limit", Retry("rate_limit", 429)), ("overloaded", Retry("overloaded", 529)),
    ("overloaded", Retry("server_error", 500)), ("overloaded", Retry("server_error", 503)), ("overloaded", Retry("unknown", 504)),
    ("overloaded", Retry("unknown", None)), ("overloaded", Retry("server_error", None)), ("overloaded", Retry("unknown", 408)),
    ("invalid", Retry("unknown", 409)), ("auth", Retry("cloud_credential_error", None)), ("invalid", Retry("max_output_tokens", None)),
)  # fmt: skip


def _google(
    code: int,
    message: str,
    status: str,
    reason: str = "",
    *more: dict[str, Any],
    domain: str = "googleapis.com",
) -> dict[str, Any]:
    about = (
        [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "domain": domain}]
        if reason
        else []
    )
    return {"error": {"code": code, "message": message, "status": status, "details": [*about, *more]}}


def _whole(*told: Any, words: str = "") -> Acp:
    """The whole body as the message. words: of HTTP, where it is wrapped once more."""
    body = _google(*told)
    inner = json.dumps(body, indent=2)
    return Acp(
        told[0],
        json.dumps({"error": {"message": inner, "code": told[0], "status": words}}) if words else inner,
    )


def _listed(
    code: int,
    message: str,
    status: str,
    reason: str,
    legacy: str,
    domain: str = "cloudcode-pa.googleapis.com",
) -> Acp:
    """As Code Assist answers: a list of one, with the older form of the reason beside it."""
    body = _google(code, message, status, reason, domain=domain)
    body["error"]["errors"] = [{"message": message, "domain": "global", "reason": legacy}]
    return Acp(code, json.dumps([body], indent=2))


def _quota(quota: str, wait: str) -> tuple[dict[str, Any], dict[str, Any]]:
    failure = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaId": quota}]}
    return failure, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait}


PLAN = "You exceeded your current quota, please check your plan and billing details."
BAD_KEY = "API key not valid. Please pass a valid API key."
TOKEN = "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential."
GEMINI: tuple[tuple[str, Acp], ...] = (
    # gemini, google: the sign-in
    ("auth", _whole(400, BAD_KEY, "INVALID_ARGUMENT", "API_KEY_INVALID", words="Bad Request")),
    ("auth", Acp(400, BAD_KEY)),
    ("auth", Acp(400, "API Key not found. Please pass a valid API key.")),
    ("auth", Acp(400, "API key expired. Please renew the API key.")),
    ("auth", _whole(400, "API Key not found. Please pass a valid API key.", "INVALID_ARGUMENT", "API_KEY_INVALID")),
    ("auth", _whole(401, TOKEN, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED")),
    ("auth", _whole(401, TOKEN, "UNAUTHENTICATED", "CREDENTIALS_MISSING", words="Unauthorized")),
    ("auth", _whole(401, "The account is disabled.", "UNAUTHENTICATED", "ACCOUNT_STATE_INVALID")),
    ("auth", _listed(401, TOKEN, "UNAUTHENTICATED", "ACCESS_TOKEN_TYPE_UNSUPPORTED", "authError", "googleapis.com")),
    ("auth", Acp(401, TOKEN)),
    ("auth", Acp(400, "invalid_grant")),
    ("auth", Acp(500, "No refresh token is set.")),
    ("auth", Acp(500, "Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication/getting-started for more information.")),
    ("auth", _whole(403, "Permission denied: Consumer 'api_key:AIza' has been suspended.", "PERMISSION_DENIED", "CONSUMER_SUSPENDED", words="Forbidden")),
    ("auth", _whole(403, "Request had insufficient authentication scopes.", "PERMISSION_DENIED", "ACCESS_TOKEN_SCOPE_INSUFFICIENT")),
    ("auth", _listed(403, "Verify your account to continue.", "PERMISSION_DENIED", "VALIDATION_REQUIRED", "forbidden")),
    ("auth", Acp(-32000, "Authentication required")),
    ("auth", Acp(-32000, "Gemini API key is missing or not configured.", {"authMethods": []})),
    # what a sign-in may do
    ("other", _listed(403, "The caller does not have permission", "PERMISSION_DENIED", "", "forbidden")),
    ("other", Acp(403, "The caller does not have permission")),
    ("other", _listed(403, "Permission denied on resource project default.", "PERMISSION_DENIED", "CONSUMER_INVALID", "forbidden", "googleapis.com")),
    ("other", _whole(403, "Generative Language API has not been used in project 1 before or it is disabled.", "PERMISSION_DENIED", "SERVICE_DISABLED")),
    ("other", _whole(403, "Requests from this address are blocked.", "PERMISSION_DENIED", "API_KEY_IP_ADDRESS_BLOCKED")),
    ("other", _whole(403, "Requests to this API are blocked.", "PERMISSION_DENIED", "API_KEY_SERVICE_BLOCKED")),
    ("other", _listed(403, "This service has been disabled in this account for violation of Terms of Service.", "PERMISSION_DENIED", "", "forbidden")),
    ("other", Acp(403, "You must be a named user on your organization's Gemini Code Assist Standard edition subscription to use this service.")),
    ("usage_limit", _whole(403, "This API method requires billing to be enabled.", "PERMISSION_DENIED", "BILLING_DISABLED")),
    # limits
    ("usage_limit", _whole(429, PLAN, "RESOURCE_EXHAUSTED", "", *_quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "41s"), words="Too Many Requests")),
    ("rate_limit", _whole(429, PLAN, "RESOURCE_EXHAUSTED", "", *_quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "16s"), words="Too Many Requests")),
    ("rate_limit", Acp(429, f"{PLAN}\nPlease retry in 16.464s.")),
    ("usage_limit", Acp(429, PLAN)),
    ("usage_limit", _listed(429, "You have exhausted your capacity on this model. Your quota will reset after 8h44m7s.", "RESOURCE_EXHAUSTED", "QUOTA_EXHAUSTED", "rateLimitExceeded")),
    ("usage_limit", Acp(429, "You have exhausted your capacity on this model. Your quota will reset after 4h28m20s.")),
    ("rate_limit", _listed(429, "You have exhausted your capacity on this model. Your quota will reset after 27s.", "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "rateLimitExceeded")),
    ("rate_limit", Acp(429, "You have exhausted your capacity on this model. Your quota will reset after 5s.")),
    ("rate_limit", Acp(429, "Resource has been exhausted (e.g. check quota).")),
    ("rate_limit", _whole(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED", words="Too Many Requests")),
    ("rate_limit", _listed(429, "Resource exhausted. Please try again later.", "RESOURCE_EXHAUSTED", "", "rateLimitExceeded")),
    ("rate_limit", Acp(429, "Rate limit exceeded. Try again later.")),
    # the service
    ("overloaded", _listed(429, "No capacity available for model gemini-3-flash-preview on the server", "RESOURCE_EXHAUSTED", "MODEL_CAPACITY_EXHAUSTED", "rateLimitExceeded")),
    ("overloaded", Acp(429, "No capacity available for model gemini-3-flash-preview on the server")),
    ("overloaded", _whole(503, "The model is overloaded. Please try again later.", "UNAVAILABLE", words="Service Unavailable")),
    ("overloaded", Acp(503, "The model is overloaded. Please try again later.")),
    ("overloaded", _whole(500, "An internal error has occurred. Please retry or report.", "INTERNAL", words="Internal Server Error")),
    ("overloaded", _whole(504, "Deadline expired before operation could complete.", "DEADLINE_EXCEEDED")),
    ("overloaded", Acp(502, "Bad Gateway")),
    ("overloaded", Acp(500, "Model stream ended with an invalid chunk or missing finish reason.")),
    ("overloaded", Acp(500, "exception TypeError: fetch failed sending request")),
    # the request
    ("invalid", _whole(400, "The input token count (1218334) exceeds the maximum number of tokens allowed (1048576).", "INVALID_ARGUMENT", words="Bad Request")),
    ("invalid", Acp(400, "The input token count (1218334) exceeds the maximum number of tokens allowed (1048576).")),
    ("invalid", _whole(400, "User location is not supported for the API use.", "FAILED_PRECONDITION")),
    ("invalid", Acp(400, "Please ensure that function call turn comes immediately after a user turn or after a function response turn.")),
    ("invalid", _whole(404, "models/gemini-9 is not found for API version v1beta.", "NOT_FOUND", words="Not Found")),
    ("invalid", Acp(404, "Requested entity was not found.")),
    ("invalid", Acp(-32602, "Invalid params", {"details": "Session not found: s"})),
)  # fmt: skip


def _kind(kind: str, text: str) -> Acp:
    return Acp(-32603, f"Internal error: {text}", {"errorKind": kind})


def _codex(info: Any, message: str = "It did not work.") -> Acp:
    return Acp(-32603, "Internal error", {"message": message, "codexErrorInfo": info})


def _http(kind: str, status: int | None) -> Acp:
    return _codex({kind: {"httpStatusCode": status}})


def _qwen(text: str) -> Acp:
    return Acp(-32603, "Internal error", {"details": text})


OVER_ACP: tuple[tuple[str, Acp], ...] = (
    # kinds: claude-agent-acp
    ("auth", _kind("authentication_failed", "Failed to authenticate: OAuth session expired and could not be refreshed")),
    ("auth", _kind("oauth_org_not_allowed", ORG)),
    ("auth", _kind("verification_required", "Verify your account")),
    ("auth", _kind("cloud_credential_error", "Could not load credentials from any providers")),
    ("usage_limit", _kind("account_on_hold", "Your account is on hold")),
    ("usage_limit", _kind("billing_error", "Credit balance is too low")),
    *(("usage_limit", _kind("rate_limit", text)) for text in LIMITS),
    ("usage_limit", Acp(-32603, f"Internal error: {LIMITS[1]}")),
    ("rate_limit", _kind("rate_limit", "API Error: Server is temporarily limiting requests (not your usage limit)")),
    ("overloaded", _kind("overloaded", "API Error: Repeated 529 Overloaded errors")),
    ("overloaded", _kind("server_error", "API Error: 500 Internal server error")),
    ("overloaded", Acp(-32603, f"Internal error: API Error: 529 {_body('overloaded_error', 'Overloaded')}")),
    ("invalid", _kind("invalid_request", "Prompt is too long")),
    ("invalid", _kind("model_not_found", "There's an issue with the selected model")),
    ("invalid", _kind("max_output_tokens", "API Error: Claude's response exceeded the output token maximum.")),
    ("auth", Acp(-32603, "Internal error: Failed to authenticate. API Error: 401 OAuth access token has expired.")),
    ("other", Acp(-32603, "Internal error", {"details": "Claude Code process exited with code 1"})),
    # codex
    ("auth", _codex("unauthorized", "Your access token could not be refreshed because you have since logged out or signed in to another account.")),
    ("usage_limit", _codex("usageLimitExceeded", "You've hit your usage limit.")),
    ("overloaded", _codex("serverOverloaded", "Selected model is at capacity.")),
    ("overloaded", _codex("internalServerError")),
    ("invalid", _codex("contextWindowExceeded")), ("invalid", _codex("badRequest")),
    ("other", _codex("sandboxError")), ("other", _codex("cyberPolicy")), ("other", _codex("other")), ("other", _codex("threadRollbackFailed")),
    ("auth", _http("responseStreamDisconnected", 401)), ("rate_limit", _http("responseTooManyFailedAttempts", 429)),
    ("overloaded", _http("httpConnectionFailed", 503)), ("overloaded", _http("responseStreamConnectionFailed", 502)),
    ("invalid", _http("httpConnectionFailed", 404)), ("other", _http("httpConnectionFailed", 403)), ("other", _http("httpConnectionFailed", None)),
    # rust
    ("auth", Acp(-32603, "Internal error", "unexpected status 401 Unauthorized: token expired, url: https://api.openai.com/v1/responses")),
    ("usage_limit", Acp(-32603, "Internal error", {"message": "You've hit your usage limit. Upgrade to Pro or try again at 3:33 AM.", "codex_error_info": "usage_limit_exceeded"})),
    ("overloaded", Acp(-32603, "Internal error", {"message": "stream error", "codex_error_info": {"http_connection_failed": {"http_status_code": 502}}})),
    ("auth", Acp(-32603, "Internal error", {"message": "Please sign in again.", "codex_error_info": "unauthorized"})),
    ("auth", Acp(-32000, "Authentication required")),
    # qwen
    ("auth", _qwen("401 invalid access token or token expired")),
    ("auth", Acp(-32603, "Internal error: 401 invalid access token or token expired")),
    ("auth", _qwen("401 Invalid API-key provided. For details, see: https://www.alibabacloud.com/help/en/model-studio/error-code#apikey-error")),
    ("usage_limit", _qwen("429 You exceeded your current quota, please check your plan and billing details.")),
    ("usage_limit", _qwen("400 Access denied, please make sure your account is in good standing.")),
    ("usage_limit", _qwen("403 The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the \"use free tier only\" mode.")),
    ("rate_limit", _qwen("429 Requests rate limit exceeded, please try again later.")),
    ("rate_limit", _qwen("429 Too many requests in route. Please try again later.")),
    ("overloaded", _qwen("503 Too many requests. Your requests are being throttled due to system capacity limits. Please try again later.")),
    ("overloaded", _qwen("500 Internal server error!")),
    ("invalid", _qwen("400 Range of input length should be [1, 98304]")),
    ("invalid", _qwen("404 The model `qwen9` does not exist or you do not have access to it.")),
    ("other", _qwen("403 Access to model denied. Please make sure you are eligible for using the model.")),
    ("other", _qwen("Connection error.")),
    # acp
    ("other", Acp(-32603, "Internal error", {})),
    ("other", Acp(-32603, "Internal error", {"details": "Not implemented: authentication is handled via cursor-agent login"})),
    ("auth", Acp(-32603, "Internal error", {"errorName": "ProviderAuthError", "message": "no key"})),
    ("invalid", Acp(-32002, "Resource not found", {"uri": "session"})),
    ("invalid", Acp(-32602, "Invalid params", {"_errors": ["model: Invalid option"]})),
)  # fmt: skip
LATER: tuple[tuple[str, str, Shape], ...] = tuple(
    (who, is_a, shape)
    for who, shapes in {
        "claude": (
            (
                "auth",
                Claude(
                    "authentication_failed",
                    401,
                    f"API Error: 401 {_body('authentication_error', 'Invalid OAuth token. The provided token was not found or is malformed.')}",
                ),
            ),
            (
                "auth",
                Claude(
                    "oauth_org_not_allowed",
                    403,
                    "Your organization has disabled API key access for Claude Code",
                ),
            ),
            ("auth", Claude("authentication_failed", None, "Could not resolve authentication method")),
            (
                "auth",
                Claude(
                    None,
                    None,
                    f"API Error: 400 {_body('invalid_request_error', 'This organization has been disabled.')}",
                ),
            ),
            (
                "usage_limit",
                Claude(
                    "rate_limit",
                    429,
                    "You've hit your weekly limit · resets Sep 21, 10am (America/Los_Angeles)",
                ),
            ),
            ("usage_limit", Claude("rate_limit", 429, "Usage credits required for 1M context")),
            ("usage_limit", Claude(None, None, "5-hour limit reached ∙ resets 5pm")),
            (
                "usage_limit",
                Claude(
                    None,
                    None,
                    "Credit balance too low · Add funds: https://console.anthropic.com/settings/billing",
                ),
            ),
            ("usage_limit", Retry("account_on_hold", 403)),
            ("usage_limit", Retry("billing_error", 402)),
            ("rate_limit", Retry("rate_limit", None)),
            (
                "rate_limit",
                Claude(
                    "rate_limit",
                    429,
                    "API Error: Request rejected (429) · Number of requests has exceeded your per-minute rate limit.",
                ),
            ),
            (
                "overloaded",
                Claude(
                    "server_error", None, "Server error mid-response. The response above may be incomplete."
                ),
            ),
            ("overloaded", Claude("server_error", None, "Response stalled mid-stream")),
            ("overloaded", Claude(None, None, "API Error: 503 no healthy upstream")),
            ("invalid", Claude("invalid_request", 400, "Image was too large")),
            ("invalid", Claude("invalid_request", 400, "Extra inputs are not permitted")),
            ("invalid", Claude("invalid_request", None, "PDF is password protected")),
            ("invalid", Claude("unknown", 418, "API Error: 418")),
            ("other", Claude(None, None, "API Error: Request was aborted.")),
            ("other", Claude("unknown", None, "API Error: Self-signed certificate detected")),
        ),
        "gemini": (
            ("auth", Acp(401, "Invalid authentication credentials")),
            ("auth", Acp(500, "Failed to login. Message: the login was cancelled")),
            ("auth", Acp(-32000, "Failed to login. Message: Request contains an invalid argument.")),
            (
                "auth",
                _whole(
                    403,
                    "Your API key was reported as leaked. Please use another API key.",
                    "PERMISSION_DENIED",
                    words="Forbidden",
                ),
            ),
            (
                "auth",
                _whole(
                    400,
                    "API key expired. Please renew the API key.",
                    "INVALID_ARGUMENT",
                    "API_KEY_INVALID",
                    words="Bad Request",
                ),
            ),
            (
                "rate_limit",
                Acp(
                    429,
                    "Quota exceeded for quota metric 'Generate Content API requests per minute' of service 'generativelanguage.googleapis.com'.",
                ),
            ),
            (
                "rate_limit",
                Acp(
                    429,
                    "Quota exceeded for metric: generate_content_free_tier_requests, limit: 20\nPlease retry in 41.2s.",
                ),
            ),
            (
                "rate_limit",
                Acp(429, "You have exhausted your capacity on this model. Your quota will reset after 0s."),
            ),
            (
                "usage_limit",
                Acp(
                    429, "You have exhausted your capacity on this model. Your quota will reset after 44m7s."
                ),
            ),
            (
                "usage_limit",
                _whole(
                    429,
                    "Quota exceeded.",
                    "RESOURCE_EXHAUSTED",
                    "",
                    *_quota("GenerateContentInputTokensPerModelPerDay-FreeTier", "3s"),
                ),
            ),
            (
                "overloaded",
                Acp(
                    503,
                    "This model is currently experiencing high demand. Spikes in demand are usually temporary.",
                ),
            ),
            (
                "overloaded",
                _listed(503, "The service is currently unavailable.", "UNAVAILABLE", "", "backendError"),
            ),
            ("overloaded", _whole(500, "Internal error encountered.", "INTERNAL")),
            ("invalid", Acp(400, 'Invalid JSON payload received. Unknown name "x".')),
            ("invalid", Acp(404, "models/x is not found.")),
            (
                "invalid",
                _listed(400, "Request contains an invalid argument.", "INVALID_ARGUMENT", "", "badRequest"),
            ),
            (
                "other",
                Acp(403, "Cloud Code Private API has not been used in project 1 before or it is disabled."),
            ),
            ("other", _whole(403, "The project is denied.", "PERMISSION_DENIED", "USER_PROJECT_DENIED")),
        ),
        "over acp": (
            (
                "auth",
                _qwen("401 Incorrect API key provided: sk-ab. You can find your API key at the console."),
            ),
            ("auth", Acp(-32603, "Authentication required")),
            ("auth", Acp(-32000, "Please log in with `kimi login`")),
            ("auth", _codex({"responseTooManyFailedAttempts": {"httpStatusCode": 401}})),
            ("usage_limit", _qwen("402 Insufficient Balance")),
            (
                "usage_limit",
                _qwen(
                    "429 Your account is suspended due to insufficient balance, please recharge your account"
                ),
            ),
            ("usage_limit", _qwen("403 Key limit exceeded (total limit).")),
            ("usage_limit", Acp(-32603, "Internal error: Claude AI usage limit reached|1796000000")),
            ("usage_limit", Acp(-32603, "Internal error: Credit balance is too low")),
            (
                "usage_limit",
                _codex(
                    "usageLimitExceeded",
                    "Visit the page to purchase more credits or try again at Aug 20th, 2026 3:33 AM.",
                ),
            ),
            ("rate_limit", _qwen("429 Requests throttling triggered by the current request rate.")),
            (
                "rate_limit",
                Acp(
                    -32603,
                    "Internal error",
                    {
                        "message": "exceeded retry limit, last status: 429 Too Many Requests",
                        "codex_error_info": {"response_too_many_failed_attempts": {"http_status_code": 429}},
                    },
                ),
            ),
            (
                "rate_limit",
                Acp(
                    -32603, "Internal error", {"errorName": "APIError", "statusCode": 429, "message": "slow"}
                ),
            ),
            (
                "overloaded",
                Acp(
                    -32603,
                    "Internal error",
                    "unexpected status 503 Service Unavailable: x, url: https://api.openai.com/v1/responses",
                ),
            ),
            (
                "overloaded",
                Acp(
                    -32603,
                    "Internal error: stream disconnected before completion: stream closed before response.completed",
                ),
            ),
            ("overloaded", _kind("unknown", "API Error: 503 upstream connect error")),
            ("overloaded", _qwen("502 Bad gateway")),
            ("invalid", _qwen("400 Model not exist.")),
            (
                "invalid",
                _qwen("400 InternalError.Algo.InvalidParameter: the range of input length should be lower"),
            ),
            (
                "invalid",
                Acp(-32603, "Internal error", {"errorName": "ContextOverflowError", "message": "too long"}),
            ),
            ("invalid", Acp(-32601, "Method not found")),
            ("other", _qwen("Request timed out.")),
            ("other", _kind("unknown", "It failed.")),
            ("other", Acp(-32001, "session busy")),
            (
                "other",
                Acp(-32603, "Internal error", {"errorName": "UnknownError", "message": "fetch failed"}),
            ),
            ("other", _codex({"activeTurnNotSteerable": {"turnKind": "review"}})),
            ("other", _codex(None, "unexpected status 403 Forbidden: no")),
        ),
    }.items()
    for is_a, shape in shapes
)
"""Written down after the tables had been mended by the others, and before any of these was shown to them."""
SHAPES: tuple[tuple[str, str, Shape], ...] = (
    *(("claude", *one) for one in CLAUDE),
    *(("gemini", *one) for one in GEMINI),
    *(("over acp", *one) for one in OVER_ACP),
    *LATER,
)
"""(who says it, class that it is, shape) of all."""
