"""An agent that lives and prints nothing: said so where its state stands, in the place of a spinner that means nothing. Pure."""

from __future__ import annotations

from dataclasses import replace

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import AttemptView, SlotView
from quarterdeck.ui.badges import Badge, badge_of_slot

SILENT_MS = 60_000
"""An agent that printed nothing for so long is *alive, no output for …* (LSE1)."""
SILENT_ICON = "ellipsis"


def silent_minutes(attempt: AttemptView, now: Moment) -> int:
    """Whole minutes without output of an attempt that has a process; 0 where it printed since, or where that is not known."""
    said_at = attempt.last_output_at_ms
    if said_at is None or now.boot_ms - said_at < SILENT_MS:
        return 0
    return (now.boot_ms - said_at) // 60_000


def badge_at(slot: SlotView, now: Moment) -> Badge:
    """The badge of a slot at this moment: *Running* is *Silent* where its agent prints nothing. The state stays the same."""
    badge = badge_of_slot(slot)
    if badge.state != "Running" or not slot.attempts:
        return badge
    minutes = silent_minutes(slot.attempts[-1], now)
    return replace(badge, icon=SILENT_ICON, silent_min=minutes) if minutes else badge
