"""Pause, continue, stop and discard: A15 rows 5, 7 and 16."""

from __future__ import annotations

import pytest

from quarterdeck.domain.acts import judge_continue, judge_discard, judge_pause, judge_stop
from quarterdeck.domain.events import AttemptLost, RunDiscarded
from quarterdeck.domain.ids import AttemptId, SlotId, TenantId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus, Outcome
from tests.domain.build import OWNER, TENANT, claimed, ended, history, run_ended, then

A, A1 = SlotId("a"), AttemptId("a-1")


def code_of(answer: object) -> str:
    return answer.code.value if isinstance(answer, Refusal) else ""


@pytest.mark.parametrize("shown", list(AttemptStatus))
def test_pause_continue_and_stop_go_by_the_status_that_is_shown(shown: AttemptStatus) -> None:
    """Row 5, E_ATTEMPT_STATE; row 7: any attempt that has not ended."""
    state = history(claimed("a", 1))
    for judge, admitted in (
        (judge_pause, shown is AttemptStatus.RUNNING),
        (judge_continue, shown is AttemptStatus.PAUSED),
        (judge_stop, shown not in TERMINAL_ATTEMPT),
    ):
        answer = judge(state, A, shown, OWNER)
        assert code_of(answer) == ("" if admitted else "E_ATTEMPT_STATE")
        if admitted:
            then(history(claimed("a", 1)), answer)


def test_an_unknown_node_and_one_without_a_living_agent_are_refused() -> None:
    assert code_of(judge_pause(history(), SlotId("z"), AttemptStatus.RUNNING, OWNER)) == "E_SLOT"
    assert code_of(judge_stop(history(), A, AttemptStatus.STARTING, OWNER)) == "E_ATTEMPT_STATE"
    over = history(claimed("a", 1), ended("a", 1))
    assert code_of(judge_stop(over, A, AttemptStatus.SUCCEEDED, OWNER)) == "E_ATTEMPT_STATE"


def test_a_second_stop_adds_nothing() -> None:
    """Row 7: idempotent."""
    state = history(claimed("a", 1))
    first = judge_stop(state, A, AttemptStatus.RUNNING, OWNER)
    assert not isinstance(first, Refusal)
    assert first is not None
    then(state, first)
    assert judge_stop(state, A, AttemptStatus.STOPPING, OWNER) is None


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
