"""The fourth list: errors that agents other than Gemini answer over the Agent Client Protocol.

Sources, by the word beside each group:

- claude: https://github.com/zed-industries/zed issues 45704, 50110, agentclientprotocol/claude-agent-acp 258, 570, xintaofei/codeg 344,
  anthropics/claude-code issues 42654, 54863, 60648, anthropics/claude-code-action 1089
- codex: https://github.com/openai/codex issues 3764, 5678, 8865, 18681, 30041, 43420, Soju06/codex-lb 600
- kimi: https://github.com/MoonshotAI/kimi-cli/issues/1599; router: gptme/gptme 1449, yaegaki/cline-cli 2, cline/cline 2705, 5449,
  continuedev/continue issues 9771, 10442
- goose: https://github.com/aaif-goose/goose 717, 2368, 12208
- copilot: https://github.com/github/copilot-cli issues 18, 138, 2696, 2787, 4627, microsoft/vscode-copilot-release 12982
- cursor: https://github.com/cursor/cursor/issues/3703, xllm-go/bypass 153
- qwen: https://help.aliyun.com/en/model-studio/coding-plan-faq, QwenLM/qwen-code 54, dinoanderson/qwen_cli_coder 1, diegosouzapw/OmniRoute 844
- services: cline/cline 1734 (Mistral), 3664 (LM Studio), Azure-Samples/azure-search-openai-demo 1837
- tools: https://github.com/anthropics/claude-code issues 57009, 61189: what git says when the hoster refuses it
"""

from __future__ import annotations

import json
from typing import Any

from tests.agents.held_out import Acp


def _internal(data: Any) -> Acp:
    return Acp(-32603, "Internal error", data)


def _thrown(text: str) -> Acp:
    return _internal({"details": text})


def _kind(kind: str, text: str) -> Acp:
    return Acp(-32603, f"Internal error: {text}", {"errorKind": kind})


def _own(kind: str, message: str) -> str:
    error = {"type": kind, "message": message}
    return json.dumps(
        {"type": "error", "error": error, "request_id": "req_011CYVAAH67hKNXbv3ThAZ9U"}, separators=(",", ":")
    )


def _codex(message: str, info: Any = "other") -> Acp:
    return _internal({"message": message, "codexErrorInfo": info})


def _rust(message: str, info: Any = "other") -> Acp:
    return _internal({"message": message, "codex_error_info": info})


