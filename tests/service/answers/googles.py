"""What Google's Gemini API answers."""

from __future__ import annotations

from typing import Any

from tests.service.answers.told import GOOGLE, Failing, event, google, info

SERVICE = "generativelanguage.googleapis.com"


def _quota(metric: str, quota: str) -> dict[str, Any]:
    return {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        "violations": [{"quotaMetric": f"{SERVICE}/{metric}", "quotaId": quota, "quotaValue": "20"}],
    }


def _wait(seconds: int) -> dict[str, Any]:
    return {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds}s"}


_PLAN = "You exceeded your current quota, please check your plan and billing details."
GOOGLES: tuple[Failing, ...] = (
    google(
        "key expired",
        "auth",
        400,
        "INVALID_ARGUMENT",
        "API key expired. Please renew the API key.",
        info("API_KEY_INVALID", service=SERVICE),
    ),
    google(
        "key expired, later",
        "auth",
        400,
        "INVALID_ARGUMENT",
        "API key expired. Please renew the API key.",
        info("API_KEY_INVALID", service=SERVICE),
        mid=True,
    ),
    google(
        "key leaked",
        "auth",
        403,
        "PERMISSION_DENIED",
        "Your API key was reported as leaked. Please use another API key.",
    ),
    google(
        "key suspended",
        "auth",
        403,
        "PERMISSION_DENIED",
        "Permission denied: Consumer 'projects/100' has been suspended.",
        info("CONSUMER_SUSPENDED", service=SERVICE),
        or_is="other",
    ),
    google(
        "token expired",
        "auth",
        401,
        "UNAUTHENTICATED",
        "Request had invalid authentication credentials. Expected OAuth 2 access token.",
        info("ACCESS_TOKEN_EXPIRED", service=SERVICE),
    ),
    google(
        "a key where a login is wanted",
        "auth",
        401,
        "UNAUTHENTICATED",
        "API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials.",
        info("CREDENTIALS_MISSING"),
    ),
    google(
        "nobody is signed in",
        "auth",
        403,
        "PERMISSION_DENIED",
        "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity.",
    ),
    google(
        "nobody is signed in, later",
        "auth",
        401,
        "UNAUTHENTICATED",
        "Request is missing required authentication credential.",
        mid=True,
    ),
    google(
        "service is off",
        "other",
        403,
        "PERMISSION_DENIED",
        "Generative Language API has not been used in project 100 before or it is disabled. Enable it and retry.",
        info("SERVICE_DISABLED", service=SERVICE),
    ),
    google(
        "no billing",
        "usage_limit",
        403,
        "PERMISSION_DENIED",
        "This API method requires billing to be enabled. Please enable billing on project 100.",
        info("BILLING_DISABLED", service=SERVICE),
        or_is="other",
    ),
    google(
        "key for other addresses",
        "other",
        403,
        "PERMISSION_DENIED",
        "The provided API key has an IP address restriction. The originating IP address of the call violates this restriction.",
        info("API_KEY_IP_ADDRESS_BLOCKED", service=SERVICE),
    ),
    google(
        "key for other pages",
        "other",
        403,
        "PERMISSION_DENIED",
        "Requests from referer <empty> are blocked.",
        info("API_KEY_HTTP_REFERRER_BLOCKED", service=SERVICE),
    ),
    google(
        "key for other services",
        "other",
        403,
        "PERMISSION_DENIED",
        "Requests to this API generativelanguage method are blocked.",
        info("API_KEY_SERVICE_BLOCKED", service=SERVICE),
    ),
    google(
        "a role is missing",
        "other",
        403,
        "PERMISSION_DENIED",
        "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p1' (or it may not exist).",
        info("IAM_PERMISSION_DENIED"),
    ),
    google(
        "account against the terms",
        "other",
        403,
        "PERMISSION_DENIED",
        "This service has been disabled in this account for violation of Terms of Service.",
        or_is="auth",
    ),
    google(
        "a place",
        "other",
        400,
        "FAILED_PRECONDITION",
        "User location is not supported for the API use.",
        or_is="invalid",
    ),
    google(
        "requests a minute",
        "rate_limit",
        429,
        "RESOURCE_EXHAUSTED",
        _PLAN,
        _quota("generate_requests", "GenerateRequestsPerMinutePerProjectPerModel"),
        _wait(1),
    ),
    google(
        "free requests of the day",
        "usage_limit",
        429,
        "RESOURCE_EXHAUSTED",
        _PLAN,
        _quota("generate_content_free_tier_requests", "GenerateRequestsPerDayPerProjectPerModel-FreeTier"),
        _wait(9),
    ),
    google(
        "credits used up",
        "usage_limit",
        429,
        "RESOURCE_EXHAUSTED",
        "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.",
    ),
    google(
        "a cap of money",
        "usage_limit",
        429,
        "RESOURCE_EXHAUSTED",
        "Your project has exceeded its monthly spending cap.",
    ),
    google(
        "shared capacity",
        "rate_limit",
        429,
        "RESOURCE_EXHAUSTED",
        "Resource exhausted. Please try again later.",
        or_is="overloaded",
    ),
    google(
        "high demand",
        "overloaded",
        503,
        "UNAVAILABLE",
        "This model is currently experiencing high demand. Spikes in demand are usually temporary.",
    ),
    google(
        "a fault of theirs", "overloaded", 500, "INTERNAL", "An internal error has occurred. Please retry."
    ),
    google(
        "a time-out of theirs",
        "overloaded",
        504,
        "DEADLINE_EXCEEDED",
        "Deadline expired before operation could complete.",
    ),
    google(
        "no such model",
        "invalid",
        404,
        "NOT_FOUND",
        "models/gemini-2.5-flash is not found for API version v1beta, or is not supported for generateContent.",
    ),
    google(
        "too many tokens",
        "invalid",
        400,
        "INVALID_ARGUMENT",
        "The input token count (1204331) exceeds the maximum number of tokens allowed (1048576).",
    ),
    google(
        "a tool that does not fit",
        "invalid",
        400,
        "INVALID_ARGUMENT",
        "Invalid JSON payload received. Unknown name \"exclusiveMinimum\" at 'tools[0].function_declarations[3].parameters'",
    ),
    Failing(
        "high demand in the stream",
        "overloaded",
        200,
        event({"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}),
        begins=True,
        wires=(GOOGLE,),
    ),
)
