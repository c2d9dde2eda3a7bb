"""What the door tells of interrupted runs, and what a person may do about them short of resuming (REC3–REC14).

Values and the protocol only; `engine.recovering` is the implementation. Names, commands, targets and lines are foreign text:
show them as plain text. Nothing here is done before a person asks (ruling 25), except that `owed` reads our own store.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import Literal, Protocol

from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import AttemptId, CommandId, NodeId, RunId, SlotId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.practice import Spent
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import EffectView, RunView
from quarterdeck.engine.attempt_details import KeptFile


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process of a former attempt that is alive now. pid and start_ticks are its identity; how it is known to be its."""

    pid: int
    start_ticks: int
    command: str
    how: str


class Outside(StrEnum):
    """What is known of effects in flight when an agent was cut off. NONE only where the last record proves it."""

    NONE = "none in flight"
    TO_CHECK = "unknown"
    NOT_TOLD = "not told"
    """This agent tells nothing of what it does outside, or its last words are missing."""


@dataclass(frozen=True, slots=True)
class InterruptedAgent:
    """One agent that was cut off. attempt_number counts the slot's attempts from 1.

    evidence: how its end is known, in words (`no trace found`); empty while it is alive. last_known: what it was in, in the newest
    attempt that ran. effects: those of all its attempts that may have happened and are not settled; settled: those that a probe or a person answered for; tells: it told of any. end_first: it cannot be resumed before its processes ended.
    """

    slot_id: SlotId
    node_id: NodeId
    title: str
    agent: str
    agent_kind: str
    is_practice: bool
    attempt_id: AttemptId
    attempt_number: int
    display: str
    reason: str
    turns: int
    cost_usd: Decimal | None
    cost_is_complete: bool
    last_known: str
    last_line: str
    was_paused: bool
    outside: Outside
    effects: tuple[EffectView, ...]
    survivors: tuple[Survivor, ...]
    end_first: bool
    still_ending: bool
    evidence: str
    can_continue_session: bool
    settled: tuple[EffectView, ...] = ()
    unread: str = ""
    """Why its reports cannot be read, or not wholly, in words: effects may be missing from what is told here."""
    cost_source: str = "reported"
    tells: bool = False
    transcript_lost: str = ""
    """What of its transcript could not be kept, in words: then `last_line` is the last that was, and may be cut. Empty: nothing."""
    reopened: bool = False
    """It was re-opened and waits to start: only the claim is missing."""


@dataclass(frozen=True, slots=True)
class OtherAgent:
    """An agent of the run that was not cut off, by its title and how it stands."""

    title: str
    display: str


@dataclass(frozen=True, slots=True)
class UnnamedAttempt:
    """An attempt of a damaged run of which nothing says whose it was: no journal names it, and its launch file is lost.

    Its figures are in no sum of the run. evidence: how its end is known; empty while something of it may live. upto, wall_ms:
    number and time of its last report.
    """

    attempt_id: AttemptId
    folder: Path
    turns: int
    cost_usd: Decimal | None
    effects: tuple[EffectView, ...]
    survivors: tuple[Survivor, ...]
    still_ending: bool
    evidence: str
    last_line: str
    upto: int
    wall_ms: int
    figures: FiguresTotals
    unread: str = ""

    @property
    def end_first(self) -> bool:
        """Something of it lives, or it cannot be told that nothing does."""
        return bool(self.survivors) or not self.evidence


