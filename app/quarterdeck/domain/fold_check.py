"""Whether the fold would take an event, asked before the event is written: a journal never holds what its fold refuses."""

from __future__ import annotations

from copy import copy

from quarterdeck.domain.events import Entry, Event
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.run_fold import advance
from quarterdeck.domain.run_state import RunState, SlotRecord


def check(state: RunState, event: Event, at: Moment) -> None:
    """Raises what `advance` would raise for the event as the next entry; changes nothing.

    The fold is tried on a copy of what it may change: of the slot and attempt that the event names, or of all slots.
    """
    advance(_trial(state, event), Entry(state.seq + 1, at, event))


def _trial(state: RunState, event: Event) -> RunState:
    trial = copy(state)
    named, attempt = getattr(event, "slot_id", None), getattr(event, "attempt_id", None)
    trial.slots = dict(state.slots)
    for slot_id in [named] if named is not None else state.slots:
        if slot_id in trial.slots:
            trial.slots[slot_id] = _slot(trial.slots[slot_id])
    trial.attempts = dict(state.attempts)
    if attempt in trial.attempts:
        trial.attempts[attempt] = copy(trial.attempts[attempt])
    trial.sittings = [*state.sittings[:-1], copy(state.sittings[-1])]
    trial.slot_budgets, trial.warned = dict(state.slot_budgets), dict(state.warned)
    trial.answers, trial.settled = dict(state.answers), dict(state.settled)
    trial.standing, trial.messages = dict(state.standing), dict(state.messages)
    trial.standing_at = dict(state.standing_at)
    trial.settled_at, trial.sleeps = dict(state.settled_at), list(state.sleeps)
    trial.used_tokens, trial.commands = set(state.used_tokens), dict(state.commands)
    return trial


def _slot(slot: SlotRecord) -> SlotRecord:
    trial = copy(slot)
    trial.attempts = list(slot.attempts)
    return trial
