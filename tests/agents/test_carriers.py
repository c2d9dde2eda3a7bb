"""AUT6: what a service answered is one class, whichever program hands it on and however that wraps it."""

from __future__ import annotations

import pytest

from tests.agents.carriers import BODIES, Answer, carried, worded
from tests.agents.failure_lines import told_of

CODED: tuple[tuple[str, Answer], ...] = (
    ("auth", Answer(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: sk-ab.")),
    ("auth", Answer(401, "authentication_error", None, "invalid x-api-key")),
    ("auth", Answer(400, "INVALID_ARGUMENT", "API_KEY_INVALID", "API key not valid. Please pass a valid API key.")),
    ("auth", Answer(401, "UNAUTHENTICATED", "ACCESS_TOKEN_EXPIRED", "Request had invalid authentication credentials.")),
    ("auth", Answer(403, "PERMISSION_DENIED", "CONSUMER_SUSPENDED", "Consumer has been suspended.")),
    ("auth", Answer(403, "x", "UnrecognizedClientException", "The security token included in the request is invalid.")),
    ("auth", Answer(403, "x", "ExpiredTokenException", "The security token included in the request is expired")),
    ("auth", Answer(401, "invalid_authentication_error", None, "Invalid Authentication")),
    ("auth", Answer(401, "x", "InvalidApiKey", "Invalid API-key provided.")),
    ("auth", Answer(401, "x", "1002", "Authentication Token 非法")),
    ("usage_limit", Answer(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan.")),
    ("usage_limit", Answer(429, "insufficient_quota", "project_spend_limit_exceeded", "no")),
    ("usage_limit", Answer(402, "billing_error", None, "Billing error")),
    ("usage_limit", Answer(401, "CreditsError", None, "Insufficient balance.")),
    ("usage_limit", Answer(429, "exceeded_current_quota_error", None, "suspended due to insufficient balance")),
    ("usage_limit", Answer(429, "x", "1113", "余额不足或无可用资源包,请充值。")),
    ("usage_limit", Answer(400, "x", "Arrearage", "Access denied, please make sure your account is in good standing.")),
    ("usage_limit", Answer(403, "x", "AllocationQuota.FreeTierOnly", "The free tier of the model has been exhausted.")),
    ("usage_limit", Answer(429, "usage_limit_reached", None, "The usage limit has been reached")),
    ("usage_limit", Answer(403, "PERMISSION_DENIED", "BILLING_DISABLED", "This API method requires billing to be enabled.")),
    ("rate_limit", Answer(429, "rate_limit_error", None, "This request would exceed your rate limit.")),
    ("rate_limit", Answer(429, "tokens", "rate_limit_exceeded", "Rate limit reached on tokens per min (TPM). Please try again in 6s.")),
    ("rate_limit", Answer(429, "rate_limit_reached_error", None, "max request per minute reached")),
    ("rate_limit", Answer(429, "x", "Throttling.RateQuota", "Requests rate limit exceeded, please try again later.")),
    ("rate_limit", Answer(429, "x", "ThrottlingException", "Too many tokens, please wait before trying again.")),
    ("rate_limit", Answer(429, "x", "1302", "您当前使用该 API 的并发数过高")),
    ("rate_limit", Answer(429, "RESOURCE_EXHAUSTED", "RATE_LIMIT_EXCEEDED", "Resource has been exhausted.")),
    ("overloaded", Answer(529, "overloaded_error", None, "Overloaded")),
    ("overloaded", Answer(429, "engine_overloaded_error", None, "The engine is currently overloaded")),
    ("overloaded", Answer(429, "RESOURCE_EXHAUSTED", "MODEL_CAPACITY_EXHAUSTED", "No capacity available for model x")),
    ("overloaded", Answer(503, "UNAVAILABLE", None, "The model is overloaded. Please try again later.")),
    ("overloaded", Answer(503, "service_unavailable_error", "slow_down", "Slow down")),
    ("overloaded", Answer(500, "api_error", None, "Internal server error")),
    ("overloaded", Answer(498, "capacity_exceeded", "capacity_exceeded", "no")),
    ("overloaded", Answer(503, "x", "model_not_found", "No available channel for model x")),
    ("invalid", Answer(400, "invalid_request_error", "context_length_exceeded", "This model's maximum context length is 8192 tokens.")),
    ("invalid", Answer(404, "invalid_request_error", "model_not_found", "The model `x` does not exist")),
    ("invalid", Answer(400, "x", "ValidationException", "The provided model identifier is invalid.")),
    ("invalid", Answer(400, "FAILED_PRECONDITION", None, "User location is not supported for the API use.")),
    ("invalid", Answer(413, "request_too_large", None, "Request exceeds the maximum size")),
    ("invalid", Answer(422, "unprocessable_entity", None, "messages: field required")),
    ("other", Answer(403, "permission_error", None, "Your API key does not have permission to use this model.")),
    ("other", Answer(403, "request_forbidden", "unsupported_country_region_territory", "Country, region, or territory not supported")),
    ("other", Answer(401, "invalid_request_error", "ip_not_authorized", "Your IP is not authorized.")),
    ("other", Answer(403, "PERMISSION_DENIED", "SERVICE_DISABLED", "It has not been used in project 1 before or it is disabled.")),
    ("other", Answer(403, "x", "AccessDeniedException", "You don't have access to the model.")),
    ("other", Answer(407, "x", None, "Proxy Authentication Required")),
)  # fmt: skip
"""(class by the definition of who answers so, answer)."""
SAID: tuple[tuple[str, Answer], ...] = tuple(
    (kind, answer)
    for kind, answer in CODED
    if answer.message != "no" and answer.message not in ("Billing error", "Slow down", "Consumer has been suspended.")
)  # fmt: skip
"""Those whose message and status say enough by themselves."""


@pytest.mark.parametrize(
    ("kind", "answer"),
    CODED,
    ids=lambda one: one if isinstance(one, str) else f"{one.status} {one.code or one.kind}",
)
def test_an_answer_is_of_one_class_in_every_form_in_which_it_is_handed_on(kind: str, answer: Answer) -> None:
    """Four ways to build a body, fifteen to wrap it."""
    wrong = []
    for build in BODIES:
        for name, shape in carried(answer, build(answer)):
            told = told_of(shape)
            if told.get("class") != kind:
                wrong.append((build.__name__, name, told.get("class"), shape))
    assert not wrong


@pytest.mark.parametrize(
    ("kind", "answer"), SAID, ids=lambda one: one if isinstance(one, str) else f"{one.status} {one.message}"
)
def test_a_status_and_its_message_are_of_that_class_in_every_form(kind: str, answer: Answer) -> None:
    wrong = [
        (name, told["class"])
        for name, shape in worded(answer)
        if (told := told_of(shape)).get("class") != kind
    ]
    assert not wrong


def test_nothing_but_a_refused_key_is_ever_a_dead_sign_in_for_sure() -> None:
    """AUT6: in any form."""
    for kind, answer in CODED:
        for build in BODIES:
            for name, shape in (*carried(answer, build(answer)), *worded(answer)):
                told = told_of(shape)
                assert kind == "auth" or (told["class"], told["strength"]) != ("auth", "strong"), (
                    name,
                    shape,
                )
