"""More ways to spoil the product: who is silent, whose clock stands still, which limits are nearly spent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from quarterdeck.domain.views import AttemptView
from quarterdeck.engine import disk_views, live_signs
from quarterdeck.ui import (
    badges,
    present,
    present_board,
    present_budgets,
    present_nodes,
    present_runs,
    silence,
)
from tests.scenarios.tampering import Patch, tampering


@tampering
def silence_is_told_of_agents_alone(patch: Patch) -> None:
    """M7: title and badge go on saying Running."""
    patch.setattr(present, "run_badge_at", lambda run, now: badges.badge_of_run(run))


@tampering
def the_list_knows_of_no_silence(patch: Patch) -> None:
    patch.setattr(present_runs, "run_badge_at", lambda run, now: badges.badge_of_run(run))


@tampering
def a_silent_agent_goes_on_turning(patch: Patch) -> None:
    """LSE1: a spinner that means nothing."""
    patch.setattr(present_nodes, "badge_at", lambda slot, now: badges.badge_of_slot(slot))


@tampering
def one_silent_agent_silences_its_run(patch: Patch) -> None:
    def loudest(run: Any, now: Any) -> Any:
        badge = badges.badge_of_run(run)
        if badge.state != "Running":
            return badge
        return silence._silent(badge, max((silence._minutes(slot, now) for slot in run.slots), default=0))

    patch.setattr(present, "run_badge_at", loudest)


@tampering
def the_first_slot_speaks_for_its_node(patch: Patch) -> None:
    """The least urgent to know: another one of the node prints."""

    def first(slots: Any, now: Any) -> Any:
        badge = badges.badge_of_slots(slots)
        return next(slot for slot in slots if badges.badge_of_slot(slot) == badge)

    patch.setattr(present_nodes, "leading_slot", first)


@tampering
def agents_of_other_processes_are_never_silent(patch: Patch) -> None:
    patch.setattr(disk_views, "live_signs", lambda *asked: {})


@tampering
def a_clock_that_was_set_makes_silence(patch: Patch) -> None:
    """ID2: files know the wall clock alone."""
    patch.setattr(live_signs, "CLOCKS_APART_MS", 10**15)


@tampering
def silence_grows_only_when_something_moves(patch: Patch) -> None:
    patch.setattr(present_board, "is_ticking", lambda slot: False)


@tampering
def the_clock_of_a_lost_agent_runs_on(patch: Patch) -> None:
    """REC6."""
    patch.setattr(AttemptView, "stood_at", property(lambda attempt: attempt.ended_at))


@tampering
def a_raised_limit_is_still_warned_of(patch: Patch) -> None:
    """Ruling 12: what was said of a limit that stands no more."""

    def all_said(view: Any) -> Iterator[Any]:
        slots = {slot.slot_id: slot for slot in view.slots}
        for said in view.warned if view.is_live else ():
            slot = slots.get(said.slot_id)
            title = slot.title if slot is not None else ""
            limit, spent, words = present_budgets._standing(view, slot)
            if limit is not None and spent is not None:
                share = present_budgets.share_text(spent, limit)
                yield present_budgets.Nearly(view.run_id, said.slot_id, title, limit, words, share)

    patch.setattr(present, "nearly_spent", all_said)


@tampering
def a_warning_is_for_good(patch: Patch) -> None:
    """An attempt that follows has spent little of the same limit."""
    patch.setattr(present_budgets, "_is_nearly", lambda spent, limit: True)


@tampering
def no_warning_is_shown(patch: Patch) -> None:
    """H4."""
    patch.setattr(present, "nearly_spent", lambda view: iter(()))


@tampering
def a_slot_is_measured_by_the_limit_of_its_run(patch: Patch) -> None:
    right = present_budgets._standing
    patch.setattr(present_budgets, "_standing", lambda view, slot: right(view, None))
