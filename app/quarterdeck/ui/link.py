"""The one object between window and engine. It owns the asyncio side; widgets call its verbs and hear its signals.

Verbs return at once; each answer comes as one past-tense signal with one frozen value. The feed is drained at most
every 33 ms (performance 2), so forty busy agents cost one signal a frame.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.ids import RequestId, RunId, SlotId, WorkflowId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import Door, Feed, LaunchRequest
from quarterdeck.engine.errors import EngineError
from quarterdeck.ui.asked import (
    CommandAnswered,
    LaunchPreviewed,
    QuitAsked,
    RequestFailed,
    RunLaunched,
    WorkspaceLoaded,
)
from quarterdeck.ui.asking import Asking
from quarterdeck.ui.attempt_link import AttemptLink
from quarterdeck.ui.budget_link import BudgetLink
from quarterdeck.ui.hiding import Hiding
from quarterdeck.ui.house_link import HouseLink
from quarterdeck.ui.keeping_link import KeepingLink
from quarterdeck.ui.language import Texts
from quarterdeck.ui.past_link import PastLink
from quarterdeck.ui.present import Known, projected_run
from quarterdeck.ui.present_graph import Graphs
from quarterdeck.ui.recovery_link import RecoveryLink
from quarterdeck.ui.sign_in_link import SignInLink
from quarterdeck.ui.waiting_link import WaitingLink

tr = Texts("Link")

FRAME_S = 0.033
PAUSE_SHARE, PAUSE_MAX_S = 3.0, 0.2
"""A look that took long is followed by a pause of so many times its length: the rest of the loop is the person's."""
WORKFLOW_SUFFIX = ".workflow.json"
log = logging.getLogger(__name__)


def pause_after(took_s: float) -> float:
    """Seconds until the feed is drained again, after a look that took so many."""
    return min(PAUSE_MAX_S, max(FRAME_S, PAUSE_SHARE * took_s))


