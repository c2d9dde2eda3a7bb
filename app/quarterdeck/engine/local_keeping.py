"""Keeping on this computer (`engine.keeping.Keeping`): each method works in a worker thread; the list is read anew after it.

What changes something is loaded when it is asked for: who lists runs asks only what cannot be read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.engine.keeping import Discarded, Kept, Pruned, UnknownEffect, Unreadable
from quarterdeck.engine.no_runs import read_only
from quarterdeck.store.asides import measure_run
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreError
from quarterdeck.store.index_lines import RECORD_NAME
from quarterdeck.store.machine import now
from quarterdeck.store.sessions import Session
from quarterdeck.store.tally import read_tally

T = TypeVar("T")


class LocalKeeping:
    """See `Keeping`. session is None where nothing may be written; tell: has the list read anew; forget: lets go of a run's
    memory; actor: on whose behalf, where nobody is named. unsettled: as of `Opened`, and said while something is left, as
    the list was read last.
    """

    def __init__(
        self,
        store: Store,
        session: Session | None,
        tell: Callable[[], Awaitable[None]],
        forget: Callable[[RunId], None],
        actor: str,
        unsettled: str = "",
        is_left: Callable[[], object] = lambda: True,
    ) -> None:
        self._unsettled, self._is_left = unsettled, is_left
        self._store, self._session, self._tell, self._forget = store, session, tell, forget
        self._actor = actor
        self._looked_at: frozenset[RunId] = frozenset()

    @property
    def read_only(self) -> str:
        """Why."""
        return self._store.newer or (self._unsettled if self._unsettled and self._is_left() else "")

    async def unknown_effects(self, run: RunId) -> tuple[UnknownEffect, ...]:
        """Of one run."""
        try:
            return await asyncio.to_thread(_unknown_effects, self._store, run)
        except StoreError:
            return ()  # it cannot be read, and the discard says so

    async def discard(self, run: RunId, actor: str | None = None) -> Discarded | Refusal:
        """Out of the list."""
        from quarterdeck.engine.closing import discard

        return await self._change(lambda: discard(self._store, run, actor or self._actor, now), run)

    async def undo_discard(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        """Back."""
        from quarterdeck.engine.closing import undo_discard

        return await self._change(lambda: undo_discard(self._store, run, actor or self._actor, now), run)

    async def discarded(self) -> tuple[Discarded, ...]:
        """What can be brought back."""
        from quarterdeck.engine.closing import discarded_runs

        return await self._read(lambda: discarded_runs(self._store, now()))

    async def pin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        """Above every cap."""
        from quarterdeck.engine.pinned_runs import pin_run

        return await self._change(lambda: pin_run(self._store, run, actor or self._actor, now()), None)

    async def unpin(self, run: RunId, actor: str | None = None) -> RunId | Refusal:
        """As any other."""
        from quarterdeck.engine.pinned_runs import unpin_run

        return await self._change(lambda: unpin_run(self._store, run, actor or self._actor), None)

    async def prune(self, *, dry_run: bool) -> Pruned | Refusal:
        """The caps, now."""
        from quarterdeck.engine.bounding import current_limits, prune

        limits = await asyncio.to_thread(current_limits, self._store)
        if dry_run:
            return await self._read(lambda: prune(self._store, limits, now(), dry_run=True))
        return await self._change(lambda: prune(self._store, limits, now()), None)

    async def unreadable(self) -> tuple[Unreadable, ...]:
        """Everything that cannot be used."""
        return await self._read(lambda: unreadable_files(self._store))

    async def kept(self) -> Kept:
        """How much."""
        return replace(await self._read(lambda: measure_kept(self._store)), read_only=self.read_only)

    async def other_home(self, workflow: WorkflowId, path: Path) -> Path | None:
        """By the newest run of that id."""
        from quarterdeck.engine.homes import other_home

        return await self._read(lambda: other_home(self._store, workflow, path))

    async def look_at(self, runs: Iterable[RunId]) -> None:
        """What is open here."""
        wanted = frozenset(runs)
        if self._session is None or wanted == self._looked_at:
            return
        self._looked_at = wanted
        await self._read(lambda: self._say_looked_at(wanted))

    def _say_looked_at(self, runs: frozenset[RunId]) -> None:
        if self._session is not None:
            self._session.look_at(runs)

    async def _change(self, do: Callable[[], T | Refusal], run: RunId | None) -> T | Refusal:
        if self._session is None:
            return read_only(self._store.newer)
        try:
            done = await asyncio.shield(asyncio.to_thread(do))
        except StoreError as error:
            done = Refusal(Code.E_STORE, f"The store cannot be written: {error}")
        if run is not None and not isinstance(done, Refusal):
            self._forget(run)
        await self._tell()
        return done

    async def _read(self, do: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(do)
        except StoreError as error:
            raise StoreUnusable(f"What is kept cannot be read: {error}") from error


def _unknown_effects(store: Store, run: RunId) -> tuple[UnknownEffect, ...]:
    from quarterdeck.engine.closing import unknown_effects
    from quarterdeck.engine.reading import read_run
    from quarterdeck.engine.unnamed_attempts import unnamed_of

    return unknown_effects(read_run(store, run), unnamed_of(store, run))


def measure_kept(store: Store) -> Kept:
    """All runs that have files, and the size of these, transcripts with them; of ended ones by the last count, if there is one."""
    known = read_tally(store.folder)
    runs = store.runs.ids()
    counted = known.size_bytes + known.transcript_bytes if known is not None else 0
    rest = [run for run in runs if known is None or not store.runs.folder(run).joinpath(RECORD_NAME).exists()]
    sizes = (measure_run(store.runs.folder(run)) for run in rest)
    return Kept(len(runs), counted + sum(one.size_bytes + one.transcript_bytes for one in sizes), store.newer)


def unreadable_files(store: Store) -> tuple[Unreadable, ...]:
    """As of the last look at the list; the ledger and what was set aside are looked at now."""
    path = store.folder / "ledger.jsonl"
    try:
        damage = store.ledger.damage()
    except StoreDamaged as error:
        ledger = [Unreadable(path, str(error))]
    else:
        ledger = [
            Unreadable(path, f"{place.length} bytes at byte {place.offset}: {place.reason}")
            for place in damage
        ]
    set_aside = [
        Unreadable(path, "it could not be read and was set aside; nothing uses it")
        for path in store.quarantine.files()
    ]
    stuck = [Unreadable(path, why) for path, why in sorted(store.asides.stuck.items())]
    return (
        *_of_runs(store, store.index.unreadable),
        *_of_runs(store, store.index.in_part),
        *ledger,
        *set_aside,
        *stuck,
    )


def _of_runs(store: Store, found: Mapping[RunId, str]) -> list[Unreadable]:
    return [Unreadable(Path(store.runs.folder(run)), why, run) for run, why in sorted(found.items())]
