"""A door without an engine: it answers from views that a test sets, and remembers what it was asked."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import AttemptId, CommandId, RequestId, RunId, SlotId, WorkflowId
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.shared_limits import SharedSpending
from quarterdeck.domain.states import Phase
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.door import FeedEvent, LaunchRequest, TranscriptChunk
from quarterdeck.engine.keeping import Discarded, Kept, Pruned, UnknownEffect, Unreadable
from quarterdeck.engine.planned import BrokenWorkflow, LaunchPreview, LoadedWorkflow
from tests.cli.builders import moment, summary
from tests.ui.fake_details import FakeDetails
from tests.ui.fake_sign_ins import FakeSignIns


class FakeFeed:
    def __init__(self, door: FakeDoor) -> None:
        self._door = door
        self.changed = asyncio.Event()

    async def wait_changed(self) -> None:
        await self.changed.wait()

    def take(self) -> frozenset[RunId]:
        self.changed.clear()
        return frozenset(self._door.views)

    def close(self) -> None:
        self._door.feeds.remove(self)


class FakeKeeping:
    """Nothing is discarded, nothing is over a cap. `discarded_now` and `pruned` are what a test wants back."""

    def __init__(self, door: FakeDoor) -> None:
        self._door = door
        self.read_only = ""
        self.effects: tuple[UnknownEffect, ...] = ()
        self.aside: dict[RunId, RunView] = {}
        self.pruned: Pruned | Refusal | None = None
        self.damaged: tuple[Unreadable, ...] = ()
        self.pins: set[RunId] = set()

    async def unknown_effects(self, run: RunId) -> tuple[UnknownEffect, ...]:
        return self.effects

    async def discard(self, run: RunId, actor: str | None = None) -> Discarded | Refusal:
        if (refusal := self._door.refusals.get("discard")) is not None:
            return refusal
        self.aside[run] = view = self._door.views.pop(run)
        return Discarded(run, view.workflow_name, 0, 7 * 86_400_000, replace(view, phase=Phase.CLOSED))

    async def undo_discard(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        if run not in self.aside:
            return Refusal(Code.E_RUN, f"{run} is not among the discarded runs.")
        self._door.views[run] = self.aside.pop(run)
        return run

    async def discarded(self) -> tuple[Discarded, ...]:
        return tuple(Discarded(run, view.workflow_name, 0, 1) for run, view in self.aside.items())

    async def pin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        self.pins.add(run)
        return run

    async def unpin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        self.pins.discard(run)
        return run

    async def prune(self, *, dry_run: bool) -> Pruned | Refusal:
        assert self.pruned is not None
        return self.pruned if isinstance(self.pruned, Refusal) else replace(self.pruned, dry_run=dry_run)

    async def unreadable(self) -> tuple[Unreadable, ...]:
        return self.damaged

    async def kept(self) -> Kept:
        return Kept(len(self._door.views), 41_000_000)

    async def other_home(self, workflow: WorkflowId, path: Path) -> Path | None:
        return None

    async def look_at(self, runs: Iterable[RunId]) -> None:
        self._door.asked.append(("look_at", frozenset(runs)))


class FakeRecovery:
    """Nothing differs and nothing is known before a resume."""

    async def before_resume(self, run: RunId, slot: SlotId) -> Refusal:
        return Refusal(Code.E_SLOT, f"{run} {slot}: nothing to look at")

    async def known_secrets(self, run: RunId) -> frozenset[str]:
        return frozenset()


class FakeDoor:
    """`asked` lists every command as (verb, *arguments). `refusals` answers a verb with a refusal."""

    def __init__(self, *views: RunView) -> None:
        self.views = {view.run_id: view for view in views}
        self.asked: list[tuple[Any, ...]] = []
        self.refusals: dict[str, Refusal] = {}
        self.on_command: dict[str, Any] = {}
        self.loaded: LoadedWorkflow | BrokenWorkflow | None = None
        self.planned: LaunchPreview | Refusal | None = None
        self.transcripts: dict[AttemptId, bytes] = {}
        self.details = FakeDetails(self.transcripts)
        self.workflow_statuses: tuple[WorkflowStatus, ...] = ()
        self.feeds: list[FakeFeed] = []
        self.past_events: list[FeedEvent] = []
        self.closings: list[str] = []
        self.closed_runs: tuple[RunSummary, ...] = ()
        self.keeping = FakeKeeping(self)
        self.recovery = FakeRecovery()
        self.sign_ins = FakeSignIns()
        self._changed = asyncio.Condition()

    # ----------------------------------------------------------------- for the tests

    async def move(self, view: RunView) -> None:
        """The run stands so now."""
        async with self._changed:
            self.views[view.run_id] = view
            for feed in self.feeds:
                feed.changed.set()
            self._changed.notify_all()

    async def happen(self, kind: str, run: RunId, **data: Any) -> None:
        """An event of the run."""
        async with self._changed:
            self.past_events.append(
                FeedEvent(len(self.past_events) + 1, moment(), kind, run, None, None, None, data)
            )
            self._changed.notify_all()

    async def wait_asked(self, verb: str) -> tuple[Any, ...]:
        """The first command of that name, as soon as it is there."""
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: any(one[0] == verb for one in self.asked))
        return next(one for one in self.asked if one[0] == verb)

    async def _command(self, verb: str, *arguments: Any) -> Refusal | None:
        async with self._changed:
            self.asked.append((verb, *arguments))
            self._changed.notify_all()
        if verb in self.refusals:
            return self.refusals[verb]
        if verb in self.on_command:
            await self.on_command[verb](*arguments)
        return None

    # ----------------------------------------------------------------- the door

    async def load(self, path: Path) -> LoadedWorkflow | BrokenWorkflow:
        assert self.loaded is not None
        return self.loaded

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow | BrokenWorkflow, ...]:
        return ()

    async def preview(self, request: LaunchRequest) -> LaunchPreview | Refusal:
        assert self.planned is not None
        return self.planned

    async def launch(self, request: LaunchRequest) -> RunId | Refusal:
        refusal = await self._command("launch", request)
        return refusal if refusal is not None else next(iter(self.views))

    async def pause(self, run: RunId, slot: SlotId, actor: str | None = None) -> Refusal | None:
        return await self._command("pause", run, slot)

    async def continue_(self, run: RunId, slot: SlotId, actor: str | None = None) -> Refusal | None:
        return await self._command("continue", run, slot)

    async def stop_slot(
        self, run: RunId, slot: SlotId, actor: str | None = None, *, nobody_there: bool = False
    ) -> Refusal | None:
        return await self._command("stop_slot", run, slot)

    async def stop_run(self, run: RunId, actor: str | None = None) -> Refusal | None:
        return await self._command("stop_run", run)

    async def answer(
        self, run: RunId, request: RequestId, choice: str, actor: str | None = None
    ) -> Refusal | None:
        return await self._command("answer", run, request, choice)

    async def say(self, run: RunId, slot: SlotId, text: str, actor: str | None = None) -> Refusal | None:
        return await self._command("say", run, slot, text)

    async def withdraw_allowed(
        self, run: RunId, request: RequestId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        return await self._command("withdraw_allowed", run, request)

    async def switch_agent(
        self,
        run: RunId,
        slot: SlotId,
        agent: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        return await self._command("switch_agent", run, slot, agent)

    async def raise_budget(
        self, run: RunId, slot: SlotId | None, limit_usd: Decimal, actor: str | None = None
    ) -> Refusal | None:
        return await self._command("raise_budget", run, slot, limit_usd)

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
        return await self._command("reassign", run, slot, reason, agent, worker_class)

    async def claim(
        self,
        run: RunId,
        slot: SlotId,
        go_on: bool = False,
        *,
        actor: str | None = None,
        command_id: CommandId | None = None,
    ) -> AttemptId | Refusal:
        refusal = await self._command("claim", run, slot, go_on)
        return refusal if refusal is not None else AttemptId("a-" + "2" * 32)

    def unreadable(self) -> dict[RunId, str]:
        return {}

    def runs(self) -> tuple[RunSummary, ...]:
        return tuple(summary(view) for view in self.views.values())

    def closed(self) -> tuple[RunSummary, ...]:
        return self.closed_runs

    def pinned(self) -> frozenset[RunId]:
        return frozenset(self.keeping.pins)

    async def shared_spending(self) -> SharedSpending:
        return SharedSpending()

    def last_saved_ms(self) -> int | None:
        return None

    async def run(self, run: RunId) -> RunView | None:
        return self.views.get(run)

    def live_run(self, run: RunId) -> RunView | None:
        view = self.views.get(run)
        return None if view is None or view.foreign else view

    async def find_run(self, start: str) -> RunId | Refusal:
        found = [run for run in self.views if run.removeprefix("r-").startswith(start.removeprefix("r-"))]
        if len(found) == 1:
            return found[0]
        code = Code.E_AMBIGUOUS if found else Code.E_RUN
        return Refusal(code, f"No single run is {start!r}; type more of its id.", (("run", start),))

    def statuses(self, folder: Path | None = None) -> tuple[WorkflowStatus, ...]:
        self.asked.append(("statuses", folder))
        return self.workflow_statuses

    async def transcript(self, run: RunId, attempt: AttemptId, offset: int, limit: int) -> TranscriptChunk:
        content = self.transcripts.get(attempt)
        if content is None:
            return TranscriptChunk(0, b"", 0, missing=True)
        offset = max(0, len(content) + offset) if offset < 0 else offset
        return TranscriptChunk(offset, content[offset : offset + limit], len(content))

    def subscribe(self) -> FakeFeed:
        feed = FakeFeed(self)
        self.feeds.append(feed)
        return feed

    async def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        told = 0
        while True:
            async with self._changed:
                while len(self.past_events) == told and self.views[run].is_live:
                    await self._changed.wait()
                new = self.past_events[told:]
            told += len(new)
            for event in new:
                yield event
            if not new:
                return

    async def wait_ended(self, run: RunId) -> RunView:
        async with self._changed:
            await self._changed.wait_for(lambda: not self.views[run].is_live)
        return self.views[run]

    async def close(self, *, reason: str = "app_closed", finish_within_s: float = 0.0) -> None:
        self.closings.append(reason)
        if "close" in self.on_command:
            await self.on_command["close"](reason)

    def keep_open(self) -> bool:
        return False
