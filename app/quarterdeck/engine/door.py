"""The door: everything that terminal and window may ask of the engine, as a protocol.

Queries answer from memory or read disk in a worker thread; commands return a value or a `Refusal`. Nothing else of
the engine is reached from above (design §2).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, Revision, RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.shared_limits import SharedSpending
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.attempt_details import AttemptDetails
from quarterdeck.engine.household import Household
from quarterdeck.engine.keeping import Keeping
from quarterdeck.engine.past import Past
from quarterdeck.engine.planned import BrokenWorkflow, LaunchPreview, LoadedWorkflow
from quarterdeck.engine.recovery import Recovery
from quarterdeck.engine.sign_ins import SignIns


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What a person asks at a launch. inputs: raw values by name (text from the terminal, typed from the window).

    `content` is the exact bytes that were shown and agreed to, where the window took them; None reads the file now.
    asks_trust: a content that was not launched from its folder before is refused (E_UNTRUSTED), unless `agreed` is the one that a
    preview asked for (ruling 26). Who names a file to the terminal trusts it.
    """

    path: Path
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outcome: str | None = None
    actor: str | None = None
    content: bytes | None = None
    asks_trust: bool = False
    agreed: Revision | None = None


@dataclass(frozen=True, slots=True)
class TranscriptChunk:
    """Raw bytes of an attempt's transcript from `offset`; `size_bytes` is the file's size now; missing: no file."""

    offset: int
    content: bytes
    size_bytes: int
    missing: bool = False


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """One line of `run --events`: a journal event or a report of a run, in the order in which it became known."""

    seq: int
    at: Moment
    type: str
    run: RunId
    slot: SlotId | None
    attempt: AttemptId | None
    epoch: int | None
    data: Mapping[str, Any]


class Feed(Protocol):
    """A conflating subscription: which runs changed since the last take. Bounded by the number of runs."""

    async def wait_changed(self) -> None:
        """Returns when at least one run changed since the last `take`."""

    def take(self) -> frozenset[RunId]:
        """The runs that changed; empties the set."""

    def close(self) -> None:
        """Ends the subscription; idempotent."""


