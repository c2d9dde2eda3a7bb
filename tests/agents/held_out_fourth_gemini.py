"""The fourth list: what Gemini CLI answers over the Agent Client Protocol: the status or 500, and the message or the whole body.

Sources, by the word beside each group:

- login: potatoqualitee/aitools 4, google-gemini/gemini-cli 20927, Digital-Process-Tools/claude-remember 532, badrisnarayanan/antigravity-claude-proxy 32,
  https://ai.google.dev/gemini-api/docs/troubleshooting
- network: https://github.com/google-gemini/gemini-cli issues 2098, 2961, 13914
- refused: https://github.com/google-gemini/gemini-cli issues 4065, 25226, 25268, justlovemaki/AIClient2API 159, poenl/gemini-api 8
- quota: https://github.com/google-gemini/gemini-cli issues 4300, 4656, 6985, 7709, 8883, 13112, Wei-Shaw/claude-relay-service 746, aaif-goose/goose 717
- service: https://github.com/google-gemini/gemini-cli issues 7316, 7318, 15314, letta-ai/letta 2861
- request: https://github.com/google-gemini/gemini-cli issues 2282, 16987, 16995, 19436, wonderwhy-er/DesktopCommanderMCP 79, 21st-dev/magic-mcp 34,
  router-for-me/CLIProxyAPI 218, zereight/gitlab-mcp 166, snailyp/gemini-balance 264
"""

from __future__ import annotations

import json
from typing import Any

from tests.agents.held_out import Acp

INFO = "type.googleapis.com/google.rpc.ErrorInfo"
LEGACY = {400: "badRequest", 401: "authError", 403: "forbidden", 429: "rateLimitExceeded"}


def _info(reason: str, domain: str = "googleapis.com", **more: str) -> dict[str, Any]:
    return {"@type": INFO, "reason": reason, "domain": domain, "metadata": more}


def _quota(metric: str, quota: str, wait: str) -> tuple[dict[str, Any], ...]:
    failure = {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [{"quotaMetric": metric, "quotaId": quota}]}  # fmt: skip
    return failure, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": wait}


