"""Telling readers that runs changed, and streaming the events of one run.

A `ChangeFeed` conflates: it remembers which runs changed, never how often, so it is bounded by the number of runs.
An `EventStream` keeps order; a reader that falls `LAG_MAX` events behind, or that comes after the oldest events were let
go of, is told so by an event of type `lagged`. An `EventHistory` keeps what a reader who comes late has to be told.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RunId

if TYPE_CHECKING:
    from quarterdeck.engine.door import FeedEvent

LAG_MAX = 100_000
HISTORY_MAX = 10_000
"""Events of a run kept for a reader that comes late; older ones are in the files."""
HISTORY_CHARS_MAX = 8_000_000


class ChangeFeed:
    """One subscription (the `Feed` of the door)."""

    def __init__(self, owner: Publisher) -> None:
        self._owner = owner
        self._dirty: set[RunId] = set()
        self._event = asyncio.Event()

    def mark(self, run: RunId) -> None:
        """Remember that a run changed."""
        self._dirty.add(run)
        self._event.set()

    async def wait_changed(self) -> None:
        """Returns when something changed since the last `take`."""
        await self._event.wait()

    def take(self) -> frozenset[RunId]:
        """The changed runs; empties the set."""
        taken = frozenset(self._dirty)
        self._dirty.clear()
        self._event.clear()
        return taken

    def close(self) -> None:
        """End the subscription; idempotent."""
        self._owner.drop(self)


class EventStream:
    """Ordered events of one run for one reader."""

    def __init__(self, backlog: tuple[FeedEvent, ...], lost: int = 0) -> None:
        self._waiting: deque[FeedEvent] = deque(backlog, maxlen=LAG_MAX)
        self._lost = lost
        self._ended = False
        self._event = asyncio.Event()

    def push(self, event: FeedEvent) -> None:
        """Add an event; the oldest is dropped, and counted, when the reader is too far behind."""
        if len(self._waiting) == LAG_MAX:
            self._lost += 1
        self._waiting.append(event)
        self._event.set()

    def end(self) -> None:
        """No event follows."""
        self._ended = True
        self._event.set()

    async def __aiter__(self) -> AsyncIterator[FeedEvent]:
        while True:
            while self._waiting:
                event = self._waiting.popleft()
                if self._lost:
                    lost, self._lost = self._lost, 0
                    yield _lagged(event, lost)
                yield event
            if self._ended:
                return
            self._event.clear()
            await self._event.wait()


class EventHistory:
    """The events of one run, bounded by number and by size, and those who read them as they come."""

    def __init__(self) -> None:
        self._kept: deque[tuple[FeedEvent, int]] = deque()
        self._chars = self._told = self._dropped = 0
        self._streams: list[EventStream] = []
        self._ended = False

    def tell(self, make: Callable[[int], FeedEvent]) -> None:
        """Add the event that `make` gives for its number (from 1, no gap)."""
        self._told += 1
        event = make(self._told)
        size = _chars(event.data)
        self._kept.append((event, size))
        self._chars += size
        while len(self._kept) > HISTORY_MAX or self._chars > HISTORY_CHARS_MAX:
            self._chars -= self._kept.popleft()[1]
            self._dropped += 1
        for stream in self._streams:
            stream.push(event)

    def stream(self) -> EventStream:
        """Everything that is kept, then what comes; `drop` it when it is not read any more."""
        stream = EventStream(tuple(event for event, _ in self._kept), self._dropped)
        if self._ended:
            stream.end()
        else:
            self._streams.append(stream)
        return stream

    def drop(self, stream: EventStream) -> None:
        """Forget a reader; idempotent."""
        if stream in self._streams:
            self._streams.remove(stream)

    def end(self) -> None:
        """Nothing more will be told."""
        self._ended = True
        for stream in self._streams:
            stream.end()
        self._streams.clear()


def _lagged(event: FeedEvent, lost: int) -> FeedEvent:
    """Says before an event that others before it were let go of."""
    return replace(event, type="lagged", slot=None, attempt=None, epoch=None, data={"lost": lost})


def _chars(value: object) -> int:
    """About how much an event holds: the texts in it."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict):
        return 64 + sum(_chars(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return 64 + sum(_chars(item) for item in value)
    return 16


class Publisher:
    """Every subscription of one engine."""

    def __init__(self) -> None:
        self._feeds: list[ChangeFeed] = []

    def subscribe(self) -> ChangeFeed:
        """A new conflating subscription."""
        feed = ChangeFeed(self)
        self._feeds.append(feed)
        return feed

    def drop(self, feed: ChangeFeed) -> None:
        """Forget a subscription."""
        if feed in self._feeds:
            self._feeds.remove(feed)

    def mark(self, run: RunId) -> None:
        """Tell every subscriber that a run changed."""
        for feed in self._feeds:
            feed.mark(run)
