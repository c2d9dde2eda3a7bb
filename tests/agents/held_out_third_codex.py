"""The third list: what `codex exec --json` tells: its last `error` with `turn.failed`, and the notices of what it tries again.

The words alone say what it was: the stream carries no code. Sources, by the word beside each group:

- enum: openai/codex codex-rs/protocol/src/error.rs: its messages, what each is to the protocol, and which of them are tried again
- tokens: openai/codex codex-rs/login: its messages of a refresh token; openai/codex 25246, iam-brain/opencode-codex-auth 28
- region: https://github.com/openai/codex issues 8516, 9714, 27752, jlcodes99/cockpit-tools 611
- azure: https://github.com/openai/codex issues 1354, 3048, and Azure's bodies
- gateway: qxcnm/Codex-Manager 123, OpenRouter's 402 (QwenLM/qwen-code 73), and what LiteLLM answers to a model that it has not
- network: https://github.com/openai/codex issues 13811, 18647, 26764, 44517, router-for-me/CLIProxyAPI 2358
- service: https://developers.openai.com/docs/guides/error-codes
- asked: openai/codex: a model that the plan has not, a prompt that was flagged; an organization that was not verified

A connection that never came about is `other`; an answer that was cut off after it began is `overloaded`, whatever words stand before it.
"""

from __future__ import annotations

from typing import NamedTuple


class CodexExec(NamedTuple):
    """The message of its `error`, and of the `turn.failed` after it."""

    message: str


class CodexNotice(NamedTuple):
    """What stands in brackets behind `Reconnecting... 2/5` in an `error` that is no end."""

    cause: str