def _body(code: int, message: str, status: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {
        "error": {
            "code": code,
            "message": message,
            "status": status,
            **({"details": details} if details else {}),
        }
    }


def _whole(code: int, message: str, status: str, *details: dict[str, Any]) -> Acp:
    return Acp(code, json.dumps(_body(code, message, status, *details), indent=2))


def _wrapped(code: int, words: str, message: str, status: str, *details: dict[str, Any]) -> Acp:
    """As a signed-in key gets it: the body is a text inside of another body."""
    inner = json.dumps(_body(code, message, status, *details), indent=2)
    return Acp(code, json.dumps({"error": {"message": inner, "code": code, "status": words}}))


def _in_list(code: int, message: str, status: str, *details: dict[str, Any]) -> Acp:
    """As Code Assist answers."""
    body = _body(code, message, status, *details)
    body["error"]["errors"] = [{"message": message, "domain": "global", "reason": LEGACY[code]}]
    return Acp(code, json.dumps([body], indent=2))


def _got(code: int, message: str, status: str) -> Acp:
    """As an older SDK says it."""
    return Acp(code, f"got status: {status}. {json.dumps(_body(code, message, status))}")


LIBRARY = "https://ai.google.dev/gemini-api/docs/rate-limits"
PLAN = f"You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: {LIBRARY}."
INPUT = "generativelanguage.googleapis.com/generate_content_free_tier_input_token_count"
TOKEN = "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
NO_METHOD = "Please set an Auth method in your /home/ada/.gemini/settings.json or specify one of the following environment variables before running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, GOOGLE_GENAI_USE_GCA"
NO_KEY = "When using Gemini API, you must specify the GEMINI_API_KEY environment variable.\nUpdate your environment and try again (no reload needed if using .env)!"
DENIED = "Your project has been denied access. Please contact support."
DISABLED = "Gemini for Google Cloud API has not been used in project my-project before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/cloudaicompanion.googleapis.com/overview?project=my-project then retry."
AI_COMPANION = {"consumer": "projects/my-project", "service": "cloudaicompanion.googleapis.com"}
ASK_TOKEN = "request to https://oauth2.googleapis.com/token failed, reason:"
RETRY_REPORT = "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
NAME = "The GenerateContentRequest proto is invalid:\n  * tools[0].function_declarations[13].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores, dots and dashes, with a maximum length of 64."
TYPE = "Invalid value at 'tools[0].function_declarations[6].parameters.properties[11].value.any_of[0].type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"\""
LEARN = "Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling"
FIELD = f"Unable to submit request because `create-field` functionDeclaration `parameters.data.meta.width` schema didn't specify the schema type field. {LEARN}"
MIME = f"Unable to submit request because the mime_type: video/text/timestamp is not supported in `function_response.parts`. {LEARN}"
PARTS = f"Unable to submit request because `function_response.parts` is not supported for this model. {LEARN}"
NUMBER = "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn."
GEMINI: tuple[tuple[str, Acp], ...] = (
    # login
    ("auth", Acp(-32000, NO_METHOD)),
    ("auth", Acp(-32000, NO_KEY)),
    ("auth", _in_list(401, TOKEN, "UNAUTHENTICATED")),
    ("auth", Acp(401, TOKEN)),
    ("auth", Acp(-32000, "Cached credentials are not valid: invalid_grant")),
    ("auth", Acp(403, "Your API key was reported as leaked. Please use another API key.")),
    ("auth", _got(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT")),
    # network: it wanted to sign in, and reached nobody
    ("other", Acp(-32000, f"Failed to login. Message: {ASK_TOKEN} connect ETIMEDOUT 64.233.189.95:443")),
    ("other", Acp(-32000, f"Failed to login. Message: {ASK_TOKEN} connect ECONNREFUSED 127.0.0.1:443")),
    ("other", Acp(-32000, f"Failed to login. Message: Failed to exchange authorization code for tokens: {ASK_TOKEN} unable to get local issuer certificate")),
    # refused
    ("other", _whole(403, DENIED, "PERMISSION_DENIED")),
    ("other", _wrapped(403, "Forbidden", DENIED, "PERMISSION_DENIED")),
    ("other", Acp(403, DISABLED)),
    ("other", _in_list(403, DISABLED, "PERMISSION_DENIED", _info("SERVICE_DISABLED", **AI_COMPANION))),
    ("other", Acp(403, "Permission denied on resource project my-project.")),
    ("other", _in_list(403, "Permission denied on resource project my-project.", "PERMISSION_DENIED", _info("CONSUMER_INVALID", **AI_COMPANION))),
    ("other", _got(403, "The caller does not have permission", "PERMISSION_DENIED")),
    # quota: for the day or for hours
    ("usage_limit", _wrapped(429, "Too Many Requests", PLAN, "RESOURCE_EXHAUSTED", *_quota(INPUT, "GenerateContentInputTokensPerModelPerDay-FreeTier", "30s"))),
    ("usage_limit", _whole(429, "You have exhausted your capacity on this model. Your quota will reset after 5h59m59s.", "RESOURCE_EXHAUSTED", _info("QUOTA_EXHAUSTED", "cloudcode-pa.googleapis.com", uiMessage="true", quotaResetDelay="5h59m59.960323804s"), {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "21599.960323804s"})),
    ("usage_limit", Acp(429, "You have reached your daily gemini-2.5-pro quota limit.")),
    ("usage_limit", Acp(429, "You've hit your daily limit of requests with Gemini 2.5 Pro.")),
    # quota: for the minute
    ("rate_limit", _wrapped(429, "Too Many Requests", PLAN, "RESOURCE_EXHAUSTED", *_quota(INPUT, "GenerateContentInputTokensPerModelPerMinute-FreeTier", "24s"))),
    ("rate_limit", Acp(429, f"{PLAN} To monitor your current usage, head to: https://ai.dev/usage?tab=rate-limit. \n* Quota exceeded for metric: {INPUT}, limit: 250000, model: gemini-2.5-flash\nPlease retry in 39.844676573s.")),
    ("rate_limit", _wrapped(429, "Too Many Requests", f"{PLAN}\n* Quota exceeded for metric: {INPUT}, limit: 125000\nPlease retry in 15.002899939s.", "RESOURCE_EXHAUSTED")),
    ("rate_limit", _got(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED")),
    # service
    ("overloaded", _got(500, RETRY_REPORT, "INTERNAL")),
    ("overloaded", _wrapped(500, "Internal Server Error", RETRY_REPORT, "INTERNAL")),
    ("overloaded", _got(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")),
    ("overloaded", Acp(503, "We are currently experiencing high demand.\nWe apologize and appreciate your patience.\n/model to switch models.")),
    ("overloaded", Acp(504, "504 DEADLINE_EXCEEDED")),
    # request: mostly what an MCP server's tools look like
    ("invalid", _in_list(400, NAME, "INVALID_ARGUMENT")),
    ("invalid", _wrapped(400, "Bad Request", NAME, "INVALID_ARGUMENT")),
    ("invalid", Acp(400, TYPE)),
    ("invalid", _in_list(400, FIELD, "INVALID_ARGUMENT")),
    ("invalid", _in_list(400, MIME, "INVALID_ARGUMENT")),
    ("invalid", Acp(400, PARTS)),
    ("invalid", _in_list(400, NUMBER, "INVALID_ARGUMENT")),
    ("invalid", _whole(400, "Tool use with a response mime type: 'application/json' is unsupported", "INVALID_ARGUMENT")),
)  # fmt: skip
