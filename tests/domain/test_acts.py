"""Pause, continue, stop and discard: A15 rows 5, 7 and 16."""

from __future__ import annotations

import pytest

from quarterdeck.domain.acts import judge_continue, judge_discard, judge_pause, judge_stop, judge_stop_run
from quarterdeck.domain.errors import IllegalTransition
from quarterdeck.domain.events import (
    AttemptContinueRequested,
    AttemptEnded,
    AttemptLost,
    AttemptPauseRequested,
    AttemptStopRequested,
    RetryCancelled,
    RunDiscarded,
    RunStopRequested,
)
from quarterdeck.domain.ids import AttemptId, SlotId, TenantId
from quarterdeck.domain.outcome import judge_outcome
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.scheduling import never, next_steps, next_wakeup
from quarterdeck.domain.shown import display_of, slot_reason
from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus, EndReason, Hold, LeaseStatus, Outcome
from tests.domain.build import OWNER, TENANT, claimed, ended, history, reassigned, run_ended, then
from tests.domain.test_scheduling import graph_of

A, A1 = SlotId("a"), AttemptId("a-1")


def code_of(answer: object) -> str:
    return answer.code.value if isinstance(answer, Refusal) else ""


def words_of(answer: object) -> str:
    assert isinstance(answer, Refusal)
    return answer.message


@pytest.mark.parametrize("shown", list(AttemptStatus))
def test_pause_continue_and_stop_go_by_the_status_that_is_shown(shown: AttemptStatus) -> None:
    """Row 5, E_ATTEMPT_STATE; row 7: any attempt that has not ended."""
    pause = AttemptPauseRequested(A, A1, OWNER)
    for judge, before, admitted in (
        (judge_pause, (), shown is AttemptStatus.RUNNING),
        (judge_continue, (pause,), shown is AttemptStatus.PAUSED),
        (judge_stop, (), shown not in TERMINAL_ATTEMPT),
    ):
        answer = judge(history(claimed("a", 1), *before), A, shown, OWNER)
        if admitted:
            assert answer is not None
            then(history(claimed("a", 1), *before), answer)
        elif shown not in (AttemptStatus.RUNNING, AttemptStatus.PAUSED):
            assert code_of(answer) == "E_ATTEMPT_STATE"


def test_one_that_has_ended_well_is_done_in_words_as_in_the_window() -> None:
    done = judge_stop(history(claimed("a", 1)), A, AttemptStatus.SUCCEEDED, OWNER)
    assert words_of(done) == "A is done; there is nothing to stop."


def test_what_was_asked_last_decides_while_the_shim_has_not_said_so_yet() -> None:
    """Row 5: orders reach a shim in their order, so that its report may be one behind."""
    running, paused = AttemptStatus.RUNNING, AttemptStatus.PAUSED
    pause, go_on = AttemptPauseRequested(A, A1, OWNER), AttemptContinueRequested(A, A1, OWNER)
    fresh, asked = history(claimed("a", 1)), history(claimed("a", 1), pause)
    let_go = history(claimed("a", 1), pause, go_on)
    assert judge_pause(asked, A, running, OWNER) is None
    assert judge_continue(asked, A, running, OWNER) == go_on
    assert judge_pause(let_go, A, paused, OWNER) == pause
    assert judge_continue(let_go, A, paused, OWNER) is None
    assert (
        words_of(judge_pause(asked, A, paused, OWNER)) == "A is paused; only a running agent can be paused."
    )
    assert (
        words_of(judge_continue(fresh, A, running, OWNER)) == "A is running; only a paused agent can go on."
    )


def test_an_unknown_node_and_one_without_a_living_agent_are_refused_in_words() -> None:
    for judge in (judge_pause, judge_continue, judge_stop):
        unknown = judge(history(), SlotId("z"), None, OWNER)
        assert code_of(unknown) == "E_SLOT"
        assert "no node z" in words_of(unknown)
        assert code_of(judge(history(), A, None, OWNER)) == "E_ATTEMPT_STATE"
        over = judge(history(claimed("a", 1), ended("a", 1)), A, AttemptStatus.SUCCEEDED, OWNER)
        assert code_of(over) == "E_ATTEMPT_STATE"
    assert words_of(judge_stop(history(), A, None, OWNER)) == "A is not started; there is nothing to stop."


