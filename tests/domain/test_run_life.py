"""The life of a run against a naive model: every event is admitted or refused as A15 says, and shown as it says."""

from __future__ import annotations

from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from quarterdeck.domain.errors import BrokenInvariant, DomainError, IllegalTransition, UnknownRecord
from quarterdeck.domain.events import (
    AttemptLost,
    CommandRefused,
    Entry,
    Event,
    RunDiscarded,
    RunStopRequested,
)
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.reports_fold import AttemptFold, baseline_of
from quarterdeck.domain.run_fold import _TAKERS, advance, fold
from quarterdeck.domain.states import AttemptStatus, EndReason, Hold, LeaseStatus, Outcome, Phase, SlotState
from quarterdeck.domain.views import RunView
from tests.domain.build import (
    OWNER,
    at,
    claimed,
    ended,
    entries,
    history,
    launched,
    reassigned,
    run_ended,
    sitting,
    then,
)
from tests.domain.histories import SLOTS, Proposer, Reporter, plain
from tests.domain.naive_run import NaiveRun


def shown_by(view: RunView) -> dict[str, Any]:
    return {
        slot.slot_id: {
            "state": slot.state.value,
            "word": slot.display,
            "statuses": [attempt.status.value for attempt in slot.attempts],
            "effects": [{e.id: e.state.value for e in attempt.effects} for attempt in slot.attempts],
            "retry_at": slot.retry_at_ms,
        }
        for slot in view.slots
    }


def shown_by_naive(run: NaiveRun) -> dict[str, Any]:
    return {
        name: {
            "state": run.shown_state(name),
            "word": run.word(name),
            "statuses": [run.status(a) for a in slot["attempts"]],
            "effects": [run.effects(a) for a in slot["attempts"]],
            "retry_at": slot["retry_at"],
        }
        for name, slot in run.slots.items()
    }


class RunLife(RuleBasedStateMachine):
    """Events and reports of one run in any order; the product is asked with every one, also with impossible ones."""

    def __init__(self) -> None:
        super().__init__()
        self.state = history(launched(SLOTS))
        self.naive = NaiveRun(SLOTS)
        self.folds: dict[AttemptId, AttemptFold] = {}

    @rule(seed=st.integers(0, 2**32))
    def something_is_journaled(self, seed: int) -> None:
        proposer = Proposer(Random(seed), self.naive)
        proposer.minted = seed * 10
        event = proposer.propose()
        before = repr(self.state)
        try:
            advance(self.state, Entry(self.state.seq + 1, at(self.state.seq * 10), event))
        except DomainError:
            assert not self.naive.legal(plain(event)), f"refused though it may happen: {event}"
            assert repr(self.state) == before
            return
        assert self.naive.legal(plain(event)), f"admitted though it cannot happen: {event}"
        self.naive.take(plain(event))
        for attempt_id, attempt in self.state.attempts.items():
            self.folds.setdefault(attempt_id, self.new_fold(attempt.slot_id))
            if attempt.is_terminal:
                self.folds[attempt_id].close()

    def new_fold(self, slot: SlotId) -> AttemptFold:
        earlier = [self.folds[a] for a in self.state.slots[slot].attempts if a in self.folds]
        return AttemptFold(baseline_of(earlier))

    @rule(seed=st.integers(0, 2**32))
    def something_is_reported(self, seed: int) -> None:
        living = [a for a, record in self.naive.attempts.items() if record["upto"] is None]
        if not living:
            return
        random = Random(seed)
        attempt = random.choice(living)
        for _ in range(random.randrange(1, 6)):
            self.folds[AttemptId(attempt)].apply(Reporter(random, self.naive).say(attempt))

    @invariant()
    def the_view_is_what_the_naive_run_shows(self) -> None:
        view = run_view(self.state, self.folds, {}, {})
        assert shown_by(view) == shown_by_naive(self.naive)
        assert (view.phase.value, view.outcome) == (self.naive.phase, self.naive.outcome)

    @invariant()
    def the_invariants_of_a15_hold(self) -> None:
        for slot in self.state.slots.values():
            open_leases = [a for a in slot.attempts if not self.state.attempts[a].is_terminal]
            assert len(open_leases) <= 1  # I1
            epochs = [self.state.attempts[a].epoch for a in slot.attempts]
            assert epochs == sorted(set(epochs))  # I2
        if self.state.phase is not Phase.LIVE:
            assert all(
                s.hold is not Hold.TIMER and s.retry_at_ms is None for s in self.state.slots.values()
            )  # C4


