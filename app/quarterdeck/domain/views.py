"""View values: frozen answers to "what is known", read by terminal and window alike, and by nothing written.

They are the join of the journal's fold with each attempt's report fold (design §5) and carry exactly what
`show --json` prints. A view never moves anything. `display` is the word a person reads (ruling 28, ux palette):
Not started, Waiting, Starting, Running, Paused, Needs you, Retrying, Stopping, Done, Failed, Stopped, Skipped,
"Re-opened, waiting to start", "Could not stop", "Still ending", "Still alive".
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quarterdeck.domain.allowed import AllowedView
from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.ids import AttemptId, MessageId, NodeId, RequestId, RunId, SlotId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.permissions import choices_of
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.practice import Spent
from quarterdeck.domain.states import (
    AttemptStatus,
    EffectState,
    EndReason,
    LeaseStatus,
    Outcome,
    Phase,
    SlotState,
)


@dataclass(frozen=True, slots=True)
class SettledView:
    """What a probe found, or a person said, of an effect (ruling 13); the effect's state tells which of the two.

    value: what was found, in words, or a person's `happened`, `absent`. reason: the person's, `probe` of a probe. actor: who
    said it, or asked the probe.
    """

    value: str
    reason: str
    actor: str
    at: Moment


@dataclass(frozen=True, slots=True)
class EffectView:
    """One effect of an attempt; `id` is the agent's own, shown as `NODE#id`."""

    id: str
    state: EffectState
    type: str
    target: str
    detail: str
    settled: SettledView | None = None


@dataclass(frozen=True, slots=True)
class ArtifactView:
    """One saved file; `stored` is its file name below the attempt's `artifacts/`, None where only its hash is kept."""

    name: str
    sha256: str
    size_bytes: int
    path: str | None
    stored: str | None


@dataclass(frozen=True, slots=True)
class ApprovalView:
    """An open question of an agent, or of an approval node (attempt_id None)."""

    request_id: RequestId
    run_id: RunId
    slot_id: SlotId
    attempt_id: AttemptId | None
    epoch: int
    question: str
    options: tuple[str, ...]
    asked_at: Moment
    tool: str = ""
    action: str = ""
    """The exact JSON text of what it asks to do; this and its neighbours as the agent's program said it, empty where it did not."""
    where: str = ""
    network: str = ""
    writes: str = ""
    whole_chars: int = 0
    """How long the question is, where it was too long to be kept whole; else 0."""
    exact: str = ""
    """SHA-256 of what is asked; empty of an approval node."""

    @property
    def choices(self) -> tuple[str, ...]:
        """What a person may choose. What nobody can read whole is allowed once at most, and a node asks only once."""
        if self.attempt_id is None or self.whole_chars:
            return self.options
        return choices_of(self.options)


@dataclass(frozen=True, slots=True)
class AnsweredView:
    """The answer that a question was given, and by whom."""

    request_id: RequestId
    choice: str
    actor: str
    at: Moment
    because: RequestId | None = None
    """The earlier request whose answer "for this run" gave this one; None where a person gave it."""


@dataclass(frozen=True, slots=True)
class MessageView:
    """What a person said to the agent while it worked. delivered None: not yet; it waits until the agent's program takes it."""

    message_id: MessageId
    text: str
    actor: str
    at: Moment
    delivered: bool | None = None
    at_byte: int | None = None
    """How much the agent had printed before it; None where that is not known."""


@dataclass(frozen=True, slots=True)
class ErrorView:
    """A machine-readable error that an agent reported."""

    error_class: str
    message: str


