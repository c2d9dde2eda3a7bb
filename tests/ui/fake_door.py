"""A door over views in memory: it keeps what it is told, answers what it was given, and records every command.

It is a fake of `engine.door.Door`, not of the engine: nothing runs. Tests move it by `put`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, Revision, RunId, SlotId
from quarterdeck.domain.preferences import Preferences, PreferencesRead
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.shared_limits import SharedLimits, SharedSpending
from quarterdeck.domain.spend_rows import SpendReport
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.domain.waits import Wait
from quarterdeck.domain.workflow import Workflow
from quarterdeck.engine.doctor.findings import Examination, Part
from quarterdeck.engine.door import Feed, FeedEvent, LaunchRequest, TranscriptChunk
from quarterdeck.engine.household import AgentProgram, AgentsLooked, FileMarks, ProcessCount
from quarterdeck.engine.local_household import quiet_programs
from quarterdeck.engine.mcp_import import ImportPlan
from quarterdeck.engine.past import LogTail
from quarterdeck.engine.planned import BrokenWorkflow, LaunchPreview, LoadedWorkflow, PlannedCommand
from tests.ui.fake_details import FakeDetails
from tests.ui.fake_keeping import FakeKeeping
from tests.ui.fake_recovery import FakeRecovery
from tests.ui.fake_sign_ins import FakeSignIns
from tests.ui.made import PINNED, reopened, summary


class FakeFeed:
    def __init__(self) -> None:
        self.dirty: set[RunId] = set()
        self._event = asyncio.Event()

    def mark(self, run: RunId) -> None:
        self.dirty.add(run)
        self._event.set()

    async def wait_changed(self) -> None:
        await self._event.wait()

    def take(self) -> frozenset[RunId]:
        taken = frozenset(self.dirty)
        self.dirty.clear()
        self._event.clear()
        return taken

    def close(self) -> None:
        self.dirty.clear()


class FakePast:
    def __init__(self) -> None:
        self.ledger = SpendReport()
        self.waited: dict[RunId, tuple[Wait, ...]] = {}
        self.log = LogTail(Path("/logs/quarterdeck.log"))
        self.asked: list[tuple[tuple[RunId, int | None], ...]] = []

    async def spend(self) -> SpendReport:
        return self.ledger

    async def waits(self, runs: Iterable[tuple[RunId, int | None]]) -> Mapping[RunId, tuple[Wait, ...]]:
        wanted = tuple(runs)
        self.asked.append(wanted)
        return {run: self.waited.get(run, ()) for run, _ in wanted}

    async def log_tail(self) -> LogTail:
        return self.log


class FakeDoor:
    def __init__(self, files: tuple[LoadedWorkflow | BrokenWorkflow, ...] = ()) -> None:
        self.files = files
        self.views: dict[RunId, RunView] = {}
        self.closed_runs: tuple[RunSummary, ...] = ()
        self.saved_ms: int | None = None
        self.spending = SharedSpending()
        self.commands: list[tuple[Any, ...]] = []
        self.actors: list[str | None] = []
        """On whose behalf slots were re-opened and claimed."""
        self.refusal: Refusal | None = None
        self.stays = True
        """Whether a close can still be taken back."""
        self.refusals: dict[str, Refusal] = {}
        """{verb: what it is refused with}, beside `refusal`, which is for all."""
        self.transcripts: dict[AttemptId, bytes] = {}
        self.launches: list[LaunchRequest] = []
        self.planned: tuple[PlannedCommand, ...] = ()
        self.launched: RunView | None = None
        self.folder_error: OSError | None = None
        self.past = FakePast()
        self.recovery = FakeRecovery()
        self.sign_ins = FakeSignIns()
        self.keeping = FakeKeeping(self)
        self._feeds: list[FakeFeed] = []
        self.household = FakeHousehold()
        self.details = FakeDetails(self.transcripts)
        self.lost_pins: set[Revision] = set()
        self.graphs_read: list[Revision] = []

    def put(self, *views: RunView) -> None:
        """The engine's state moves to these views."""
        for view in views:
            self.views[view.run_id] = view
            for feed in self._feeds:
                feed.mark(view.run_id)

    def tell(self, run: RunId) -> None:
        """Something is new of that run: it may be gone."""
        for feed in self._feeds:
            feed.mark(run)

    async def load(self, path: Path) -> LoadedWorkflow | BrokenWorkflow:
        return next(f for f in self.files if f.path == path)

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
        if self.folder_error is not None:
            raise self.folder_error
        return self.files

    async def preview(self, request: LaunchRequest) -> LaunchPreview | Refusal:
        if self.refusal is not None:
            return self.refusal
        file = await self.load(request.path)
        assert isinstance(file, LoadedWorkflow)
        for spec in file.workflow.inputs:
            if spec.required and not request.inputs.get(spec.name):
                return Refusal(Code.E_INPUT, f"{spec.label or spec.name} is needed.", (("input", spec.name),))
        commands = self.planned or tuple(
            PlannedCommand(
                n.title,
                n.agent or "",
                "command",
                ("ruff", "check", "--output-format", "json", "."),
                "/projects/digest",
                "/usr/bin/ruff",
            )
            for n in file.workflow.nodes
        )
        return LaunchPreview(file, request.outcome or file.workflow.outcome, commands, b"{}")

    async def launch(self, request: LaunchRequest) -> RunId | Refusal:
        if self.refusal is not None:
            return self.refusal
        self.launches.append(request)
        assert self.launched is not None
        self.put(self.launched)
        return self.launched.run_id

    async def pause(self, run: RunId, slot: SlotId, actor: str | None = None) -> Refusal | None:
        return self._record("pause", run, slot)

    async def continue_(self, run: RunId, slot: SlotId, actor: str | None = None) -> Refusal | None:
        return self._record("continue", run, slot)

    async def stop_slot(
        self, run: RunId, slot: SlotId, actor: str | None = None, *, nobody_there: bool = False
    ) -> Refusal | None:
        return self._record("stop_slot", run, slot)

    async def stop_run(self, run: RunId, actor: str | None = None) -> Refusal | None:
        return self._record("stop_run", run)

    async def answer(
        self, run: RunId, request: RequestId, choice: str, actor: str | None = None
    ) -> Refusal | None:
        return self._record("answer", run, request, choice)

    async def say(self, run: RunId, slot: SlotId, text: str, actor: str | None = None) -> Refusal | None:
        return self._record("say", run, slot, text)

    async def withdraw_allowed(
        self, run: RunId, request: RequestId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        return self._record("withdraw_allowed", run, request)

    async def switch_agent(
        self,
        run: RunId,
        slot: SlotId,
        agent: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        return self._record("switch_agent", run, slot, agent)

    async def raise_budget(
        self,
        run: RunId,
        slot: SlotId | None,
        limit_usd: Decimal,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        return self._record("raise_budget", run, slot, limit_usd)

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
        self.actors.append(actor)
        refused = self._record("reassign", run, slot, reason, agent, worker_class, continue_session)
        if refused is None and run in self.views:
            self.put(reopened(self.views[run], slot, reason))
        return refused

    async def claim(
        self,
        run: RunId,
        slot: SlotId,
        go_on: bool = False,
        *,
        actor: str | None = None,
        command_id: CommandId | None = None,
    ) -> AttemptId | Refusal:
        self.actors.append(actor)
        refused = self._record("claim", run, slot, go_on)
        return refused if refused is not None else AttemptId("a-" + "2" * 32)

    def unreadable(self) -> dict[RunId, str]:
        return {}

    def runs(self) -> tuple[RunSummary, ...]:
        return tuple(sorted(map(summary, self.views.values()), key=lambda r: -r.launch_seq))

    def closed(self) -> tuple[RunSummary, ...]:
        return self.closed_runs

    def pinned(self) -> frozenset[RunId]:
        return frozenset(self.keeping.pins)

    async def shared_spending(self) -> SharedSpending:
        return self.spending

    def last_saved_ms(self) -> int | None:
        return self.saved_ms

    async def run(self, run: RunId) -> RunView | None:
        return self.views.get(run)

    def live_run(self, run: RunId) -> RunView | None:
        view = self.views.get(run)
        return view if view is not None and view.is_live and not view.foreign else None

    async def launched_workflow(self, revision: Revision) -> Workflow | None:
        self.graphs_read.append(revision)
        return None if revision in self.lost_pins else PINNED.get(revision)

    async def find_run(self, start: str) -> RunId | Refusal:
        raise NotImplementedError("the terminal's")

    def statuses(self, folder: Path | None = None) -> tuple[WorkflowStatus, ...]:
        return ()

    async def transcript(self, run: RunId, attempt: AttemptId, offset: int, limit: int) -> TranscriptChunk:
        if attempt not in self.transcripts:
            return TranscriptChunk(0, b"", 0, missing=True)
        whole = self.transcripts[attempt]
        start = max(0, len(whole) + offset) if offset < 0 else min(offset, len(whole))
        return TranscriptChunk(start, whole[start : start + limit], len(whole))

    def subscribe(self) -> Feed:
        feed = FakeFeed()
        self._feeds.append(feed)
        return feed

    def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        raise NotImplementedError("the terminal's")

    async def wait_ended(self, run: RunId) -> RunView:
        raise NotImplementedError("the terminal's")

    async def close(self, *, reason: str = "app_closed", finish_within_s: float = 0.0) -> None:
        self.commands.append(("close", reason, finish_within_s))

    def keep_open(self) -> bool:
        self.commands.append(("keep_open",))
        return self.stays

    def _record(self, *command: Any) -> Refusal | None:
        self.commands.append(command)
        return self.refusals.get(str(command[0]), self.refusal)


class FakeHousehold:
    """Settings in memory, programs as they are put; every program that would start is recorded."""

    def __init__(self) -> None:
        self.kept = Preferences()
        self.budgets: SharedLimits | None = None
        self.fault = ""
        self.programs: tuple[AgentProgram, ...] = ()
        self.shell_fault = ""
        self.counts: dict[RunId, ProcessCount] = {}
        self.started: list[tuple[str, ...]] = []
        self.written: dict[Path, str] = {}
        self.looked = 0
        self.marks: FileMarks = {}
        self.marked = 0
        """How often the marks were asked for."""
        self.crashed = 0
        self.imports: list[object] = []
        self.plan: ImportPlan | str = "Nothing was put here."
        self.examined: list[Part] = []
        self.examinations: dict[Part, Examination] = {}

    async def preferences(self) -> PreferencesRead:
        return PreferencesRead(self.kept, "/config/settings.toml", self.fault, quiet=quiet_programs())

    async def keep_preferences(self, wanted: Preferences) -> str:
        if self.fault:
            return self.fault
        self.kept = wanted
        return ""

    async def keep_budgets(self, wanted: SharedLimits) -> str:
        if self.fault:
            return self.fault
        self.budgets = wanted
        return ""

    async def practice_workspace(self) -> Path:
        return Path("/data/examples")

    async def data_folder(self) -> str:
        return "/data"

    async def file_marks(self, folder: Path) -> FileMarks:
        self.marked += 1
        return dict(self.marks)

    async def look_for_agents(self) -> AgentsLooked:
        self.looked += 1
        return AgentsLooked(self.programs, self.shell_fault)

    async def examine(self, part: Part) -> Examination | str:
        self.examined.append(part)
        return self.examinations.get(part, "Nothing was put here.")

    async def plan_mcp_import(self, path: Path, agent: str, source: Path | None) -> ImportPlan | str:
        self.imports.append((path, agent, source))
        return self.plan

    async def write_mcp_import(self, plan: ImportPlan) -> str:
        self.imports.append(plan)
        return self.fault

    async def count_processes(self) -> dict[RunId, ProcessCount]:
        return self.counts

    async def start_program(self, argv: Sequence[str]) -> str:
        self.started.append(tuple(argv))
        return self.fault

    async def simulate_crash(self) -> str:
        self.crashed += 1
        return self.fault

    async def write_text(self, path: Path, text: str) -> str:
        self.written[path] = text
        return self.fault