class Link(QObject):
    """Bound to a Door, which may come after the window is up: what is asked before is answered then. Another may take
    its place, such as one that may record in the place of one that only reads.

    `serve` must run for as long as the window is open.
    """

    runs_changed = Signal(object)
    """Known: every run and the views of those that are live or watched."""
    workspace_loaded = Signal(object)
    launch_previewed = Signal(object)
    run_launched = Signal(object)
    command_answered = Signal(object)
    request_failed = Signal(object)
    quit_accepted = Signal(object)
    """QuitAsked: the program is closing."""
    quit_taken_back = Signal()
    """It stays open, and its runs go on."""
    busy_changed = Signal(object)
    """Tuple of str: in words, what was asked of the engine and is not answered yet, oldest first."""

    def __init__(self, actor: str | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bound: Door | None = None
        self._is_bound = asyncio.Event()
        self._actor = actor
        self._views: dict[RunId, RunView] = {}
        self._hiding = Hiding()
        self._graphs: Graphs = {}
        self._unreadable: set[RunId] = set()
        self._watched: frozenset[RunId] = frozenset()
        self._workflow: WorkflowId | None = None
        self._nudged = asyncio.Event()
        self._quit: asyncio.Future[QuitAsked] | None = None
        self._stopped = False
        asking = Asking(self._is_bound, self)
        asking.busy_changed.connect(self.busy_changed)
        asking.failed.connect(self.request_failed)
        self._asking, self._ask = asking, asking.ask
        self.house = HouseLink(self._ask, lambda: self._door.household, self)
        self.budgets = BudgetLink(self._ask, lambda: self._door, self)
        self.past = PastLink(self._ask, lambda: self._door.past, self._read_run, self)
        self.attempts = AttemptLink(self._ask, lambda: self._door.details, self, self._hiding)
        self.recovery = RecoveryLink(self._ask, lambda: self._door, actor, self, self._hiding)
        self.keeping = KeepingLink(self._ask, lambda: self._door, actor, self, self._hiding)
        self.waiting = WaitingLink(self._ask, lambda: self._door, actor, self.command_answered.emit)
        self.sign_ins = SignInLink(self._ask, lambda: self._door.sign_ins, self, self._hiding)

    # ------------------------------------------------------------------ asyncio side

    def bind(self, door: Door) -> None:
        """Give the link its engine, or another one in its place."""
        if door is not self._bound and self._bound is not None:
            self.keeping.forget()
        self._bound = door
        self.sign_ins.follow(door.sign_ins)
        self._is_bound.set()
        self._nudged.set()

    @property
    def _door(self) -> Door:
        if self._bound is None:
            raise RuntimeError("the link was used before an engine was bound to it")
        return self._bound

    async def serve(self) -> None:
        """Drain the feed until `stop`; owner of this task: bootstrap (or a test)."""
        await self._is_bound.wait()
        while not self._stopped:
            await self._serve(self._door)

    async def _serve(self, door: Door) -> None:
        """Until `stop`, or until another door is bound."""
        feed = door.subscribe()
        try:
            live = frozenset(r.run_id for r in door.runs() if r.is_live)
            await self._refresh(live | self._views.keys())  # what the door before told may not hold any more
            while not self._stopped and self._bound is door:
                await self._wait_any(feed)
                begun_s = time.perf_counter()
                known = await self._look(feed.take())
                await asyncio.sleep(0)  # what the person does comes between making and showing
                self.runs_changed.emit(known)
                await asyncio.sleep(pause_after(time.perf_counter() - begun_s))
        finally:
            feed.close()

    async def stop(self) -> None:
        """End `serve` and every open request; answers that were still owed are not given."""
        self._stopped = True
        self.sign_ins.close()
        self._nudged.set()
        self._is_bound.set()  # nothing waits any longer for a door that did not come
        await self._asking.stop()

    async def wait_quit(self) -> QuitAsked:
        """Returns once the person has chosen to close the program."""
        if self._quit is None:
            self._quit = asyncio.get_running_loop().create_future()
        return await asyncio.shield(self._quit)

    async def _wait_any(self, feed: Feed) -> None:
        waits = {asyncio.ensure_future(one) for one in (feed.wait_changed(), self._nudged.wait())}
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        self._nudged.clear()

    async def _refresh(self, changed: frozenset[RunId]) -> None:
        self.runs_changed.emit(await self._look(changed))

    async def _look(self, changed: frozenset[RunId]) -> Known:
        runs = self._hiding.runs(self._door.runs(), self._door.sign_ins.handed)
        wanted = {r.run_id for r in runs if r.is_live} | self._watched
        if shown := projected_run(r for r in runs if r.workflow_id == self._workflow):
            wanted.add(shown.run_id)  # no dark frame between the end of the last live run and its past view
        ended = {run for run, seen in self._views.items() if seen.is_live} - wanted  # shown once more
        for run in ((changed | (wanted - self._views.keys())) & wanted) | ended:
            view = self._hiding.seen(self._door.live_run(run)) or await self._read_run(run)
            if view is not None:
                self._views[run] = view
            else:
                ended.discard(run)
        self._views = {run: seen for run, seen in self._views.items() if run in wanted or run in ended}
        self._hiding.forget_all_but(self._views)
        self._graphs = await _graphs_of(self._door, self._views.values(), self._graphs)
        return Known(runs, dict(self._views), self._door.closed(), self._graphs, self._door.pinned())

    async def _read_run(self, run: RunId) -> RunView | None:
        """A run from disk. One that cannot be read is told once, and never ends the window or another run (case 35)."""
        try:
            view = await self._door.run(run)
            await self._hiding.learn_of(self._door.recovery, run)
        except (EngineError, OSError) as error:
            if run not in self._unreadable:
                self._unreadable.add(run)
                self.request_failed.emit(RequestFailed(tr("Reading run {run}", run=run), str(error)))
            return None
        self._unreadable.discard(run)
        return self._hiding.seen(view)

    # ------------------------------------------------------------------ verbs

    def watch(self, workflow: WorkflowId | None, runs: Iterable[RunId]) -> None:
        """Keep, beside the live runs, the view of this workflow's projected run and of these runs."""
        wanted = frozenset(runs)
        if wanted != self._watched or workflow != self._workflow:
            self._watched, self._workflow = wanted, workflow
            self._nudged.set()

    def last_saved_ms(self) -> int | None:
        """When records became durable last, by the boot clock; None: never yet, or not known."""
        return self._door.last_saved_ms() if self._is_bound.is_set() else None

    def open_workspace(self, path: Path, *, unasked: bool = False) -> None:
        """Read a folder, or the folder of a workflow file → `workspace_loaded`. unasked: as its files changed."""
        self._ask(tr("Opening {name}", name=path.name), self._open, path, unasked)

    def preview(self, ticket: int, request: LaunchRequest) -> None:
        """What a launch would do → `launch_previewed` with the ticket."""
        self._ask(tr("Checking the launch"), self._preview, ticket, request)

    def launch(self, request: LaunchRequest) -> None:
        """Start a run → `run_launched`."""
        self._ask(tr("Starting the run"), self._launch, request)

    def stop_run(self, run: RunId) -> None:
        """End a run → `command_answered`."""
        self._ask(tr("Stopping the run"), self._command, "stop_run", run)

    def stop_slot(self, run: RunId, slot: SlotId) -> None:
        """End one agent → `command_answered`."""
        self._ask(tr("Stopping the agent"), self._command, "stop_slot", run, slot)

    def pause(self, run: RunId, slot: SlotId) -> None:
        """Hold an agent → `command_answered`."""
        self._ask(tr("Pausing the agent"), self._command, "pause", run, slot)

    def continue_(self, run: RunId, slot: SlotId) -> None:
        """Let a paused agent go on → `command_answered`."""
        self._ask(tr("Continuing the agent"), self._command, "continue", run, slot)

    def answer(self, run: RunId, request: RequestId, choice: str) -> None:
        """Answer an open question → `command_answered`."""
        self._ask(tr("Sending the answer"), self._answer, run, request, choice)

    def say(self, run: RunId, slot: SlotId, text: str) -> None:
        """A message to an agent at work → `command_answered`."""
        self._ask(tr("Sending the message"), self._say, run, slot, text)

    def raise_limit(self, run: RunId, slot: SlotId | None, limit_usd: Decimal) -> None:
        """A new limit of spending of one agent, or of the run → `command_answered`."""
        self._ask(tr("Raising the limit"), self._raise_limit, run, slot, limit_usd)

    def quit(self, asked: QuitAsked) -> None:
        """Close the program; only the first call counts."""
        if self._quit is None:
            self._quit = asyncio.get_event_loop().create_future()
        if not self._quit.done():
            self._quit.set_result(asked)
            self.quit_accepted.emit(asked)

    def take_back_quit(self) -> None:
        """Stay open, while runs may still finish → `quit_taken_back`; nothing where they are ended already."""
        if self._quit is not None and self._quit.done() and self._door.keep_open():
            self._quit = None  # before the close returns to whom waits for it
            self.quit_taken_back.emit()

    # ------------------------------------------------------------------ answers

    async def _open(self, path: Path, unasked: bool) -> None:
        self.workspace_loaded.emit(replace(await _workspace(self._door, path), unasked=unasked))

    async def _preview(self, ticket: int, request: LaunchRequest) -> None:
        result = await self._door.preview(request)
        self.launch_previewed.emit(LaunchPreviewed(ticket, request, result))

    async def _launch(self, request: LaunchRequest) -> None:
        result = await self._door.launch(request)
        self.run_launched.emit(RunLaunched(request, result))

    async def _command(self, verb: str, run: RunId, slot: SlotId | None = None) -> None:
        refusal = await self._send(verb, run, slot)
        self.command_answered.emit(CommandAnswered(verb, run, slot, None, refusal))

    async def _send(self, verb: str, run: RunId, slot: SlotId | None) -> Refusal | None:
        if slot is None:
            return await self._door.stop_run(run, self._actor)
        match verb:
            case "pause":
                return await self._door.pause(run, slot, self._actor)
            case "continue":
                return await self._door.continue_(run, slot, self._actor)
            case _:
                return await self._door.stop_slot(run, slot, self._actor)

    async def _raise_limit(self, run: RunId, slot: SlotId | None, limit_usd: Decimal) -> None:
        refusal = await self._door.raise_budget(run, slot, limit_usd, self._actor)
        self.command_answered.emit(CommandAnswered("raise_budget", run, slot, None, refusal))

    async def _say(self, run: RunId, slot: SlotId, text: str) -> None:
        refusal = await self._door.say(run, slot, text, self._actor)
        self.command_answered.emit(CommandAnswered("say", run, slot, None, refusal))

    async def _answer(self, run: RunId, request: RequestId, choice: str) -> None:
        refusal = await self._door.answer(run, request, choice, self._actor)
        self.command_answered.emit(CommandAnswered("answer", run, None, request, refusal))


async def _workspace(door: Door, path: Path) -> WorkspaceLoaded:
    """The folder, or the folder of the workflow file, and that file among its files whatever it is."""
    is_file = path.name.endswith(WORKFLOW_SUFFIX)
    folder = path.parent if is_file else path
    marks = await door.household.file_marks(folder)  # before: what changes from here on is read once more
    try:
        files = await door.workspace(folder)
    except OSError as error:
        words = tr("{folder} cannot be read: {why}.", folder=folder, why=error.strerror or error)
        return WorkspaceLoaded(folder, (), None, words, marks)
    chosen = path if is_file else None
    if chosen is not None and chosen not in {f.path for f in files}:
        files = (*files, await door.load(chosen))
    return WorkspaceLoaded(folder, files, chosen, "", marks)


async def _graphs_of(door: Door, views: Iterable[RunView], kept: Graphs) -> Graphs:
    """What the seen runs began with: each revision is read once, and kept as long as a seen run pins it."""
    wanted = dict.fromkeys(view.pins.workflow for view in views)
    if wanted.keys() == kept.keys():
        return kept
    graphs = {revision: kept[revision] for revision in wanted if revision in kept}
    for revision in wanted.keys() - graphs.keys():
        try:
            graphs[revision] = await door.launched_workflow(revision)
        except (EngineError, OSError) as error:  # asked for again with the next look
            log.warning("the launched workflow %s cannot be read: %s", revision[:12], error)
    return graphs
