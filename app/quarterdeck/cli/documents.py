"""JSON that only the terminal prints: the lines of `run --events`. Times are ISO 8601 in UTC, as in `domain.show`, which makes all other documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarterdeck.domain.moment import iso_utc

if TYPE_CHECKING:
    from quarterdeck.engine.door import FeedEvent


def event_document(event: FeedEvent) -> dict[str, Any]:
    """One line of `run --events` (design §8)."""
    return {
        "seq": event.seq,
        "at": iso_utc(event.at.wall_ms),
        "type": event.type,
        "run": event.run,
        "slot": event.slot,
        "attempt": event.attempt,
        "epoch": event.epoch,
        "data": dict(event.data),
    }
