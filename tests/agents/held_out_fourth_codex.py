"""The fourth list: what `codex exec --json` tells: its last `error` with `turn.failed`, and the notices of what it tries again.

Sources, by the word beside each group:

- login: https://github.com/openai/codex/issues/5678, qxcnm/Codex-Manager 61, decolua/9router 670, Soju06/codex-lb 600, icebear0828/codex-proxy 248,
  continuedev/continue 10343, truera/trulens 1071
- refused: https://github.com/openai/codex issues 4284, 9271, 18681, 18686, Wei-Shaw/claude-relay-service 1125, thedotmack/claude-mem 690,
  Azure-Samples/azure-search-openai-demo 1837, TabularEditor/TabularEditor3 1557
- service: https://github.com/openai/codex issues 1581, 8865, lidge-jun/opencodex 452
- rate: https://github.com/openai/codex issues 3764, 10059, 23006
- spent: https://github.com/openai/codex/issues/30041, hitsz-ids/airda 19, continuedev/continue 10190, Gitlawb/openclaude 936, gptme/gptme 1449
- request: https://github.com/openai/codex issues 5347, 8865, 30647, 43420, ollama/ollama 16530, anomalyco/opencode 3437, 5012, cline/cline 5449
"""

from __future__ import annotations

from tests.agents.held_out_third_codex import CodexExec, CodexNotice

