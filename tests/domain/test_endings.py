"""How an attempt's end is judged: design §4, A15 rows 4–11, rulings 4, 12, 13, 21; retries (AUT8) and budgets."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from quarterdeck.domain.budget import attempt_limit, cap_for_claim, is_spent, is_warning_due, limit_of
from quarterdeck.domain.budget_words import Shared, scope_of, whose
from quarterdeck.domain.endings import STALLED, Ending, NotEnded, facts_of, judge_end
from quarterdeck.domain.events import BudgetRaised, BudgetWarned
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.retry import POLICY, RETRIED_CLASSES, RetryContext, judge_retry
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    Evidence,
    Hold,
    KeeperEnd,
    LeaseStatus,
    SlotState,
)
from tests.domain.build import OWNER, claimed, ended, history, launched, reassigned, reports, then

STARTED = {"kind": "started", "pid": 1}
RETRIES = RetryContext(attempts_made=1, max_attempts=3, jitter=0.0, now_ms=1_000)
ONCE = RetryContext()


def judged(
    *bodies: dict[str, Any], evidence: Evidence = Evidence.EXIT_FILE, context: RetryContext = ONCE, **how: Any
):  # type: ignore[no-untyped-def]
    fold = AttemptFold()
    for report in reports(*bodies):
        fold.apply(report)
    return judge_end(facts_of(fold, evidence, **how), context)


def exited(code: int = 0, **fields: Any) -> dict[str, Any]:
    return {"kind": "exit", "code": code, "after_ending": False, "tree_empty": True, **fields}


def ended_by(reason: str, **fields: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The ladder's two reports: the agent ended after `ending` was written."""
    ending = {"kind": "ending", "reason": reason, "grace_s": 4.0}
    return ending, {"kind": "exit", "signal": 15, "after_ending": True, "tree_empty": True, **fields}


def error(klass: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "error", "class": klass, "message": f"said {klass}", **fields}


def core(end: Ending | NotEnded) -> tuple[AttemptStatus, LeaseStatus, EndReason, Hold | None]:
    assert isinstance(end, Ending)
    assert end.next_state is (
        SlotState.DONE if end.status is AttemptStatus.SUCCEEDED else SlotState.RETRY_WAIT
    )
    assert (end.retry_at_ms is not None) == (end.hold is Hold.TIMER)
    return end.status, end.lease, end.reason, end.hold


FAILED, STOPPED, INTERRUPTED = AttemptStatus.FAILED, AttemptStatus.STOPPED, AttemptStatus.INTERRUPTED
RELEASED, REVOKED, PROVED = LeaseStatus.RELEASED, LeaseStatus.REVOKED, LeaseStatus.EXPIRED_PROVED
R = EndReason


def test_an_agent_that_ended_before_ending_was_written_counts_by_its_exit() -> None:
    """Rows 8 and 9; case 13: exit 0 without an output ends the slot all the same."""
    succeeded = (AttemptStatus.SUCCEEDED, RELEASED, R.EXIT, None)
    assert core(judged(STARTED, exited(0))) == succeeded
    assert core(judged(STARTED, exited(3), success_codes=(0, 3))) == succeeded
    assert core(judged(STARTED, exited(3))) == (FAILED, RELEASED, R.EXIT, Hold.PERSON)
    late_ladder = {"kind": "ending", "reason": "stop"}
    assert core(judged(STARTED, late_ladder, exited(0))) == succeeded


def test_words_of_an_exit_name_its_code_or_signal() -> None:
    assert judged(STARTED, exited(3)).message == "exit 3"
    killed = {"kind": "exit", "signal": 9, "after_ending": False, "tree_empty": True}
    assert judged(STARTED, killed).message == "ended by SIGKILL"
    assert judged(STARTED, {**killed, "signal": 50}).message == "ended by signal 50"


