"""Views of slots, kept until something that they show has changed. Saves work and changes nothing.

A view of a run with a thousand slots is asked for thirty times a second while one of them moves. What a `SlotView` is made
of is listed in `_parts`, whole, so that a view can be kept for as long as its parts are the same; `run_view` with and
without a keeper gives equal values (tests/domain/test_kept_views.py). Nobody marks anything as changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import RunState, SlotRecord
from quarterdeck.domain.views import SlotView


class KeptViews:
    """One for each run, owned by who owns its state. `live` values and events are frozen; folds grow with `upto`."""

    def __init__(self) -> None:
        self._kept: dict[SlotId, tuple[tuple[Any, ...], SlotView]] = {}
        self._run_parts: tuple[Any, ...] = ()

    def views(
        self,
        state: RunState,
        folds: Mapping[AttemptId, AttemptFold],
        live: Mapping[AttemptId, Any],
        pinned: Any,
        make: Callable[[SlotRecord], SlotView],
    ) -> tuple[SlotView, ...]:
        """The view of every slot, in workflow order; one whose parts are the same is the same object as before.

        pinned: what else the views rest on, of the whole run; compared as it is.
        """
        of_run = _run_parts(state, pinned)
        if of_run != self._run_parts:
            self._kept, self._run_parts = {}, of_run
        kept, found = self._kept, []
        for slot_id, slot in state.slots.items():
            parts = _parts(state, slot, folds, live)
            entry = kept.get(slot_id)
            if entry is None or entry[0] != parts:
                entry = kept[slot_id] = (parts, make(slot))
            found.append(entry[1])
        return tuple(found)


def _run_parts(state: RunState, pinned: Any) -> tuple[Any, ...]:
    """What every slot's view rests on. A change makes all of them anew; each of these is rare."""
    return (
        state.run_id,
        state.is_live,
        state.stop_requested,
        state.sitting.go_on,
        tuple(state.answers.values()),
        tuple(state.standing.values()),
        tuple(state.settled.values()),
        tuple(state.slot_budgets.items()),
        pinned,
    )


def _parts(
    state: RunState, slot: SlotRecord, folds: Mapping[AttemptId, AttemptFold], live: Mapping[AttemptId, Any]
) -> tuple[Any, ...]:
    own = (
        slot.state,
        slot.hold,
        slot.retry_at_ms,
        slot.retry_cancelled,
        slot.reopened,
        slot.chosen,
        slot.refusal,
        slot.exhausted,
        slot.asked,
        slot.asked_at,
        slot.answer,
        slot.epoch,
    )
    if not slot.attempts:
        return own
    return own + tuple([_attempt_parts(state, i, folds.get(i), live.get(i)) for i in slot.attempts])


def _attempt_parts(
    state: RunState, attempt_id: AttemptId, fold: AttemptFold | None, live: Any
) -> tuple[Any, ...]:
    attempt = state.attempts[attempt_id]
    return (
        attempt,  # the same record: identity is compared first, and it is equal to itself
        attempt.status,
        attempt.lease,
        attempt.ended,
        attempt.ended_at,
        attempt.found_late,
        attempt.pause_requested,
        attempt.stop_requested,
        attempt.lost_message,
        attempt.lost_at,
        state.messages.get(attempt_id),
        fold,
        fold.upto if fold is not None else 0,
        fold.has_late if fold is not None else False,
        live,
        tuple([(said, state.settled_at[key]) for key, said in state.settled.items() if key[0] == attempt_id]),
    )
