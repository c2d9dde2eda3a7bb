"""The third list: what Gemini CLI answers over the Agent Client Protocol: the status or 500, and the message or the whole body.

Sources, by the word beside each group:

- google: google.api.ErrorReason, https://ai.google.dev/gemini-api/docs/troubleshooting, https://cloud.google.com/docs/authentication/troubleshoot-adc
- cli: google-gemini/gemini-cli packages/core/src/utils/googleQuotaErrors.ts: what it says itself, and which of it may be tried again soon
- quota: https://github.com/google-gemini/gemini-cli issues 5472, 15498, 27665, GoogleCloudPlatform/Open_Data_QnA 61, aaif-goose/goose 1244
- region: https://github.com/google-gemini/gemini-cli issues 1432, 13284, 18453, GoogleCloudPlatform/cloud-code-vscode 1158
- request: https://github.com/google-gemini/gemini-cli issues 13467, 26682, aaif-goose/goose 1582
"""

from __future__ import annotations

import json
from typing import Any

from tests.agents.held_out import Acp

INFO = "type.googleapis.com/google.rpc.ErrorInfo"


def _body(
    code: int, message: str, status: str, reason: str = "", domain: str = "googleapis.com"
) -> dict[str, Any]:
    details = [{"@type": INFO, "reason": reason, "domain": domain}] if reason else []
    return {"error": {"code": code, "message": message, "status": status, "details": details}}


def _whole(*told: Any) -> Acp:
    """The body as the message: as versions before the innermost message was looked for."""
    return Acp(told[0], json.dumps(_body(*told), indent=2))


def _in_list(*told: Any) -> Acp:
    """As Code Assist answers."""
    body = _body(*told)
    body["error"]["errors"] = [
        {
            "message": told[1],
            "domain": "global",
            "reason": "forbidden" if told[0] == 403 else "rateLimitExceeded",
        }
    ]
    return Acp(told[0], json.dumps([body], indent=2))


PLAN = "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits."
BY_DAY = ("Quota exceeded for quota metric 'Gemini 2.5 Pro Requests' and limit 'Gemini 2.5 Pro Requests per day per user per tier'"
          " of service 'cloudcode-pa.googleapis.com' for consumer 'project_number:681255809395'.")  # fmt: skip
BY_MINUTE = "Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model with base model: {}. Please submit a quota increase request."
NO_KEYS = "API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials that assert a principal."
NO_CALLER = "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API."
RESOURCE = "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p/locations/us-east5/publishers/google/models/x' (or it may not exist)."
ELSEWHERE = "Your current account is not eligible for Gemini Code Assist for individuals because it is not currently available in your location."
PAGE = "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Error {0}!!1</title><p><b>{1}.</b> <ins>That’s an error.</ins><p>{2} <ins>That’s all we know.</ins>"
SIGNATURE = "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call `default_api:update_topic` , position 20."
MODEL = "Publisher Model `projects/p/locations/us-central1/publishers/google/models/gemini-9` was not found or your project does not have access to it. Please ensure you are using a valid model version."
VERTEX = ("When using Vertex AI, you must specify either:\n• GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION environment variables.\n"
          "• GOOGLE_API_KEY environment variable (if using express mode).\nUpdate your environment and try again (no reload needed if using .env)!")  # fmt: skip
GEMINI: tuple[tuple[str, Acp], ...] = (
    # google: the sign-in
    ("auth", _whole(401, NO_KEYS, "UNAUTHENTICATED", "CREDENTIALS_MISSING")),
    ("auth", Acp(401, NO_KEYS)),
    ("auth", Acp(400, "Token has been expired or revoked.")),
    ("auth", Acp(400, "reauth related error (invalid_rapt)")),
    ("auth", _whole(403, NO_CALLER, "PERMISSION_DENIED")),  # nothing was sent to sign in with
    ("auth", Acp(-32000, VERTEX)),
    ("auth", _whole(401, "Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential.", "UNAUTHENTICATED")),
    # google, region: what the sign-in may not do, from here or at all
    ("other", _whole(403, RESOURCE, "PERMISSION_DENIED", "IAM_PERMISSION_DENIED", "aiplatform.googleapis.com")),
    ("other", Acp(403, RESOURCE)),
    ("other", _whole(403, "Request is prohibited by organization's policy. vpcServiceControlsUniqueIdentifier: x", "PERMISSION_DENIED", "SECURITY_POLICY_VIOLATED")),
    ("other", Acp(403, PAGE.format("403 (Forbidden)", "403", "Your client does not have permission to get URL <code>/v1beta/models</code> from this server."))),
    ("other", Acp(-32000, f"Failed to login. Message: {ELSEWHERE}")),  # signed in, at the wrong place: the same account works elsewhere
    # cli, quota: spent for the day, the month, or for good
    ("usage_limit", Acp(429, "You have exhausted your daily quota on this model.")),
    ("usage_limit", _in_list(429, "Resource has been exhausted (e.g. check quota).", "RESOURCE_EXHAUSTED", "INSUFFICIENT_G1_CREDITS_BALANCE", "cloudcode-pa.googleapis.com")),
    ("usage_limit", Acp(429, BY_DAY)),
    ("usage_limit", _in_list(429, BY_DAY, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED")),
    ("usage_limit", Acp(429, f"{PLAN}\nSuggested retry after 41234s.")),  # a wait above 5 minutes is final to it
    ("usage_limit", _whole(429, "Your project has exceeded its monthly spending cap. Please go to AI Studio at https://ai.studio/spend to manage your project spend cap.", "RESOURCE_EXHAUSTED")),
    ("usage_limit", Acp(429, "Your prepayment credits are depleted. Please go to AI Studio at https://ai.studio/projects to manage your project and billing.")),
    # cli, quota: too much at once
    ("rate_limit", Acp(429, f"{PLAN}\nSuggested retry after 34.074824224s.")),
    ("rate_limit", Acp(429, "RATE_LIMIT_EXCEEDED\nSuggested retry after 60s.")),
    ("rate_limit", Acp(429, BY_MINUTE.format("gemini-experimental"))),
    ("rate_limit", _whole(429, BY_MINUTE.format("gemini-pro"), "RESOURCE_EXHAUSTED")),
    ("rate_limit", Acp(429, "Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.")),
    # google: the service
    ("overloaded", Acp(500, "Model stream ended with malformed function call.")),
    ("overloaded", Acp(500, "Model stream ended with empty response text.")),
    ("overloaded", Acp(503, "Visibility check was unavailable. Please retry the request and contact support if the problem persists")),
    ("overloaded", Acp(502, PAGE.format("502 (Server Error)", "502", "The server encountered a temporary error and could not complete your request. Please try again in 30 seconds."))),
    # request
    ("invalid", _whole(400, SIGNATURE, "INVALID_ARGUMENT")),
    ("invalid", Acp(400, "Corrupted thought signature.")),
    ("invalid", Acp(400, "* GenerateContentRequest.contents[13].parts: contents.parts must not be empty.\n")),
    ("invalid", Acp(400, "Please use a valid role: user, model.")),
    ("invalid", Acp(400, "Request payload size exceeds the limit: 20971520 bytes.")),
    ("invalid", Acp(400, "Function calling is not enabled for models/gemini-x")),
    ("invalid", Acp(400, "Multiple authentication credentials received. Please pass only one.")),
    ("invalid", Acp(400, "Developer instruction is not enabled for models/gemma-x")),
    ("invalid", Acp(404, MODEL)),
    ("invalid", _whole(404, MODEL, "NOT_FOUND")),
    ("invalid", _whole(400, "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting", "INVALID_ARGUMENT")),
)  # fmt: skip