def test_an_agent_that_ended_after_it_counts_by_the_reason_of_the_ladder() -> None:
    """Design §4, ruling 12."""
    expected = {
        "stop": (STOPPED, REVOKED, R.PERSON, Hold.PERSON),
        "cap": (STOPPED, REVOKED, R.BUDGET, Hold.PERSON),
        "run_budget": (STOPPED, REVOKED, R.RUN_BUDGET, Hold.PERSON),
        "lost_app": (INTERRUPTED, PROVED, R.APP_CLOSED, Hold.PERSON),
        "signal": (INTERRUPTED, PROVED, R.APP_CLOSED, Hold.PERSON),
        "timeout": (FAILED, REVOKED, R.TIMEOUT, Hold.PERSON),
        "stall": (FAILED, REVOKED, R.TIMEOUT, Hold.PERSON),
    }
    for reason, end in expected.items():
        assert core(judged(STARTED, *ended_by(reason))) == end, reason
        assert core(judged(STARTED, *ended_by(reason, code=0, signal=None))) == end, reason


def test_a_time_out_is_retried_as_declared_and_a_cap_never() -> None:
    """Ruling 12: at its cap an attempt holds for a person."""
    assert judged(STARTED, *ended_by("timeout"), context=RETRIES).hold is Hold.TIMER
    stalled = judged(STARTED, *ended_by("stall"), context=RETRIES)
    assert stalled.hold is Hold.TIMER
    assert stalled.message.startswith(STALLED)
    for reason in ("cap", "stop", "run_budget", "lost_app"):
        assert judged(STARTED, *ended_by(reason), context=RETRIES).hold is Hold.PERSON


def test_an_error_that_was_told_outranks_an_exit_of_zero() -> None:
    """Case 82, whichever came first; a sign-in is named as such."""
    output = {"kind": "output", "value": "looks fine"}
    for order in ((error("rate_limit"), output), (output, error("rate_limit"))):
        assert core(judged(STARTED, *order, exited(0)))[:3] == (FAILED, RELEASED, R.AGENT_ERROR)
    assert core(judged(STARTED, error("auth"), exited(0))) == (FAILED, RELEASED, R.SIGN_IN, Hold.PERSON)
    assert core(judged(STARTED, error("auth"), exited(1), context=RETRIES))[2:] == (R.SIGN_IN, Hold.PERSON)
    recovered = judged(STARTED, error("overloaded"), {"kind": "turn"}, exited(0))
    assert recovered.status is AttemptStatus.SUCCEEDED


def test_a_limit_is_told_with_its_reset_time_and_not_retried() -> None:
    """Cases 49 and 80."""
    end = judged(STARTED, error("usage_limit", resets_at="18:00"), exited(1), context=RETRIES)
    assert (end.hold, end.message) == (Hold.PERSON, "said usage_limit (resets at 18:00)")


@pytest.mark.parametrize("why", [R.PERSON, R.RUN_BUDGET, R.APP_CLOSED])
def test_no_end_after_an_accepted_stop_is_followed_by_a_retry(why: EndReason) -> None:
    """Case 17, A15 row 7: also where the leader had failed by itself before the stop reached it."""
    sent = {"kind": "effect", "id": "e", "state": "sent"}
    killed = {"kind": "exit", "signal": 9, "after_ending": False, "tree_empty": True}
    for bodies in (
        (exited(1),),
        (killed,),
        (error("overloaded"), exited(0)),
        (error("rate_limit", retry_after_s=3), exited(1)),
        ended_by("timeout"),
        (sent, exited(1)),
    ):
        end = judged(STARTED, *bodies, context=RETRIES, stop_reason=why)
        assert (end.status, end.hold, end.retry_at_ms) == (FAILED, Hold.PERSON, None)
    words = judged(STARTED, exited(1), context=RETRIES, stop_reason=why).message
    assert words == "exit 1; not tried again, as it was to stop"


def test_results_that_are_not_durable_are_no_success() -> None:
    """Row 8, JNL3."""
    end = judged(STARTED, exited(0), results_durable=False, context=RETRIES)
    assert core(end) == (FAILED, RELEASED, R.RESULTS_NOT_DURABLE, Hold.PERSON)


