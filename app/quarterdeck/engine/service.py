"""The engine: the one implementation of the door. It wires store, catalog, runs and the session's socket together.

What only some processes need (runs of their own, launches, commands) is loaded when it is needed: a verb that lists runs
starts in a fraction of the time. Start: store, session, settling of what dead sessions left, catalog, socket. End: live runs are ended and proved, the
socket closes, the session ends clean. Runs are `engine.live_runs`', commands to other processes' runs `engine.foreign`'s.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId, WorkflowId
from quarterdeck.domain.projection import WorkflowStatus, project_all
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import EndReason
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.agent_orders import AgentOrders
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.kept_parts import KeptParts
from quarterdeck.engine.no_runs import NoRuns, OwnRuns, read_only
from quarterdeck.engine.opening import Opened, open_store
from quarterdeck.store.durable_io import DurableIO
from quarterdeck.store.errors import StoreError
from quarterdeck.store.machine import now

if TYPE_CHECKING:
    from quarterdeck.engine.door import Feed, FeedEvent, LaunchRequest, TranscriptChunk
    from quarterdeck.engine.foreign import ForeignRuns
    from quarterdeck.engine.live_runs import LiveRuns
    from quarterdeck.engine.one_window import WindowAsked
    from quarterdeck.engine.owner_socket import OwnerServer
    from quarterdeck.engine.planned import BrokenWorkflow, LaunchPreview, LoadedWorkflow
    from quarterdeck.engine.secret_vault import SecretVault
    from quarterdeck.engine.watching import StoreWatch
    from quarterdeck.shim.client import ForkServer
    from quarterdeck.store.sessions import Session


class Engine(KeptParts, AgentOrders):
    """See `engine.door.Door` for what each method does."""

    def __init__(self, opened: Opened, live: LiveRuns | None) -> None:
        self._live: OwnRuns = live if live is not None else NoRuns(opened.store.newer)
        super().__init__(opened.store, self._live.live_views)
        self._opened = opened
        self._catalog = opened.catalog
        self._own = live
        self._catalog.is_own = self._live.is_live
        self._commands: ForeignRuns | None = None
        self._watch: StoreWatch | None = None
        self._server: OwnerServer | None = None
        self._names: dict[Path, dict[WorkflowId, str]] = {}
        self._closing: asyncio.Task[None] | None = None
        self.window_asked: Callable[[WindowAsked], None] | None = None
        """Called on the loop when a second window hands its request to this one (JNL10)."""

    @property
    def _foreign(self) -> ForeignRuns:
        if self._commands is None:
            from quarterdeck.engine.foreign import ForeignRuns

            self._commands = ForeignRuns(self._store, self._live, self._opened.unsettled)
        return self._commands

    @classmethod
    async def open(
        cls,
        folder: Path | None = None,
        *,
        fork_server: ForkServer | None = None,
        kind: str = "terminal",
        read_only: bool = False,
        io: DurableIO | None = None,
        vault: SecretVault | None = None,
        config: Path | None = None,
    ) -> Engine:
        """The engine over a data folder (default: this user's). Raises StoreUnusable.

        read_only: no session, no socket; dead sessions are still settled where that is possible (ruling 19). io: the seam of
        everything durable, where faults and kills are injected. vault: of secrets, else this system's keyring.
        config: the folder of settings that hold for it, else this user's.
        """
        opened = await asyncio.to_thread(open_store, folder, kind, read_only, now, io, config)
        if opened.session is None:
            return cls(opened, None)
        return await _begin(opened, opened.session, fork_server, vault)

    async def load(self, path: Path) -> LoadedWorkflow | BrokenWorkflow:
        """Read and check one workflow file."""
        from quarterdeck.engine.reading import load_file

        return await asyncio.to_thread(load_file, path)

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
        """Every workflow file of a folder."""
        from quarterdeck.engine.reading import workflows_of

        found = await asyncio.to_thread(workflows_of, folder)
        self._names[folder] = _names_of(found)
        return found

    async def preview(self, request: LaunchRequest) -> LaunchPreview | Refusal:
        """What a launch would do."""
        from quarterdeck.engine.launching import previewed

        return await asyncio.to_thread(previewed, request, self._store)

    async def launch(self, request: LaunchRequest) -> RunId | Refusal:
        """Pin, journal and start a run."""
        from quarterdeck.engine.launch_trust import launch_trusted

        if self._own is None:
            return read_only(self._store.newer)
        return await launch_trusted(self._store, self._own, request)

    # ------------------------------------------------------------------------------- commands

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
        """Re-open a slot; starts nothing."""
        said: dict[str, Any] = {"slot": slot, "reason": reason, "agent": agent, "class": worker_class}
        said["continue_session"] = continue_session
        return await self._foreign.command(run, "reassign", actor, command_id, **said)

    async def claim(
        self,
        run: RunId,
        slot: SlotId,
        go_on: bool = False,
        *,
        actor: str | None = None,
        command_id: CommandId | None = None,
    ) -> AttemptId | Refusal:
        """Create one attempt on a slot, opening a sitting where the run had ended."""
        return await self._foreign.claim(run, slot, go_on, actor, command_id)

    # ------------------------------------------------------------------------------- looking

    def runs(self) -> tuple[RunSummary, ...]:
        """Every known run, newest launch first."""
        return self._catalog.all(self._live.live_views())

    def unreadable(self) -> Mapping[RunId, str]:
        """Runs that are kept and cannot be read, and why."""
        return self._catalog.unreadable

    def closed(self) -> tuple[RunSummary, ...]:
        """Runs that left the store."""
        return self._catalog.closed

    async def run(self, run: RunId) -> RunView | None:
        """One run in full."""
        from quarterdeck.engine.folder_watch import read_told

        held = self._live.view(run)
        if held is not None and (self._live.is_live(run) or held.is_live):
            return held  # Live here; or it could not be recorded to its end, which only this process knows.
        try:
            watch = self._watch.folder if self._watch is not None else None
            return await asyncio.to_thread(read_told, self._store, run, watch)
        except StoreError as error:
            raise StoreUnusable(f"Run {run} cannot be read: {error}") from error

    def live_run(self, run: RunId) -> RunView | None:
        """One run of this process, from memory."""
        return self._live.view(run)

    async def find_run(self, start: str) -> RunId | Refusal:
        """The run whose id is or begins so."""
        found = self._catalog.find(start, self._live.live_views())
        if isinstance(found, Refusal) and found.code is Code.E_RUN:
            await self.refresh()
            found = self._catalog.find(start, self._live.live_views())
        return found

    async def refresh(self) -> None:
        """Read the run list anew: other processes may have launched or ended runs."""
        try:
            found = await asyncio.to_thread(self._catalog.read)
        except StoreError:
            return  # The list stays as it was known; `recording` of each live run tells of the disk.
        self._tell_changed(self._catalog.merge(found))

    def _tell_changed(self, changed: dict[RunId, int]) -> None:
        for run, seq in changed.items():
            self._live.forget_if_behind(run, seq)
            self._live.publisher.mark(run)

    def statuses(self, folder: Path | None = None) -> tuple[WorkflowStatus, ...]:
        """Projected status of each workflow of the folder and of the store; the folder as `workspace` read it last."""
        named = self._names.get(folder, {}) if folder is not None else {}
        return project_all(self.runs(), self.closed(), named)

    async def transcript(self, run: RunId, attempt: AttemptId, offset: int, limit: int) -> TranscriptChunk:
        """Part of a raw transcript."""
        from quarterdeck.engine.reading import read_transcript

        return await asyncio.to_thread(read_transcript, self._store, run, attempt, offset, limit)

    def subscribe(self) -> Feed:
        """Changes of all runs, conflated."""
        return self._live.publisher.subscribe()

    def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        """Everything of one run of this process, from its first event on."""
        return self._live.events(run)

    async def wait_ended(self, run: RunId) -> RunView:
        """The run once its sitting is over and its record durable."""
        if (view := await self._live.wait_ended(run) or await self.run(run)) is None:
            raise KeyError(run)
        return view

    # ------------------------------------------------------------------------------- the end

    async def close(self, *, reason: str = "app_closed", finish_within_s: float = 0.0) -> None:
        """Ordered shutdown; idempotent. It goes on where a caller is cancelled; every caller gets its end, or its error."""
        if self._closing is None:
            why = EndReason.PERSON if reason == "person" else EndReason.APP_CLOSED
            self._closing = asyncio.get_running_loop().create_task(
                self._shut_down(why, finish_within_s), name="the engine closes"
            )
        elif finish_within_s <= 0:
            self._live.patience.hurry.set()
        await asyncio.shield(self._closing)

    def keep_open(self) -> bool:
        """Take a close back that still lets runs finish. False: it ends them already, or nothing is closing."""
        return self._live.patience.take_back()

    @property
    def is_closed(self) -> bool:
        """Whether a close came to its end and was not taken back."""
        return self._closing is not None and self._closing.done()

    async def _shut_down(self, why: EndReason, finish_within_s: float) -> None:
        """Every part is let go of, also where one before it failed; the first error is raised."""
        async with AsyncExitStack() as parts:
            parts.push_async_callback(asyncio.to_thread, self._opened.close)
            if self._server is not None:
                parts.push_async_callback(self._server.close)
            if self._watch is not None:
                parts.push_async_callback(self._watch.close)
            if self._commands is not None:
                parts.push_async_callback(self._commands.close)
            if not await self._live.close(why, finish_within_s):
                parts.pop_all()  # nothing is let go of: it was taken back
                self._closing = None


async def _begin(
    opened: Opened, session: Session, fork_server: ForkServer | None, vault: SecretVault | None
) -> Engine:
    """An engine that may own runs: it listens, and looks at what others do."""
    from quarterdeck.engine import launching, reading  # noqa: F401 - loaded now, not under a person's first click
    from quarterdeck.engine.context import EngineContext
    from quarterdeck.engine.live_runs import LiveRuns
    from quarterdeck.engine.owner_socket import OwnerServer
    from quarterdeck.engine.secret_vault import SecretVault
    from quarterdeck.engine.watching import StoreWatch

    context = EngineContext(opened.store, session, fork_server, now, vault=vault or SecretVault())
    engine = Engine(opened, LiveRuns(context, opened.catalog))
    engine._context = context
    engine._server = OwnerServer(session.socket_path, functools.partial(_serve, engine))
    try:
        await engine._server.start()
    except OSError as error:
        await asyncio.to_thread(opened.close)
        raise StoreUnusable(f"No socket can be made in the data folder: {error}") from error
    engine._watch = StoreWatch(opened.store, opened.catalog, engine._tell_changed)
    engine._watch.start()
    return engine


async def _serve(engine: Engine, asked: dict[str, Any]) -> dict[str, Any]:
    """What other processes ask: of runs of this one, or of its window; and the sign-ins that they cleared."""
    from quarterdeck.engine.local_sign_ins import CLEARED, cleared_of
    from quarterdeck.engine.one_window import SHOW_WINDOW, asked_of

    if asked.get("verb") == CLEARED:
        engine.sign_ins.memory.clear(cleared_of(asked))
        return {"ok": True}
    if asked.get("verb") != SHOW_WINDOW:
        return await engine._foreign.serve(asked)
    if engine.window_asked is None:
        return {"ok": False}
    engine.window_asked(asked_of(asked))
    return {"ok": True}


def _names_of(files: tuple[LoadedWorkflow | BrokenWorkflow, ...]) -> dict[WorkflowId, str]:
    from quarterdeck.engine.planned import LoadedWorkflow

    return {file.workflow.id: file.workflow.name for file in files if isinstance(file, LoadedWorkflow)}