@dataclass(frozen=True, slots=True)
class InterruptedRun:
    """A run that ended because whoever owned it went away, and that nobody has answered yet.

    ran_for_ms: over all sittings, up to last_record_at: when the last one ended, by its last sign. Both are the run's own
    view's (`domain.last_signs`), the one place that ends come from; ran_at_least: no more than that sign is known of its end. cost_is_complete False: "at least" (JNL5);
    cost_usd None: unknown, never 0. torn: the end of a file was cut off.
    """

    run_id: RunId
    workflow_id: WorkflowId
    workflow_name: str
    workflow_folder: str
    started_at: Moment
    ended_at: Moment | None
    last_record_at: Moment | None
    ran_for_ms: int
    ran_at_least: bool
    turns: int
    cost_usd: Decimal | None
    cost_is_complete: bool
    torn: bool
    agents: tuple[InterruptedAgent, ...]
    rest: tuple[OtherAgent, ...]
    damage: str = ""
    """What is wrong with its journal, in words: it can be launched anew or discarded, and never carried on."""
    unnamed: tuple[UnnamedAttempt, ...] = ()
    cost_source: str = "reported"
    practice: Spent | None = None
    """What it cost in its two parts, where practice agents were among them: `cost_usd` is of both."""

    @property
    def spent(self) -> Spent:
        """What was paid, apart from what was pretended."""
        return self.practice or Spent(self.cost_usd, self.cost_is_complete, source=self.cost_source)


@dataclass(frozen=True, slots=True)
class UnreadableRun:
    """A run whose files cannot be read, named with its folder and why."""

    run_id: RunId
    folder: Path
    why: str


@dataclass(frozen=True, slots=True)
class Owed:
    """Everything that the prompt tells: newest launch first."""

    runs: tuple[InterruptedRun, ...]
    unreadable: tuple[UnreadableRun, ...] = ()


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """What became of the process: seen, not assumed. left: processes of that attempt that are alive now."""

    result: Literal["ended", "killed", "still_alive"]
    words: str
    left: tuple[Survivor, ...]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file of the working folder. how: as git says it, or `changed`; at_ms: wall clock, None where it is gone."""

    path: str
    how: str
    at_ms: int | None
    since_start: bool


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit that was made since the attempt began."""

    revision: str
    at_ms: int
    subject: str


@dataclass(frozen=True, slots=True)
class FolderEvidence:
    """What is seen in the working folder. could_not: why it was not looked at, or not wholly; empty where it was."""

    folder: str
    is_repository: bool = False
    changed: tuple[ChangedFile, ...] = ()
    commits: tuple[Commit, ...] = ()
    cut: bool = False
    could_not: str = ""


@dataclass(frozen=True, slots=True)
class AgentEvidence:
    """What is known of one agent, gathered when a person asked. process: whether the old one lives, and how that is known.

    attempt_id: the newest attempt that ran, of which lines, saved files and folder are; effects: of all attempts.
    """

    slot_id: SlotId
    attempt_id: AttemptId
    last_known: str
    last_lines: tuple[str, ...]
    in_flight: tuple[str, ...]
    effects: tuple[EffectView, ...]
    saved: tuple[KeptFile, ...]
    folder: FolderEvidence
    process: str
    survivors: tuple[Survivor, ...]
    transcript_lost: str = ""
    """As of `InterruptedAgent`."""


@dataclass(frozen=True, slots=True)
class ProgramFile:
    """A file of the agent's command, as it was at the start of the last attempt and as it is now (PIN6)."""

    path: str
    differs: bool
    words: str


@dataclass(frozen=True, slots=True)
class ResumeChoice:
    """An agent that may take the slot over: the same, or a pinned alternative.

    files: its program now against the last start; empty where it never ran. problem: why it cannot start now, in words.
    """

    agent: str
    kind: str
    worker_class: str
    model: str
    is_prior: bool
    same_class: bool
    budget_usd: Decimal | None
    files: tuple[ProgramFile, ...] = ()
    problem: str = ""


@dataclass(frozen=True, slots=True)
class RepeatStep:
    """A step that must be done again, and why."""

    step: str
    why: str


