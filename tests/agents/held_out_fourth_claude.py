"""The fourth list: what a stream of Claude Code tells of a failed turn, and of what it tries again.

The word beside a text is the one that its documents name for that status; None: a version without it. Sources, by the word beside each group:

- login: https://github.com/anthropics/claude-code issues 6752, 29497, 54863, 60648, 65101
- gateways: anthropics/claude-code 52307, ollama/ollama 13776, Alishahryar1/free-claude-code issues 419, 1021, dinoanderson/qwen_cli_coder 1
- aws: https://github.com/anthropics/claude-code issues 77, 849, 28032, 76701; vertex: anthropics/claude-code 726
- refused: anthropics/claude-code-action 1089, thedotmack/claude-mem 690, Wei-Shaw/claude-relay-service 1125, TabularEditor/TabularEditor3 1557,
  davrous/AzureAgentToM365 3
- network: https://github.com/anthropics/claude-code issues 4064, 8032, 8223, 43050
- spent: https://github.com/anthropics/claude-code issues 18446, 22603, 50784, griffinmartin/opencode-claude-auth 209
- credits: gptme/gptme 1449, astrio-labs/forall 76, Gitlawb/openclaude 936, pollinations/pollinations 12136
- rate: cline/cline 130, Aculeasis/openrouter-proxy 1, continuedev/continue 9800
- service: https://github.com/anthropics/claude-code issues 2919, 8116, 81327, brent-weatherall/opencode-commandcode-provider 8
- request: https://github.com/anthropics/claude-code issues 12692, 13558, 20692, 57095, 63568, aliargun/mcp-server-gemini 8,
  Wei-Shaw/claude-relay-service 499, Gitlawb/openclaude 353, farion1231/cc-switch 995, maxnowack/anthropic-proxy 4
"""

from __future__ import annotations

import json
from typing import Any

from tests.agents.held_out import Claude, Retry


def _own(kind: str, message: str) -> str:
    """Anthropic's own body."""
    error = {"type": kind, "message": message}
    return json.dumps(
        {"type": "error", "error": error, "request_id": "req_011CaDN5ruUzzZ7auxMPerEW"}, separators=(",", ":")
    )


def _of(message: str, **more: Any) -> str:
    """The body of somebody else."""
    return json.dumps({"error": {"message": message, **more}}, separators=(",", ":"))


