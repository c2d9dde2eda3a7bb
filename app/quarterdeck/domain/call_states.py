"""Where a tool call stands, as its program's transcript says it; only for showing. What it did is an effect, and has states of its own."""

from __future__ import annotations

from enum import StrEnum


class CallState(StrEnum):
    """As far as the program told."""

    CALLED = "called"
    ASKED = "asked"
    """A person is asked for leave."""
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


ENDED = frozenset({CallState.DONE, CallState.FAILED, CallState.REFUSED})