CHATGPT = "https://chatgpt.com/backend-api/codex/responses"
NO_MEMBER = _own("permission_error", "Account is no longer a member of the organization associated with this token.")  # fmt: skip
PLAIN = "<html>\n<head><title>403 Forbidden</title></head>\n<body>\n<center><h1>403 Forbidden</h1></center>\n</body>\n</html>"
TRIAL = "You've hit your usage limit. To continue using Codex and get access to GPT-5.3-Codex, start a free trial of Plus today (https://chatgpt.com/explore/plus), or try again at Jul 25th, 2026 5:55 PM."
HOURS = "Sorry, you've hit a rate limit that restricts the number of Copilot model requests you can make within a specific time period. Please try again in 58 hours."
PREMIUM = "You have exhausted your premium model quota. Please reach out to your organization's Copilot admin to enable additional paid premium requests or wait for your allowance to renew."
NOT_VALIDATED = "Authentication token found but could not be validated. Failed to fetch OAuth user login: response validation failed: quota_snapshots.chat.overage_entitlement: Expected number, received null. Your token may still be valid."
EXHAUSTED = '{\n  "error": {\n    "code": 429,\n    "message": "Resource has been exhausted (e.g. check quota).",\n    "status": "RESOURCE_EXHAUSTED"\n  }\n}\n'
TPD = "Your account org-x / proj-x <ak-x> request reached organization TPD rate limit, current: 1526210, limit: 1500000"
OVERFLOW = "Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input."
MISTRAL = 'API error occurred: Status 401 Content-Type application/json; charset=utf-8 Body \n{\n  "message":"Unauthorized",\n  "request_id":"f61c2f15feca71626a990e3740f99245"\n}'
OVER_ACP: tuple[tuple[str, Acp], ...] = (
    # claude
    ("auth", Acp(-32603, "Internal error: Invalid API key · Fix external API key")),
    ("auth", _kind("authentication_failed", f"Please run /login · API Error: 403 {NO_MEMBER}")),
    ("auth", _kind("invalid_request", "API Error: 400 This organization has been disabled.")),
    ("other", _kind("authentication_failed", f"Failed to authenticate. API Error: 403 {PLAIN}")),
    ("other", _thrown("Query closed before response received")),
    ("other", Acp(-32603, "Internal error", {"data": "Process exited with exit code: 1"})),
    ("usage_limit", _kind("rate_limit", "You're out of extra usage · resets 9am (America/Cordoba)")),
    ("usage_limit", Acp(-32603, "Internal error: You're out of extra usage · resets 10am")),
    ("overloaded", Acp(-32603, f"Internal error: API Error: 500 {_own('api_error', 'Internal server error')}")),
    ("invalid", Acp(-32603, "Internal error: API Error: 400 {\"error\":{\"code\":\"1213\",\"message\":\"The prompt parameter was not received normally.\"},\"request_id\":\"\"}")),
    # codex
    ("auth", _codex("Provided authentication token is expired. Please try signing in again.", "unauthorized")),
    ("auth", _rust("exceeded retry limit, last status: 401 Unauthorized, request id: 99438b5929d256ae-OSL", {"response_too_many_failed_attempts": {"http_status_code": 401}})),
    ("other", _codex(f"unexpected status 403 Forbidden: Unknown error, url: {CHATGPT}, cf-ray: 9ef4d8725d06a6c8-DEL")),
    ("usage_limit", _codex(TRIAL, "usageLimitExceeded")),
    ("rate_limit", _rust("stream disconnected before completion: Rate limit is exceeded. Try again in 11 seconds.")),
    ("overloaded", _codex("stream disconnected before completion: response.failed event received", {"responseStreamDisconnected": {"httpStatusCode": None}})),
    ("invalid", _codex("The model `gpt-5.5` does not exist or you do not have access to it.", "badRequest")),
    # kimi, router
    ("usage_limit", _internal({"error": f"Error code: 429 - {{'error': {{'message': '{TPD}', 'type': 'rate_limit_reached_error'}}}}"})),
    ("usage_limit", _internal({"error": "Error code: 403 - {'error': {'message': 'Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys', 'code': 403}}"})),
    ("usage_limit", _thrown("402 This request requires more credits, or fewer max_tokens. You requested up to 8192 tokens, but can only afford 2666. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account")),
    ("usage_limit", _thrown("429 You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.")),
    ("auth", _thrown("401 User not found.")),
    ("rate_limit", _thrown("429 Provider returned error")),
    ("invalid", _thrown("404 No allowed providers are available for the selected model.")),
    # goose
    ("rate_limit", _internal(f"Rate limit exceeded: Rate limit exceeded. Status: 429 Too Many Requests. Response: {json.dumps(EXHAUSTED)}")),
    ("invalid", _internal("Context length exceeds limits even after multiple attempts to truncate.")),
    ("invalid", _internal("Request failed: Bad request (400): image dimensions exceed max allowed size for many-image requests")),
    # copilot
    ("other", _thrown("403 unauthorized: not authorized to use this Copilot feature\n")),
    ("other", _thrown(NOT_VALIDATED)),
    ("usage_limit", _thrown(HOURS)),
    ("usage_limit", _thrown(PREMIUM)),
    ("rate_limit", _thrown("{\"message\":\"rate limit exceeded\",\"code\":\"rate_limited\"}")),
    ("rate_limit", _thrown("You've hit your global rate limit. Please upgrade your plan or wait 6 seconds for your limit to reset.")),
    # cursor
    ("auth", _thrown("[unauthenticated] Not logged in. If you are logged in, try logging out and back in.")),
    ("usage_limit", _thrown("You've hit your usage limit\n  Get Cursor Pro for more Agent usage, unlimited Tab, and more.")),
    # qwen
    ("auth", _thrown("Qwen API error: 401 - {\"code\":\"InvalidApiKey\",\"message\":\"Invalid API-key provided.\",\"request_id\":\"01415ff3\"}")),
    ("auth", _thrown("401 Incorrect API key provided. For details, see: https://www.alibabacloud.com/help/en/model-studio/error-code#apikey-error")),
    ("usage_limit", _thrown("OpenAI API error: 400 Access denied, please make sure your account is in good standing.")),
    ("invalid", _thrown("400 InvalidParameter: Range of input length should be [1, 202752]")),
    ("invalid", _thrown("400 model 'qwen9' is not supported")),
    # services
    ("auth", _thrown(MISTRAL)),
    ("other", _thrown("401 Principal does not have access to API/Operation.")),
    ("invalid", _thrown(OVERFLOW)),
    # tools
    ("other", _thrown("Command failed: git push\nremote: Permission to ada/r.git denied to ada.\nfatal: unable to access 'https://github.com/ada/r.git/': The requested URL returned error: 403")),
    ("other", _thrown("Command failed: git push\n ! [remote rejected] main -> main (refusing to allow an OAuth App to create or update workflow `.github/workflows/ci.yml` without `workflow` scope)")),
)  # fmt: skip
