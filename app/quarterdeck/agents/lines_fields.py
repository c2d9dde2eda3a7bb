"""Checking the fields of one line of the lines protocol (design §7): each returns a value or raises WrongField. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

ID_CHARS_MAX = 500
TEXT_CHARS_MAX = 64 * 1024
QUESTION_CHARS_MAX = 1_000_000
ITEMS_MAX = 100
COUNT_MAX = 10**15


class WrongField(ValueError):
    """A field has a wrong type or value: the line counts as text."""


def identifier(line: Mapping[str, Any], name: str) -> str:
    """A non-empty text, or a whole number as text."""
    value = line.get(name)
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip() or len(value) > ID_CHARS_MAX:
        raise WrongField(name)
    return value


def text(line: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """A text, cut at TEXT_CHARS_MAX; missing or null gives the default, and without one is wrong."""
    value = line.get(name)
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise WrongField(name)
    return value if len(value) <= TEXT_CHARS_MAX else value[:TEXT_CHARS_MAX] + "…"


def question(line: Mapping[str, Any], name: str) -> dict[str, str | int]:
    """The field of a question: whole, as a person answers what it says. Only beyond QUESTION_CHARS_MAX it is cut, and its
    length and SHA-256 are kept, so that no other is taken for it.
    """
    value = line.get(name)
    if not isinstance(value, str):
        raise WrongField(name)
    if len(value) <= QUESTION_CHARS_MAX:
        return {name: value}
    whole = hashlib.sha256(value.encode("utf-8", "backslashreplace")).hexdigest()
    return {name: value[:QUESTION_CHARS_MAX] + "…", "whole_chars": len(value), "whole_sha256": whole}


def told(line: Mapping[str, Any], name: str) -> dict[str, str | int]:
    """A field that may be anything and is shown as text; nothing where it is missing, null or empty. One that is too long to be
    shown whole says so, as a question does.
    """
    value = line.get(name)
    if value is None or value == "":
        return {}
    said = value if isinstance(value, str) else json.dumps(value)
    if len(said) <= TEXT_CHARS_MAX:
        return {name: said}
    return {name: said[:TEXT_CHARS_MAX] + "…", "whole_chars": len(said)}


def label(line: Mapping[str, Any], name: str) -> str:
    """A text, cut at ID_CHARS_MAX: it goes to the app again and again. Missing or null is empty."""
    whole = text(line, name, "")
    return whole if len(whole) <= ID_CHARS_MAX else whole[:ID_CHARS_MAX] + "…"


def whole_text(line: Mapping[str, Any], name: str) -> str | None:
    """A text of any length, or None."""
    value = line.get(name)
    if value is not None and not isinstance(value, str):
        raise WrongField(name)
    return value


def count(line: Mapping[str, Any], name: str) -> int:
    """A whole number from 0; missing or null is 0."""
    value = line.get(name)
    if value is None:
        return 0
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= COUNT_MAX:
        raise WrongField(name)
    return value


def number(line: Mapping[str, Any], name: str) -> int | float | None:
    """A number from 0 to COUNT_MAX, or None. Beyond that, arithmetic with it could fail, or say nothing."""
    value = line.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= COUNT_MAX:
        raise WrongField(name)
    return value


def flag(line: Mapping[str, Any], name: str) -> bool:
    """A boolean; missing or null is False."""
    value = line.get(name)
    if value is not None and not isinstance(value, bool):
        raise WrongField(name)
    return bool(value)


def one_of(line: Mapping[str, Any], name: str, allowed: frozenset[str]) -> str:
    """One of the allowed words."""
    value = line.get(name)
    if not isinstance(value, str) or value not in allowed:
        raise WrongField(name)
    return value


def texts(line: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts; missing or null is an empty one."""
    value = line.get(name)
    if value is None:
        return []
    if not isinstance(value, list) or len(value) > ITEMS_MAX:
        raise WrongField(name)
    if not all(isinstance(item, str) and len(item) <= TEXT_CHARS_MAX for item in value):
        raise WrongField(name)
    return value
