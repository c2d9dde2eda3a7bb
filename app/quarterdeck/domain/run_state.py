"""The folded journal of one run: mutable values that `run_fold.advance` moves and everybody else only reads.

The journal alone moves these (design §5); figures, `active`, `held`, `paused` and `stopping` are joined in
`domain.join` and stand nowhere here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from quarterdeck.domain.events import (
    ApprovalAnswered,
    ApprovalAsked,
    AttemptEnded,
    EffectSettled,
    Event,
    MessageSent,
    RunLaunched,
    RunStopRequested,
)
from quarterdeck.domain.ids import (
    AttemptId,
    CommandId,
    NodeId,
    RequestId,
    RunId,
    SessionId,
    SlotId,
    TenantId,
    TokenId,
    WorkflowId,
)
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import Pins, SpecRef
from quarterdeck.domain.refusal import Code
from quarterdeck.domain.states import (
    TERMINAL_ATTEMPT,
    TERMINAL_LEASE,
    AttemptStatus,
    EndReason,
    Hold,
    LeaseStatus,
    Outcome,
    Phase,
    SlotState,
)

PASSING_REFUSALS = frozenset({Code.E_CAPACITY.value, Code.E_STORE.value})
"""Refused claims that the scheduler asks again by itself; every other one waits for a person."""


@dataclass(slots=True)
class Sitting:
    """One interval in which the run is or was live."""

    number: int
    opened_at: Moment
    actor: str
    session_id: SessionId
    go_on: bool
    """Whether later nodes are scheduled (ruling 3); True for the sitting of the launch."""
    last_sign_at: Moment
    """Of the last entry that only its owner writes: whoever settles a run concludes it and does nothing else."""
    ended_at: Moment | None = None
    """Of the entry that says so; `last_signs` tells when its work ended."""
    settled_at: Moment | None = None
    """The same moment, where not the owner wrote that entry but who settled what a dead owner left."""
    concluded: tuple[AttemptId, ...] = ()
    """Attempts whose ends were journaled since the last sign: where the sitting is settled, they were found then."""
    has_ended_after_stop: bool = False
    """Whether an attempt's end was journaled after the order to stop: an owner waits for them, settling comes later."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """A time in which the machine was suspended while the run was live."""

    began_at: Moment
    ended_at: Moment


@dataclass(frozen=True, slots=True)
class Reopening:
    """What SLT13 leaves on a slot until its claim."""

    token: TokenId
    spec: SpecRef
    reason: str
    actor: str
    at: Moment
    command_id: CommandId
    continue_session: bool = True


@dataclass(frozen=True, slots=True)
class ClaimRefusal:
    """Why the last claim of the slot did not happen (SLT17)."""

    code: str
    message: str


ANSWERS_KEPT = 50
"""Of one slot, told again beside it; the journal has all of them."""
MESSAGES_KEPT = 50
"""Of one attempt, likewise."""


