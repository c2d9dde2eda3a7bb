"""The product's own events and reports from the plain facts of a scenario."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from quarterdeck.domain import events as e
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, Revision, SessionId, SlotId, TokenId
from quarterdeck.domain.run_state import RunState
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    Evidence,
    Hold,
    LeaseStatus,
    Outcome,
    SlotState,
)
from tests.scenarios.naive_runs import Fact

OWNER, SESSION, SPEC = "ada", SessionId("s-1"), Revision("a" * 64)
LEASES = {
    "succeeded": LeaseStatus.RELEASED,
    "failed": LeaseStatus.RELEASED,
    "stopped": LeaseStatus.REVOKED,
    "interrupted": LeaseStatus.EXPIRED_PROVED,
    "never_started": LeaseStatus.EXPIRED_PROVED,
}
ABOUT = {"what", "quiet", "ms", "wall", "run", "attempt"}


def report_of(fact: Fact) -> dict[str, Any]:
    """The report as its shim writes it."""
    report = {key: value for key, value in fact.items() if key not in ABOUT}
    if fact["kind"] == "starting":
        report |= {"run": fact["run"], "attempt": fact["attempt"]}
    return report | {"boot_ms": fact["ms"], "wall_ms": fact["wall"]}


def event_of(state: RunState, fact: Fact, figures: FiguresTotals | None) -> e.Event:
    """The journal event. figures: what the shim of the fact's attempt has folded."""
    slot = SlotId(fact.get("slot_id") or "")
    attempt = AttemptId(fact.get("attempt_id") or "")
    return _MAKERS[fact["kind"]](state, fact, slot, attempt, figures)


def _claimed(state: RunState, f: Fact, slot: SlotId, attempt: AttemptId, _: Any) -> e.Event:
    reopened = state.slots[slot].reopened
    token = reopened.token if reopened is not None else None
    kind = next(s.worker_class for s in state.specs[state.slots[slot].node_id] if s.agent == f["agent"])
    named = (slot, attempt, f["epoch"], f["agent"], kind, SPEC, f["cause"], OWNER, SESSION)
    return e.AttemptClaimed(*named, token)


REASONS = {
    "app closed": EndReason.APP_CLOSED,
    "its keeper was ended from outside": EndReason.KEEPER_LOST,
    "sign-in": EndReason.SIGN_IN,
    "stopped by you": EndReason.PERSON,
}
"""{words of an end: its reason}; all others ended by themselves."""


def _ended(state: RunState, f: Fact, slot: SlotId, attempt: AttemptId, figures: Any) -> e.Event:
    return e.AttemptEnded(
        slot, attempt, f["epoch"], AttemptStatus(f["status"]), LEASES[f["status"]], REASONS.get(f["message"], EndReason.EXIT),
        f["message"], f["upto"],
        Evidence.EXIT_FILE, SlotState(f["next_state"]), figures, Hold(f["hold"]) if f["hold"] else None,
        f["ms"] + 1000 if f["hold"] == "timer" else None,
    )  # fmt: skip


def _answered(state: RunState, f: Fact, slot: SlotId, attempt: AttemptId, _: Any) -> e.Event:
    epoch = state.slots[slot].epoch
    return e.ApprovalAnswered(slot, attempt or None, epoch, RequestId(f["request_id"]), f["choice"], OWNER)


def _reassigned(state: RunState, f: Fact, slot: SlotId, attempt: AttemptId, _: Any) -> e.Event:
    spec = state.attempts[AttemptId(f["prior"])].spec
    token, command = TokenId(f["token"]), CommandId(f["token"])
    prior = AttemptId(f["prior"])
    return e.SlotReassigned(slot, prior, spec.agent, spec.worker_class, SPEC, "again", OWNER, token, command)


_MAKERS: dict[str, Callable[[RunState, Fact, SlotId, AttemptId, Any], e.Event]] = {
    "attempt_claimed": _claimed,
    "attempt_ended": _ended,
    "approval_answered": _answered,
    "slot_reassigned": _reassigned,
    "attempt_pause_requested": lambda s, f, slot, a, _: e.AttemptPauseRequested(slot, a, OWNER),
    "attempt_continue_requested": lambda s, f, slot, a, _: e.AttemptContinueRequested(slot, a, OWNER),
    "attempt_stop_requested": lambda s, f, slot, a, _: e.AttemptStopRequested(
        slot, a, OWNER, EndReason.PERSON
    ),
    "attempt_lost": lambda s, f, slot, a, _: e.AttemptLost(slot, a, f["message"]),
    "run_stop_requested": lambda s, f, slot, a, _: e.RunStopRequested(OWNER, EndReason.PERSON),
    "retry_cancelled": lambda s, f, slot, a, _: e.RetryCancelled(slot, OWNER),
    "slot_failed": lambda s, f, slot, a, _: e.SlotFailed(slot),
    "slot_cancelled": lambda s, f, slot, a, _: e.SlotCancelled(slot),
    "claim_refused": lambda s, f, slot, a, _: e.ClaimRefused(slot, f["code"], f["message"]),
    "command_refused": lambda s, f, slot, a, _: e.CommandRefused(
        "ClaimSlot", slot, "E_CAPACITY", "not now", OWNER
    ),
    "approval_asked": lambda s, f, slot, a, _: e.ApprovalAsked(
        slot, RequestId(f["request_id"]), "Go on?", tuple(f["options"])
    ),
    "budget_raised": lambda s, f, slot, a, _: e.BudgetRaised(f["scope"], Decimal(f["limit_usd"]), OWNER),
    "budget_warned": lambda s, f, slot, a, _: e.BudgetWarned(
        f["scope"], Decimal(f["spent_usd"]), Decimal(f["limit_usd"])
    ),
    "run_ended": lambda s, f, slot, a, _: e.RunEnded(Outcome(f["outcome"]), f["end_seq"], 0, f["message"]),
    "sitting_opened": lambda s, f, slot, a, _: e.SittingOpened(
        len(s.sittings) + 1, OWNER, SESSION, f["go_on"]
    ),
}