@dataclass(frozen=True, slots=True)
class OutputFileView:
    """An output that was too large for its report: a file below the attempt's `artifacts/`."""

    stored: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One attempt, as it stands now."""

    attempt_id: AttemptId
    epoch: int
    agent: str
    agent_kind: str
    worker_class: str
    status: AttemptStatus
    lease: LeaseStatus
    reason: str
    """In words; empty while nothing is to be said."""
    started_at: Moment | None
    ended_at: Moment | None
    evidence: str | None
    figures: FiguresTotals
    upto: int = 0
    """Last counted report sequence, once ended."""
    session_id: str | None = None
    exit_code: int | None = None
    signal: int | None = None
    pid: int | None = None
    containment: str | None = None
    cwd: str | None = None
    program: str = ""
    """Absolute path of the program that was started; empty until it began, and in a record of an earlier version."""
    program_version: str = ""
    """As the program said it, else as its place tells; empty where neither does (PIN6)."""
    progress: tuple[float, float | None, str] | None = None
    """done, total (None where not said), label."""
    tail: str = ""
    """Last lines of text, live only; at most 2,000 characters."""
    last_output_at_ms: int | None = None
    """Boot time of the last byte that the agent printed."""
    effects: tuple[EffectView, ...] = ()
    artifacts: tuple[ArtifactView, ...] = ()
    errors: tuple[ErrorView, ...] = ()
    output: Any = None
    """None also where it lies in `output_file`."""
    has_output: bool = False
    output_file: OutputFileView | None = None
    late: FiguresTotals | None = None
    """Usage in reports beyond the attempt's end (ruling 9); counted in slot and run, not in `figures`."""
    budget_usd: Decimal | None = None
    """Its own limit of spending as it stands, raised ones included; None where it has none (the run may have one)."""
    max_turns: int | None = None
    """Turns after which it is ended, whether or not a price is known; None: no such limit."""
    timeout_s: float | None = None
    """Seconds after which it is ended; None: no such limit."""
    end_reason: EndReason | None = None
    """Why it ended, as a class; None while it lives, and in a record of an earlier version."""
    lost_at: Moment | None = None
    """When contact with it was lost, as long as no end of it is known: its clock stands still there (REC6)."""
    takes_messages: bool = False
    """Whether a person can say something to it while it works."""
    messages: tuple[MessageView, ...] = ()
    """What was said to it, oldest first, as much as is kept at hand."""
    refused_reports: int = 0
    """Reports that came over its connection and were not its own, or came after its end (ID4): seen by who had the run."""

    @property
    def stood_at(self) -> Moment | None:
        """Where its clock stands still: at its end, or where contact was lost; None while it goes on (REC6)."""
        return self.ended_at or self.lost_at


@dataclass(frozen=True, slots=True)
class ReopenedView:
    """The visible state between reassign and claim (SLT16)."""

    reason: str
    actor: str
    at: Moment
    agent: str
    worker_class: str


@dataclass(frozen=True, slots=True)
class SlotView:
    """One slot. `state` is the joined state; `attempts` oldest first (append-only, SLT2)."""

    slot_id: SlotId
    node_id: NodeId
    title: str
    state: SlotState
    display: str
    reason: str
    agent: str
    agent_kind: str
    prior_attempt: AttemptId | None
    reopened: ReopenedView | None
    attempts: tuple[AttemptView, ...]
    approvals: tuple[ApprovalView, ...] = ()
    retry_at_ms: int | None = None
    turns: int = 0
    cost_usd: Decimal | None = None
    cost_is_complete: bool = True
    cost_source: str = "reported"
    """As in `FiguresTotals`, of all attempts together: what is an estimate is called one wherever it is shown."""
    is_practice: bool = False
    answers: tuple[AnsweredView, ...] = ()
    """The newest answers to its questions, oldest first."""
    alternatives: tuple[str, ...] = ()
    """Other agents that are pinned for it, by name: one of them can take it over."""
    allowed: tuple[AllowedView, ...] = ()
    """What a person allowed it for the run and has not withdrawn, oldest first."""
    refused: str = ""
    """Code of the refusal for which it was not started (SLT17); empty where its last claim was not refused."""
    raised_to: Decimal | None = None
    """The limit that a person gave its living or next attempt, while the run is live; None: the workflow's stands."""


@dataclass(frozen=True, slots=True)
class SittingView:
    """One interval in which the run was live; `ended_at` None while it is."""

    opened_at: Moment
    ended_at: Moment | None
    """The last sign of it where its owner was lost: it went on so long at least."""
    actor: str
    settled_at: Moment | None = None
    """When its end was found, where its owner was lost."""


@dataclass(frozen=True, slots=True)
class SleepView:
    """A time in which the machine was suspended while the run was live (LSE5)."""

    began_at: Moment
    ended_at: Moment


