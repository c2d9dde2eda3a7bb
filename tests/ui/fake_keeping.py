"""Keeping without a store, for the fake door: runs leave its views and come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.keeping import Limits
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Phase
from quarterdeck.domain.views import RunView
from quarterdeck.engine.keeping import Discarded, Kept, Pruned, UnknownEffect, Unreadable

if TYPE_CHECKING:
    from tests.ui.fake_door import FakeDoor


class FakeKeeping:
    """`refusal` answers a discard, `pin_refusal` a pin; `effects`, `damaged` and `pruned` are what a test wants to be told."""

    def __init__(self, door: FakeDoor) -> None:
        self._door = door
        self.read_only = ""
        self.size_bytes = 41_000_000
        self.refusal: Refusal | None = None
        self.effects: tuple[UnknownEffect, ...] = ()
        self.damaged: tuple[Unreadable, ...] = ()
        self.pruned = Pruned((), Limits(), 0, 0, 0)
        self.aside: dict[RunId, RunView] = {}
        self.looked_at: frozenset[RunId] = frozenset()
        self.pins: set[RunId] = set()
        self.pin_refusal: Refusal | None = None

    async def unknown_effects(self, run: RunId) -> tuple[UnknownEffect, ...]:
        return self.effects

    async def discard(self, run: RunId, actor: str | None = None) -> Discarded | Refusal:
        if self.refusal is not None:
            return self.refusal
        self.aside[run] = view = self._door.views.pop(run)
        closed = replace(view, phase=Phase.CLOSED)
        return Discarded(run, view.workflow_name, 0, 7 * 86_400_000, closed, self.effects)

    async def undo_discard(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        if run not in self.aside:
            return Refusal(Code.E_RUN, f"{run} is not among the discarded runs.")
        self._door.views[run] = self.aside.pop(run)
        return run

    async def discarded(self) -> tuple[Discarded, ...]:
        return tuple(Discarded(run, view.workflow_name, 0, 1) for run, view in self.aside.items())

    async def pin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        return self._turn(run, self.pins.add)

    async def unpin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        return self._turn(run, self.pins.discard)

    def _turn(self, run: RunId, change: Callable[[RunId], None]) -> RunId | Refusal:
        if self.pin_refusal is not None:
            return self.pin_refusal
        change(run)
        self._door.put(self._door.views[run])
        return run

    async def prune(self, *, dry_run: bool) -> Pruned | Refusal:
        return replace(self.pruned, dry_run=dry_run)

    async def unreadable(self) -> tuple[Unreadable, ...]:
        return self.damaged

    async def kept(self) -> Kept:
        return Kept(len(self._door.views), self.size_bytes, self.read_only)

    async def other_home(self, workflow: WorkflowId, path: Path) -> Path | None:
        return None

    async def look_at(self, runs: Iterable[RunId]) -> None:
        self.looked_at = frozenset(runs)
