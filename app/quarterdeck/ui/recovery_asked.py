"""What passes between the link's recovery and keeping parts and the window: orders and past-tense news. Frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from pathlib import Path

from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.engine.keeping import Discarded, Kept, UnknownEffect, Unreadable
from quarterdeck.engine.recovery import AgentEvidence, Exported, Probed, ProcessEnd, ResumePreview

Refused = tuple[tuple[RunId, Refusal], ...]


@dataclass(frozen=True, slots=True)
class RunsKept:
    """The prompt was answered with *Keep as stopped* for these runs; those that refused are named."""

    runs: tuple[RunId, ...]
    refused: Refused = ()


@dataclass(frozen=True, slots=True)
class ProcessEnded:
    """What became of a process that outlived its run."""

    run: RunId
    attempt: AttemptId
    pid: int
    result: ProcessEnd | Refusal


@dataclass(frozen=True, slots=True)
class EvidenceRead:
    """The answer to *Look*."""

    run: RunId
    slot: SlotId
    result: AgentEvidence | Refusal


@dataclass(frozen=True, slots=True)
class RunExported:
    """One run as text, for this path; exported is None where it cannot be read."""

    run: RunId
    path: Path
    exported: Exported | None


@dataclass(frozen=True, slots=True)
class ResumeRead:
    """The second step of Resume, before anything is asked; view: the run as it stands, None where it cannot be read."""

    run: RunId
    slot: SlotId
    result: ResumePreview | Refusal
    view: RunView | None = None


class Stage(StrEnum):
    """Which of the commands behind *Start attempt* was refused: those before it are done, and are not taken back."""

    REOPEN = "reopen"
    LIMIT = "limit"
    CLAIM = "claim"


@dataclass(frozen=True, slots=True)
class ResumeIds:
    """Ids of the commands of one dialog: pressed twice, each is done once (SLT19)."""

    reassign: CommandId
    limit: CommandId
    run_limit: CommandId
    claim: CommandId


@dataclass(frozen=True, slots=True)
class ResumeOrder:
    """What a person decided in the second step. agent None: the same; limit_usd None: as it stands.

    reopens False: the slot waits to start already, and only the claim is missing.
    """

    run: RunId
    slot: SlotId
    reason: str
    ids: ResumeIds
    agent: str | None = None
    continue_session: bool = True
    limit_usd: Decimal | None = None
    run_limit_usd: Decimal | None = None
    go_on: bool = False
    reopens: bool = True


@dataclass(frozen=True, slots=True)
class Resumed:
    """The answer to a ResumeOrder: the new attempt, or what was refused and at which stage."""

    order: ResumeOrder
    attempt: AttemptId | None
    refusal: Refusal | None = None
    stage: Stage = Stage.CLAIM

    @property
    def is_reopened(self) -> bool:
        """The slot is re-opened and waits to start: the reassign was taken, what followed was not (SLT17)."""
        return self.refusal is not None and self.stage is not Stage.REOPEN


@dataclass(frozen=True, slots=True)
class EffectProbed:
    """What a probe found."""

    run: RunId
    slot: SlotId
    effect_id: str
    result: Probed | Refusal


@dataclass(frozen=True, slots=True)
class EffectAnswered:
    """A person's word about an effect was taken, or refused."""

    run: RunId
    slot: SlotId
    effect_id: str
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class EffectsRead:
    """What is to be read before a discard: {run: effects whose outcome nobody knows}."""

    effects: Mapping[RunId, tuple[UnknownEffect, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunsDiscarded:
    """Runs that left the list, and those that could not."""

    done: tuple[Discarded, ...]
    refused: Refused = ()


@dataclass(frozen=True, slots=True)
class BroughtBack:
    """The answer to an undo."""

    run: RunId
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class PinAnswered:
    """The answer to *Pin run* (`wanted`) or *Unpin run*."""

    run: RunId
    wanted: bool
    refusal: Refusal | None


@dataclass(frozen=True, slots=True)
class StoreNotes:
    """How the store stands: how much is kept, what of it cannot be read, why it is only read."""

    kept: Kept
    unreadable: tuple[Unreadable, ...] = ()