def test_a_program_that_could_not_start_failed_and_one_that_was_never_tried_never_started() -> None:
    """Row 4, row 11, case 107."""
    spawn = judged(error("spawn"), exited(127), context=RETRIES)
    assert core(spawn) == (FAILED, RELEASED, R.SPAWN, Hold.PERSON)
    assert spawn.message == "said spawn"
    never = judged({"kind": "starting"}, evidence=Evidence.NEVER_STARTED)
    assert core(never) == (AttemptStatus.NEVER_STARTED, PROVED, R.NEVER_STARTED, Hold.PERSON)


@pytest.mark.parametrize("evidence", [Evidence.OTHER_BOOT, Evidence.NAMESPACE_GONE, Evidence.NO_TRACE])
def test_a_proved_death_without_an_exit_is_an_interruption_unless_the_ladder_had_begun(
    evidence: Evidence,
) -> None:
    """Row 11; row 7: after proof a stopped attempt is stopped."""
    assert core(judged(STARTED, evidence=evidence)) == (INTERRUPTED, PROVED, R.APP_CLOSED, Hold.PERSON)
    stopped = judged(STARTED, {"kind": "ending", "reason": "stop"}, evidence=evidence)
    assert core(stopped) == (STOPPED, REVOKED, R.PERSON, Hold.PERSON)
    lost = judged(STARTED, {"kind": "ending", "reason": "lost_app"}, evidence=evidence)
    assert (lost.status, lost.message) == (INTERRUPTED, "app closed")


@pytest.mark.parametrize("evidence", [Evidence.NAMESPACE_GONE, Evidence.NO_TRACE])
@pytest.mark.parametrize("stop", [None, *R])
def test_a_keeper_that_went_without_a_word_while_the_app_was_there_was_ended_from_outside(
    evidence: Evidence, stop: EndReason | None
) -> None:
    """Row 11: an interruption that a person decides about, whatever the node would try again by itself."""
    for sent in ((), ({"kind": "effect", "id": "e", "state": "sent"},)):
        end = judged(
            STARTED, *sent, evidence=evidence, context=RETRIES, keeper=KeeperEnd.UNSAID, stop_reason=stop
        )
        assert core(end) == (INTERRUPTED, PROVED, R.KEEPER_LOST, Hold.PERSON)
        assert end.message == "its keeper was ended from outside"


def test_what_is_not_known_of_a_keeper_is_not_said() -> None:
    """Nobody saw who went first: as ever. It took leave itself: then nothing outside ended it."""
    unseen = judged(STARTED, evidence=Evidence.NO_TRACE, keeper=KeeperEnd.UNSEEN)
    assert (unseen.reason, unseen.message) == (R.APP_CLOSED, "no trace of its process was found")
    said = judged({"kind": "starting"}, evidence=Evidence.NO_TRACE, keeper=KeeperEnd.SAID)
    assert (said.reason, said.message) == (R.KEEPER_LOST, "no trace of its process was found")
    never = judged(evidence=Evidence.NEVER_STARTED, keeper=KeeperEnd.UNSAID)
    assert (never.reason, never.message) == (R.NEVER_STARTED, "never started")
    broken = judged(STARTED, evidence=Evidence.NO_TRACE, keeper=KeeperEnd.UNSAID, unordered=R.LINK_BROKEN)
    assert broken.reason is R.LINK_BROKEN


@pytest.mark.parametrize("keeper", KeeperEnd)
def test_what_a_keeper_recorded_outranks_how_it_went(keeper: KeeperEnd) -> None:
    """Design §4: an exit, or the ladder that had begun."""
    assert judged(STARTED, exited(3), keeper=keeper).reason is R.EXIT
    stopping = judged(STARTED, ended_by("stop")[0], evidence=Evidence.NO_TRACE, keeper=keeper)
    assert (stopping.status, stopping.reason) == (STOPPED, R.PERSON)
    assert judged(STARTED, *ended_by("lost_app"), keeper=keeper).reason is R.APP_CLOSED


