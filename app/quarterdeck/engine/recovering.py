"""The recovery part of the door over one store: see `engine.recovery` for what each method does.

Reading and waiting is done in worker threads; what is decided is journaled by whoever owns the run, through `ForeignRuns`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple, ParamSpec, TypeVar

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.guards import NO_SUCH_RUN
from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.crash_rule import is_crash_loop
from quarterdeck.engine.recovery import (
    AgentEvidence,
    Exported,
    InterruptedRun,
    Owed,
    Probed,
    ProcessEnd,
    ResumePreview,
    Survivor,
    UnreadableRun,
)
from quarterdeck.store import machine
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError, UnknownRun

if TYPE_CHECKING:
    from quarterdeck.engine.export_secrets import KeptSecrets
    from quarterdeck.engine.foreign import ForeignRuns

P = ParamSpec("P")
T = TypeVar("T")
log = logging.getLogger(__name__)
NO_JOURNAL = "its journal is missing; the record of its end is shown"


class Recovering:
    """One for each engine. runs, unreadable, live_run: what the engine knows; commands: to whoever owns a run.

    refresh: has the list read anew, where something changed that no journal tells; None: nothing may be written here.
    """

    def __init__(
        self,
        store: Store,
        runs: Callable[[], tuple[RunSummary, ...]],
        unreadable: Callable[[], Mapping[RunId, str]],
        live_run: Callable[[RunId], RunView | None],
        commands: Callable[[], ForeignRuns],
        actor: str,
        refresh: Callable[[], Awaitable[None]] | None,
        secrets: KeptSecrets,
        hidden_of: Callable[[RunId], Iterable[str]],
    ) -> None:
        """secrets: what is known of them now, so that an export leaves them out. hidden_of: those of a run that are known without
        a keyring; blocking.
        """
        self._store, self._runs, self._unreadable = store, runs, unreadable
        self._refresh, self._secrets, self._hidden_of = refresh, secrets, hidden_of
        self._live_run = live_run
        self._commands, self._actor = commands, actor

    @cached_property
    def opens_records_only(self) -> bool:
        """As it stands when it is first asked."""
        return is_crash_loop(self._store)

    # ------------------------------------------------------------------------------- looking

    async def owed(self) -> Owed:
        """Every unanswered run; one that is damaged is among them, and named with what is wrong."""
        wanted = [line.run_id for line in self._runs() if line.unanswered]
        return await asyncio.to_thread(self._owed, wanted, dict(self._unreadable()))

    def _owed(self, wanted: list[RunId], unreadable: dict[RunId, str]) -> Owed:
        from quarterdeck.engine.interrupted import interrupted_run

        found: list[InterruptedRun] = []
        for run in wanted:
            try:
                told = interrupted_run(self._store, run)
                if told is not None and told.damage:
                    unreadable[run] = f"{told.damage}; what can be read of it is shown"
            except UnknownRun:
                if self._store.runs.folder(run).is_dir():  # else it was discarded or evicted meanwhile
                    unreadable[run] = NO_JOURNAL
                continue
            except (StoreError, DomainError, OSError, ValueError, KeyError, TypeError) as error:
                log.warning("what run %s left cannot be told: %s", run, error)
                unreadable[run] = str(error)
                continue
            if told is not None:
                found.append(told)
        names = {run: self._store.folder / "runs" / run for run in unreadable}
        return Owed(
            tuple(found), tuple(UnreadableRun(run, names[run], why) for run, why in unreadable.items())
        )

    async def survivors(self, run: RunId, slot: SlotId) -> tuple[Survivor, ...] | Refusal:
        """A look now."""
        from quarterdeck.engine.interrupted import survivors_of_slot

        return await _read(survivors_of_slot, self._store, run, slot)

    async def evidence(self, run: RunId, slot: SlotId) -> AgentEvidence | Refusal:
        """Gathered now."""
        from quarterdeck.engine.evidence import gather

        return await _read(gather, self._store, run, slot)

    async def before_resume(self, run: RunId, slot: SlotId) -> ResumePreview | Refusal:
        """As the slot stands now."""
        from quarterdeck.engine.resume_preview import resume_preview

        return await _read(resume_preview, self._store, run, slot, self._actor)

    async def export(self, run: RunView, form: Literal["json", "markdown"]) -> Exported:
        """As text."""
        from quarterdeck.engine.exporting import export_run

        return await asyncio.to_thread(export_run, self._store, run, form, self._secrets)

    async def known_secrets(self, run: RunId) -> frozenset[str]:
        """Without a keyring."""
        return frozenset(await asyncio.to_thread(self._hidden_of, run))

    # ------------------------------------------------------------------------------- acting

    async def keep_as_stopped(
        self, run: RunId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """The prompt is answered."""
        refused = await self._commands().command(run, "keep", actor, command_id)
        if refused is None or refused.code is not Code.E_STORE or self._refresh is None:
            return refused
        from quarterdeck.engine.damage_answers import keep_damaged

        kept = await _read(
            keep_damaged, self._store, run, actor or self._actor, machine.now().wall_ms, refused
        )
        if kept is None:
            await self._refresh()
        return kept

    async def end_process(
        self, run: RunId, attempt: AttemptId, pid: int, start_ticks: int, actor: str | None = None
    ) -> ProcessEnd | Refusal:
        """Ended first, then journaled as it was seen: a process that spends waits for no disk."""
        from quarterdeck.engine.survivors import end_survivor

        found = await _read(_slot_of_attempt, self._store, run, attempt)
        if isinstance(found, Refusal):
            return found
        ended = await _read(end_survivor, self._store.attempts, run, attempt, pid, start_ticks)
        if isinstance(ended, Refusal):
            return ended
        if found.slot is None:
            return ended
        said = {
            "slot": found.slot,
            "attempt": attempt,
            "pid": pid,
            "start_ticks": start_ticks,
            "said": ended.result,
        }
        refused = await self._commands().command(run, "process_end", actor, None, **said)
        if refused is not None:
            log.warning("that process %s was ended could not be journaled: %s", pid, refused.message)
        return ended

    async def probe(
        self, run: RunId, slot: SlotId, effect_id: str, actor: str | None = None
    ) -> Probed | Refusal:
        """Asked now, and journaled with its time."""
        from quarterdeck.engine.effect_reading import find_effect
        from quarterdeck.engine.probing import probe

        places = await _read(find_effect, self._store, run, slot, effect_id, self._live_run(run))
        if isinstance(places, Refusal):
            return places
        answers: list[Probed] = []
        for place in places:
            found = await asyncio.to_thread(probe, place.effect, place.cwd, place.since_wall_ms)
            said = {"slot": slot, "attempt": place.attempt_id, "effect": place.effect.id}
            refused = await self._commands().command(
                run, "probed", actor, None, **said, said=found.state, reason=found.words
            )
            if refused is not None:
                return refused
            answers.append(found)
        return next((one for one in answers if one.state == "unknown"), answers[0])

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
        """A person's word."""
        from quarterdeck.engine.effect_reading import find_effect

        places = await _read(find_effect, self._store, run, slot, effect_id, self._live_run(run))
        if isinstance(places, Refusal):
            return places
        for place in places:
            named = {"slot": slot, "attempt": place.attempt_id, "effect": place.effect.id}
            own = None if command_id is None else CommandId(f"{command_id}.{place.attempt_id}")
            refused = await self._commands().command(
                run, "settle", actor, own, **named, said=said, reason=reason
            )
            if refused is not None:
                return refused
        return None


async def _read(call: Callable[P, T | Refusal], *args: P.args, **named: P.kwargs) -> T | Refusal:
    """In a worker thread; a run that cannot be read is a refusal in words."""
    try:
        return await asyncio.to_thread(call, *args, **named)
    except UnknownRun:
        return Refusal(Code.E_RUN, NO_SUCH_RUN)
    except (StoreError, DomainError) as error:
        return Refusal(Code.E_STORE, f"The run cannot be read: {error}")


class _Place(NamedTuple):
    """Where an attempt belongs; slot None: to a run that is damaged, whose journal takes nothing any more."""

    slot: SlotId | None


def _slot_of_attempt(store: Store, run: RunId, attempt: AttemptId) -> _Place | Refusal:
    from quarterdeck.engine.damaged_runs import known_run

    known = known_run(store, run)
    record = known.state.attempts.get(attempt)
    if known.damage is not None and (record is not None or attempt in known.damage.unnamed):
        return _Place(None)
    if record is None:
        return Refusal(Code.E_SLOT, f"The run has no attempt {attempt}.")
    return _Place(record.slot_id)
