"""What a person says of an interrupted run: when a prompt is owed, and which events come of it (rulings 13, 14, 19)."""

from __future__ import annotations

import pytest

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import EffectSettled, ProcessEndTried, RunAnswered
from quarterdeck.domain.ids import AttemptId, SlotId
from quarterdeck.domain.recovery_acts import judge_keep, judge_process_end, judge_settle
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from tests.domain.build import history, launched, run_ended, then


def test_only_an_interrupted_run_owes_a_prompt_and_one_word_answers_it() -> None:
    """REC3, ruling 19."""
    for outcome, owed in ((Outcome.INTERRUPTED, True), (Outcome.STOPPED, False), (Outcome.FAILED, False)):
        state = history(launched(), run_ended(outcome))
        assert state.is_unanswered is owed
        judged = judge_keep(state, state.owner or "")
        assert isinstance(judged, RunAnswered) is owed
        if isinstance(judged, RunAnswered):
            state = then(state, judged)
            assert not state.is_unanswered
            assert judge_keep(state, state.owner or "") is None, "the same again changes nothing"


def test_a_live_run_and_another_actor_are_refused() -> None:
    live = history(launched())
    refused = judge_keep(live, live.owner or "")
    assert isinstance(refused, Refusal)
    assert refused.code is Code.E_ATTEMPT_STATE
    ended = history(launched(), run_ended(Outcome.INTERRUPTED))
    other = judge_keep(ended, "somebody else")
    assert isinstance(other, Refusal)
    assert other.code is Code.E_ACTOR
    with pytest.raises(DomainError):
        then(live, RunAnswered("me"))


def test_what_is_said_of_what_the_run_does_not_have_is_refused_and_never_folded() -> None:
    state = history(launched(), run_ended(Outcome.INTERRUPTED))
    slot, actor, attempt = next(iter(state.slots)), state.owner or "", AttemptId("a-none")
    for judged in (
        judge_settle(state, slot, attempt, None, "e", "absent", "looked", actor),
        judge_settle(state, SlotId("zz"), attempt, None, "e", "absent", "looked", actor),
        judge_process_end(state, slot, attempt, 1, 1, "ended", actor),
    ):
        assert isinstance(judged, Refusal)
        assert judged.code is Code.E_SLOT
    for event in (
        EffectSettled(slot, attempt, "e", "absent", "", "", actor),
        ProcessEndTried(slot, attempt, 1, 1, "ended", actor),
    ):
        with pytest.raises(DomainError):
            then(state, event)