@dataclass(slots=True)
class SlotRecord:
    """One slot as the journal knows it. `state` is never ACTIVE or HELD here."""

    slot_id: SlotId
    node_id: NodeId
    title: str
    state: SlotState = SlotState.PENDING
    epoch: int = 0
    attempts: list[AttemptId] = field(default_factory=list)
    """Oldest first, append-only (SLT2)."""
    hold: Hold | None = None
    retry_at_ms: int | None = None
    """Boot time; only with Hold.TIMER."""
    retry_cancelled: bool = False
    """A person stopped it while it waited for a timed retry; until it is taken up again."""
    reopened: Reopening | None = None
    chosen: SpecRef | None = None
    """The agent that a person chose for its first attempt, while it waits; None: the first of those pinned."""
    refusal: ClaimRefusal | None = None
    exhausted: bool = False
    """The last attempt failed and no retry follows (ruling 2)."""
    asked: ApprovalAsked | None = None
    asked_at: Moment | None = None
    answer: ApprovalAnswered | None = None
    answered: tuple[tuple[ApprovalAnswered, Moment], ...] = ()
    """The newest ANSWERS_KEPT answers to its questions, oldest first."""

    @property
    def prior(self) -> AttemptId | None:
        """The newest attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def is_asking(self) -> bool:
        """An approval node that waits for its answer."""
        return self.asked is not None and self.answer is None and self.state is SlotState.PENDING

    @property
    def is_blocked(self) -> bool:
        """A claim was refused for a reason that does not pass by itself."""
        return self.refusal is not None and self.refusal.code not in PASSING_REFUSALS

    @property
    def is_shown_failed(self) -> bool:
        """Shown as *Failed* though not failed for good: exhausted, or its claim was refused (ruling 2, AUT9)."""
        if self.state is SlotState.RETRY_WAIT:
            return self.reopened is None and (self.exhausted or self.is_blocked)
        return self.state is SlotState.PENDING and self.is_blocked


@dataclass(slots=True)
class AttemptRecord:
    """One attempt as the journal knows it: status is STARTING, LOST or terminal."""

    attempt_id: AttemptId
    slot_id: SlotId
    epoch: int
    spec: SpecRef
    cause: str
    actor: str
    session_id: SessionId
    claimed_at: Moment
    sitting: int
    status: AttemptStatus = AttemptStatus.STARTING
    lease: LeaseStatus | None = LeaseStatus.GRANTED
    """Always set in a fold; None only in a state that was built to ask the guards about it."""
    ended: AttemptEnded | None = None
    ended_at: Moment | None = None
    """Of the entry that says so; `last_signs` tells when it ended."""
    found_late: bool = False
    """Its end was found by who settled it, so that `ended_at` is only when somebody looked."""
    pause_requested: bool = False
    stop_requested: EndReason | None = None
    stop_requested_by: str = ""
    raised_to: Decimal | None = None
    """What a person had raised its limit to by its end; what the slot is given afterwards is for its successors."""
    lost_message: str = ""
    lost_at: Moment | None = None
    """When contact with it was lost, as its owner saw it."""

    @property
    def agent(self) -> str:
        """Name of the agent that was chosen."""
        return self.spec.agent

    @property
    def worker_class(self) -> str:
        """Class of that agent."""
        return self.spec.worker_class

    @property
    def is_terminal(self) -> bool:
        """Whether it ended (I7)."""
        return self.status in TERMINAL_ATTEMPT


@dataclass(slots=True)
class RunState:
    """One run as its journal says. `seq` is the last folded sequence."""

    header: RunLaunched
    launched_at: Moment
    slots: dict[SlotId, SlotRecord]
    """In workflow order."""
    sittings: list[Sitting]
    specs: dict[NodeId, tuple[SpecRef, ...]] = field(default_factory=dict)
    """The header's bindings by node: who may claim it, the chosen one first (PIN3)."""
    phase: Phase = Phase.LIVE
    outcome: Outcome | None = None
    exit_code: int | None = None
    end_seq: int | None = None
    message: str = ""
    ended_at: Moment | None = None
    stop_requested: RunStopRequested | None = None
    """Of this sitting; a new one begins without it (case 7)."""
    attempts: dict[AttemptId, AttemptRecord] = field(default_factory=dict)
    """In the order of their claims."""
    budget_usd: Decimal | None = None
    slot_budgets: dict[SlotId, Decimal] = field(default_factory=dict)
    """Limits that a person raised, by slot; they outrank the pinned ones."""
    warned: dict[tuple[str, Decimal], tuple[Decimal, Moment, str]] = field(default_factory=dict)
    """(scope, limit) for which 80 % was said: what was spent then, and when."""
    answers: dict[RequestId, ApprovalAnswered] = field(default_factory=dict)
    standing: dict[tuple[SlotId, str], ApprovalAnswered] = field(default_factory=dict)
    standing_at: dict[RequestId, Moment] = field(default_factory=dict)
    """When each of the answers that were for the run was given."""
    """The last answer "for this run" by (slot, exact bytes): later requests of those bytes are answered by it."""
    messages: dict[AttemptId, tuple[tuple[MessageSent, Moment], ...]] = field(default_factory=dict)
    """The newest MESSAGES_KEPT that a person sent to an attempt, oldest first."""
    settled: dict[tuple[AttemptId, str], EffectSettled] = field(default_factory=dict)
    """Last settlement by (attempt, effect id)."""
    settled_at: dict[tuple[AttemptId, str], Moment] = field(default_factory=dict)
    """When that was."""
    used_tokens: set[TokenId] = field(default_factory=set)
    """Spent or replaced; none of them claims again."""
    discarded_by: str = ""
    answered: bool = False
    """Since its last end a person has said what is to become of it: kept, taken up again, or discarded (ruling 19)."""
    sleeps: list[Sleep] = field(default_factory=list)
    """Oldest first."""
    commands: dict[CommandId, Event] = field(default_factory=dict, compare=False)
    """First answer to each command (SLT19), refusals included; no part of the state that guards compare."""
    seq: int = 1

    @property
    def run_id(self) -> RunId:
        """Of the header."""
        return self.header.run_id

    @property
    def tenant(self) -> TenantId:
        """Of the header."""
        return self.header.tenant

    @property
    def workflow_id(self) -> WorkflowId:
        """Of the header."""
        return self.header.workflow_id

    @property
    def pins(self) -> Pins:
        """Constant for the run's life (I9)."""
        return self.header.pins

    @property
    def owner(self) -> str | None:
        """The actor on whose behalf the run was launched (C7); None where none was recorded."""
        return self.header.actor or None

    @property
    def is_live(self) -> bool:
        """Ruling 1."""
        return self.phase is Phase.LIVE

    @property
    def is_unanswered(self) -> bool:
        """Interrupted, and a prompt is owed (REC3, ruling 19)."""
        return self.phase is Phase.ENDED and self.outcome is Outcome.INTERRUPTED and not self.answered

    @property
    def sitting(self) -> Sitting:
        """The newest sitting."""
        return self.sittings[-1]

    @property
    def open_attempts(self) -> list[AttemptRecord]:
        """Every attempt that has not ended, lost ones included."""
        return [attempt for attempt in self.attempts.values() if not attempt.is_terminal]

    def prior_of(self, slot: SlotRecord) -> AttemptRecord | None:
        """The newest attempt of a slot."""
        return self.attempts[slot.prior] if slot.prior is not None else None

    def has_open_lease(self, slot: SlotRecord) -> bool:
        """Whether an attempt of the slot holds a lease that is not terminal: by I1 only the newest one can."""
        prior = self.prior_of(slot)
        return prior is not None and prior.lease not in TERMINAL_LEASE

    def is_retry_owed(self, slot: SlotRecord) -> bool:
        """Its last try failed and another was to follow, which no person cancelled; in an ended run it was cut off (C4)."""
        prior = self.prior_of(slot)
        has_failed = prior is not None and prior.status is AttemptStatus.FAILED
        is_given_up = slot.exhausted or slot.is_blocked or slot.retry_cancelled
        is_waiting = slot.state is SlotState.RETRY_WAIT and slot.reopened is None
        return has_failed and is_waiting and not is_given_up

    def hold_for_person(self) -> None:
        """An ended run tries nothing again by itself: what waits, waits for a person (C4)."""
        for slot in self.slots.values():
            slot.retry_at_ms = None
            if slot.state is SlotState.RETRY_WAIT:
                slot.hold = Hold.PERSON

    def series_length(self, slot: SlotRecord) -> int:
        """Attempts since a person, or the launch, last started the slot; what `retry.max_attempts` counts."""
        length = 0
        for attempt_id in reversed(slot.attempts):
            length += 1
            if self.attempts[attempt_id].cause != "retry":
                break
        return length
