"""Agents that live and print nothing: said wherever a state stands, in the place of a spinner that means nothing. Pure.

Every badge of a moment comes from here: of a slot, of the slots of a node, of a run. A run is *Silent* where all of its agents
at work are. What is shown changes, never the state.
"""

from __future__ import annotations

from dataclasses import replace

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import AttemptView, RunSummary, RunView, SlotView
from quarterdeck.ui.badges import Badge, badge_of_attempt, badge_of_run, badge_of_slot, badge_of_slots

SILENT_MS = 60_000
"""An agent that printed nothing for so long is *alive, no output for …* (LSE1)."""
SILENT_ICON = "ellipsis"
AT_WORK = frozenset({"Starting", "Running", "Stopping"})


def silent_minutes(attempt: AttemptView, now: Moment) -> int:
    """Whole minutes without output of an attempt that has a process; 0 where it printed since, or where that is not known."""
    said_at = attempt.last_output_at_ms
    if said_at is None or now.boot_ms - said_at < SILENT_MS:
        return 0
    return (now.boot_ms - said_at) // 60_000


def badge_at(slot: SlotView, now: Moment) -> Badge:
    """The badge of a slot at this moment: *Running* is *Silent* where its agent prints nothing. The state stays the same."""
    return _silent(badge_of_slot(slot), _minutes(slot, now))


def attempt_badge_at(attempt: AttemptView, now: Moment) -> Badge:
    """The same of one attempt, in the list of attempts and on the timeline."""
    is_running = attempt.status is AttemptStatus.RUNNING
    return _silent(badge_of_attempt(attempt.status), silent_minutes(attempt, now) if is_running else 0)


def newest_badge_at(slot: SlotView, now: Moment) -> Badge:
    """Of a slot's newest attempt: while a person is asked it stands as its slot does, and nobody waits for its words."""
    badge = badge_at(slot, now)
    return badge if badge.state == "Needs you" else attempt_badge_at(slot.attempts[-1], now)


def leading_slot(slots: tuple[SlotView, ...], now: Moment) -> SlotView:
    """The slot that stands for all of a node: of the most urgent ones the first that prints, or was silent the shortest."""
    badge = badge_of_slots(slots)
    alike = [slot for slot in slots if badge_of_slot(slot) == badge]
    return min(alike, key=lambda slot: badge_at(slot, now).silent_min)


def run_badge_at(run: RunSummary | RunView, now: Moment) -> Badge:
    """The badge of a run at this moment: *Silent* for as long as every agent of it that is at work is."""
    badge = badge_of_run(run)
    if badge.state != "Running" or not isinstance(run, RunView):
        return badge
    working = [slot for slot in run.slots if slot.display in AT_WORK]
    return _silent(badge, min((_minutes(slot, now) for slot in working), default=0))


def _minutes(slot: SlotView, now: Moment) -> int:
    """0 also of an agent that starts or is being stopped: nobody waits for its words."""
    return silent_minutes(slot.attempts[-1], now) if slot.display == "Running" and slot.attempts else 0


def _silent(badge: Badge, minutes: int) -> Badge:
    return replace(badge, icon=SILENT_ICON, silent_min=minutes) if minutes else badge
