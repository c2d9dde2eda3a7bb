"""The test of a key: one call that costs nothing, straight to the service. Blocking; only on a person's act (ruling 25).

A key goes to the one address that is named and nowhere else: no redirect is followed. What is not clear proves nothing (AUT6).
"""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from quarterdeck.agents.sign_ins import Provider

WITHIN_S = 20.0
BODY_BYTES_MAX = 64 * 1024
NO_CALL = (
    "Nothing was asked: no call is known that tests this one without cost. Name its provider (anthropic, openai, google) or an "
    "endpoint, or let an agent use it."
)


@dataclass(frozen=True, slots=True)
class Probed:
    """passed None: neither was proved."""

    passed: bool | None
    words: str


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer: following it would hand the key to another address."""

    def redirect_request(self, *_: Any) -> None:
        return None


def probe_key(provider: Provider | None, endpoint: str, secret: str) -> Probed:
    """Ask the service for its list of models with the key. endpoint: empty, the provider's own."""
    if provider is None and not endpoint:
        return Probed(None, NO_CALL)
    base = (endpoint or (provider.endpoint if provider is not None else "")).rstrip("/")
    if provider is None:
        provider = Provider("", "", "", "authorization", "Bearer ")
    if not secret.isascii() or not secret.isprintable():
        return Probed(False, "The key holds characters that no service takes in a key; save it again.")
    headers = {
        **dict(provider.more_headers),
        provider.header: provider.prefix + secret,
        "accept": "application/json",
    }
    try:
        status, body = _get(base + provider.models, headers)
    except (OSError, http.client.HTTPException, ValueError) as error:
        why = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
        return Probed(None, f"{base} could not be asked: {why}. That proves nothing about the key.")
    return _judged(base, status, body)


def _get(url: str, headers: dict[str, str]) -> tuple[int, bytes]:
    opener = urllib.request.build_opener(_NoRedirect)
    request = urllib.request.Request(url, headers=headers)
    if request.type not in ("http", "https"):
        raise ValueError("no web address")
    try:
        with opener.open(request, timeout=WITHIN_S) as answer:
            return answer.status, answer.read(BODY_BYTES_MAX)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read(BODY_BYTES_MAX)


def _judged(base: str, status: int, body: bytes) -> Probed:
    if 200 <= status < 300:
        proves = "That proves the key, not that its account has money left or may use every model."
        return Probed(True, f"{base} accepted the key. {proves}")
    if status == 401 or (status == 400 and b"API_KEY_INVALID" in body):
        return Probed(False, f"{base} refused the key ({status}).")
    if status == 403:
        return Probed(
            None, f"{base} answered 403: it may refuse the key, or only this question. That proves nothing."
        )
    if status == 429:
        return Probed(None, f"{base} answered 429: a limit is reached. That proves nothing about the key.")
    return Probed(None, f"{base} answered {status}. That proves nothing about the key.")
