"""What OpenAI's API answers, on both of its wires, and Azure's copy of it."""

from __future__ import annotations

from tests.service.answers.told import CHAT, OPENAI, RESPONSES, Failing, event, openai, said

NEW = {"wires": (RESPONSES,)}


def _failed(name: str, is_a: str, code: str, message: str, or_is: str = "") -> Failing:
    body = event(
        {
            "type": "response.failed",
            "response": {"id": "resp_1", "status": "failed", "error": {"code": code, "message": message}},
        },
        "response.failed",
    )
    return Failing(name, is_a, 200, body, begins=True, or_is=or_is, **NEW)


def _plan(name: str, is_a: str, kind: str, **more: object) -> Failing:
    return said(
        name,
        is_a,
        429,
        {
            "error": {
                "type": kind,
                "message": "The usage limit has been reached",
                "plan_type": "plus",
                "resets_at": 1796200000,
                **more,
            }
        },
        **NEW,
    )


OPENAIS: tuple[Failing, ...] = (
    openai(
        "key unknown",
        "auth",
        401,
        "Incorrect API key provided: sk-proj-****0000. You can find your API key at https://platform.example.",
        "invalid_request_error",
        "invalid_api_key",
        mid=True,
    ),
    openai(
        "key was revoked",
        "auth",
        401,
        "This API key was revoked by its owner.",
        "invalid_request_error",
        "api_key_revoked",
    ),
    openai(
        "account shut",
        "auth",
        401,
        "The account associated with this API key has been deactivated.",
        "invalid_request_error",
        "account_deactivated",
        or_is="other",
    ),
    openai(
        "scopes are missing",
        "other",
        401,
        "You have insufficient permissions for this operation. Missing scopes: api.responses.write.",
        "invalid_request_error",
        "missing_scope",
        or_is="auth",
    ),
    openai(
        "login was taken over",
        "auth",
        401,
        "Your session has ended because you signed in elsewhere.",
        None,
        "token_invalidated",
    ),
    openai(
        "wrong organization",
        "auth",
        401,
        "No such organization: org-0000.",
        "invalid_request_error",
        "invalid_organization",
        or_is="other",
    ),
    openai(
        "project without the model",
        "other",
        403,
        "Project `proj_0000` does not have access to model `scripted-model`",
        "invalid_request_error",
        "model_not_found",
        or_is="invalid",
    ),
    openai(
        "firm must be verified",
        "other",
        400,
        "Your organization must be verified to stream this model.",
        "invalid_request_error",
        "unsupported_value",
        or_is="invalid",
    ),
    openai(
        "nothing left",
        "usage_limit",
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
        mid=True,
    ),
    openai(
        "bills not paid",
        "usage_limit",
        429,
        "Your account is not active, please check your billing details on our website.",
        "billing_not_active",
        "billing_not_active",
    ),
    openai(
        "requests of the day",
        "rate_limit",
        429,
        "Rate limit reached for scripted-model in organization org-0000 on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.",
        "requests",
        "rate_limit_exceeded",
        or_is="usage_limit",
    ),
    openai(
        "tokens of the minute",
        "rate_limit",
        429,
        "Request too large for scripted-model in organization org-0000 on tokens per min (TPM): Limit 30000, Requested 42001.",
        "tokens",
        "rate_limit_exceeded",
        or_is="invalid",
    ),
    openai(
        "too long",
        "invalid",
        400,
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 130421 tokens.",
        "invalid_request_error",
        "context_length_exceeded",
    ),
    openai(
        "a policy",
        "invalid",
        400,
        "Your prompt was flagged as potentially violating our usage policy.",
        "invalid_request_error",
        "invalid_prompt",
        or_is="other",
    ),
    openai(
        "a fault of theirs",
        "overloaded",
        500,
        "The server had an error processing your request. Sorry about that!",
        "server_error",
    ),
    openai(
        "model is busy",
        "overloaded",
        503,
        "That model is currently overloaded with other requests.",
        "server_error",
        "model_overloaded",
    ),
    _failed(
        "busy in the stream", "overloaded", "server_error", "An error occurred while processing your request."
    ),
    _failed(
        "too fast in the stream",
        "rate_limit",
        "rate_limit_exceeded",
        "Rate limit reached for scripted-model on tokens per min. Please try again in 1.2s.",
    ),
    _failed(
        "a policy in the stream",
        "invalid",
        "invalid_prompt",
        "Invalid prompt: we've limited access to this content for safety reasons.",
        or_is="other",
    ),
    _failed(
        "nothing left in the stream", "usage_limit", "insufficient_quota", "You exceeded your current quota."
    ),
    Failing(
        "an error event",
        "overloaded",
        200,
        event(
            {"type": "error", "code": "server_error", "message": "The server had an error.", "param": None},
            "error",
        ),
        begins=True,
        **NEW,
    ),
    _plan("a plan's window", "usage_limit", "usage_limit_reached", resets_in_seconds=5400),
    _plan(
        "a plan without it",
        "usage_limit",
        "usage_not_included",
    ),
    said(
        "a workspace without credits",
        "usage_limit",
        402,
        {"detail": {"code": "deactivated_workspace"}},
        or_is="other",
        **NEW,
    ),
    said(
        "Azure: key or place is wrong",
        "auth",
        401,
        {
            "error": {
                "code": "401",
                "message": "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription.",
            }
        },
        wires=OPENAI,
    ),
    said(
        "Azure: token expired",
        "auth",
        401,
        {
            "statusCode": 401,
            "message": "Unauthorized. Access token is missing, invalid, audience is incorrect, or have expired.",
        },
        wires=OPENAI,
    ),
    said(
        "Azure: only from inside",
        "other",
        403,
        {"error": {"code": "403", "message": "Access denied due to Virtual Network/Firewall rules."}},
        wires=OPENAI,
    ),
    said(
        "Azure: a role is missing",
        "other",
        401,
        {
            "error": {
                "code": "PermissionDenied",
                "message": "The principal `0000` lacks the required data action `Microsoft.CognitiveServices/accounts/OpenAI/deployments/chat/completions/action` to perform this operation.",
            }
        },
        or_is="auth",
        wires=OPENAI,
    ),
    said(
        "Azure: no such deployment",
        "invalid",
        404,
        {
            "error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment.",
            }
        },
        wires=OPENAI,
    ),
    said(
        "Azure: too fast",
        "rate_limit",
        429,
        {
            "error": {
                "code": "429",
                "message": "Requests to this operation have exceeded the token rate limit of your current pricing tier. Please retry after 1 second.",
            }
        },
        headers={"retry-after": "1"},
        wires=OPENAI,
    ),
    said(
        "Azure: filtered",
        "invalid",
        400,
        {
            "error": {
                "code": "content_filter",
                "message": "The response was filtered due to the prompt triggering the content management policy.",
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        or_is="other",
        wires=OPENAI,
    ),
    Failing(
        "an error in a chat's stream",
        "overloaded",
        200,
        event({"error": {"message": "The server had an error", "type": "server_error", "code": None}}),
        begins=True,
        wires=(CHAT,),
    ),
)
