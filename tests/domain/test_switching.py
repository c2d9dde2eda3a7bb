"""Another pinned agent for a slot that waits: what is granted, what is refused, and that the claim takes it."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.domain.commands import ClaimSlot, SwitchAgent
from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import AgentSwitched, ClaimRefused, RunStopRequested
from quarterdeck.domain.guards import ClaimGrant, judge_claim
from quarterdeck.domain.ids import AttemptId, CommandId, SlotId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import EndReason, SlotState
from quarterdeck.domain.switching import judge_switch
from tests.domain.build import OWNER, RUN, SPEC_A, SPEC_B, TENANT, claimed, ended, history, run_ended, then

A = SlotId("a")


def wish(agent: str = SPEC_B.agent, **changes: Any) -> SwitchAgent:
    values = {
        "command_id": CommandId("c-1"),
        "tenant": TENANT,
        "run_id": RUN,
        "slot_id": A,
        "actor": OWNER,
        "agent": agent,
    }
    return SwitchAgent(**{**values, **changes})


def claim(state: RunState) -> ClaimGrant:
    command = ClaimSlot(CommandId("c-2"), TENANT, RUN, A, OWNER, AttemptId("a-9"))
    granted = judge_claim(state, TENANT, command, deps_done=True)
    assert isinstance(granted, ClaimGrant)
    return granted


def test_the_first_attempt_is_made_by_the_agent_that_was_chosen_last() -> None:
    state = history()
    assert claim(state).spec == SPEC_A
    event = judge_switch(state, TENANT, wish())
    assert isinstance(event, AgentSwitched)
    then(state, event)
    assert claim(state).spec == SPEC_B
    slot = run_view(state, {}, {}, {SPEC_B.agent: "practice"}).slots[0]
    assert (slot.agent, slot.agent_kind, slot.alternatives) == (SPEC_B.agent, "practice", (SPEC_A.agent,))
    back = judge_switch(state, TENANT, wish(SPEC_A.agent))
    assert isinstance(back, AgentSwitched)
    then(state, back)
    assert claim(state).spec == SPEC_A


def test_a_refused_claim_is_forgotten_so_that_the_other_agent_is_asked() -> None:
    state = history(ClaimRefused(A, Code.E_CRED_REMEMBERED.value, "its sign-in failed before"))
    event = judge_switch(state, TENANT, wish())
    assert isinstance(event, AgentSwitched)
    then(state, event)
    assert state.slots[A].refusal is None


@pytest.mark.parametrize(
    ("state", "changes", "code"),
    [
        (history(claimed("a", 1)), {}, Code.E_SLOT_STATE),
        (history(claimed("a", 1), ended("a", 1)), {}, Code.E_SLOT_STATE),
        (history(RunStopRequested(OWNER, EndReason.PERSON)), {}, Code.E_SLOT_STATE),
        (history(), {"agent": "nobody"}, Code.E_NO_COMPATIBLE_SPEC),
        (history(), {"slot_id": SlotId("x")}, Code.E_SLOT),
        (history(), {"tenant": "t-2"}, Code.E_TENANT),
        (history(), {"actor": "eve"}, Code.E_ACTOR),
    ],
)
def test_what_does_not_wait_or_is_not_pinned_is_refused(
    state: RunState, changes: dict[str, Any], code: Code
) -> None:
    judged = judge_switch(state, TENANT, wish(**changes))
    assert isinstance(judged, Refusal)
    assert judged.code is code


def test_a_question_waits_for_an_answer_and_not_for_an_agent() -> None:
    judged = judge_switch(history(), TENANT, wish(), joined=SlotState.HELD)
    assert isinstance(judged, Refusal)
    assert judged.code is Code.E_SLOT_STATE


def test_the_fold_takes_it_before_the_first_attempt_and_never_after() -> None:
    event = judge_switch(history(), TENANT, wish())
    assert isinstance(event, AgentSwitched)
    then(history(run_ended()), event)
    with pytest.raises(DomainError):
        then(history(claimed("a", 1)), event)
