"""What is kept and what leaves, as a protocol: Discard and its undo, the bounded store, files that cannot be read.

Loaded before the first paint, so it imports nothing heavy; the one implementation is `local_keeping`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.keeping import KeptRun, Leaving, Limits
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import RunView

UNDO_DAYS = 7


@dataclass(frozen=True, slots=True)
class UnknownEffect:
    """Something that an agent may have done outside, and nobody knows (EFF2). `target` is the agent's own word."""

    slot: str
    attempt: str
    id: str
    type: str
    target: str


@dataclass(frozen=True, slots=True)
class Discarded:
    """A run that was discarded and can be brought back until `until_ms` (Unix milliseconds).

    view is None in a list, and where the run's files could not be read; workflow_name is empty there.
    """

    run: RunId
    workflow_name: str
    at_ms: int
    until_ms: int
    view: RunView | None = None
    effects: tuple[UnknownEffect, ...] = ()


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file or run that cannot be used, or only in part. `run` is empty where it is no run's."""

    path: Path
    why: str
    run: str = ""


@dataclass(frozen=True, slots=True)
class Collected:
    """Pinned contents that were removed, or would be. why_not: why none was, in words; empty where it was done."""

    count: int = 0
    size_bytes: int = 0
    why_not: str = ""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What left, or would leave with dry_run. Sizes in bytes, as they are after it.

    is_over: what is left is above a cap and may not leave: newest runs of workflows, pinned runs, and runs that are spared.
    """

    leaving: tuple[Leaving, ...]
    limits: Limits
    runs: int
    size_bytes: int
    transcript_bytes: int
    is_over: bool = False
    dry_run: bool = False
    names: dict[RunId, str] = field(default_factory=dict)
    """{run that leaves, or is pinned: name of its workflow}"""
    collected: Collected = Collected()
    """Pinned contents that no run needs any more."""
    pinned: tuple[KeptRun, ...] = ()
    """Runs that a person pinned: no cap lets them go."""


@dataclass(frozen=True, slots=True)
class Kept:
    """How much is kept on this computer. `read_only`: why nothing can be written here, in a sentence; empty: it can."""

    runs: int
    size_bytes: int
    read_only: str = ""


class Keeping(Protocol):
    """The part of the door that is about keeping. All methods run on the engine's loop."""

    @property
    def read_only(self) -> str:
        """Why this store is only read (JNL9), or was opened for reading and what a crash left could not be settled (REC6), in a
        sentence; empty where neither is so.
        """

    async def unknown_effects(self, run: RunId) -> tuple[UnknownEffect, ...]:
        """What is to be read before a discard; none where the run cannot be read."""

    async def discard(self, run: RunId, actor: str | None = None) -> Discarded | Refusal:
        """Take an ended run out of the list (A15 row 16, REC13). E_SURVIVOR, E_ACTOR, E_TERMINAL, E_RUN, E_STORE."""

    async def undo_discard(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        """Bring it back whole, for UNDO_DAYS."""

    async def discarded(self) -> tuple[Discarded, ...]:
        """What can be brought back, oldest first."""

    async def pin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        """Keep a run above every cap, with its transcripts, until it is unpinned or discarded. Idempotent. E_RUN, E_STORE."""

    async def unpin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        """Let the caps count for it again. Idempotent."""

    async def prune(self, *, dry_run: bool) -> Pruned | Refusal:
        """Hold the store to its caps now, or say what would go."""

    async def unreadable(self) -> tuple[Unreadable, ...]:
        """Everything that cannot be used: runs, lines of the ledger, files that were set aside."""

    async def kept(self) -> Kept:
        """How much is kept."""

    async def other_home(self, workflow: WorkflowId, path: Path) -> Path | None:
        """Another file of the same workflow id, from which it was launched last: the folder was copied (STO5)."""

    async def look_at(self, runs: Iterable[RunId]) -> None:
        """The runs that somebody looks at here now: none of them is evicted (ruling 16). Replaces what was said before."""
