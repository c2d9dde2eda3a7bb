"""More failures, of sources that were first looked at after the tables had been mended by `seen_elsewhere`: (class, shape).

Written down before any of these was shown to them. Sources: continuedev/continue issues 10373, 10778, 11823 (xAI, GLM); Wei-Shaw/sub2api
4069; MiniMax-AI/MiniMax-M2 6, 62; NousResearch/hermes-agent 15080; anthropics/claude-code 13116, 39948, 45636, 64982, 85675;
docs.mistral.ai error glossary, portkey.ai error library 10139, 10489, 10572; Kilo's and OpenCode Zen's `APIError` events; OpenRouter's 402;
poolsideai/pool 25; svkozak/pi-acp 107; github/copilot-cli 2063; vertex quota texts; Huawei MaaS and Yandex, Together and Novita error pages;
botocore and AWS SDK credential messages; undici, httpx, reqwest and Go's net for calls that no service answered.
"""

from __future__ import annotations

import json

from tests.agents.failure_lines import Codex, OpenCode, Shape
from tests.agents.held_out import Acp, Claude, Retry


def _api(status: int, body: object, message: str) -> OpenCode:
    return OpenCode("APIError", status, message, body)


def _raw(status: int, kind: str, message: str) -> Claude:
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "r"}
    return Claude(None, None, f"API Error: {status} {json.dumps(body)}")


def _said(text: str) -> Acp:
    return Acp(-32603, "Internal error", {"details": text})


def _google(code: int, status: str, message: str, *details: object) -> str:
    return json.dumps(
        {"error": {"code": code, "message": message, "status": status, "details": list(details)}}
    )