CHATGPT = "https://chatgpt.com/backend-api/codex/responses"
OPENAI = "https://api.openai.com/v1/responses"
AZURE = "https://x.openai.azure.com/openai/v1/responses"
ROUTER = "https://openrouter.ai/api/v1/responses"
PROXY = "http://localhost:4000/v1/responses"
CUT = "stream disconnected before completion"
EXPIRED = f"unexpected status 401 Unauthorized: Provided authentication token is expired. Please try signing in again., url: {CHATGPT}, auth error: 401, auth error code: token_expired"
ATTENTION = "<!DOCTYPE html>\n\n <html class=\"no-js\" lang=\"en-US\">\n<head>\n<title>Attention Required! | Cloudflare</title>\n<meta charset=\"UTF-8\" />\n</head>\n<body>\n<h1 data-translate=\"block_headline\">Sorry, you have been blocked</h1>"  # fmt: skip
UNKNOWN = f"unexpected status 403 Forbidden: Unknown error, url: {CHATGPT}, cf-ray: 9ef4d8725d06a6c8-DEL"
CODEX: tuple[tuple[str, CodexExec | CodexNotice], ...] = (
    # login
    ("auth", CodexExec(f"unexpected status 401 Unauthorized: Incorrect API key provided: sk-ab***b5Zh. You can find your API key at https://platform.openai.com/account/api-keys., url: {OPENAI}, request id: req_5da8e9df50dd")),
    ("auth", CodexExec("unexpected status 401 Unauthorized: Invalid API key, url: http://localhost:20128/v1/responses")),
    ("auth", CodexExec(EXPIRED)),
    ("auth", CodexExec(f"unexpected status 401 Unauthorized: Your OpenAI account has been deactivated, please check your email for more information., url: {CHATGPT}, auth error: 401, auth error code: account_deactivated")),
    ("auth", CodexExec("exceeded retry limit, last status: 401 Unauthorized, request id: 99438b5929d256ae-OSL")),
    ("auth", CodexExec(f"unexpected status 401 Unauthorized: {{\"statusCode\": 401, \"message\": \"Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired.\"}}, url: {AZURE}")),
    ("auth", CodexNotice(EXPIRED)),
    # refused: the sign-in is good
    ("other", CodexExec(UNKNOWN)),
    ("other", CodexExec(f"unexpected status 403 Forbidden: , url: {CHATGPT}, request id: 9be4b1270fd6d08f-CDG")),
    ("other", CodexExec(f"unexpected status 403 Forbidden: {ATTENTION}")),
    ("other", CodexExec(f"Error running remote compact task: unexpected status 403 Forbidden: Unknown error, url: {CHATGPT}/compact, cf-ray: 9ef4e6b21dfa247e-EWR")),
    ("other", CodexExec("unexpected status 403 Forbidden: {\"error\":\"Client not allowed\",\"message\":\"Your client is not authorized to use this API key\",\"allowedClients\":[\"codex_cli\"]}, url: https://relay.example.com/openai/responses, request id: vpk2nns4b8")),
    ("other", CodexExec(f"unexpected status 401 Unauthorized: Principal does not have access to API/Operation., url: {AZURE}")),
    ("other", CodexExec(f"unexpected status 401 Unauthorized: key not allowed to access model. This key can only access models=['gpt-4']. Tried to access gpt-5.5, url: {PROXY}")),
    ("other", CodexExec(f"unexpected status 403 Forbidden: Public access is disabled. Please configure private endpoint., url: {AZURE}")),
    ("other", CodexNotice(UNKNOWN)),
    # service
    ("overloaded", CodexExec(f"{CUT}: stream closed before response.completed")),
    ("overloaded", CodexExec(f"{CUT}: response.failed event received")),
    ("overloaded", CodexExec("unexpected status 503 Service Unavailable: Unknown error, url: http://127.0.0.1:10100/v1/responses")),
    ("overloaded", CodexNotice(f"{CUT}: stream closed before response.completed")),
    # rate
    ("rate_limit", CodexExec(f"{CUT}: Too Many Requests")),
    ("rate_limit", CodexExec(f"{CUT}: Rate limit is exceeded. Try again in 11 seconds.")),
    ("rate_limit", CodexNotice(f"{CUT}: Rate limit reached for organization org-x on input-images per min: Limit 10, Used 10, Requested 2. Please try again in 12s. Visit https://platform.openai.com/account/rate-limits to learn more.")),
    # spent
    ("usage_limit", CodexExec("You've hit your usage limit. To continue using Codex and get access to GPT-5.3-Codex, start a free trial of Plus today (https://chatgpt.com/explore/plus), or try again at Jul 25th, 2026 5:55 PM.")),
    ("usage_limit", CodexExec(f"unexpected status 429 Too Many Requests: You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors., url: {OPENAI}")),
    ("usage_limit", CodexExec("unexpected status 402 Payment Required: Insufficient Balance, url: https://api.deepseek.com/v1/responses")),
    ("usage_limit", CodexExec(f"unexpected status 429 Too Many Requests: Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day, url: {ROUTER}")),
    ("usage_limit", CodexExec(f"unexpected status 403 Forbidden: Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys, url: {ROUTER}")),
    # request
    ("invalid", CodexExec(f"unexpected status 404 Not Found: The model `gpt-5.5` does not exist or you do not have access to it., url: {CHATGPT}, cf-ray: a374d54f4dfdb605-PRG")),
    ("invalid", CodexExec("unexpected status 404 Not Found: model 'gpt-5.5' not found, url: http://127.0.0.1:11434/v1/responses")),
    ("invalid", CodexExec("unexpected status 400 Bad Request: {\"detail\":\"Unsupported model\"}")),
    ("invalid", CodexExec("{\"error\":{\"message\":\"Item with id 'rs_06b3ecdc79f7f90b' not found.\",\"type\":\"invalid_request_error\",\"param\":\"input\",\"code\":null}}")),
    ("invalid", CodexExec(f"unexpected status 400 Bad Request: This model is not supported by Responses API, url: {AZURE}")),
    ("invalid", CodexExec("unexpected status 400 Bad Request: registry.ollama.ai/library/qwen3-coder-30b-32k:latest does not support tools, url: http://127.0.0.1:11434/v1/responses")),
    ("invalid", CodexExec(f"unexpected status 404 Not Found: No allowed providers are available for the selected model., url: {ROUTER}")),
)  # fmt: skip
