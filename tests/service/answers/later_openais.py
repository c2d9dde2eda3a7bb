"""Of what was kept back: answers over OpenAI's wires."""

from __future__ import annotations

from tests.service.answers.told import CHAT, OPENAI, RESPONSES, Failing, event, openai, said, words

MINE = {"wires": OPENAI}
PROBLEM = {"content-type": "application/problem+json"}
OPENAIS_LATER: tuple[Failing, ...] = (
    said(
        "a reseller: balance",
        "usage_limit",
        403,
        {"code": "INSUFFICIENT_BALANCE", "message": "Insufficient account balance"},
        **MINE,
    ),
    said(
        "Kiro: month's requests",
        "usage_limit",
        402,
        {"message": "You have reached the limit.", "reason": "MONTHLY_REQUEST_COUNT"},
        **MINE,
    ),
    said(
        "MiniMax: key",
        "auth",
        401,
        {
            "base_resp": {
                "status_code": 1004,
                "status_msg": "login fail: Please carry the API secret key in the Authorization field",
            }
        },
        **MINE,
    ),
    said(
        "GitHub Models: day",
        "usage_limit",
        429,
        {
            "error": {
                "code": "RateLimitReached",
                "message": "Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 40000 seconds before retrying.",
                "details": "",
            }
        },
        or_is="rate_limit",
        **MINE,
    ),
    said(
        "GitHub Models: too long",
        "invalid",
        413,
        {
            "error": {
                "code": "tokens_limit_reached",
                "message": "Request body too large for this model. Max size: 8000 tokens.",
            }
        },
        **MINE,
    ),
    openai(
        "Volcengine: owes",
        "usage_limit",
        403,
        "The request failed because your account has an overdue balance.",
        "Forbidden",
        "AccountOverdueError",
    ),
    openai(
        "Volcengine: key",
        "auth",
        401,
        "The API key in the request is missing or invalid.",
        "Unauthorized",
        "AuthenticationError",
    ),
    openai(
        "Volcengine: not opened",
        "other",
        404,
        "Your account has not activated the model. Please activate the model service.",
        "NotFound",
        "ModelNotOpen",
        or_is="invalid",
    ),
    said(
        "SiliconFlow: balance",
        "usage_limit",
        403,
        {"code": 30001, "message": "Sorry, your account balance is insufficient", "data": None},
        **MINE,
    ),
    said(
        "SiliconFlow: no such model",
        "invalid",
        400,
        {"code": 20012, "message": "Model does not exist. Please check it carefully.", "data": None},
        **MINE,
    ),
    words("SiliconFlow: token", "auth", 401, '"Invalid token"', **MINE),
    openai(
        "Together: key",
        "auth",
        401,
        "Invalid API key provided. You can find your API key at https://api.together.example/settings",
        "invalid_request_error",
        "invalid_api_key",
    ),
    openai(
        "Together: tier",
        "other",
        403,
        "Access to this model is allowed for build tier 2 and above.",
        "invalid_request_error",
        None,
        or_is="usage_limit",
    ),
    said(
        "NVIDIA: credits",
        "usage_limit",
        402,
        {
            "status": 402,
            "title": "Payment Required",
            "detail": "Account 'a': Cloud credits expired - Please contact NVIDIA representatives",
        },
        headers=PROBLEM,
        **MINE,
    ),
    said(
        "NVIDIA: key",
        "auth",
        403,
        {"status": 403, "title": "Forbidden", "detail": "Authorization failed"},
        headers=PROBLEM,
        or_is="other",
        **MINE,
    ),
    said(
        "TGI: too long",
        "invalid",
        422,
        {
            "error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.",
            "error_type": "validation",
        },
        **MINE,
    ),
    said(
        "TGI: full",
        "overloaded",
        429,
        {"error": "Model is overloaded", "error_type": "overloaded"},
        or_is="rate_limit",
        **MINE,
    ),
    said("Cohere: key", "auth", 401, {"message": "invalid api token"}, **MINE),
    said(
        "Cohere: trial",
        "rate_limit",
        429,
        {"message": "You are using a Trial key, which is limited to 10 API calls / minute."},
        or_is="usage_limit",
        **MINE,
    ),
    said(
        "Perplexity: page",
        "auth",
        401,
        {"error": {"message": "Invalid API key provided.", "type": "invalid_api_key", "code": 401}},
        mid=True,
        **MINE,
    ),
    openai(
        "a login in another place",
        "auth",
        401,
        "Could not validate your token. Please try signing in again.",
        None,
        "token_invalidated",
        mid=True,
    ),
    openai(
        "a refused address",
        "other",
        401,
        "Your IP address is not authorized to use this key.",
        "invalid_request_error",
        "ip_not_authorized",
    ),
    Failing(
        "content in the stream",
        "invalid",
        200,
        event(
            {
                "type": "response.failed",
                "response": {
                    "id": "resp_1",
                    "status": "failed",
                    "error": {
                        "code": "context_length_exceeded",
                        "message": "Your input exceeds the context window of this model.",
                    },
                },
            },
            "response.failed",
        ),
        begins=True,
        wires=(RESPONSES,),
    ),
    Failing(
        "an auth error in the stream",
        "auth",
        200,
        event(
            {
                "error": {
                    "message": "Invalid API key",
                    "type": "authentication_error",
                    "code": "invalid_api_key",
                }
            }
        ),
        begins=True,
        wires=(CHAT,),
    ),
    Failing(
        "a limit in the stream",
        "rate_limit",
        200,
        event({"error": {"message": "Rate limit exceeded, please slow down", "code": 429}}),
        begins=True,
        wires=(CHAT,),
    ),
)
