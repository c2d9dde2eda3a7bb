"""Waiting for descriptors: a selector that is told each time what is wanted, and changes only what differs."""

from __future__ import annotations

import selectors
from collections.abc import Mapping


class Watch:
    """Owns the selector of one loop."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._watched: dict[int, int] = {}

    def set(self, wanted: Mapping[int, int]) -> None:
        """{descriptor: selectors.EVENT_…}; all others are let go. A descriptor must be let go before it is closed."""
        for fd in [fd for fd in self._watched if fd not in wanted]:
            self._selector.unregister(fd)
            del self._watched[fd]
        for fd, events in wanted.items():
            if fd not in self._watched:
                self._selector.register(fd, events)
            elif self._watched[fd] != events:
                self._selector.modify(fd, events)
            self._watched[fd] = events

    def wait(self, timeout_s: float | None) -> list[tuple[int, int]]:
        """(descriptor, events) of what is ready; None waits for ever."""
        return [(key.fd, events) for key, events in self._selector.select(timeout_s)]
