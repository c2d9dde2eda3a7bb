"""JSON that only the terminal prints: the lines of `run --events`. All else is made by `domain.show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quarterdeck.domain.show import moment_to_json

if TYPE_CHECKING:
    from quarterdeck.engine.door import FeedEvent


def event_document(event: FeedEvent) -> dict[str, Any]:
    """One line of `run --events` (design §8)."""
    return {
        "seq": event.seq,
        "at": moment_to_json(event.at),
        "type": event.type,
        "run": event.run,
        "slot": event.slot,
        "attempt": event.attempt,
        "epoch": event.epoch,
        "data": dict(event.data),
    }