def test_a_signal_to_a_keeper_is_told_as_that_unless_the_app_was_told_to_end_too() -> None:
    """Ruling 20: at the end of a session of the desktop both are; also where the app was gone before it saw the keeper go."""
    for keeper in (KeeperEnd.SAID, KeeperEnd.UNSAID):
        alone = judged(STARTED, *ended_by("signal"), stop_reason=R.PERSON, keeper=keeper)
        assert alone.reason is R.KEEPER_LOST
        closing = judged(STARTED, *ended_by("signal"), stop_reason=R.APP_CLOSED, keeper=keeper)
        assert (closing.reason, closing.message) == (R.APP_CLOSED, "ended by a signal to its keeper")
    unseen = judged(STARTED, *ended_by("signal"))
    assert (unseen.reason, unseen.message) == (R.APP_CLOSED, "ended by a signal to its keeper")


@pytest.mark.parametrize("evidence", [Evidence.OTHER_BOOT, Evidence.NAMESPACE_GONE, Evidence.NO_TRACE])
def test_a_proved_death_counts_by_whatever_reason_the_ladder_had_begun_for(evidence: Evidence) -> None:
    """ADR 0020, 8: the same reasons with the same ends as where the exit was recorded."""
    for reason in ("stop", "cap", "run_budget", "lost_app", "signal", "timeout", "a later version's"):
        for context in (ONCE, RETRIES):
            proved = judged(STARTED, ended_by(reason)[0], evidence=evidence, context=context)
            recorded = judged(STARTED, *ended_by(reason), context=context)
            assert core(proved) == core(recorded), reason
            assert proved.message == recorded.message, reason
    assert core(judged(STARTED, ended_by("timeout")[0], evidence=evidence))[:3] == (
        FAILED,
        REVOKED,
        R.TIMEOUT,
    )


def test_processes_that_outlived_the_kill_are_no_end() -> None:
    """Case 29: "could not" is never stored as "did"."""
    end = judged(STARTED, *ended_by("stop", tree_empty=False, left=[4242]))
    assert isinstance(end, NotEnded)
    assert end.left == (4242,)
    assert isinstance(judged(STARTED, evidence=Evidence.COULD_NOT_STOP), NotEnded)


def test_what_could_not_be_stopped_ends_once_its_death_is_proved_by_other_means() -> None:
    """Design §4: the recorded end still says how the leader ended."""
    bodies = (STARTED, *ended_by("stop", tree_empty=False, left=[4242]))
    for evidence in (Evidence.NO_TRACE, Evidence.OTHER_BOOT):
        assert core(judged(*bodies, evidence=evidence)) == (STOPPED, REVOKED, R.PERSON, Hold.PERSON)


def test_the_exit_file_outranks_the_report() -> None:
    end = judged(STARTED, exited(0), exit_file={"code": 7, "tree_empty": True, "after_ending": False})
    assert (end.status, end.exit_code) == (FAILED, 7)


def test_a_stop_for_the_app_leaves_an_interruption() -> None:
    """Ruling 20."""
    end = judged(STARTED, *ended_by("stop"), stop_reason=R.APP_CLOSED)
    assert core(end) == (INTERRUPTED, PROVED, R.APP_CLOSED, Hold.PERSON)


def test_an_open_effect_forbids_the_timed_retry() -> None:
    """Ruling 4."""
    sent = {"kind": "effect", "id": "e", "state": "sent"}
    assert judged(STARTED, exited(1), context=RETRIES).hold is Hold.TIMER
    held = judged(STARTED, sent, exited(1), context=RETRIES)
    assert held.hold is Hold.PERSON
    assert "effect" in held.message
    answered = {"kind": "effect", "id": "e", "state": "confirmed"}
    assert judged(STARTED, sent, answered, exited(1), context=RETRIES).hold is Hold.TIMER


