"""Taking out of text what should not be handed on: secrets and home folders. Pure but for the values handed in.

Known secrets are replaced by their name; beside them what looks like a key of a well-known service. It is a net, no proof:
who hands an export on should look at the preview.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

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
    for secret in _longest_first(secrets):
        raw = secret.encode("utf-8", "surrogatepass")
        if len(secret) >= SHORTEST_SECRET and raw in content:
            content = content.replace(raw, b"*" * len(raw))
    return content


def masked_text(text: str, secrets: Iterable[str]) -> str:
    """Known secrets of a text as asterisks, character for character."""
    for secret in _longest_first(secrets):
        if len(secret) >= SHORTEST_SECRET and secret in text:
            text = text.replace(secret, "*" * len(secret))
    return text


def _longest_first(secrets: Iterable[str]) -> list[str]:
    """Of two that begin alike the longer leaves no tail."""
    return sorted(secrets, key=len, reverse=True)


_STAYS = frozenset(
    {
        *("attempt_id", "command_id", "effect_id", "id", "message_id", "node_id", "prior_attempt", "request_id", "run_id", "slot_id"),
        *("because", "exact", "options", "pins", "sha256", "stored", "workflow_id"),
    }
)  # fmt: skip
"""Fields by which a thing is found, or which are sent back as they are."""
T = TypeVar("T")


Told = dict[int, tuple[object, object]]
"""{id of a value: (it, it without secrets)}"""


def with_asterisks(
    value: T, secrets: Collection[str], before: Told | None = None, kept: Told | None = None
) -> T:
    """A frozen value with known secrets as asterisks in every text of it, but in what it is found by. What holds none is the same
    object.

    before: what an earlier call kept; a part that is the same object is not looked through again. kept: takes what this one found.
    """
    if not secrets:
        return value
    return cast(T, _Asterisks(secrets, before or {}, {} if kept is None else kept).of(value))


class _Asterisks:
    def __init__(self, secrets: Collection[str], before: Told, kept: Told) -> None:
        self._secrets, self._before, self._kept = _longest_first(secrets), before, kept

    def of(self, value: Any) -> Any:
        if isinstance(value, str):
            return masked_text(value, self._secrets)
        if isinstance(value, tuple | list):
            told = [self.of(one) for one in value]
            if all(map(operator.is_, told, value)):
                return value
            return type(value)(*told) if hasattr(value, "_fields") else type(value)(told)
        if isinstance(value, dict):
            named = {self.of(key): self.of(one) for key, one in value.items()}
            is_same = len(named) == len(value) and all(
                named.get(key, self) is one for key, one in value.items()
            )
            return value if is_same else named
        names = _text_fields(type(value))
        return self._of_parts(value, names) if names else value

    def _of_parts(self, value: Any, names: tuple[str, ...]) -> Any:
        pair = self._before.get(id(value))
        if pair is None or pair[0] is not value:
            now = {name: getattr(value, name) for name in names}
            changed = {name: told for name, one in now.items() if (told := self.of(one)) is not one}
            pair = (value, replace(value, **changed) if changed else value)
        self._kept[id(value)] = pair
        return pair[1]


_TEXT_FIELDS: dict[type, tuple[str, ...]] = {}


def _text_fields(kind: type) -> tuple[str, ...]:
    """Fields of a frozen value that may hold text, worked out once for each kind; none of what is no such value."""
    if (known := _TEXT_FIELDS.get(kind)) is not None:
        return known
    every = fields(kind) if is_dataclass(kind) else ()
    _TEXT_FIELDS[kind] = names = tuple(one.name for one in every if one.init and one.name not in _STAYS)
    return names


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
