"""Builders of domain values for tests: short to write, whole to read."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from quarterdeck.domain.events import (
    AttemptClaimed,
    AttemptEnded,
    Entry,
    Event,
    RunEnded,
    RunLaunched,
    SittingOpened,
    SlotReassigned,
    SlotSeed,
)
from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import (
    AttemptId,
    CommandId,
    NodeId,
    Revision,
    RunId,
    SessionId,
    SlotId,
    TenantId,
    TokenId,
    WorkflowId,
)
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import NodeBinding, Pins, SpecRef
from quarterdeck.domain.run_fold import advance
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

TENANT = TenantId("t-1")
RUN = RunId("r-" + "1" * 32)
SESSION = SessionId("s-1")
OWNER = "ada"
SPEC_A = SpecRef("writer", "text", Revision("a" * 64))
SPEC_B = SpecRef("painter", "image", Revision("b" * 64))


def at(ms: int = 0, boot: str = "boot-1") -> Moment:
    return Moment(boot, ms, 1_700_000_000_000 + ms)


def launched(nodes: Sequence[str] = ("a", "b"), **changes: Any) -> RunLaunched:
    values: dict[str, Any] = {
        "run_id": RUN,
        "tenant": TENANT,
        "launch_seq": 1,
        "workflow_id": WorkflowId("w-1"),
        "workflow_name": "Works",
        "workflow_folder": "/somewhere",
        "outcome_asked": "works",
        "session_id": SESSION,
        "actor": OWNER,
        "pins": Pins(Revision("p" * 64), Revision("w" * 64), Revision("b" * 64)),
        "slots": tuple(SlotSeed(SlotId(n), NodeId(n), n.upper()) for n in nodes),
        "bindings": tuple(NodeBinding(NodeId(n), (SPEC_A, SPEC_B)) for n in nodes),
    }
    return RunLaunched(**{**values, **changes})


def claimed(slot: str, number: int, epoch: int = 1, **changes: Any) -> AttemptClaimed:
    values: dict[str, Any] = {
        "slot_id": SlotId(slot),
        "attempt_id": AttemptId(f"a-{number}"),
        "epoch": epoch,
        "agent": SPEC_A.agent,
        "worker_class": SPEC_A.worker_class,
        "spec": SPEC_A.spec,
        "cause": "schedule",
        "actor": OWNER,
        "session_id": SESSION,
    }
    return AttemptClaimed(**{**values, **changes})


def ended(
    slot: str,
    number: int,
    epoch: int = 1,
    status: AttemptStatus = AttemptStatus.SUCCEEDED,
    **changes: Any,
) -> AttemptEnded:
    done = status is AttemptStatus.SUCCEEDED
    values: dict[str, Any] = {
        "slot_id": SlotId(slot),
        "attempt_id": AttemptId(f"a-{number}"),
        "epoch": epoch,
        "status": status,
        "lease": LeaseStatus.RELEASED if done else LeaseStatus.REVOKED,
        "reason": EndReason.EXIT,
        "message": "" if done else "exit 1",
        "upto": 0,
        "evidence": Evidence.EXIT_FILE,
        "next_state": SlotState.DONE if done else SlotState.RETRY_WAIT,
        "figures": FiguresTotals(cost_usd=Decimal(0), cost_is_complete=True, cost_source="none"),
        "hold": None if done else Hold.PERSON,
    }
    return AttemptEnded(**{**values, **changes})


def reassigned(slot: str, prior: int, token: str, **changes: Any) -> SlotReassigned:
    values: dict[str, Any] = {
        "slot_id": SlotId(slot),
        "prior": AttemptId(f"a-{prior}"),
        "agent": SPEC_A.agent,
        "worker_class": SPEC_A.worker_class,
        "spec": SPEC_A.spec,
        "reason": "again",
        "actor": OWNER,
        "token": TokenId(token),
        "command_id": CommandId(f"c-{token}"),
    }
    return SlotReassigned(**{**values, **changes})


def run_ended(outcome: Outcome = Outcome.STOPPED, end_seq: int = 1, exit_code: int = 3) -> RunEnded:
    return RunEnded(outcome, end_seq, exit_code, "stopped by you")


def sitting(number: int, go_on: bool = False) -> SittingOpened:
    return SittingOpened(number, OWNER, SESSION, go_on)


def entries(*events: Event, start: int = 1) -> list[Entry]:
    return [
        Entry(seq, at(seq * 10), event) for seq, event in zip(itertools.count(start), events, strict=False)
    ]


def history(*events: Event) -> RunState:
    """The state after a launch of nodes a and b, or after the events' own launch, and the events."""
    if not events or not isinstance(events[0], RunLaunched):
        events = (launched(), *events)
    state: RunState | None = None
    for entry in entries(*events):
        state = advance(state, entry)
    assert state is not None
    return state


def then(state: RunState, *events: Event) -> RunState:
    """The same state, after further events."""
    for entry in entries(*events, start=state.seq + 1):
        advance(state, entry)
    return state


def reports(*bodies: dict[str, Any]) -> list[dict[str, Any]]:
    """Reports with sequence, epoch and clocks filled in."""
    return [
        {"seq": seq, "epoch": 1, "boot_ms": seq * 10, "wall_ms": 1_700_000_000_000 + seq * 10, **body}
        for seq, body in enumerate(bodies, 1)
    ]


def usage(cost: str | None = None, **fields: Any) -> dict[str, Any]:
    return {"kind": "usage", "cost_usd": cost, "source": "reported" if cost else "unknown", **fields}
