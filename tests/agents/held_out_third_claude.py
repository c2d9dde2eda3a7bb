"""The third list: what a stream of Claude Code tells of a failed turn, and of what it tries again.

The word beside a text is the one that its documents name for that status; None: a version without it. Sources, by the word beside each group:

- errors: https://code.claude.com/docs/en/errors (its headings say whether an error is of the sign-in, of limits, of the network, of the request)
- login: https://github.com/anthropics/claude-code issues 48996, 70506, and the words that others quote of a signed-in program refused with 403
- anthropic: https://github.com/anthropics/claude-code issues 1047, 6195, 13986, 62817, and https://platform.claude.com/docs/en/api/errors
- region: https://github.com/anthropics/claude-code issues 453, 1613, 2303, 5896: a country, an address or a proxy was the cause, never the sign-in
- aws: https://github.com/anthropics/claude-code issues 236, 1466, 2260, 4505, 5418, 54083, and the common errors of AWS
- vertex: https://github.com/anthropics/claude-code/issues/1440, cline/cline 4080
- gateways: Azure's and DeepSeek's bodies, Gitlawb/openclaude 43
- zai: https://docs.z.ai/api-reference/api-code, https://docs.bigmodel.cn/cn/api/api-code, anthropics/claude-code 9201, kaitranntt/ccs 536,
  repoprompt/repoprompt-ce 295
- kimi: https://www.kimi.com/code/docs/en/kimi-code/error-reference.html, https://platform.kimi.ai/docs/api/errors
- litellm: https://github.com/BerriAI/litellm issues 3293, 20615, and its ProxyErrorTypes
- network: https://github.com/anthropics/claude-code issues 8054, 35768, 74369, undici's proxy-agent
- repeats: the documented values of `error` of an `api_retry`; anthropics/claude-code 5418 shows that a 403 is tried again
"""

from __future__ import annotations

import json

from tests.agents.held_out import Claude, Retry


def _told(kind: str, message: str, key: str = "type", **more: str) -> str:
    """The body of a service that speaks as Anthropic does, or of one that has its own idea of it."""
    return json.dumps(
        {"error": {key: kind, "message": message, **more}}, separators=(",", ":"), ensure_ascii=False
    )


def _own(kind: str, message: str) -> str:
    """Anthropic's own body, as it came in the middle of a stream: without a status before it."""
    error = {"details": None, "type": kind, "message": message}
    return json.dumps(
        {"type": "error", "error": error, "request_id": "req_011CbT51C8HMZz9DXUQ3wbGH"}, separators=(",", ":")
    )


def _google(code: int, message: str, status: str) -> str:
    return json.dumps({"error": {"code": code, "message": message, "status": status}}, separators=(",", ":"))


FORBIDDEN = _told("forbidden", "Request not allowed")
JUST_A_MOMENT = '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body>Enable JavaScript and cookies to continue</body></html>'
BAD_GATEWAY = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>"
DENIED = "User: arn:aws:iam::1:user/u is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: arn:aws:bedrock:us-east-1::foundation-model/x"
REFUSED = ("API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy (https://www.anthropic.com/legal/aup)."
           " Try rephrasing the request or attempting a different approach.")  # fmt: skip