@dataclass(frozen=True, slots=True)
class ResumePreview:
    """The second step: everything that a person should know before an agent is resumed (REC14, PIN6, EFF7).

    refusal: why a reassign would be refused now; None where it may go on. limit_usd: the spending limit as it stands;
    run_left_usd: what the run's own budget leaves. settled: effects of all attempts that were answered for. reopened: it waits to start already, so only the claim is missing.
    """

    run_id: RunId
    slot_id: SlotId
    title: str
    workflow_name: str
    pins: Pins
    next_attempt: int
    choices: tuple[ResumeChoice, ...]
    effects: tuple[EffectView, ...]
    outside: Outside
    kept_steps: tuple[str, ...]
    repeat: tuple[RepeatStep, ...]
    saved: tuple[KeptFile, ...]
    session_id: str | None
    can_continue_session: bool
    limit_usd: Decimal | None
    run_left_usd: Decimal | None
    reopened: bool
    refusal: Refusal | None
    settled: tuple[EffectView, ...] = ()
    unread: tuple[str, ...] = ()
    """Of each attempt whose reports cannot be read, or not wholly, why: effects and steps may be missing here."""
    tells: bool = False
    """It told of effects."""


@dataclass(frozen=True, slots=True)
class Probed:
    """What a probe found; it is journaled. unknown: it could not be told, and `words` says why."""

    state: Literal["confirmed", "absent", "unknown"]
    words: str


@dataclass(frozen=True, slots=True)
class UnsoughtSecret:
    """A secret that an agent may have told and that an export could not look for, and why, in words; never its value.

    variable: of the agent, may be empty where only its program knows it. Both empty: it is not known which there are.
    """

    variable: str
    source: str
    why: str


def named_secret(variable: str, source: str) -> str:
    """A secret by its names: never its value."""
    if not source:
        return "secrets of its agents"
    return f"{variable} from {source}" if variable else source


@dataclass(frozen=True, slots=True)
class Exported:
    """One run as text. stripped: what was taken out or is not part of it, in words, one each. unsought: what may stand in it. sought:
    names of the secrets that were looked for by the value that each has now; one that was changed since is not found.
    """

    text: str
    suffix: str
    stripped: tuple[str, ...]
    unsought: tuple[UnsoughtSecret, ...] = ()
    sought: tuple[str, ...] = ()


class Recovery(Protocol):
    """The part of the door for interrupted runs. Disk and programs are read and waited for in worker threads."""

    @property
    def opens_records_only(self) -> bool:
        """Three windows crashed within five minutes: open no workspace, and say so (ruling 19)."""

    async def owed(self) -> Owed:
        """Every unanswered run, of window and terminal alike. Starts nothing, opens no connection (REC5)."""

    async def keep_as_stopped(
        self, run: RunId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """The prompt is answered; nothing else changes. The same again changes nothing."""

    async def survivors(self, run: RunId, slot: SlotId) -> tuple[Survivor, ...] | Refusal:
        """Processes of the slot's newest attempt that are alive, where its death is not proved; the keeper last."""

    async def end_process(
        self, run: RunId, attempt: AttemptId, pid: int, start_ticks: int, actor: str | None = None
    ) -> ProcessEnd | Refusal:
        """TERM and CONT, after the grace KILL, to exactly that process. E_PROCESS: it is none of that attempt's now."""

    async def evidence(self, run: RunId, slot: SlotId) -> AgentEvidence | Refusal:
        """Look: only when a person asks (ruling 25)."""

    async def before_resume(self, run: RunId, slot: SlotId) -> ResumePreview | Refusal:
        """The second step of Resume. Changes nothing."""

    async def probe(
        self, run: RunId, slot: SlotId, effect_id: str, actor: str | None = None
    ) -> Probed | Refusal:
        """Ask the owner of an effect, read-only: files and git. May be repeated (EFF6). Told by several attempts: unknown if one is."""

    async def settle(
        self,
        run: RunId,
        slot: SlotId,
        effect_id: str,
        said: Literal["happened", "absent"],
        reason: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """A person says what became of an effect (ruling 13), in every attempt that told it and whose outcome is not known."""

    async def export(self, run: RunView, form: Literal["json", "markdown"]) -> Exported:
        """One run as text that may be handed on: no home folders or environments, and no secrets but those `unsought`."""

    async def known_secrets(self, run: RunId) -> frozenset[str]:
        """Of the secrets that the run's agents were given those that this process knows, without asking a keyring: what is hidden
        where the run is shown.
        """
