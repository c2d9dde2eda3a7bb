"""Keeps what was worked out for a part of the views until that part changes. Presentation stays a pure function of it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Memo:
    """One for each window. Bounded by what the window looks at: `forget_unused` drops the rest."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[tuple[Any, ...], Any]] = {}
        self._used: set[Hashable] = set()

    def value(self, key: Hashable, parts: tuple[Any, ...], make: Callable[[], T]) -> T:
        """The value kept for `key` while `parts` are the same (identical, or equal), else a new one."""
        self._used.add(key)
        entry = self._kept.get(key)
        if entry is not None and entry[0] == parts:  # compares identity first, part by part
            kept: T = entry[1]
            return kept
        made = make()
        self._kept[key] = (parts, made)
        return made

    def keeper(self, key: Hashable, make: Callable[[], T]) -> T:
        """An object that keeps parts by itself (and must give what it would give anew); one for each key."""
        return self.value(key, (), make)

    def forget_unused(self) -> None:
        """Drop what was not asked for since the last call."""
        self._kept = {key: entry for key, entry in self._kept.items() if key in self._used}
        self._used = set()
