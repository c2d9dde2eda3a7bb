"""Guards of the claim: A15 row 2, SLT15–SLT21, FIM3, rulings 2 and 3."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.domain.commands import ClaimSlot
from quarterdeck.domain.errors import IllegalTransition
from quarterdeck.domain.events import (
    AttemptLost,
    ClaimRefused,
    CommandRefused,
    RunStopRequested,
    SlotCancelled,
)
from quarterdeck.domain.guards import (
    ClaimGrant,
    admits_report,
    first_answer,
    judge_claim,
    refusal_again,
)
from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId, TenantId, TokenId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.sign_ins import Remembered, SignInUse
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    Hold,
    LeaseStatus,
    Outcome,
    SlotState,
)
from tests.domain.build import (
    OWNER,
    RUN,
    SESSION,
    TENANT,
    claimed,
    ended,
    history,
    reassigned,
    run_ended,
    sitting,
    then,
)

A = SlotId("a")
FAILED_BEFORE = Remembered(SignInUse("a-1", "r-1", "Night", "Lint", "env:KEY", "agent"), 0, "no")


def ask(**changes: Any) -> ClaimSlot:
    values: dict[str, Any] = {
        "command_id": CommandId("c-9"),
        "tenant": TENANT,
        "run_id": RUN,
        "slot_id": A,
        "actor": OWNER,
        "attempt_id": AttemptId("a-9"),
        "cause": "person",
    }
    return ClaimSlot(**{**values, **changes})


def code_of(answer: Refusal | ClaimGrant) -> str:
    return answer.code.value if isinstance(answer, Refusal) else ""


def stopped() -> RunState:
    return history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED), run_ended())


def retrying(retry_at_ms: int = 500) -> RunState:
    failed = ended(
        "a",
        1,
        status=AttemptStatus.FAILED,
        lease=LeaseStatus.RELEASED,
        hold=Hold.TIMER,
        retry_at_ms=retry_at_ms,
    )
    return history(claimed("a", 1), failed)


def test_a_claim_makes_one_worker_and_one_lease_with_the_next_epoch() -> None:
    """FIM3, SLT15, row 2."""
    state = then(stopped(), reassigned("a", 1, "k"))
    answer = judge_claim(state, TENANT, ask(token="k"), deps_done=True)
    assert isinstance(answer, ClaimGrant)
    assert answer.opens_sitting
    then(state, sitting(2), answer.event(SESSION))
    assert len(state.attempts) == 2
    attempt = state.attempts[AttemptId("a-9")]
    assert (attempt.status, attempt.lease, attempt.epoch) == (AttemptStatus.STARTING, LeaseStatus.GRANTED, 2)
    slot = state.slots[A]
    assert (slot.state, slot.epoch, slot.reopened) == (SlotState.CLAIMED, 2, None)
    assert "k" in state.used_tokens
    assert sum(state.has_open_lease(s) for s in state.slots.values()) == 1


def test_each_guard_of_a_claim_has_its_code_and_changes_nothing() -> None:
    """Row 2, column *else*."""
    pending = history()
    cases: list[tuple[RunState | None, dict[str, Any], dict[str, Any], str]] = [
        (pending, {"tenant": TenantId("t-2")}, {}, "E_TENANT"),
        (None, {}, {}, "E_RUN"),
        (pending, {"run_id": RunId("r-2")}, {}, "E_RUN"),
        (pending, {"slot_id": SlotId("z")}, {}, "E_SLOT"),
        (history(claimed("a", 1)), {}, {}, "E_ALREADY_CLAIMED"),
        (pending, {"actor": "grace"}, {}, "E_ACTOR"),
        (pending, {}, {"deps_done": False}, "E_NOT_CLAIMABLE"),
        (stopped(), {}, {}, "E_NOT_CLAIMABLE"),
        (history(SlotCancelled(A)), {}, {}, "E_NOT_CLAIMABLE"),
        (history(claimed("a", 1), ended("a", 1)), {}, {}, "E_NOT_CLAIMABLE"),
        (history(RunStopRequested(OWNER, EndReason.PERSON)), {}, {}, "E_NOT_CLAIMABLE"),
        (history(run_ended()), {"cause": "schedule"}, {}, "E_NOT_CLAIMABLE"),
        (pending, {}, {"remembered": FAILED_BEFORE}, "E_CRED_REMEMBERED"),
        (pending, {}, {"capacity": False}, "E_CAPACITY"),
        (pending, {}, {"store_writable": False}, "E_STORE"),
    ]
    for state, changes, circumstances, code in cases:
        before = repr(state)
        answer = judge_claim(state, TENANT, ask(**changes), **{"deps_done": True, **circumstances})
        assert code_of(answer) == code
        assert repr(state) == before


def test_a_survivor_keeps_its_slot_from_being_claimed() -> None:
    """Row 10, case 28: a lost attempt is no ended one, also in an ended run."""
    lost = history(claimed("a", 1), AttemptLost(A, AttemptId("a-1"), "no answer"), run_ended())
    assert code_of(judge_claim(lost, TENANT, ask(), deps_done=True)) == "E_ALREADY_CLAIMED"


def test_only_the_newest_token_claims_and_only_once() -> None:
    """SLT18, SLT20."""
    state = then(stopped(), reassigned("a", 1, "old"), reassigned("a", 1, "new"))
    assert code_of(judge_claim(state, TENANT, ask(token="old"), deps_done=True)) == "E_NOT_CLAIMABLE"
    assert code_of(judge_claim(state, TENANT, ask(), deps_done=True)) == "E_NOT_CLAIMABLE"
    answer = judge_claim(state, TENANT, ask(token="new"), deps_done=True)
    assert isinstance(answer, ClaimGrant)
    then(state, sitting(2), answer.event(SESSION))
    then(state, ended("a", 9, epoch=2, status=AttemptStatus.STOPPED))
    assert code_of(judge_claim(state, TENANT, ask(token="new"), deps_done=True)) == "E_NOT_CLAIMABLE"
    for used in ("old", "new"):
        with pytest.raises(IllegalTransition):
            then(state, reassigned("a", 9, used))


def test_an_empty_retry_time_is_never_due_however_late_it_is() -> None:
    """SLT18, I8: ten years later nothing is claimed without a person."""
    ten_years = 10 * 365 * 86_400_000
    for state in (stopped(), then(retrying(), run_ended(Outcome.INTERRUPTED))):
        answer = judge_claim(state, TENANT, ask(cause="retry"), deps_done=True, now_ms=ten_years)
        assert code_of(answer) == "E_NOT_CLAIMABLE"


def test_a_timed_retry_is_claimed_when_it_is_due_and_not_before() -> None:
    """C4."""
    assert code_of(judge_claim(retrying(500), TENANT, ask(cause="retry"), deps_done=True, now_ms=499))
    answer = judge_claim(retrying(500), TENANT, ask(cause="retry"), deps_done=True, now_ms=500)
    assert isinstance(answer, ClaimGrant)
    assert not answer.opens_sitting
    assert answer.event(SESSION).cause == "retry"


def test_a_person_may_claim_a_pending_slot_of_an_ended_run_but_not_of_a_complete_one() -> None:
    """Ruling 3."""
    answer = judge_claim(history(run_ended()), TENANT, ask(), deps_done=True)
    assert isinstance(answer, ClaimGrant)
    assert answer.opens_sitting
    complete = history(run_ended(Outcome.COMPLETED))
    assert code_of(judge_claim(complete, TENANT, ask(), deps_done=True)) == "E_NOT_CLAIMABLE"


def test_a_refused_claim_leaves_the_slot_as_it_was_with_its_reason() -> None:
    """SLT17, C8: no attempt, no lease."""
    state = history(ClaimRefused(A, Code.E_CRED_REMEMBERED, "sign-in failed before"))
    slot = state.slots[A]
    assert (slot.state, slot.attempts, slot.epoch) == (SlotState.PENDING, [], 0)
    assert slot.refusal is not None
    assert slot.is_shown_failed
    reopened = then(stopped(), reassigned("a", 1, "k"), ClaimRefused(A, Code.E_STORE, "disk full"))
    assert reopened.slots[A].reopened is not None
    assert len(reopened.attempts) == 1


def test_the_same_command_again_finds_its_first_answer_refused_or_not() -> None:
    """SLT19: a hundred times the same id, one answer."""
    first = reassigned("a", 1, "k", command_id=CommandId("c-1"))
    refused = CommandRefused("ClaimSlot", A, "E_CAPACITY", "wait", OWNER, CommandId("c-2"))
    state = then(stopped(), first, refused)
    for _ in range(100):
        assert first_answer(state, CommandId("c-1")) is first
        assert refusal_again(first_answer(state, CommandId("c-2"))) == Refusal(Code.E_CAPACITY, "wait")
    assert first_answer(state, CommandId("c-3")) is None
    assert refusal_again(first) is None


def test_reports_count_only_for_their_own_epoch_and_up_to_the_end() -> None:
    """SLT21, row 6, ID4."""
    state = history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED, upto=7))
    then(state, reassigned("a", 1, "k"), claimed("a", 2, epoch=2, cause="person", token=TokenId("k")))
    attempts = AttemptId("a-1"), AttemptId("a-2"), AttemptId("a-3")
    assert admits_report(state, attempts[0], 1, 7)
    assert not admits_report(state, attempts[0], 1, 8)
    assert not admits_report(state, attempts[1], 1, 1)
    assert admits_report(state, attempts[1], 2, 10**6)
    assert not admits_report(state, attempts[2], 1, 1)