CHATGPT = "https://chatgpt.com/backend-api/codex/responses"
OPENAI = "https://api.openai.com/v1/responses"
COULD_NOT = "Your access token could not be refreshed"
AGAIN = "Please log out and sign in again."
BLOCKED = f"Access blocked by Cloudflare. This usually happens when connecting from a restricted region (status 403 Forbidden), url: {CHATGPT}, cf-ray: a017c86b1fe9602b-HKG"
COUNTRY = f"unexpected status 403 Forbidden: Country, region, or territory not supported, url: {OPENAI}, request id: req_1, auth error: 403, auth error code: unsupported_country_region_territory"
CUT = "stream disconnected before completion"
NOT_YOURS = "The 'gpt-5.3-codex-spark' model is not supported when using Codex with a ChatGPT account."
UNVERIFIED = "Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization."
CODEX: tuple[tuple[str, CodexExec | CodexNotice], ...] = (
    # tokens
    ("auth", CodexExec(f"{COULD_NOT} because your refresh token has expired. {AGAIN}")),
    ("auth", CodexExec(f"{COULD_NOT} because your refresh token was already used. {AGAIN}")),
    ("auth", CodexExec(f"{COULD_NOT} because your refresh token was revoked. {AGAIN}")),
    ("auth", CodexExec(f"{COULD_NOT}. {AGAIN}")),
    ("auth", CodexExec(f"unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: {OPENAI}, cf-ray: 9a1, request id: req_0123456789")),
    ("auth", CodexExec(f"unexpected status 401 Unauthorized: Your authentication token has been invalidated. Please try signing in again., url: {CHATGPT}, auth error: 401, auth error code: token_invalidated")),
    ("auth", CodexExec(f"unexpected status 401 Unauthorized: {{\"detail\":\"Unauthorized\"}}, url: {CHATGPT}")),
    # azure, gateway
    ("auth", CodexExec("unexpected status 401 Unauthorized: { \"statusCode\": 401, \"message\": \"Access denied due to a missing application credentials or subscription key.\" }, url: https://x.azure-api.net/openai/responses")),
    ("auth", CodexExec("unexpected status 401 Unauthorized: Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription., url: https://x.openai.azure.com/openai/v1/responses")),
    ("auth", CodexExec("Missing environment variable: `AZURE_OPENAI_API_KEY`. Set it to the key of your resource.")),
    ("auth", CodexExec("unexpected status 401 Unauthorized: missing api key, url: http://localhost:48760/v1/responses")),
    # region, gateway: refused, and not for the sign-in
    ("other", CodexExec(BLOCKED)),
    ("other", CodexExec(f"{BLOCKED}, request id: req_1, auth error: 403")),
    ("other", CodexExec(COUNTRY)),
    ("other", CodexExec(f"unexpected status 403 Forbidden: <!DOCTYPE html><html lang=\"en-US\"><head><title>Just a moment...</title><meta http-equiv=\"Content-Type\" content=\"text/html; charset=UTF-8\">..., url: {CHATGPT}")),
    ("other", CodexExec("unexpected status 403 Forbidden: Invalid model name passed in model=x. Call `/v1/models` to view available models for your key., url: http://localhost:4000/v1/responses")),
    ("other", CodexExec(f"unexpected status 407 Proxy Authentication Required: Unknown error, url: {OPENAI}")),
    # network: it was never reached
    ("other", CodexExec(f"{CUT}: error sending request for url ({CHATGPT})")),
    ("other", CodexExec(f"Connection failed: error sending request for url ({OPENAI})")),
    ("other", CodexExec(f"{CUT}: tls handshake eof")),
    ("other", CodexExec(f"{CUT}: 由于目标计算机积极拒绝，无法连接。 (os error 10061)")),
    ("other", CodexExec(f"{CUT}: failed to lookup address information: Temporary failure in name resolution")),
    ("other", CodexExec("Connection failed: invalid peer certificate: UnknownIssuer")),
    # network, service: it was reached, and did not come to an end
    ("overloaded", CodexExec(f"{CUT}: IO error: peer closed connection without sending TLS close_notify")),
    ("overloaded", CodexExec(f"{CUT}: Transport error: network error: error decoding response body")),
    ("overloaded", CodexExec(f"{CUT}: websocket closed by server before response.completed")),
    ("overloaded", CodexExec(f"{CUT}: idle timeout waiting for SSE")),
    ("overloaded", CodexExec(f"{CUT}: The server had an error while processing your request. Sorry about that! You can retry your request, or contact us if the error persists.")),
    ("overloaded", CodexExec("Error while reading the server response: error decoding response body, request id: req_1")),
    # enum: the service
    ("overloaded", CodexExec("Selected model is at capacity. Please try a different model.")),
    ("overloaded", CodexExec("We're currently experiencing high demand, which may cause temporary errors.")),
    ("overloaded", CodexExec("exceeded retry limit, last status: 500 Internal Server Error, request id: req_1")),
    ("overloaded", CodexExec(f"unexpected status 502 Bad Gateway: Unknown error, url: {CHATGPT}, cf-ray: 9a1")),
    ("overloaded", CodexExec(f"unexpected status 503 Service Unavailable: upstream connect error or disconnect/reset before headers. reset reason: connection termination, url: {OPENAI}")),
    # enum: limits
    ("rate_limit", CodexExec("exceeded retry limit, last status: 429 Too Many Requests, request id: abc123")),
    ("rate_limit", CodexExec(f"{CUT}: Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 22999, Requested 12528. Please try again in 11.054s.")),
    ("rate_limit", CodexExec("unexpected status 429 Too Many Requests: Rate limit reached for requests, url: http://localhost:4000/v1/responses")),
    ("usage_limit", CodexExec("Quota exceeded. Check your plan and billing details.")),
    ("usage_limit", CodexExec("To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.")),
    ("usage_limit", CodexExec("You've hit your usage limit for gpt-5.5-codex. Switch to another model now, or try again at 3:45 PM.")),
    ("usage_limit", CodexExec("You've hit your usage limit. To get more access now, send a request to your admin or try again at Dec 3rd, 2026 9:12 AM.")),
    ("usage_limit", CodexExec("Your workspace is out of credits. Add credits to continue.")),
    ("usage_limit", CodexExec("Your workspace is out of credits. Ask your workspace owner to refill in order to continue.")),
    ("usage_limit", CodexExec("You hit your spend cap set in your workspace. Increase your spend cap to continue.")),
    ("usage_limit", CodexExec("You hit your spend cap set by the owner of your workspace. Ask an owner to increase your spend cap to continue.")),
    ("usage_limit", CodexExec("unexpected status 402 Payment Required: This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 222., url: https://openrouter.ai/api/v1/responses")),
    # asked
    ("invalid", CodexExec("Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.")),
    ("invalid", CodexExec(f"{{\"type\":\"error\",\"status\":400,\"error\":{{\"type\":\"invalid_request_error\",\"message\":\"{NOT_YOURS}\"}}}}")),
    ("invalid", CodexExec(f"{{\"detail\":\"{NOT_YOURS}\"}}")),
    ("invalid", CodexExec(f"{{\"error\":{{\"message\":\"{UNVERIFIED}\",\"type\":\"invalid_request_error\",\"param\":\"reasoning.summary\",\"code\":\"unsupported_value\"}}}}")),
    ("invalid", CodexExec("{\"error\":{\"message\":\"Invalid prompt: your prompt was flagged as potentially violating our usage policy.\",\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"invalid_prompt\"}}")),
    ("invalid", CodexExec("unexpected status 404 Not Found: The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again., url: https://x.openai.azure.com/openai/v1/responses")),
    ("invalid", CodexExec("Image poisoning")),
    ("invalid", CodexExec("no thread with id: 01a22901-7f1a-7703-bada-1ca7dae49a53")),
    # enum: neither the request nor the service
    ("other", CodexExec("This content was flagged for possible cybersecurity risk. If this seems wrong, try rephrasing your request.")),
    ("other", CodexExec("codex-linux-sandbox was required but not provided")),
    ("other", CodexExec("sandbox error: Landlock was not able to fully enforce all sandbox rules")),
    # notices
    ("auth", CodexNotice(f"unexpected status 401 Unauthorized: {{\"detail\":\"Unauthorized\"}}, url: {CHATGPT}")),
    ("auth", CodexNotice(f"unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: {OPENAI}")),
    ("other", CodexNotice(COUNTRY)),
    ("other", CodexNotice(f"{CUT}: failed to lookup address information: Temporary failure in name resolution")),
    ("overloaded", CodexNotice(f"unexpected status 502 Bad Gateway: Unknown error, url: {CHATGPT}")),
    ("overloaded", CodexNotice(f"{CUT}: idle timeout waiting for SSE")),
)  # fmt: skip
