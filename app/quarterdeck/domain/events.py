"""Journal events: decisions about a run, as past-tense facts. The journal alone moves runs, slots and leases.

Stored one a line by `store.journal` as `{"seq", "kind", "boot", "boot_ms", "wall_ms", <fields>, "crc"}`. Every
dataclass here has a literal `kind`; the store validates the union by it, on write and on read (style 29).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

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
from quarterdeck.domain.pins import NodeBinding, Pins
from quarterdeck.domain.question_events import ApprovalAnswered as ApprovalAnswered
from quarterdeck.domain.question_events import ApprovalAsked as ApprovalAsked
from quarterdeck.domain.question_events import MessageSent as MessageSent
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    Evidence,
    Hold,
    LeaseStatus,
    Outcome,
    SlotState,
)

JOURNAL_SCHEMA = 1


@dataclass(frozen=True, slots=True)
class SlotSeed:
    """A slot as it exists from the launch on."""

    slot_id: SlotId
    node_id: NodeId
    title: str


@dataclass(frozen=True, slots=True)
class RunLaunched:
    """Header of a journal, always sequence 1 (A15 row 1). The run is live from here; its first sitting is open."""

    run_id: RunId
    tenant: TenantId
    launch_seq: int
    workflow_id: WorkflowId
    workflow_name: str
    workflow_folder: str
    """Folder of the workflow file at launch, absolute; for showing and for the default `cwd`."""
    outcome_asked: str
    session_id: SessionId
    actor: str
    pins: Pins
    slots: tuple[SlotSeed, ...]
    bindings: tuple[NodeBinding, ...]
    max_parallel: int | None = None
    budget_usd: Decimal | None = None
    schema: int = JOURNAL_SCHEMA
    kind: Literal["run_launched"] = "run_launched"


@dataclass(frozen=True, slots=True)
class SittingOpened:
    """A person's claim made an ended run live again (C2). `go_on`: later nodes follow (C10)."""

    sitting: int
    actor: str
    session_id: SessionId
    go_on: bool
    kind: Literal["sitting_opened"] = "sitting_opened"


@dataclass(frozen=True, slots=True)
class AttemptClaimed:
    """Durable intent before any process exists (JNL4, A15 row 2): attempt starting, lease granted, epoch risen."""

    slot_id: SlotId
    attempt_id: AttemptId
    epoch: int
    agent: str
    worker_class: str
    spec: Revision
    cause: Literal["schedule", "retry", "person"]
    actor: str
    session_id: SessionId
    token: TokenId | None = None
    command_id: CommandId | None = None
    kind: Literal["attempt_claimed"] = "attempt_claimed"


@dataclass(frozen=True, slots=True)
class AttemptPauseRequested:
    """A person paused the agent; the tree is held (A15 row 5)."""

    slot_id: SlotId
    attempt_id: AttemptId
    actor: str
    kind: Literal["attempt_pause_requested"] = "attempt_pause_requested"


@dataclass(frozen=True, slots=True)
class AttemptContinueRequested:
    """A person let a paused agent go on."""

    slot_id: SlotId
    attempt_id: AttemptId
    actor: str
    kind: Literal["attempt_continue_requested"] = "attempt_continue_requested"


@dataclass(frozen=True, slots=True)
class AttemptStopRequested:
    """The attempt is to end (A15 row 7); idempotent."""

    slot_id: SlotId
    attempt_id: AttemptId
    actor: str
    reason: EndReason
    kind: Literal["attempt_stop_requested"] = "attempt_stop_requested"


@dataclass(frozen=True, slots=True)
class RunStopRequested:
    """The run is to end: nothing is claimed any more (case 17). `reason` PERSON, one of the budgets, TIME_OVER or APP_CLOSED."""

    actor: str
    reason: EndReason
    kind: Literal["run_stop_requested"] = "run_stop_requested"


@dataclass(frozen=True, slots=True)
class AttemptLost:
    """The shim fell silent without proof of death (A15 row 10): lease suspect, attempt lost, slot unchanged."""

    slot_id: SlotId
    attempt_id: AttemptId
    message: str
    kind: Literal["attempt_lost"] = "attempt_lost"


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """The attempt's terminal fact (A15 rows 4, 7, 8, 9, 11), journaled after its reports are closed.

    upto: last counted report sequence (0 = none). next_state: DONE or RETRY_WAIT. hold and retry_at_ms (boot time,
    milliseconds, only with Hold.TIMER) belong to RETRY_WAIT. message: one sentence in words for a person.
    """

    slot_id: SlotId
    attempt_id: AttemptId
    epoch: int
    status: AttemptStatus
    lease: LeaseStatus
    reason: EndReason
    message: str
    upto: int
    evidence: Evidence
    next_state: SlotState
    figures: FiguresTotals
    hold: Hold | None = None
    retry_at_ms: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    kind: Literal["attempt_ended"] = "attempt_ended"


@dataclass(frozen=True, slots=True)
class RetryCancelled:
    """A person stopped a slot that waited for its timed retry: it holds for a person from here (case 17, A15 row 7)."""

    slot_id: SlotId
    actor: str
    kind: Literal["retry_cancelled"] = "retry_cancelled"