@dataclass(frozen=True, slots=True)
class WarnedView:
    """80 % of a limit of spending was passed and said so, once for each limit (ruling 12). All in US dollars."""

    slot_id: SlotId | None
    """Whose limit; None is one that agents share."""
    spent_usd: Decimal
    """By then."""
    limit_usd: Decimal
    at: Moment
    shared: Shared | None = None
    """Which of those; None where it is one agent's."""
    source: str = "reported"
    """Of what was spent, as `FiguresTotals.cost_source`."""


def warned_view(
    of: Shared | SlotId, spent_usd: Decimal, limit_usd: Decimal, at: Moment, source: str
) -> WarnedView:
    """A warning of a limit that many share, or of one agent's own."""
    if isinstance(of, Shared):
        return WarnedView(None, spent_usd, limit_usd, at, of, source)
    return WarnedView(of, spent_usd, limit_usd, at, None, source)


@dataclass(frozen=True, slots=True)
class RunView:
    """A whole run. `slots` in workflow order. `seq` is the journal sequence that it reflects."""

    run_id: RunId
    workflow_id: WorkflowId
    workflow_name: str
    launch_seq: int
    end_seq: int | None
    phase: Phase
    outcome: Outcome | None
    reason: str
    """Why it ended, in words ("stopped by you", "app closed", "exit 1"); empty while live."""
    exit_code: int | None
    started_at: Moment
    ended_at: Moment | None
    sittings: tuple[SittingView, ...]
    pins: Pins
    turns: int
    tokens: TokenCounts
    cost_usd: Decimal | None
    cost_is_complete: bool
    budget_usd: Decimal | None
    accepted_by: str
    accepted_at: Moment
    outcome_asked: str
    slots: tuple[SlotView, ...]
    stopping: bool = False
    recording: bool | None = True
    """False while the store cannot be written (JNL8); None where that is not known: another process records the run."""
    waits_for: str = ""
    """Which file cannot be written or read now, and why; empty where nothing waits for one, or where that is not known."""
    foreign: bool = False
    """True where another process owns the live run."""
    fault: str = ""
    """What Quarterdeck itself did wrong with this run, or could not keep of it for good, in sentences; else empty."""
    owner: str = ""
    """What that process is: `window` or `terminal`; empty for a run of this process, and where it is not known."""
    seq: int = 0
    unanswered: bool = False
    """Interrupted, and nobody has answered yet: a prompt is owed (ruling 19)."""
    practice: Spent | None = None
    """`cost_usd` in its two parts, paid and pretended; None where no practice agent ran."""
    sleeps: tuple[SleepView, ...] = ()
    """Oldest first."""
    warned: tuple[WarnedView, ...] = ()
    """Oldest first; also of limits that were raised since."""
    cost_source: str = "reported"
    """As in SlotView."""
    damaged: bool = False
    """Its journal is: nothing more can be recorded of it, so nobody can carry it on or say more of it (JNL6)."""

    @property
    def is_live(self) -> bool:
        """Live is the run's phase and nothing else (ruling 1)."""
        return self.phase is Phase.LIVE


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A line of the run list (`runs --json`): a RunView without its slots."""

    run_id: RunId
    workflow_id: WorkflowId
    workflow_name: str
    launch_seq: int
    end_seq: int | None
    phase: Phase
    outcome: Outcome | None
    reason: str
    started_at: Moment
    ended_at: Moment | None
    turns: int
    tokens: TokenCounts
    cost_usd: Decimal | None
    cost_is_complete: bool
    foreign: bool = False
    owner: str = ""
    sittings: tuple[SittingView, ...] = ()
    pins: Pins | None = None
    """None only in a line of an older list."""
    accepted_by: str = ""
    accepted_at: Moment | None = None
    unanswered: bool = False
    """As in RunView."""
    practice: Spent | None = None
    cost_source: str = "reported"
    """As in SlotView."""

    @property
    def is_live(self) -> bool:
        """Live is the run's phase and nothing else (ruling 1)."""
        return self.phase is Phase.LIVE


def is_end_at_least(run: RunSummary | RunView) -> bool:
    """Whether the run went on until its end at least: its owner was lost, and no sign of it is later."""
    return run.ended_at is not None and bool(run.sittings) and run.sittings[-1].settled_at is not None
