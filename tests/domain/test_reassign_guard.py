"""Guards of reassignment: FIM2 whole, SLT3–SLT14, SLT20. The oracle stands in `naive_reassign`."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

from quarterdeck.domain.commands import ReassignSlot
from quarterdeck.domain.guards import REASON_CHARS_MAX, ReassignGrant, judge_reassign
from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId, TenantId, TokenId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.states import AttemptStatus, Hold, LeaseStatus, Phase, SlotState
from tests.domain.build import (
    OWNER,
    RUN,
    SESSION,
    SPEC_A,
    TENANT,
    at,
    claimed,
    ended,
    history,
    run_ended,
    then,
)
from tests.domain.naive_reassign import (
    CLASSES,
    LEASES,
    OWNERS,
    REASONS,
    RUNS,
    SLOTS,
    TENANTS,
    WORKERS,
    expected_code,
)


def built(slot: str, worker: str, lease: str, owner: str) -> RunState:
    state = history()
    object.__setattr__(state.header, "actor", {"none": "", "equal": OWNER, "other": "grace"}[owner])
    record = state.slots[SlotId("a")]
    record.state = SlotState(slot)
    record.epoch = 1
    if record.state is SlotState.RETRY_WAIT:
        record.hold = Hold.PERSON
    if worker != "none":
        attempt = AttemptRecord(
            AttemptId("a-1"), SlotId("a"), 1, SPEC_A, "schedule", OWNER, SESSION, at(5), 1,
            status=AttemptStatus(worker), lease=None if lease == "none" else LeaseStatus(lease),
        )  # fmt: skip
        state.attempts[attempt.attempt_id] = attempt
        record.attempts.append(attempt.attempt_id)
    return state


def command(tenant: str = "same", run: str = "same", reason: Any = "again", klass: str | None = None, **changes: Any) -> ReassignSlot:  # fmt: skip
    values: dict[str, Any] = {
        "command_id": CommandId("c-1"),
        "tenant": TENANT if tenant == "same" else TenantId("t-2"),
        "run_id": RUN if run == "same" else RunId("r-2"),
        "slot_id": SlotId("a"),
        "actor": OWNER,
        "reason": reason,
        "worker_class": klass,
    }
    return ReassignSlot(**{**values, **changes})


def test_the_whole_guard_matrix_admits_exactly_thirty_cells_and_changes_nothing() -> None:
    """FIM2: 76,032 cells; each other cell gives its code, and the state is byte for byte what it was."""
    cells = admitted = 0
    asked_class = {"compatible": "text", "other": "audio", "unknown": "no-such-class"}
    for slot, worker, lease, owner in itertools.product(SLOTS, WORKERS, LEASES, OWNERS):
        state = built(slot, worker, lease, owner)
        before = pickle.dumps(state)
        for tenant, run, reason, klass in itertools.product(TENANTS, RUNS, REASONS, CLASSES):
            answer = judge_reassign(state, TENANT, command(tenant, run, reason, asked_class[klass]))
            code = "" if isinstance(answer, ReassignGrant) else answer.code.value
            assert code == expected_code(tenant, run, slot, worker, lease, owner, reason, klass)
            cells += 1
            admitted += not code
            assert pickle.dumps(state) == before
    assert (cells, admitted) == (76_032, 30)


def stopped_run() -> RunState:
    return history(claimed("a", 1), ended("a", 1, status=AttemptStatus.STOPPED), run_ended())


def test_reassignment_makes_exactly_the_transition_of_slt13_and_no_worker() -> None:
    """SLT13, SLT14, FIM3: the slot waits, re-opened; no attempt, no lease, no process."""
    state = stopped_run()
    answer = judge_reassign(state, TENANT, command(reason=" try again "))
    assert isinstance(answer, ReassignGrant)
    attempts, epoch = dict(state.attempts), state.slots[SlotId("a")].epoch
    slot = then(state, answer.event(TokenId("k-1"))).slots[SlotId("a")]
    assert (slot.state, slot.prior, slot.retry_at_ms) == (SlotState.RETRY_WAIT, "a-1", None)
    assert slot.reopened is not None
    assert (slot.reopened.spec, slot.reopened.reason, slot.reopened.actor) == (SPEC_A, "try again", OWNER)
    assert slot.reopened.token == "k-1"
    assert (state.attempts, slot.epoch, state.phase) == (attempts, epoch, Phase.ENDED)


def test_a_foreign_tenant_is_answered_like_a_run_that_does_not_exist() -> None:
    """SLT3: no existence leak."""
    foreign = judge_reassign(stopped_run(), TENANT, command(tenant="foreign"))
    missing = judge_reassign(None, TENANT, command())
    assert isinstance(foreign, Refusal)
    assert isinstance(missing, Refusal)
    assert (foreign.message, foreign.detail) == (missing.message, missing.detail)


def test_a_held_or_active_slot_is_refused_with_the_state_that_is_shown() -> None:
    """SLT6, C9: paused is held, and held is never reassignable."""
    state = history(claimed("a", 1))
    for shown in (SlotState.HELD, SlotState.ACTIVE, SlotState.CLAIMED):
        answer = judge_reassign(state, TENANT, command(), joined=shown)
        assert isinstance(answer, Refusal)
        assert dict(answer.detail)["state"] == shown.value


def test_an_unknown_node_is_refused() -> None:
    """SLT5."""
    answer = judge_reassign(stopped_run(), TENANT, command(slot_id=SlotId("z")))
    assert isinstance(answer, Refusal)
    assert answer.code == "E_SLOT"


def test_an_alternative_agent_is_chosen_by_name_or_class_and_the_prior_class_is_the_default() -> None:
    """SLT12."""
    for changes, agent in (
        ({}, "writer"),
        ({"agent": "painter"}, "painter"),
        ({"klass": "image"}, "painter"),
    ):
        answer = judge_reassign(stopped_run(), TENANT, command(**changes))
        assert isinstance(answer, ReassignGrant)
        assert answer.spec.agent == agent
    assert not judge_reassign(stopped_run(), TENANT, command(agent="painter", klass="text"))


def test_reasons_that_show_nothing_are_no_reasons() -> None:
    """SLT10: blanks, zero-width, controls, fillers, lone marks."""
    for reason in ("", "\n", "\u00a0", "\u200d", "\x00", "\u3164", "\u2800", "\u0301", "\u202e"):
        answer = judge_reassign(stopped_run(), TENANT, command(reason=reason))
        assert isinstance(answer, Refusal)
        assert answer.code == "E_REASON"
    for reason in ("x", "空", "…", "🙂", "\u200bx"):
        assert isinstance(judge_reassign(stopped_run(), TENANT, command(reason=reason)), ReassignGrant)


def test_a_reason_is_read_in_lists_so_it_has_an_end() -> None:
    """What is longer belongs into a file; nothing is cut off without a word."""
    longest = "x" * REASON_CHARS_MAX
    assert not isinstance(judge_reassign(stopped_run(), TENANT, command(reason=longest)), Refusal)
    refused = judge_reassign(stopped_run(), TENANT, command(reason=longest + "x"))
    assert isinstance(refused, Refusal)
    assert refused.code == "E_REASON"
    assert "at most 10,000 characters; this one has 10,001" in refused.message