KIMI_SPENT = (
    "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle."
)
KIMI_UNPAID = '{"error":{"message":"We\'re unable to verify your membership benefits at this time. Please ensure your membership is active."}}'
PER_MINUTE = "Quota exceeded for aiplatform.googleapis.com/online_prediction_input_tokens_per_minute_per_base_model with base model: anthropic-claude-opus-4."
PREDICT = "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/p/locations/us-east5/publishers/anthropic/models/x' (or it may not exist)."
PUBLISHER = "Publisher Model `projects/p/locations/us-east5/publishers/anthropic/models/x` was not found or your project does not have access to it."
AZURE = "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."
CLAUDE: tuple[tuple[str, Claude | Retry], ...] = (
    # errors, login: the sign-in
    ("auth", Claude("authentication_failed", 401, f"Please run /login · API Error: 401 {_own('authentication_error', 'Invalid bearer token')}")),
    ("auth", Claude("authentication_failed", 401, "Please run /login · API Error: 401 Invalid authentication credentials")),
    ("auth", Claude("authentication_failed", None, "Login expired · Please run /login")),
    ("auth", Claude(None, None, "Login expired · Please run /login")),
    ("auth", Claude(None, None, "OAuth token has expired · Please run /login")),
    ("auth", Claude("authentication_failed", 401, "Your apiKeyHelper script is failing · This usually means you need to re-authenticate with your provider · Run /status to see the script's error output")),
    ("auth", Claude(None, None, "Your ANTHROPIC_API_KEY belongs to a disabled organization · Unset the environment variable to use your other credentials")),
    ("auth", Claude(None, None, f"API Error: 401 {_own('authentication_error', 'invalid x-api-key')}")),
    ("auth", Claude("authentication_failed", 401, f"Failed to authenticate. API Error: 401 {_own('authentication_error', 'x-api-key header is required')}")),
    # login, region: words that ask for a sign-in, before a refusal that is not of the sign-in
    ("other", Claude("authentication_failed", 403, f"Please run /login · API Error: 403 {FORBIDDEN}")),
    ("other", Claude("authentication_failed", 403, f"Failed to authenticate. API Error: 403 {FORBIDDEN}")),
    ("other", Claude(None, None, f"API Error: 403 {FORBIDDEN}")),
    ("other", Claude("authentication_failed", 403, "Please run /login · API Error: 403 Access to this model requires an access grant your request does not have.")),
    ("other", Claude("authentication_failed", 403, f"Please run /login · API Error: 403 {_told('team_model_access_denied', 'team not allowed to access model. This team can only access models=[x]')}")),
    ("other", Claude("authentication_failed", 403, f"API Error: 403 {JUST_A_MOMENT}")),
    ("other", Claude(None, None, f"API Error: 403 {JUST_A_MOMENT}")),
    # anthropic
    ("usage_limit", Claude("invalid_request", 400, f"API Error: 400 {_own('invalid_request_error', 'You have reached your specified workspace API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.')}")),
    ("usage_limit", Claude(None, None, f"API Error: 400 {_own('invalid_request_error', 'You have reached your specified API usage limits. You will regain access on 2027-01-01 at 00:00 UTC.')}")),
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {_own('invalid_request_error', 'Output blocked by content filtering policy')}")),
    ("invalid", Claude(None, None, f"API Error: {_own('invalid_request_error', 'Output blocked by content filtering policy')}")),
    ("overloaded", Claude("server_error", None, f"API Error: {_own('overloaded_error', 'Overloaded')}")),
    ("overloaded", Claude("unknown", None, f"API Error: {_own('api_error', 'Internal server error')}")),
    ("overloaded", Claude("server_error", 502, f"API Error: 502 {BAD_GATEWAY}")),
    ("overloaded", Claude(None, None, f"API Error: 502 {BAD_GATEWAY}")),
    ("overloaded", Claude("server_error", 520, "API Error: 520 error code: 520")),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 messages.3.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes")),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again")),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 The request body is not valid JSON: no low surrogate in string: line 1 column 2811 (char 2810)")),
    ("invalid", Claude(None, None, "API Error: 400 Tool reference 'x' not found in available tools")),
    # errors: the request
    ("invalid", Claude("invalid_request", None, REFUSED)),
    ("invalid", Claude(None, None, REFUSED)),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 max_tokens must be greater than thinking.budget_tokens")),
    ("invalid", Claude(None, None, "Error during compaction: Conversation too long. Press esc twice to go up a few messages and try again.")),
    ("invalid", Claude("invalid_request", 400, "Claude Opus is not available with the Claude Pro plan. If you have updated your subscription plan recently, run /logout and /login for the plan to take effect.")),
    # aws: the token itself is refused, whatever the status; a permission, a model and a limit are no sign-in
    ("auth", Claude(None, None, "API Error: 403 The security token included in the request is invalid.")),
    ("auth", Claude("authentication_failed", 403, "API Error: 403 The security token included in the request is expired")),
    ("auth", Claude("authentication_failed", 403, "API Error: 403 {\"Message\":\"Authentication failed: Please make sure your API Key is valid.\"}")),
    ("auth", Claude("authentication_failed", 401, "AWS credentials expired or invalid · run `aws sso login --profile myprofile` in another terminal · API Error: 401 Unauthorized")),
    ("other", Claude("authentication_failed", 403, f"API Error: 403 {DENIED}")),
    ("other", Claude(None, None, f"API Error: 403 {DENIED} with an explicit deny in an identity-based policy")),
    ("other", Claude("authentication_failed", 403, "API Error: 403 You don't have access to the model with the specified model ID.")),
    ("rate_limit", Claude("rate_limit", 429, "API Error: 429 Too many tokens, please wait before trying again.")),
    ("usage_limit", Claude("rate_limit", 429, "API Error: 429 Too many tokens per day, please wait before trying again.")),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.")),
    ("invalid", Claude(None, None, "API Error: 400 The provided model identifier is invalid.")),
    ("other", Claude("unknown", None, "API Error: Bedrock streaming response has content-type \"text/html\"; expected \"application/vnd.amazon.eventstream\"")),
    # vertex
    ("auth", Claude("unknown", None, "API Error: 400 - {\"error\":\"invalid_grant\",\"error_description\":\"reauth related error (invalid_rapt)\",\"error_subtype\":\"invalid_rapt\"}")),
    ("rate_limit", Claude("rate_limit", 429, f"API Error: 429 {_google(429, PER_MINUTE, 'RESOURCE_EXHAUSTED')}")),
    ("other", Claude("authentication_failed", 403, f"API Error: 403 {_google(403, PREDICT, 'PERMISSION_DENIED')}")),
    ("invalid", Claude(None, None, f"API Error: 404 {_google(404, PUBLISHER, 'NOT_FOUND')}")),
    # gateways: other services behind ANTHROPIC_BASE_URL
    ("auth", Claude("authentication_failed", 401, f"API Error: 401 {_told('401', AZURE, 'code')}")),
    ("usage_limit", Claude("unknown", 402, f"API Error: 402 {_told('unknown_error', 'Insufficient Balance', code='invalid_request_error')}")),
    ("usage_limit", Claude(None, None, f"API Error: 402 {_told('402', 'Insufficient credits. This account never purchased credits.', 'code')}")),
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {_told('invalid_request_error', 'Model Not Exist')}")),
    ("invalid", Claude("invalid_request", 413, f"API Error: 413 {_told('request_too_large', 'Request exceeds the maximum size')}")),
    # zai
    ("usage_limit", Claude("rate_limit", 429, f"API Error: 429 {_told('1113', 'Insufficient balance or no resource package. Please recharge.')}")),
    ("usage_limit", Claude("rate_limit", 429, f"API Error: 429 {_told('1308', 'Usage limit reached for 5 hour. Your limit will reset at 2026-12-01 16:32:32', 'code')}")),
    ("usage_limit", Claude(None, None, f"API Error: 429 {_told('1309', 'Your GLM Coding Plan package has expired and is temporarily unavailable. You can resume using it after renewing your subscription.', 'code')}")),
    ("usage_limit", Claude("rate_limit", 429, f"API Error: 429 {_told('1310', 'Weekly/Monthly Limit Exhausted. Your limit will reset at 2026-12-07 16:32:32', 'code')}")),
    ("rate_limit", Claude("rate_limit", 429, f"API Error: 429 {_told('1302', 'Rate limit reached for requests', 'code')}")),
    ("overloaded", Claude("overloaded", 529, "API Error: 529 [1305][The service may be temporarily overloaded, please try again later][20261201]")),
    ("auth", Claude("authentication_failed", 401, f"API Error: 401 {_told('1003', 'Authentication Token 已过期，请重新生成/获取', 'code')}")),
    # kimi: its 403 is of the plan or of the client, never of the key
    ("usage_limit", Claude("authentication_failed", 403, f"Failed to authenticate. API Error: 403 {_told('permission_error', KIMI_SPENT)}")),
    ("other", Claude("authentication_failed", 403, f"API Error: 403 {_told('access_terminated_error', 'Kimi For Coding is currently only available for Coding Agents such as Kimi CLI, Claude Code.')}")),
    ("usage_limit", Claude("unknown", 402, f"API Error: 402 {KIMI_UNPAID}")),
    ("overloaded", Claude("rate_limit", 429, f"API Error: 429 {_told('engine_overloaded_error', 'The engine is currently overloaded, please try again later')}")),
    # litellm: a budget told with a 400 or a 401 is a budget
    ("auth", Claude("authentication_failed", 401, f"API Error: 401 {_told('token_not_found_in_db', 'Authentication Error, Invalid proxy server token passed. Received API Key = sk-ab, Key Hash (Token) =c8c2')}")),
    ("usage_limit", Claude("invalid_request", 400, f"API Error: 400 {_told('budget_exceeded', 'Budget has been exceeded! Current cost: 76.16, Max budget: 10.0', code='400')}")),
    ("usage_limit", Claude("authentication_failed", 401, f"API Error: 401 {_told('auth_error', 'Authentication Error, ExceededBudget: User=ada over budget. Spend=5, Budget=5', code='401')}")),
    ("other", Claude("authentication_failed", 403, f"API Error: 403 {_told('key_model_access_denied', 'key not allowed to access model. This key can only access models=[x]. Tried to access y', code='403')}")),
    ("rate_limit", Claude("rate_limit", 429, f"API Error: 429 {_told('None', 'Rate limit exceeded: Crossed RPM limit', code='429')}")),
    # network
    ("other", Claude(None, None, "API Error: Unable to connect to API. Check your internet connection")),
    ("other", Claude("unknown", None, "Request timed out. Check your internet connection and proxy settings")),
    ("other", Claude(None, None, "API Error (Connection error.) · Error (self signed certificate in certificate chain) (SELF_SIGNED_CERT_IN_CHAIN)")),
    ("other", Claude("unknown", None, "API Error: Proxy response (407) !== 200 when HTTP Tunneling")),
    # repeats
    ("other", Retry("authentication_failed", 403)), ("overloaded", Retry("server_error", 502)), ("overloaded", Retry("server_error", 524)),
    ("auth", Retry("authentication_failed", None)), ("auth", Retry("oauth_org_not_allowed", 403)), ("invalid", Retry("invalid_request", 400)),
)  # fmt: skip
