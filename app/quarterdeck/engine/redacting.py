"""Taking out of text what should not be handed on: secrets and home folders. Pure but for the values handed in.

Known secrets are replaced by their name; beside them what looks like a key of a well-known service. It is a net, no proof:
who hands an export on should look at the preview.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from quarterdeck.domain.sign_ins import SECRET_NAME

SHORTEST_SECRET = 6
_LOOKS_SECRET = re.compile(
    r"""
    -----BEGIN\ [A-Z ]*PRIVATE\ KEY-----.*?(?:-----END\ [A-Z ]*PRIVATE\ KEY-----|\Z)
    | \b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bglpat-[A-Za-z0-9_-]{16,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,} | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{30,}
    | \beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+
    | (?<=://)[^/\s:@]*:[^/\s@]+(?=@)
    | (?<=://)(?!git@)[^/\s:@\[\]]{6,}(?=@)
    | (?i:(?<=bearer\ )[A-Za-z0-9._~+/=-]{12,})
    | (?i:(?<=authorization:\ )[^\r\n]{8,})
    """,
    re.VERBOSE | re.DOTALL,
)
_NAMED_SECRET = re.compile(
    rf"(?i)\b({SECRET_NAME.pattern})(\\?[\"']?\s*[=:]\s*\\?[\"']?)([^\s\"',;\\]{{6,}})"
)
_HOMES = re.compile(r"(/home/|/Users/|[A-Za-z]:\\Users\\)[^/\\\s\"'<>|:*?]+")


def masked(content: bytes, secrets: Iterable[str]) -> bytes:
    """Known secrets as asterisks, byte for byte, so that places in a transcript stay what they are."""
    for secret in secrets:
        raw = secret.encode("utf-8", "surrogatepass")
        if len(secret) >= SHORTEST_SECRET and raw in content:
            content = content.replace(raw, b"*" * len(raw))
    return content


class Redactor:
    """home: of the person, absolute. secrets: {name: value}. `secrets_out` and `homes_out` count what was replaced."""

    def __init__(self, home: str, secrets: Mapping[str, str]) -> None:
        self._home = home.rstrip("/")
        known = {value: name for name, value in secrets.items() if len(value) >= SHORTEST_SECRET}
        self._secrets = dict(sorted(known.items(), key=lambda item: -len(item[0])))
        self.secrets_out = self.homes_out = 0

    def value(self, value: Any) -> Any:
        """JSON with every text in it, keys too, as `text` gives it."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {self.text(str(key)): self._under(str(key), one) for key, one in value.items()}
            case list() | tuple():
                return [self.value(one) for one in value]
            case _:
                return value

    def _under(self, key: str, value: Any) -> Any:
        """A text under a key that is named like a secret goes whole; numbers stay (`"token": 3` counts), and lists (of names)."""
        if not SECRET_NAME.fullmatch(key):
            return self.value(value)
        return self._hidden(value) if isinstance(value, str) else self.value(value)

    def _hidden(self, value: str) -> str:
        told = self.text(value)
        if len(value) < SHORTEST_SECRET or told.startswith("[secret"):
            return told
        self.secrets_out += 1
        return "[secret]"

    def text(self, text: str) -> str:
        """Known secrets first: what is left is looked at by its shape."""
        for secret, name in self._secrets.items():
            if secret in text:
                self.secrets_out += text.count(secret)
                text = text.replace(secret, f"[secret {name}]")
        text, count = _LOOKS_SECRET.subn("[secret]", text)
        text, more = _NAMED_SECRET.subn(_without_value, text)
        self.secrets_out += count + more
        if len(self._home) > 1:
            text, count = re.subn(re.escape(self._home) + r"(?![\w.-])", "~", text)
            self.homes_out += count
        text, count = _HOMES.subn("~", text)
        self.homes_out += count
        return text


def _without_value(found: re.Match[str]) -> str:
    if found.group(3).startswith("[secret"):
        return found.group(0)
    return f"{found.group(1)}{found.group(2)}[secret]"
