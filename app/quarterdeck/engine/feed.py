"""Telling readers that runs changed, and streaming the events of one run.

A `ChangeFeed` conflates: it remembers which runs changed, never how often, so it is bounded by the number of runs.
An `EventStream` keeps order; a reader that falls `LAG_MAX` events behind is told so by an event of type `lagged`.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from quarterdeck.domain.ids import RunId
from quarterdeck.engine.door import FeedEvent

LAG_MAX = 100_000


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

    def __init__(self, backlog: tuple[FeedEvent, ...]) -> None:
        self._waiting: deque[FeedEvent] = deque(backlog, maxlen=LAG_MAX)
        self._lost = 0
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
                    yield FeedEvent(
                        event.seq, event.at, "lagged", event.run, None, None, None, {"lost": lost}
                    )
                yield event
            if self._ended:
                return
            self._event.clear()
            await self._event.wait()


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