def test_a_second_stop_adds_nothing_before_and_after_the_end() -> None:
    """Row 7: idempotent."""
    state = history(claimed("a", 1))
    first = judge_stop(state, A, AttemptStatus.RUNNING, OWNER)
    assert not isinstance(first, Refusal)
    assert first is not None
    then(state, first)
    assert judge_stop(state, A, AttemptStatus.STOPPING, OWNER) is None
    then(state, ended("a", 1, status=AttemptStatus.STOPPED))
    assert judge_stop(state, A, AttemptStatus.STOPPED, OWNER) is None
    then(state, reassigned("a", 1, "k"))
    assert code_of(judge_stop(state, A, AttemptStatus.STOPPED, OWNER)) == "E_ATTEMPT_STATE"


def failed_with_retry() -> AttemptEnded:
    return ended(
        "a", 1, status=AttemptStatus.FAILED, lease=LeaseStatus.RELEASED, hold=Hold.TIMER, retry_at_ms=900
    )


def test_the_stop_of_a_slot_that_waits_for_its_retry_cancels_the_retry_and_is_shown() -> None:
    """Case 17, row 7, ruling 1: no attempt follows, nothing behind it starts, and a person may take it up."""
    graph = graph_of(["a", "b"], [("a", "b", "always")])
    state = history(claimed("a", 1), failed_with_retry())
    assert display_of(state, state.slots[A], None, False) == "Retrying"
    cancel = judge_stop(state, A, AttemptStatus.FAILED, OWNER)
    assert cancel == RetryCancelled(A, OWNER)
    then(state, cancel)
    slot = state.slots[A]
    assert (slot.hold, slot.retry_at_ms, next_wakeup(state)) == (Hold.PERSON, None, None)
    assert display_of(state, slot, None, False) == "Stopped"
    assert slot_reason(slot, state.attempts[A1]) == "exit 1; stopped before its next try"
    assert next_steps(graph, state, 10_000, never) == ()
    assert judge_stop(state, A, AttemptStatus.FAILED, OWNER) is None
    assert judge_outcome(state)[:2] == (Outcome.STOPPED, 4)
    then(state, reassigned("a", 1, "k"))
    assert not state.slots[A].retry_cancelled


def test_only_a_slot_that_waits_for_its_retry_has_one_to_cancel() -> None:
    held = history(claimed("a", 1), ended("a", 1, status=AttemptStatus.FAILED))
    for state in (history(), history(claimed("a", 1)), held, history(run_ended())):
        with pytest.raises(IllegalTransition):
            then(state, RetryCancelled(A, OWNER))


def test_a_journaled_stop_outranks_a_retry_that_an_end_asks_for() -> None:
    """Case 17: whatever was judged, the fold admits no retry after a stop."""
    state = history(
        claimed("a", 1), AttemptStopRequested(A, A1, OWNER, EndReason.PERSON), failed_with_retry()
    )
    assert (state.slots[A].hold, state.slots[A].retry_at_ms) == (Hold.PERSON, None)


def test_a_run_is_stopped_once_and_an_ended_one_has_nothing_to_stop() -> None:
    """ID5: stop during another stop, and after it."""
    stop = judge_stop_run(history(), OWNER)
    assert stop == RunStopRequested(OWNER, EndReason.PERSON)
    assert judge_stop_run(history(stop), OWNER) is None
    assert judge_stop_run(history(stop, run_ended()), OWNER) is None
    for outcome in (Outcome.COMPLETED, Outcome.FAILED, Outcome.INTERRUPTED):
        assert code_of(judge_stop_run(history(run_ended(outcome)), OWNER)) == "E_TERMINAL"


def test_a_run_is_discarded_by_its_owner_once_it_has_ended_and_nothing_of_it_may_live() -> None:
    """Row 16, C7, REC13."""
    lost = history(claimed("a", 1), AttemptLost(A, A1, "no answer"), run_ended(Outcome.INTERRUPTED))
    cases: list[tuple[RunState | None, str, str]] = [
        (None, OWNER, "E_RUN"),
        (history(run_ended()), "grace", "E_ACTOR"),
        (lost, OWNER, "E_SURVIVOR"),
        (history(claimed("a", 1)), OWNER, "E_SURVIVOR"),
        (history(), OWNER, "E_TERMINAL"),
        (history(run_ended(), RunDiscarded(OWNER)), OWNER, "E_TERMINAL"),
        (history(run_ended()), OWNER, ""),
        (history(run_ended(Outcome.COMPLETED)), OWNER, ""),
    ]
    for state, actor, code in cases:
        assert code_of(judge_discard(state, TENANT, actor)) == code
    assert code_of(judge_discard(history(run_ended()), TenantId("t-2"), OWNER)) == "E_TENANT"