AFTERWARDS: tuple[tuple[str, Shape], ...] = (
    # OpenCode's kin
    ("auth", _api(401, {"error": {"code": "PAID_MODEL_AUTH_REQUIRED", "message": "You need to sign in to use this model."}, "error_type": "paid_model_auth_required"}, "You need to sign in to use this model.")),
    ("usage_limit", _api(401, {"type": "error"}, "No payment method. Add a payment method here: https://opencode.ai/workspace/wrk_1/billing")),
    ("usage_limit", _api(401, None, "Insufficient balance")),
    ("auth", _api(401, None, "User not found")),
    ("invalid", OpenCode("UnknownError", None, "Model not found: openai/gpt-5.2. Did you mean: gpt-5.2-pro?")),
    ("usage_limit", _api(402, {"error": {"message": "This request requires more credits, or fewer max_tokens. You requested up to 8192 tokens, but can only afford 779.", "code": 402, "metadata": {"limit_source": "openrouter_credits"}}}, "This request requires more credits, or fewer max_tokens.")),
    ("invalid", _api(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "Request payload is 1095225 bytes, over the 1085435 byte limit Kiro accepts."}}, "Request payload is 1095225 bytes")),
    ("overloaded", _api(502, {"error": {"message": "upstream failure", "type": "internal_server_error", "code": "upstream_error"}}, "Bad Gateway")),
    ("invalid", _api(413, "Payload Too Large", "Request Entity Too Large")),
    # xai
    ("auth", _api(400, {"code": "invalid-argument", "error": "Incorrect API key provided: na***ys. You can obtain an API key from https://console.x.ai."}, "Bad Request: Incorrect API key provided: na***ys.")),
    ("auth", _said('400 "Incorrect API key provided: na***ys. You can obtain an API key from https://console.x.ai."')),
    ("usage_limit", _said('429 "Your team 16f2 has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits."')),
    ("usage_limit", _api(403, {"code": "x", "error": "You have run out of credits or need a Grok subscription. Add credits at https://grok.com/"}, "Forbidden")),
    ("auth", Codex("unexpected status 400 Bad Request: Incorrect API key provided: sk***gA. You can obtain an API key from https://console.x.ai., url: https://api.x.ai/v1/responses")),
    ("other", _said('403 "Your newly created team does not have any permission to use model grok-4."')),
    # minimax, glm, as Claude Code says it
    ("usage_limit", _raw(500, "api_error", "insufficient balance (1008)")),
    ("usage_limit", _raw(429, "1113", "Insufficient balance or no resource package. Please recharge.")),
    ("usage_limit", _raw(429, "rate_limit_error", "Usage credits are required for long context requests.")),
    ("usage_limit", _raw(429, "rate_limit_error", "Extra usage is required for long context requests.")),
    ("rate_limit", _raw(429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later.")),
    ("rate_limit", Claude(None, None, "API Error: Rate limit reached")),
    ("usage_limit", _raw(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.")),
    ("usage_limit", _said("Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'Your credit balance is too low to access the Anthropic API.'}}")),
    ("auth", _raw(401, "authentication_error", "login fail: Please carry the API secret key in the 'Authorization' field of the request header")),
    ("other", _raw(403, "forbidden", "Request not allowed")),
    ("invalid", _raw(404, "not_found_error", "model: claude-x")),
    ("overloaded", _raw(529, "overloaded_error", "Overloaded")),
    ("overloaded", Claude("server_error", 500, "API Error: 500 Internal server error. This is a server-side issue, usually temporary")),
    ("auth", Claude(None, None, "API Error: 401 Invalid bearer token")),
    ("auth", Claude(None, 401, "API Error: 401 Invalid authentication credentials · Please run /login")),
    ("auth", Retry("authentication_error", 401)), ("overloaded", Retry("api_error", 502)), ("other", Retry("permission_error", 403)),
    ("usage_limit", Claude("rate_limit", None, "You're out of extra usage · resets 7pm (Europe/Berlin)")),
    ("usage_limit", Claude(None, None, "Weekly limit reached · resets Oct 9 at 10am")),
    ("overloaded", Claude(None, None, "Opus is experiencing high load, please use /model to switch to Sonnet")),
    # mistral
    ("auth", _said('401 {"detail":"Unauthorized"}')),
    ("auth", _api(401, {"message": "Unauthorized", "request_id": "r"}, "Unauthorized")),
    ("overloaded", _api(429, {"object": "error", "message": "Service tier capacity exceeded for this model.", "type": "service_tier_capacity_exceeded", "param": None, "code": "3505"}, "Service tier capacity exceeded for this model.")),
    ("rate_limit", _api(429, {"object": "error", "message": "Requests rate limit exceeded", "type": "rate_limited", "code": "1300"}, "Requests rate limit exceeded")),
    ("invalid", _api(400, {"object": "error", "message": "Invalid model: mistral-x", "type": "invalid_model", "code": "1500"}, "Invalid model: mistral-x")),
    ("usage_limit", _said("403 Account inactive or usage limit reached.")),
    # google
    ("rate_limit", Acp(429, _google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: anthropic-claude-sonnet-5."))),
    ("rate_limit", _said("429 Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model with base model: gemini-pro. Please submit a quota increase request.")),
    ("usage_limit", Acp(429, _google(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Requests' and limit 'Requests per day' of service"))),
    ("usage_limit", Acp(429, _google(429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing."))),
    ("auth", _said("Error: Could not automatically determine credentials. Please set GOOGLE_APPLICATION_CREDENTIALS")),
    ("auth", Acp(401, _google(401, "UNAUTHENTICATED", "API keys are not supported by this API. Expected OAuth2 access token"))),
    ("other", Acp(403, _google(403, "PERMISSION_DENIED", "Permission 'aiplatform.endpoints.predict' denied on resource"))),
    ("overloaded", Acp(504, _google(504, "DEADLINE_EXCEEDED", "The request timed out."))),
    ("invalid", Acp(400, _google(400, "INVALID_ARGUMENT", "Unable to submit request because it has an empty text parameter."))),
    # aws
    ("auth", _said("ExpiredTokenException: The security token included in the request is expired")),
    ("auth", _said("CredentialsProviderError: Could not load credentials from any providers")),
    ("auth", _said("An error occurred (UnrecognizedClientException) when calling the InvokeModel operation: The security token included in the request is invalid.")),
    ("auth", _said("The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.")),
    ("rate_limit", _said("An error occurred (ThrottlingException) when calling the InvokeModel operation (reached max retries: 2): Too many tokens, please wait before trying again.")),
    ("other", _said("An error occurred (AccessDeniedException) when calling the InvokeModel operation: You don't have access to the model with the specified model ID.")),
    ("invalid", _said("ResourceNotFoundException: This model version has reached the end of its life.")),
    ("overloaded", _api(503, {"message": "Bedrock is unable to process your request."}, "ServiceUnavailableException")),
    ("auth", _api(403, {"Message": "Bearer Token has expired"}, "Bearer Token has expired")),
    # other services
    ("usage_limit", _api(401, {"error_code": "ModelArts.81005", "error_msg": "The free quota has been used up."}, "The free quota has been used up.")),
    ("rate_limit", _api(429, {"error_code": "ModelArts.81101", "error_msg": "Too many requests, exceeded rate limit is 30 times per minute."}, "Too many requests, exceeded rate limit is 30 times per minute.")),
    ("usage_limit", _api(402, {"error": {"message": "monthly spending limit", "type": "credit_limit"}}, "Payment Required")),
    ("auth", _api(403, {"code": 403, "reason": "INVALID_API_KEY", "message": "API Key not provided"}, "API Key not provided")),
    ("usage_limit", _api(403, {"code": 403, "reason": "NOT_ENOUGH_BALANCE", "message": "Insufficient balance"}, "Insufficient balance")),
    ("usage_limit", _api(403, {"code": 30011, "message": "The selected model requires paid balance. Your paid balance is insufficient. Please top up and try again.", "data": None}, "Forbidden")),
    ("overloaded", _api(503, {"error": {"message": "Engine overloaded", "type": "service_unavailable"}}, "Engine overloaded")),
    ("overloaded", _api(503, {"error": {"message": "当前分组上游负载已饱和，请稍后再试", "type": "new_api_error", "code": "upstream_error"}}, "当前分组上游负载已饱和，请稍后再试")),
    ("usage_limit", _api(403, {"error": {"message": "用户额度不足, 剩余额度: ¥0.000000", "type": "new_api_error", "code": "insufficient_user_quota"}}, "用户额度不足")),
    ("auth", _api(401, {"error": {"message": "无效的令牌", "type": "new_api_error", "code": ""}}, "无效的令牌")),
    ("overloaded", _api(503, {"error": {"message": "No available channel for model gpt-5 under group default", "type": "new_api_error", "code": "model_not_found"}}, "No available channel")),
    ("auth", _said("Authentication Error, Invalid proxy server token passed. Received API Key = sk-...ab")),
    ("usage_limit", _said("litellm.BudgetExceededError: ExceededBudget: User=u over budget. Spend=11, Budget=10")),
    ("invalid", _said("litellm.NotFoundError: Error code: 404 - {'error': {'message': 'The model `x` does not exist', 'type': 'invalid_request_error', 'code': 'model_not_found'}}")),
    ("rate_limit", _said("429 Too Many Requests: Too Many Requests")),
    ("auth", _said("Provided authentication token is expired.")),
    ("usage_limit", _said("402 You have no quota (Request ID: 0DAE:25E8)")),
    ("other", _said("403 forbidden: access to this endpoint is forbidden. Please review our Terms of Service")),
    # codex
    ("rate_limit", Codex("stream disconnected before completion: Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999. Please try again in 11.054s.")),
    ("overloaded", Codex("stream disconnected before completion: The server had an error processing your request.")),
    ("overloaded", Codex("unexpected status 502 Bad Gateway: Unknown error, url: http://localhost:8317/responses")),
    ("rate_limit", Codex("exceeded retry limit, last status: 429 Too Many Requests, request id: c4fc59ca")),
    ("overloaded", Codex("exceeded retry limit, last status: 500 Internal Server Error")),
    ("auth", Codex("unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://api.openai.com/v1/responses, cf-ray: x")),
    ("usage_limit", Codex("unexpected status 429 Too Many Requests: You exceeded your current quota, please check your plan and billing details., url: https://x")),
    ("usage_limit", Codex("unexpected status 403 Forbidden: {\"error\":{\"message\":\"用户额度不足\",\"type\":\"new_api_error\"}}, url: https://x")),
    ("invalid", Codex("unexpected status 404 Not Found: {\"detail\":\"Not Found\"}, url: https://x")),
    ("invalid", Codex(json.dumps({"type": "error", "status": 400, "error": {"type": "invalid_request_error", "message": "The 'gpt-5.2' model is not supported when using Codex with a ChatGPT account."}}))),
    # what no service answered, and what is somebody else's
    ("other", _said("fetch failed: connect ECONNREFUSED 127.0.0.1:443")), ("other", _said("getaddrinfo EAI_AGAIN api.openai.com")),
    ("other", _said("unable to verify the first certificate")), ("other", _said("CERT_HAS_EXPIRED: certificate has expired")),
    ("other", _said("error sending request for url (https://x): invalid peer certificate: UnknownIssuer")),
    ("other", _said("Post \"https://api\": dial tcp: lookup api: no such host")), ("other", _said("httpx.ConnectError: [Errno -2] Name or service not known")),
    ("other", _said("407 Proxy Authentication Required")), ("other", _said("tunneling socket could not be established, statusCode=407")),
    ("other", _said("MCP server github: Authentication failed, token expired")), ("other", _said("EACCES: permission denied, open '/home/ada/.config/x'")),
    ("other", _said("fatal: Authentication failed for 'https://git.example/x.git/'")), ("other", Acp(-32000, "Connection closed")),
    ("invalid", Acp(-32600, "Invalid request")), ("invalid", Acp(-32700, "Parse error")), ("other", Acp(-32603, "Internal error", {"code": "EPIPE"})),
)  # fmt: skip