@dataclass(frozen=True, slots=True)
class SlotFailed:
    """A `failure` or `always` edge was followed from an exhausted slot (ruling 2): it is failed for good."""

    slot_id: SlotId
    kind: Literal["slot_failed"] = "slot_failed"


@dataclass(frozen=True, slots=True)
class SlotCancelled:
    """A condition was not met: the slot is skipped (ruling 1)."""

    slot_id: SlotId
    reason: Literal["skipped"] = "skipped"
    kind: Literal["slot_cancelled"] = "slot_cancelled"


@dataclass(frozen=True, slots=True)
class SlotReassigned:
    """A person re-opened the slot (SLT13): no attempt, no lease, no process yet; the token is needed to claim."""

    slot_id: SlotId
    prior: AttemptId
    agent: str
    worker_class: str
    spec: Revision
    reason: str
    actor: str
    token: TokenId
    command_id: CommandId
    continue_session: bool = True
    """Whether the successor may take up the agent's own session; else it starts from what was saved."""
    kind: Literal["slot_reassigned"] = "slot_reassigned"


@dataclass(frozen=True, slots=True)
class ClaimRefused:
    """A scheduled or asked claim did not happen; the slot stays as it was and carries the reason (SLT17)."""

    slot_id: SlotId
    code: str
    message: str
    kind: Literal["claim_refused"] = "claim_refused"


@dataclass(frozen=True, slots=True)
class CommandRefused:
    """Audit entry of a refused command; ignored by the fold (ruling 14)."""

    command: str
    slot_id: SlotId | None
    code: str
    message: str
    actor: str
    command_id: CommandId | None = None
    kind: Literal["command_refused"] = "command_refused"


@dataclass(frozen=True, slots=True)
class BudgetWarned:
    """Spending passed 80 % of a limit; said once per limit. scope: a `budget_words.Shared`, or `scope_of` a slot."""

    scope: str
    spent_usd: Decimal
    limit_usd: Decimal
    spent_source: str = "reported"
    """As in `FiguresTotals.cost_source`."""
    kind: Literal["budget_warned"] = "budget_warned"


@dataclass(frozen=True, slots=True)
class BudgetRaised:
    """A person set a new limit; going on is another act (ruling 12). scope: `run`, or `budget_words.scope_of` a slot."""

    scope: str
    limit_usd: Decimal
    actor: str
    kind: Literal["budget_raised"] = "budget_raised"


@dataclass(frozen=True, slots=True)
class EffectSettled:
    """A probe or a person said what became of an effect of unknown outcome (EFF3, ruling 13)."""

    slot_id: SlotId
    attempt_id: AttemptId
    effect_id: str
    state: Literal["confirmed", "absent", "unknown", "accepted_by_person"]
    value: str
    reason: str
    actor: str
    kind: Literal["effect_settled"] = "effect_settled"


@dataclass(frozen=True, slots=True)
class ProcessEndTried:
    """A person had a process ended that outlived its attempt's owner; what became of it, as it was seen (case 29)."""

    slot_id: SlotId
    attempt_id: AttemptId
    pid: int
    start_ticks: int
    result: Literal["ended", "killed", "still_alive"]
    actor: str
    kind: Literal["process_end_tried"] = "process_end_tried"


@dataclass(frozen=True, slots=True)
class MachineSlept:
    """The machine was suspended while the run was live (LSE5): a gap for showing, which expires and stops nothing.

    slept_ms: how far the boot-time clock went on while the monotonic one stood still. ended_boot_ms: boot time at which
    it was noticed, at most a look after the end of the sleep.
    """

    slept_ms: int
    ended_boot_ms: int
    kind: Literal["machine_slept"] = "machine_slept"


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The sitting is over (A15 row 17): retry times are erased, every waiting slot holds for a person (C4).

    end_seq: stored counter beside launch_seq (ruling 7). exit_code: of `run` (design §8). message: why, in words.
    settled: whether who settled what a dead owner left wrote it; None in a journal of an earlier version.
    """

    outcome: Outcome
    end_seq: int
    exit_code: int
    message: str
    settled: bool | None = None
    kind: Literal["run_ended"] = "run_ended"


@dataclass(frozen=True, slots=True)
class RunAnswered:
    """A person saw that the run was interrupted and keeps it as stopped: no prompt is owed any more (ruling 19)."""

    actor: str
    kind: Literal["run_answered"] = "run_answered"


@dataclass(frozen=True, slots=True)
class RunDiscarded:
    """A person discarded the run (A15 row 16)."""

    actor: str
    kind: Literal["run_discarded"] = "run_discarded"


Event = (
    RunLaunched
    | SittingOpened
    | AttemptClaimed
    | AttemptPauseRequested
    | AttemptContinueRequested
    | AttemptStopRequested
    | RunStopRequested
    | AttemptLost
    | AttemptEnded
    | RetryCancelled
    | SlotFailed
    | SlotCancelled
    | SlotReassigned
    | ClaimRefused
    | CommandRefused
    | ApprovalAsked
    | ApprovalAnswered
    | MessageSent
    | BudgetWarned
    | BudgetRaised
    | EffectSettled
    | ProcessEndTried
    | MachineSlept
    | RunEnded
    | RunAnswered
    | RunDiscarded
)


@dataclass(frozen=True, slots=True)
class Entry:
    """An event at its place in a run's journal; sequences start at 1 and have no gap."""

    seq: int
    at: Moment
    event: Event