RunLife.TestCase.settings = settings(max_examples=150, stateful_step_count=60)
TestRunLife = RunLife.TestCase


def test_every_kind_of_event_has_its_fold_and_no_other() -> None:
    assert set(_TAKERS) == set(Event.__args__)


def test_a_gap_or_a_journal_without_header_is_no_run() -> None:
    with pytest.raises(UnknownRecord):
        fold([])
    with pytest.raises(UnknownRecord):
        fold(entries(claimed("a", 1)))
    with pytest.raises(UnknownRecord):
        fold([*entries(launched()), Entry(3, at(), claimed("a", 1))])


def test_pins_are_written_once() -> None:
    """I9, E_IMMUTABLE."""
    with pytest.raises(BrokenInvariant, match="E_IMMUTABLE"):
        history(launched(), launched())


def test_an_ended_attempt_never_changes() -> None:
    """I7, E_TERMINAL, case 22: terminal is terminal."""
    state = history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED))
    with pytest.raises(IllegalTransition) as refused:
        then(state, ended("a", 1))
    assert refused.value.code == "E_TERMINAL"


def test_a_second_lease_or_a_lower_epoch_is_a_broken_invariant() -> None:
    """I1, I2."""
    state = history(claimed("a", 1))
    with pytest.raises(BrokenInvariant, match="I1"):
        then(state, claimed("a", 2, epoch=2))
    state = history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED), reassigned("a", 1, "k"))
    for epoch in (0, 1, 3):
        with pytest.raises(BrokenInvariant, match="I2"):
            then(state, claimed("a", 2, epoch=epoch, token="k"))


def test_a_new_sitting_inherits_no_stop_and_keeps_the_launch_sequence() -> None:
    """Cases 7 and 17; C2: a resumed run is the same run."""
    state = history(RunStopRequested(OWNER, EndReason.PERSON), run_ended())
    assert state.stop_requested is not None
    then(state, sitting(2))
    assert state.stop_requested is None
    assert (state.phase, state.header.launch_seq, len(state.sittings)) == (Phase.LIVE, 1, 2)
    with pytest.raises(IllegalTransition):
        then(history(run_ended(Outcome.COMPLETED)), sitting(2))


def test_refused_commands_move_nothing() -> None:
    """Ruling 14."""
    plain_state = history(claimed("a", 1))
    noted = history(CommandRefused("ClaimSlot", SlotId("a"), "E_CAPACITY", "wait", OWNER), claimed("a", 1))
    noted.seq = plain_state.seq
    noted.launched_at = plain_state.launched_at
    noted.sitting.last_sign_at = plain_state.sitting.last_sign_at
    noted.attempts[AttemptId("a-1")].claimed_at = plain_state.attempts[AttemptId("a-1")].claimed_at
    assert noted == plain_state


def test_the_end_of_a_sitting_erases_retry_times_and_holds_for_a_person() -> None:
    """C1, C4, I6: slot in retry wait, held, no time, no token; the attempt interrupted; the run not live."""
    failed = ended(
        "a", 1, status=AttemptStatus.FAILED, lease=LeaseStatus.RELEASED, hold=Hold.TIMER, retry_at_ms=900
    )
    state = history(claimed("a", 1), failed, run_ended(Outcome.INTERRUPTED))
    slot = state.slots[SlotId("a")]
    held = (slot.state, slot.hold, slot.retry_at_ms, slot.reopened)
    assert held == (SlotState.RETRY_WAIT, Hold.PERSON, None, None)
    with pytest.raises(IllegalTransition):
        then(state, claimed("a", 2, epoch=2, cause="retry"))


def test_a_survivor_that_ends_after_the_sitting_gets_no_timed_retry() -> None:
    """C4, ruling 4: timed retries never cross the end of a sitting."""
    lost = AttemptLost(SlotId("a"), AttemptId("a-1"), "no answer")
    failed = ended(
        "a", 1, status=AttemptStatus.FAILED, lease=LeaseStatus.RELEASED, hold=Hold.TIMER, retry_at_ms=900
    )
    slot = history(claimed("a", 1), lost, run_ended(Outcome.INTERRUPTED), failed).slots[SlotId("a")]
    assert (slot.hold, slot.retry_at_ms) == (Hold.PERSON, None)


def test_a_discarded_run_takes_nothing_more() -> None:
    """Row 16."""
    state = history(run_ended(), RunDiscarded(OWNER))
    for event in (sitting(2), claimed("a", 1), run_ended()):
        with pytest.raises(IllegalTransition):
            then(state, event)
