"""JSON at speed where it is safe, exactly where it is not. For the engine's side; the shim uses `lines` alone.

orjson is several times faster than the standard library, but reads integers beyond 64 bits as floats, and neither
writes them nor half surrogate pairs. What agents say may hold both, so it falls back or is read exactly.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

_PLAIN_KINDS = frozenset(
    {"turn", "usage", "progress", "note", "paused", "continued", "starting", "started", "session"}
)
"""Kinds of reports that carry no JSON value of an agent's own; floods are made of them."""


def dumps(obj: dict[str, Any]) -> bytes:
    """Compact JSON in UTF-8. TypeError on foreign types, ValueError on NaN where orjson does not take the value."""
    try:
        return orjson.dumps(obj)
    except TypeError:
        return json.dumps(obj, separators=(",", ":"), allow_nan=False).encode("ascii")


def fast_loads(text: bytes) -> Any:
    """For our own values, which hold no integer beyond 64 bits. ValueError where it is no JSON."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def exact_loads(text: bytes) -> Any:
    """For values that agents made: every integer as it stands. ValueError where it is no JSON."""
    return json.loads(text)


def message_loads(text: bytes) -> Any:
    """For what a keeper says: fast for its totals and for facts that floods are made of, exact where a value may come."""
    said = fast_loads(text)
    fact = said.get("fact") if isinstance(said, dict) else None
    is_plain = fact is None or (isinstance(fact, dict) and fact.get("kind") in _PLAIN_KINDS)
    return said if is_plain else exact_loads(text)


def report_loads(text: bytes) -> Any:
    """For reports: fast for those that a flood is made of, exact for the rest."""
    obj = fast_loads(text)
    if isinstance(obj, dict) and obj.get("kind") in _PLAIN_KINDS:
        return obj
    return exact_loads(text)
