"""The tables of A15 as data: what they hold, and what lies outside of them."""

from __future__ import annotations

import itertools

import pytest

from quarterdeck.domain.attempt_table import ATTEMPT_TABLE, AttemptMove, attempt_after
from quarterdeck.domain.effect_table import EFFECT_TABLE, EffectMove, effect_after
from quarterdeck.domain.errors import IllegalTransition
from quarterdeck.domain.lease_table import LEASE_TABLE, LeaseMove, lease_after
from quarterdeck.domain.run_table import RUN_TABLE, RunMove, RunStanding, can_reopen, run_after
from quarterdeck.domain.slot_table import SLOT_TABLE, SlotMove, slot_after
from quarterdeck.domain.states import (
    TERMINAL_ATTEMPT,
    TERMINAL_LEASE,
    AttemptStatus,
    EffectState,
    LeaseStatus,
    SlotState,
)

TABLES = [
    (RUN_TABLE, RunStanding, RunMove, run_after),
    (SLOT_TABLE, SlotState, SlotMove, slot_after),
    (ATTEMPT_TABLE, AttemptStatus, AttemptMove, attempt_after),
    (LEASE_TABLE, LeaseStatus, LeaseMove, lease_after),
    (EFFECT_TABLE, EffectState, EffectMove, effect_after),
]


@pytest.mark.parametrize(("table", "states", "moves", "after"), TABLES)
def test_a_move_is_taken_where_the_table_has_it_and_raises_everywhere_else(
    table, states, moves, after
) -> None:  # type: ignore[no-untyped-def]
    for state, move in itertools.product(states, moves):
        if (state, move) in table:
            assert after("key", state, move) is table[state, move]
        else:
            with pytest.raises(IllegalTransition) as refused:
                after("key", state, move)
            assert (refused.value.state, refused.value.event) == (state.value, move.value)


def test_nothing_leads_out_of_a_terminal_attempt_or_lease() -> None:
    """E_TERMINAL."""
    assert not [state for state, _ in ATTEMPT_TABLE if state in TERMINAL_ATTEMPT]
    assert not [state for state, _ in LEASE_TABLE if state in TERMINAL_LEASE]
    with pytest.raises(IllegalTransition) as refused:
        lease_after("a-1", LeaseStatus.REVOKED, LeaseMove.RELEASE)
    assert refused.value.code == "E_TERMINAL"


def test_silence_makes_a_lease_suspect_and_never_ends_it() -> None:
    """LSE4."""
    assert lease_after("a-1", LeaseStatus.GRANTED, LeaseMove.SUSPECT) is LeaseStatus.SUSPECT
    assert LeaseStatus.SUSPECT not in TERMINAL_LEASE


def test_a_stop_may_be_asked_again() -> None:
    """Row 7: idempotent."""
    assert attempt_after("a-1", AttemptStatus.STOPPING, AttemptMove.STOP) is AttemptStatus.STOPPING


def test_pause_needs_a_running_and_continue_a_paused_agent() -> None:
    """Row 5."""
    assert [s for (s, m) in ATTEMPT_TABLE if m is AttemptMove.PAUSE] == [AttemptStatus.RUNNING]
    assert [s for (s, m) in ATTEMPT_TABLE if m is AttemptMove.CONTINUE] == [AttemptStatus.PAUSED]


def test_only_runs_that_were_left_open_may_be_taken_up() -> None:
    """A15, run phase."""
    assert {s.value for s in RunStanding if can_reopen(s)} == {
        "ended(stopped)",
        "ended(failed)",
        "ended(interrupted)",
    }


def test_an_effect_that_was_sent_and_never_answered_is_unknown_at_the_end_and_no_other_changes() -> None:
    """EFF2, EFF3: unknown is settled by a probe or a person alone, any number of times (EFF6)."""
    for state in EffectState:
        after = effect_after("e", state, EffectMove.END)
        assert after is (EffectState.UNKNOWN if state is EffectState.SENT else state)
    assert effect_after("e", EffectState.UNKNOWN, EffectMove.SETTLE_ABSENT) is EffectState.ABSENT
    assert effect_after("e", EffectState.ABSENT, EffectMove.SETTLE_CONFIRMED) is EffectState.CONFIRMED
    accepted = effect_after("e", EffectState.UNKNOWN, EffectMove.ACCEPT)
    assert accepted is EffectState.ACCEPTED_BY_PERSON


def test_active_and_held_are_never_journaled() -> None:
    """Design §5: projections of the join."""
    assert not {SlotState.ACTIVE, SlotState.HELD} & set(SLOT_TABLE.values())