class Door(Protocol):
    """The engine as seen from above. All methods run on the engine's loop.

    A command that was accepted goes on where its caller is cancelled. `command_id` names one command: the same id again
    gets the first answer (SLT19); without one each call is a command of its own.
    """

    @property
    def household(self) -> Household:
        """Settings, examples, sizes and programs of this computer."""

    @property
    def details(self) -> AttemptDetails:
        """What an attempt printed, was told and saved, as far as a person looks."""

    @property
    def past(self) -> Past:
        """Spend, waits and the app's log."""

    @property
    def recovery(self) -> Recovery:
        """Interrupted runs: the prompt that is owed, evidence, effects, export."""

    @property
    def keeping(self) -> Keeping:
        """Discard and its undo, the caps of the store, files that cannot be read."""

    @property
    def sign_ins(self) -> SignIns:
        """The credentials list, tests of it, and which sign-ins are known to fail or to have reached a limit."""

    async def load(self, path: Path) -> LoadedWorkflow | BrokenWorkflow:
        """Read and check one workflow file."""

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
        """Every `*.workflow.json` of a folder, sorted by name. Executes nothing."""

    async def preview(self, request: LaunchRequest) -> LaunchPreview | Refusal:
        """Inputs checked, outcome rendered, commands listed; nothing is written."""

    async def launch(self, request: LaunchRequest) -> RunId | Refusal:
        """Pin, journal and start a run (A15 row 1). Returns once the launch is durable."""

    async def pause(
        self, run: RunId, slot: SlotId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """Hold the agent's tree. A request that was already sent may still be billed."""

    async def continue_(
        self, run: RunId, slot: SlotId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """Let a paused agent go on."""

    async def stop_slot(
        self,
        run: RunId,
        slot: SlotId,
        actor: str | None = None,
        *,
        nobody_there: bool = False,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """End one agent; returns when the request is durable. Idempotent. Works while the store is down (case 14).

        nobody_there: it is ended because it asked where nobody was there to answer.
        """

    async def stop_run(
        self, run: RunId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """End a run. Idempotent."""

    async def answer(
        self,
        run: RunId,
        request: RequestId,
        choice: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Answer an open question, once; also in an ended run, where it is journaled and starts nothing (ruling 6).

        A choice "Allow for this run" also answers later byte-identical requests of the same slot. E_REQUEST: not open any
        more, and why, or no such choice. E_STORE: the question is not durable yet.
        """

    async def say(
        self,
        run: RunId,
        slot: SlotId,
        text: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Send a message to an agent at work; durable as a person's turn before the agent hears it. Whether the agent's
        program took it is told by its attempt's `messages`.

        E_ATTEMPT_STATE: it is not at work, or its program takes none. E_INPUT: empty, or too long.
        """

    async def raise_budget(
        self,
        run: RunId,
        slot: SlotId | None,
        limit_usd: Decimal,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Set a new spending limit of a run (slot None) or slot, live or ended; nothing goes on by itself (ruling 12)."""

    async def reassign(
        self,
        run: RunId,
        slot: SlotId,
        reason: str,
        agent: str | None = None,
        worker_class: str | None = None,
        *,
        continue_session: bool = True,
        actor: str | None = None,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Re-open a slot (SLT13); starts nothing. continue_session: else the next attempt starts from what was saved."""

    async def withdraw_allowed(
        self, run: RunId, request: RequestId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """Take back what an answer "for this run" allowed: identical requests are asked again. request: the one that was answered."""

    async def switch_agent(
        self,
        run: RunId,
        slot: SlotId,
        agent: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Another pinned agent, by name, for a slot that waits: behind a limit, for its turn, refused for its sign-in (nothing starts
        by it), or for the time of a retry (then it is re-opened and started).
        """

    async def claim(
        self,
        run: RunId,
        slot: SlotId,
        go_on: bool = False,
        *,
        actor: str | None = None,
        command_id: CommandId | None = None,
    ) -> AttemptId | Refusal:
        """Create one attempt on a slot, opening a sitting where the run had ended (ruling 3).

        A refusal leaves an ended run ended. E_BUDGET: the run's limit is spent; raise it first.
        """

    def unreadable(self) -> Mapping[RunId, str]:
        """Runs that are kept and cannot be read, and why in words; `runs` leaves them out."""

    def runs(self) -> tuple[RunSummary, ...]:
        """Every known run, newest launch first; live ones of other processes marked `foreign`."""

    def closed(self) -> tuple[RunSummary, ...]:
        """Runs that left the store and still speak for their workflow (C12, STO8): for its state and sums, never for a list."""

    def pinned(self) -> frozenset[RunId]:
        """Runs that a person pinned, here or in another process; some may have left the list (`keeping.pin`)."""

    async def shared_spending(self) -> SharedSpending:
        """How the limits stand that runs share: of a workflow, and of the night. With the spend of other processes' runs."""

    def last_saved_ms(self) -> int | None:
        """When records of this process's runs, or of its agents, became durable last, by the boot clock; None: never yet."""

    async def run(self, run: RunId) -> RunView | None:
        """One run in full; None where it is unknown. Raises EngineError where its files cannot be read."""

    def live_run(self, run: RunId) -> RunView | None:
        """One run of this process, from memory: a live one, or one of the newest that ended; else None."""

    async def launched_workflow(self, revision: Revision) -> Workflow | None:
        """A workflow as it was launched (PIN4), by the revision that a run pins; None where it is missing or damaged.

        Raises EngineError where the store cannot be read.
        """

    async def find_run(self, start: str) -> RunId | Refusal:
        """The run whose id is, or unambiguously starts with, `start` (with or without `r-`)."""

    def statuses(self, folder: Path | None = None) -> tuple[WorkflowStatus, ...]:
        """Projected status of each workflow of the folder, joined by id with those in the store (ruling 29).

        The folder as `workspace` read it last; before that only what the store knows. Nothing is read here.
        """

    async def transcript(self, run: RunId, attempt: AttemptId, offset: int, limit: int) -> TranscriptChunk:
        """Part of a raw transcript; a negative offset counts from the end. Raises EngineError."""

    def subscribe(self) -> Feed:
        """Changes of all runs, conflated."""

    def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        """Everything of one run of this process from its first event on; ends once its record is durable.

        Where old events were let go of, the first one is of type `lagged` and says how many; the files have them.
        """

    async def wait_ended(self, run: RunId) -> RunView:
        """Returns the run once its sitting is over and its record is durable. KeyError where the run is unknown.

        A run that could not be recorded to its end (a fault, a dead disk) is still live there, and its reason says why.
        """

    async def close(self, *, reason: str = "app_closed", finish_within_s: float = 0.0) -> None:
        """Ordered shutdown: live runs may finish for so long, then they are ended and proved; idempotent.

        It goes on where the caller is cancelled; whoever calls again waits for the same end, and gets its error. Who gives no
        time then ends the waiting for runs to finish.

        reason `person` leaves them stopped (no prompt), `app_closed` leaves them interrupted (ruling 20). It returns too
        where `keep_open` took it back.
        """

    def keep_open(self) -> bool:
        """Take a close back that still lets runs finish: nothing was ended, and everything goes on. False: too late."""