NOT_FOR_ORG = _own("permission_error", "OAuth authentication is currently not allowed for this organization.")
NO_MEMBER = _own("permission_error", "Account is no longer a member of the organization associated with this token.")  # fmt: skip
REVOKED = _own("permission_error", "OAuth token has been revoked. Please obtain a new token.")
NGINX = "<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body>\r\n<center><h1>403 Forbidden</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>"
PLAIN = "<html>\n<head><title>403 Forbidden</title></head>\n<body>\n<center><h1>403 Forbidden</h1></center>\n</body>\n</html>"
NO_MODEL = _of("key not allowed to access model. This key can only access models=['gpt-4']. Tried to access claude-x", type="key_model_access_denied", param="model", code="401")  # fmt: skip
NO_CLIENT = '{"error":"Client not allowed","message":"Your client is not authorized to use this API key","allowedClients":["codex_cli"]}'
NO_ROLE = _of("The principal `1234` lacks the required data action `Microsoft.CognitiveServices/accounts/AIServices/agents/write` to perform `POST /api/projects/{projectName}/assistants` operation. For instructions on granting the necessary permissions, see https://aka.ms/FoundryPermissions.", code="PermissionDenied")  # fmt: skip
PRIVATE = _of("Public access is disabled. Please configure private endpoint.", code="403")
NO_CERTIFICATE = "SSL certificate error (UNABLE_TO_GET_ISSUER_CERT_LOCALLY). If you are behind a corporate proxy or TLS-intercepting firewall, set NODE_EXTRA_CA_CERTS to your CA bundle path, or ask IT to allowlist *.anthropic.com. Run /doctor for details."
KEY_LIMIT = _of(
    "Key limit exceeded (monthly limit). Manage it using https://openrouter.ai/settings/keys", code=403
)
AFFORD = _of("This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 2666. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account", code=402, metadata={"provider_name": None})  # fmt: skip
FREE_DAY = _of("Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day", code=429, metadata={"headers": {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0"}})  # fmt: skip
SUSPENDED = _of("Account ada is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices. Please go to https://fireworks.ai/account/billing for more information.", param=None, code="PRECONDITION_FAILED", type="error")  # fmt: skip
UPSTREAM = _of("Provider returned error", code=429, metadata={"raw": "google/gemini-2.0-flash-exp:free is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits: https://openrouter.ai/settings/integrations", "provider_name": "Google AI Studio"})  # fmt: skip
LONG = _own("rate_limit_error", "Extra usage is required for long context requests.")
OUT_OF = _own("rate_limit_error", "You're out of extra usage. Add more at claude.ai/settings/usage and keep going.")  # fmt: skip
THINKING = "thinking or redacted_thinking blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
FIRST = "messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be 'thinking' or 'redacted_thinking'. Found 'text'."
NO_RESULT = "messages.10.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01LoTJ1T77p1AVjPqt27jQXh. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
SCHEMA = "tools.80.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
KEPT = '{"error":"The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."}'
NIM = '{"status":404,"title":"Not Found","detail":"Function \'23d4f03a-b8a6-4adb-a183-7daa083a09cc\': Not found for account \'Qawmu2vUw3rd\'"}'
NO_PROVIDERS = _of("No allowed providers are available for the selected model.", code=404, metadata={"available_providers": ["z-ai"], "requested_providers": ["anthropic"]})  # fmt: skip
CLAUDE: tuple[tuple[str, Claude | Retry], ...] = (
    # login
    ("auth", Claude("authentication_failed", 401, f"API Error: 401 {_own('authentication_error', 'OAuth authentication is currently not allowed for this organization.')}")),
    ("auth", Claude("oauth_org_not_allowed", 403, f"API Error: 403 {NOT_FOR_ORG}")),
    ("auth", Claude("authentication_failed", 403, f"Please run /login · API Error: 403 {NO_MEMBER}")),
    ("auth", Claude(None, None, f"API Error: 403 {REVOKED}")),
    ("auth", Claude("invalid_request", 400, "API Error: 400 This organization has been disabled.")),
    # gateways: the key of another service
    ("auth", Claude("authentication_failed", 401, "Please run /login · API Error: 401 {\"detail\":\"Invalid API key\"}")),
    ("auth", Claude("authentication_failed", 401, "Please run /login · API Error: 401 unauthorized")),
    ("auth", Claude("authentication_failed", 401, "API Error: 401 {\"code\":\"InvalidApiKey\",\"message\":\"Invalid API-key provided.\",\"request_id\":\"01415ff3\"}")),
    # aws, vertex
    ("auth", Claude("unknown", None, "API Error: The SSO session associated with this profile has expired. To refresh this SSO session run aws sso login with the corresponding profile.")),
    ("auth", Claude("unknown", None, "API Error: UnauthorizedException: Session token not found or invalid")),
    ("auth", Claude(None, None, "API Error: 403 The security token included in the request is expired · Please run /login")),
    ("auth", Claude(None, None, "API Error: {\"error\":\"invalid_grant\",\"error_description\":\"reauth related error (rapt_required)\",\"error_subtype\":\"rapt_required\"}")),
    # refused: words of a sign-in, before what a good sign-in may not do
    ("other", Claude("authentication_failed", 403, f"Failed to authenticate. API Error: 403 {PLAIN}")),
    ("other", Claude("authentication_failed", 403, f"Please run /login · API Error: 403 {NGINX}")),
    ("other", Claude("authentication_failed", 401, f"Please run /login · API Error: 401 {NO_MODEL}")),
    ("other", Claude("authentication_failed", 403, f"Please run /login · API Error: 403 {NO_CLIENT}")),
    ("other", Claude("authentication_failed", 401, f"Please run /login · API Error: 401 {NO_ROLE}")),
    ("other", Claude("authentication_failed", 403, f"Please run /login · API Error: 403 {PRIVATE}")),
    # network
    ("other", Claude("unknown", None, NO_CERTIFICATE)),
    ("other", Claude(None, None, "Failed to connect to api.anthropic.com: UNABLE_TO_GET_ISSUER_CERT_LOCALLY")),
    ("other", Claude(None, None, "API Error (Connection error.) · TypeError (fetch failed)")),
    ("other", Claude(None, None, "Unable to connect to API due to poor internet connection")),
    ("other", Claude(None, None, "OAuth error: unable to get local issuer certificate")),
    # spent
    ("usage_limit", Claude("rate_limit", 429, "You're out of extra usage · resets 10am", is_limit_told=True)),
    ("usage_limit", Claude(None, None, "You're out of extra usage · resets Feb 4, 8pm (Europe/Budapest)")),
    ("usage_limit", Claude("rate_limit", 429, f"API Error: 429 {LONG}")),
    ("usage_limit", Claude(None, None, f"API Error: 429 {OUT_OF}")),
    # credits: whatever the status
    ("usage_limit", Claude("authentication_failed", 403, f"Failed to authenticate. API Error: 403 {KEY_LIMIT}")),
    ("usage_limit", Claude(None, None, f"API Error: 402 {AFFORD}")),
    ("usage_limit", Claude("rate_limit", 429, f"API Error: 429 {FREE_DAY}")),
    ("usage_limit", Claude("unknown", 412, f"API Error: 412 {SUSPENDED}")),
    # rate, aws
    ("rate_limit", Claude("rate_limit", 429, f"API Error: 429 {_own('rate_limit_error', 'Number of request tokens has exceeded your per-minute rate limit')}")),
    ("rate_limit", Claude(None, None, "API Error (429 Too many tokens, please wait before trying again.)")),
    ("rate_limit", Claude("rate_limit", 429, f"API Error: 429 {UPSTREAM}")),
    ("rate_limit", Claude("rate_limit", 429, "API Error: 429 Tokens per minute limit exceeded - too many tokens processed.")),
    # service
    ("overloaded", Claude("server_error", 500, f"API Error: 500 {_own('api_error', 'Overloaded')}")),
    ("overloaded", Claude("overloaded", 529, "API Error: 529 Overloaded. This is a server-side issue, usually temporary — try again in a moment. If it persists, check https://status.claude.com.")),
    ("overloaded", Claude(None, None, f"API Error (529 {_own('overloaded_error', 'Overloaded')})")),
    ("overloaded", Claude("server_error", 503, "API Error: 503 {\"type\":\"server_error\",\"message\":\"Service temporarily unavailable. Please try again shortly.\"}")),
    ("overloaded", Retry("server_error", 504)), ("overloaded", Retry("server_error", 520)),
    # request
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {_own('invalid_request_error', f'messages.3.content.109: {THINKING}')}")),
    ("invalid", Claude("invalid_request", 400, "API Error: 400 messages.7.content.22: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.")),
    ("invalid", Claude(None, None, f"API Error: 400 {_own('invalid_request_error', FIRST)}")),
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {_own('invalid_request_error', NO_RESULT)}")),
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {_own('invalid_request_error', 'A maximum of 4 blocks with cache_control may be provided. Found 5.')}")),
    ("invalid", Claude(None, None, f"API Error: 400 {_own('invalid_request_error', SCHEMA)}")),
    ("invalid", Claude("invalid_request", 400, f"API Error: 400 {KEPT}")),
    ("invalid", Claude("model_not_found", 404, f"API Error: 404 {NIM}")),
    ("invalid", Claude(None, None, f"API Error: 404 {NO_PROVIDERS}")),
    ("invalid", Claude(None, None, f"API Error: 400 {_of('qwen/qwen3-x:free is not a valid model ID', code=400)}")),
    ("invalid", Claude("unknown", 404, f"API Error: 404 {_of('Requested API is currently not supported', code='api_not_supported')}")),
)  # fmt: skip
