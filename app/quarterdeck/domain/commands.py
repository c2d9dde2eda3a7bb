"""Commands: what a person, or the scheduler on a person's behalf, asks of a run. Imperatives (style 2).

`tenant` and `run_id` are compared with the run's own (SLT3, SLT4). `command_id` makes a command idempotent:
the same id again returns the first answer (SLT19).
"""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId, TenantId


@dataclass(frozen=True, slots=True)
class ReassignSlot:
    """Re-open a slot for another attempt (A8). agent or worker_class empty: as the prior attempt."""

    command_id: CommandId
    tenant: TenantId
    run_id: RunId
    slot_id: SlotId
    actor: str
    reason: str
    agent: str | None = None
    worker_class: str | None = None
    continue_session: bool = True


@dataclass(frozen=True, slots=True)
class SwitchAgent:
    """Have another pinned agent take a slot that waits for its first attempt. agent: its name."""

    command_id: CommandId
    tenant: TenantId
    run_id: RunId
    slot_id: SlotId
    actor: str
    agent: str


@dataclass(frozen=True, slots=True)
class ClaimSlot:
    """Create one attempt and one lease on a slot (A15 row 2). `cause` as in AttemptClaimed; `go_on`: ruling 3."""

    command_id: CommandId
    tenant: TenantId
    run_id: RunId
    slot_id: SlotId
    actor: str
    attempt_id: AttemptId
    cause: str = "schedule"
    token: str | None = None
    go_on: bool = False