# ------------------------------------------------------------------------------------------- retry


@given(
    st.sampled_from(list(EndReason)),
    st.sampled_from(sorted(RETRIED_CLASSES | {"auth", "usage_limit", "invalid", "spawn", "new"})),
    st.integers(1, 6),
    st.integers(1, 6),
    st.booleans(),
    st.one_of(st.none(), st.floats(0, 5_000)),
    st.floats(0, 1, exclude_max=True),
    st.one_of(st.none(), st.integers(0, 2)),
)
def test_retries_follow_the_one_declared_policy(
    reason: EndReason, klass: str, made: int, most: int, effects: bool, after_s: Any, jitter: float, left: Any
) -> None:
    """AUT8: what is never retried, how often, and within which bounds."""
    context = RetryContext(made, most, jitter, 50_000, left)
    decision = judge_retry(reason, klass, context, has_open_effects=effects, retry_after_s=after_s)
    passing = reason in (R.EXIT, R.AGENT_ERROR, R.TIMEOUT) and klass in (
        "",
        "other",
        "rate_limit",
        "overloaded",
    )
    waits = (after_s or 0) <= 900 and left != 0
    assert (decision.hold is Hold.TIMER) == (passing and made < most and not effects and waits)
    if decision.retry_at_ms is not None:
        delay = decision.retry_at_ms - 50_000
        assert delay >= max(1_000, int((after_s or 0) * 1000))
        assert delay <= max(60_000, int((after_s or 0) * 1000))


def test_delays_double_up_to_a_cap_and_half_is_chance() -> None:
    assert [POLICY.delay_ms(n, 0.0) for n in (1, 2, 3)] == [1_000, 2_000, 4_000]
    assert POLICY.delay_ms(1, 0.999) < 2_000
    assert POLICY.delay_ms(1_000_000, 0.5) == 45_000


# ------------------------------------------------------------------------------------------- budgets


def test_the_cap_is_the_smaller_of_the_attempts_and_what_is_left_of_the_runs() -> None:
    """Ruling 12."""
    d = Decimal
    assert cap_for_claim(None, None, d(5)) is None
    assert cap_for_claim(d(2), None, None) == d(2)
    assert cap_for_claim(None, d(10), d("7.5")) == d("2.5")
    assert cap_for_claim(d(2), d(10), d("7.5")) == d(2)
    assert cap_for_claim(d(3), d(10), d("7.5")) == d("2.5")
    assert cap_for_claim(d(3), d(10), d(11)) == 0
    assert cap_for_claim(d(3), d(10), None) == d(3)


def test_eighty_percent_is_said_once_for_each_limit() -> None:
    state = history(launched(budget_usd=Decimal(10)))
    assert not is_warning_due(state, "run", Decimal("7.99"), state.budget_usd)
    assert not is_warning_due(state, "run", None, state.budget_usd)
    assert is_warning_due(state, "run", Decimal(8), state.budget_usd)
    warned = history(launched(budget_usd=Decimal(10)), BudgetWarned("run", Decimal(8), Decimal(10)))
    assert not is_warning_due(warned, "run", Decimal(9), warned.budget_usd)
    assert is_warning_due(warned, "run", Decimal(17), Decimal(20))


def test_a_raised_limit_outranks_the_pinned_one() -> None:
    state = history(BudgetRaised("run", Decimal(9), OWNER), BudgetRaised("a", Decimal(4), OWNER))
    assert state.budget_usd == 9
    assert attempt_limit(state, SlotId("a"), Decimal(1)) == 4
    assert attempt_limit(state, SlotId("b"), Decimal(1)) == 1


