"""A run whose journal is damaged and that nobody has: what all of its files together tell of it. Blocking; writes nothing.

It never was settled, or its end is not in its journal any more, so its end is worked out here at each look, by the rules by
which a dead session's runs are settled: every attempt by its own evidence, also one that the journal does not name. Then
it is a run that was interrupted, with costs "at least" (REC3, REC11, JNL5): no reader of views has a case for it. It is
unanswered until a person has said that it stays (`damage_answers`).
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from quarterdeck.domain.events import AttemptEnded
from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.last_signs import attempt_end, report_moment
from quarterdeck.domain.moment import Moment, later_of
from quarterdeck.domain.outcome import EXIT_STOPPED
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.retry import RetryContext
from quarterdeck.domain.run_fold import fold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    LeaseStatus,
    Outcome,
    Phase,
    SlotState,
)
from quarterdeck.domain.views import RunView
from quarterdeck.engine.attempt_ends import end_of
from quarterdeck.engine.damage import Damage, judge_damage, record_of
from quarterdeck.engine.deaths import DeathWatch
from quarterdeck.engine.disk_views import at_least, read_folds, shown_view, state_of
from quarterdeck.engine.left_runs import left_state
from quarterdeck.engine.pinning import pinned_spec
from quarterdeck.engine.report_folds import report_fold, upto_told
from quarterdeck.store.data_folder import Store
from quarterdeck.store.journal import JournalRead

LONG_DEAD_MS = 60_000


class KnownRun(NamedTuple):
    """A run for who looks at it: its state, what is wrong with its journal (None: nothing), and that journal.

    is_left: its owner is gone and nobody has settled it yet; the state is as settling would leave it.
    """

    state: RunState
    damage: Damage | None
    read: JournalRead
    is_left: bool = False


def known_run(store: Store, run: RunId) -> KnownRun:
    """By the journal, or by all of its files where that is damaged and nobody has the run. Raises StoreError, DomainError."""
    record = record_of(store, run)
    read = store.runs.read(run)
    state = state_of(store, run, read)
    damage = None if store.runs.is_owned(run) else judge_damage(store, run, read, record)
    if damage is not None:
        return KnownRun(damaged_state(store, run, read, damage), damage, read)
    if (left := left_state(store, read)) is not None:
        return KnownRun(left, None, read, is_left=left.end_seq is None)
    return KnownRun(state, None, read)


def damaged_view(store: Store, run: RunId, read: JournalRead, damage: Damage) -> RunView:
    """The view of journal and reports. Raises StoreError, DomainError."""
    return view_of_damaged(store, damaged_state(store, run, read, damage))


def view_of_damaged(store: Store, state: RunState) -> RunView:
    """The view of such a state: there may have been more (JNL6)."""
    return replace(at_least(shown_view(store, state)), damaged=True)


def damaged_state(store: Store, run: RunId, read: JournalRead, damage: Damage) -> RunState:
    """The journal's fold with what the reports tell beyond it. Raises StoreError, DomainError."""
    state = fold(read.entries)
    launches = [(one, store.attempts.launch(run, one) or {}) for one in damage.unnamed]
    for attempt, launch in sorted(launches, key=lambda pair: (_epoch(pair[1]), pair[0])):
        _name(state, attempt, launch)
    for record in state.open_attempts:
        _end(store, state, record)
    _interrupt(state, read_folds(store, state), damage)
    return state


def _epoch(launch: Mapping[str, Any]) -> int:
    return int(launch.get("epoch") or 0)


def _name(state: RunState, attempt: AttemptId, launch: Mapping[str, Any]) -> None:
    """Put an attempt into its slot, by its own launch file. One without a readable one stays in the words alone."""
    slot = state.slots.get(SlotId(str(launch.get("slot"))))
    specs = state.specs.get(slot.node_id, ()) if slot is not None else ()
    spec = next((one for one in specs if one.agent == launch.get("agent")), None)
    if slot is None or spec is None:
        return
    state.attempts[attempt] = AttemptRecord(
        attempt_id=attempt,
        slot_id=slot.slot_id,
        epoch=_epoch(launch),
        spec=spec,
        cause="schedule",
        actor=state.header.actor,
        session_id=state.sitting.session_id,
        claimed_at=state.sitting.opened_at,
        sitting=state.sitting.number,
    )
    slot.attempts.append(attempt)
    slot.epoch, slot.state = max(slot.epoch, _epoch(launch)), SlotState.CLAIMED
    slot.reopened = slot.refusal = None


def _end(store: Store, state: RunState, record: AttemptRecord) -> None:
    """By evidence, as it is now; an attempt of which something lives is lost and holds its slot."""
    found = DeathWatch(store.attempts, state.run_id, record.attempt_id).look(LONG_DEAD_MS)
    upto = upto_told(found.exit_file)
    folded = report_fold(store.attempts, state.run_id, record.attempt_id, upto)
    spec = pinned_spec(store.objects.get, record.spec.spec)
    said = end_of(state, record, spec, folded, found, RetryContext(), EndReason.APP_CLOSED)
    slot = state.slots[record.slot_id]
    if not isinstance(said, AttemptEnded):
        record.status, record.lease, record.lost_message = (
            AttemptStatus.LOST,
            LeaseStatus.SUSPECT,
            said.message,
        )
        record.lost_at = _last_sign(state, record, folded)
        return
    record.status, record.lease = said.status, said.lease
    record.ended, record.ended_at, record.found_late = said, state.sitting.last_sign_at, True
    record.raised_to = state.slot_budgets.get(record.slot_id)
    if slot.prior == record.attempt_id:
        slot.state, slot.exhausted = said.next_state, said.status is AttemptStatus.FAILED


def _last_sign(state: RunState, record: AttemptRecord, folded: AttemptFold) -> Moment:
    """Nobody journaled the loss: it is as old as the last sign of the run, or of the attempt itself."""
    last = state.sitting.last_sign_at
    return last if folded.last is None else later_of(last, report_moment(folded.last, record, folded))


def _interrupt(state: RunState, folds: Mapping[AttemptId, AttemptFold], damage: Damage) -> None:
    """The end of the run as far as it is known: of no number, at the last sign of anything in it."""
    if not damage.of_journal and state.phase is Phase.ENDED:  # the journal is whole and tells the end
        state.answered = state.answered or damage.answered
        return
    signs = [state.sitting.last_sign_at]
    for record in state.attempts.values():
        signs += _signs(record, folds.get(record.attempt_id))
    at = functools.reduce(later_of, signs)
    state.phase, state.outcome, state.exit_code = Phase.ENDED, Outcome.INTERRUPTED, EXIT_STOPPED
    state.message, state.ended_at, state.answered = damage.words, at, damage.answered
    state.sitting.ended_at = state.sitting.settled_at = at
    state.hold_for_person()


def _signs(record: AttemptRecord, folded: AttemptFold | None) -> list[Moment]:
    end = attempt_end(record, folded)
    return [] if end is None else [end]
