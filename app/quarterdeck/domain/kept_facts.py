"""Facts that an agent can pile up, kept within declared limits. What is beyond stays in the report file, and is counted.

A limit looks at facts of its own kind alone: the live engine does not see every kind, and must keep what the shim and
recovery keep.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

F = TypeVar("F")


@dataclass(frozen=True, slots=True)
class Limit:
    """How many facts of a kind are kept, and how much text they may hold together, in characters."""

    count: int
    chars: int


EFFECTS = Limit(10_000, 4_000_000)
ARTIFACTS = Limit(10_000, 4_000_000)
QUESTIONS = Limit(200, 8_000_000)
MESSAGES_HEARD = Limit(200, 100_000)
QUESTION_IDS = Limit(10_000, 2_000_000)
"""Ids under which an attempt has asked: what is asked under one of them again is another question."""
CHECKPOINTS = Limit(1_000, 16_000_000)
NOTES = Limit(1_000, 4_000_000)
ERRORS = Limit(100, 1_000_000)
MODELS = Limit(50, 8_000)
"""Each is a part of the figures, which go to the app ten times a second and into the space that is reserved for the end."""
MODEL_CHARS = 500
"""A longer name is cut."""
MESSAGES = Limit(10_000, 2_000_000)
"""Ids of messages that are known to be counted; also of what a slot's earlier attempts leave to its next one."""
SESSIONS = Limit(200, 100_000)
"""Agent sessions of which usage is counted apart."""


class FirstFacts(dict[str, F]):
    """Facts by key, in the order of their first report; one for which there is no room is counted in `beyond`."""

    def __init__(self, limit: Limit) -> None:
        super().__init__()
        self.limit, self.beyond = limit, 0
        self._chars, self._sizes = 0, dict[str, int]()

    def put(self, key: str, fact: F, chars: int) -> bool:
        """Keep a fact of so many characters in the place of an older one of its key; False where it has no room."""
        before = self._sizes.get(key)
        is_full = before is None and len(self) >= self.limit.count
        if is_full or self._chars - (before or 0) + chars > self.limit.chars:
            self.beyond += 1
            return False
        self._store(key, fact, chars)
        return True

    def drop(self, key: str) -> None:
        """Forget a fact that is settled; its room is free again."""
        if key in self:
            del self[key]
            self._chars -= self._sizes.pop(key)

    def _store(self, key: str, fact: F, chars: int) -> None:
        self._chars += chars - self._sizes.get(key, 0)
        self._sizes[key], self[key] = chars, fact


class NewestFacts(FirstFacts[F]):
    """Facts by key, the newest last; the oldest make room, and are counted in `beyond`. The newest is always kept."""

    def put(self, key: str, fact: F, chars: int) -> bool:
        """Keep a fact of so many characters. Always True."""
        self.drop(key)
        self._store(key, fact, chars)
        while len(self) > self.limit.count or (self._chars > self.limit.chars and len(self) > 1):
            self.drop(next(iter(self)))
            self.beyond += 1
        return True


def chars_of(report: dict[str, Any]) -> int:
    """About how much text a report holds."""
    return len(json.dumps(report, ensure_ascii=False, default=str))