def test_a_node_called_run_has_limits_of_its_own() -> None:
    """Ruling 12: `run` in a journal has always been the run; the limit of a node of that name is named apart."""
    node = SlotId("run")
    assert (scope_of(node), scope_of(SlotId("a"))) == ("*slot run", "a")
    assert [whose(scope) for scope in ("run", "*slot run", "a", "*night")] == [
        Shared.RUN,
        node,
        "a",
        Shared.NIGHT,
    ]
    graph = launched(("run", "b"), budget_usd=Decimal(10))
    state = history(
        graph, BudgetRaised("run", Decimal(9), OWNER), BudgetRaised(scope_of(node), Decimal(4), OWNER)
    )
    assert state.budget_usd == 9
    assert attempt_limit(state, node, Decimal(1)) == 4
    then(state, BudgetWarned("run", Decimal(8), Decimal(9)))
    assert is_warning_due(state, scope_of(node), Decimal(8), Decimal(9))


def test_the_limit_of_an_ended_attempt_is_the_one_at_its_end() -> None:
    """REC2: what the slot is given for its next attempt changes no earlier one; what was given while it lived stays."""
    first, second, third = (AttemptId(f"a-{n}") for n in (1, 2, 3))
    state = history(claimed("a", 1), ended("a", 1, status=FAILED))
    then(state, reassigned("a", 1, "t-1"), BudgetRaised("a", Decimal(4), OWNER))
    then(state, claimed("a", 2, 2, cause="reassign", token="t-1"))
    told = [limit_of(state, state.attempts[one], Decimal(1)) for one in (first, second)]
    assert told == [Decimal(1), Decimal(4)]
    then(state, BudgetRaised("a", Decimal(5), OWNER), ended("a", 2, 2, FAILED), reassigned("a", 2, "t-2"))
    then(state, BudgetRaised("a", Decimal(9), OWNER), claimed("a", 3, 3, cause="reassign", token="t-2"))
    told = [limit_of(state, state.attempts[one], None) for one in (first, second, third)]
    assert told == [None, Decimal(5), Decimal(9)]


def test_a_limit_is_spent_when_it_is_met() -> None:
    assert is_spent(Decimal(5), Decimal(5))
    assert not is_spent(Decimal("4.99"), Decimal(5))
    assert not is_spent(None, Decimal(5))
    assert not is_spent(Decimal(5), None)


LOST_OUTPUT = {
    "kind": "output",
    "stored": None,
    "size_bytes": 300_000,
    "sha256": "f" * 64,
    "problem": "it could not be kept: no space",
}


def test_an_output_that_could_not_be_kept_fails_the_attempt_and_is_said() -> None:
    """A15 row 8, case 14: a good exit whose result is lost is no success; a later output that is kept is one."""
    assert core(judged(STARTED, LOST_OUTPUT, exited(0))) == (
        FAILED,
        RELEASED,
        R.RESULTS_NOT_DURABLE,
        Hold.PERSON,
    )
    kept = {**LOST_OUTPUT, "stored": "0001.txt", "problem": ""}
    for sound in (kept, {"kind": "output", "value": "x"}, {"kind": "output", "value": None}):
        assert core(judged(STARTED, LOST_OUTPUT, sound, exited(0)))[0] is AttemptStatus.SUCCEEDED
    fold = AttemptFold()
    for report in reports(STARTED, LOST_OUTPUT, exited(0, transcript_lost_bytes=1234)):
        fold.apply(report)
    assert [error.error_class for error in fold.errors] == ["recording", "recording"]
    assert "300,000 bytes" in fold.errors[0].message
    assert "1,234 bytes of the transcript" in fold.errors[1].message


def test_a_keeper_that_failed_is_told_as_that_and_not_as_a_process_without_a_trace() -> None:
    """Its own word for it stands whoever finds it: the app, or the next start."""
    for keeper in KeeperEnd:
        ending = judged(STARTED, evidence=Evidence.NO_TRACE, has_keeper_failed=True, keeper=keeper)
        assert core(ending) == (INTERRUPTED, PROVED, R.KEEPER_LOST, Hold.PERSON)
    assert ending.message == "its keeper met a fault of its own, told in shim-error.txt beside its reports"
