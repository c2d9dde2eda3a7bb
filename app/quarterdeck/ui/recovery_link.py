"""The link's part about interrupted runs: the prompt, evidence, the resume of one agent, effects.

Verbs return at once; each answer is one past-tense signal with one frozen value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.ids import AttemptId, RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.door import Door
from quarterdeck.engine.errors import EngineError
from quarterdeck.ui.hiding import Hiding
from quarterdeck.ui.language import Texts
from quarterdeck.ui.recovery_asked import (
    EffectAnswered,
    EffectProbed,
    EvidenceRead,
    ProcessEnded,
    Resumed,
    ResumeOrder,
    ResumeRead,
    RunExported,
    RunsKept,
    Stage,
)

tr = Texts("RecoveryLink")


class RecoveryLink(QObject):
    """Made by the link, which runs and guards what is asked. actor: on whose behalf; None: who is logged in."""

    owed_read = Signal(object)
    """Owed."""
    runs_kept = Signal(object)
    process_ended = Signal(object)
    evidence_read = Signal(object)
    resume_read = Signal(object)
    resumed = Signal(object)
    run_exported = Signal(object)
    effect_probed = Signal(object)
    effect_answered = Signal(object)

    def __init__(
        self,
        ask: Callable[..., None],
        door: Callable[[], Door],
        actor: str | None,
        parent: QObject,
        hiding: Hiding,
    ) -> None:
        super().__init__(parent)
        self._hiding = hiding
        self._ask: Callable[..., None] = ask
        self._get_door, self._actor = door, actor

    @property
    def _door(self) -> Door:
        return self._get_door()

    # ------------------------------------------------------------------ verbs

    def read_owed(self) -> None:
        """Everything that the prompt tells → `owed_read`."""
        self._ask(tr("Reading what was interrupted"), self._read_owed)

    def keep(self, runs: Iterable[RunId]) -> None:
        """*Keep as stopped* for each of them → `runs_kept`."""
        self._ask(tr("Keeping runs as stopped"), self._keep, tuple(runs))

    def end_process(self, run: RunId, attempt: AttemptId, pid: int, start_ticks: int) -> None:
        """End exactly this process → `process_ended`."""
        self._ask(tr("Ending process {pid}", pid=pid), self._end_process, run, attempt, pid, start_ticks)

    def look(self, run: RunId, slot: SlotId) -> None:
        """Evidence, only on a person's click (ruling 25) → `evidence_read`."""
        self._ask(tr("Looking at what the agent left"), self._look, run, slot)

    def ask_resume(self, run: RunId, slot: SlotId) -> None:
        """What a person should know before; changes nothing → `resume_read`."""
        self._ask(tr("Reading what a resume needs"), self._ask_resume, run, slot)

    def resume(self, order: ResumeOrder) -> None:
        """Re-open, set limits, claim; what is refused ends it there → `resumed`."""
        self._ask(tr("Starting the attempt"), self._resume, order)

    def probe(self, run: RunId, slot: SlotId, effect_id: str) -> None:
        """Ask where an effect would have happened, read-only → `effect_probed`."""
        self._ask(tr("Probing an effect"), self._probe, run, slot, effect_id)

    def settle(
        self, run: RunId, slot: SlotId, effect_id: str, said: Literal["happened", "absent"], reason: str
    ) -> None:
        """A person's word about an effect → `effect_answered`."""
        self._ask(tr("Settling an effect"), self._settle, run, slot, effect_id, said, reason)

    def export_run(self, run: RunId, form: Literal["json", "markdown"], path: Path) -> None:
        """One run as text that may be handed on, to be written there → `run_exported`."""
        self._ask(tr("Exporting the run"), self._export_run, run, form, path)

    # ------------------------------------------------------------------ answers

    async def _read_owed(self) -> None:
        owed = await self._door.recovery.owed()
        await self._hiding.learn_of(self._door.recovery, *(run.run_id for run in owed.runs))
        self.owed_read.emit(self._hiding.value(owed))

    async def _keep(self, runs: tuple[RunId, ...]) -> None:
        answers = [(run, await self._door.recovery.keep_as_stopped(run, self._actor)) for run in runs]
        refused = tuple((run, refusal) for run, refusal in answers if refusal is not None)
        self.runs_kept.emit(RunsKept(runs, refused))

    async def _end_process(self, run: RunId, attempt: AttemptId, pid: int, ticks: int) -> None:
        result = await self._door.recovery.end_process(run, attempt, pid, ticks, self._actor)
        self.process_ended.emit(ProcessEnded(run, attempt, pid, result))

    async def _look(self, run: RunId, slot: SlotId) -> None:
        evidence = self._hiding.value(await self._door.recovery.evidence(run, slot))
        self.evidence_read.emit(EvidenceRead(run, slot, evidence))

    async def _ask_resume(self, run: RunId, slot: SlotId) -> None:
        result = await self._door.recovery.before_resume(run, slot)
        view = None if isinstance(result, Refusal) else await self._door.run(run)
        self.resume_read.emit(self._hiding.value(ResumeRead(run, slot, result, view)))

    async def _resume(self, order: ResumeOrder) -> None:
        try:
            answer = await self._carry_out(order)
        except (EngineError, OSError) as error:
            answer = Resumed(order, None, Refusal(Code.E_STORE, str(error)), Stage.REOPEN)
        self.resumed.emit(answer)

    async def _carry_out(self, order: ResumeOrder) -> Resumed:
        door, run, slot, ids = self._door, order.run, order.slot, order.ids
        if order.reopens:
            refused = await door.reassign(
                run,
                slot,
                order.reason,
                order.agent,
                continue_session=order.continue_session,
                actor=self._actor,
                command_id=ids.reassign,
            )
            if refused is not None:
                return Resumed(order, None, refused, Stage.REOPEN)
        limits = ((None, order.run_limit_usd, ids.run_limit), (slot, order.limit_usd, ids.limit))
        for whose, limit, command in limits:
            if limit is not None:
                refused = await door.raise_budget(run, whose, limit, self._actor, command_id=command)
                if refused is not None:
                    return Resumed(order, None, refused, Stage.LIMIT)
        claimed = await door.claim(run, slot, order.go_on, actor=self._actor, command_id=ids.claim)
        if isinstance(claimed, Refusal):
            return Resumed(order, None, claimed, Stage.CLAIM)
        return Resumed(order, claimed)

    async def _export_run(self, run: RunId, form: Literal["json", "markdown"], path: Path) -> None:
        view = self._door.live_run(run) or await self._door.run(run)
        made = await self._door.recovery.export(view, form) if view is not None else None
        self.run_exported.emit(RunExported(run, path, made))

    async def _probe(self, run: RunId, slot: SlotId, effect_id: str) -> None:
        result = await self._door.recovery.probe(run, slot, effect_id, self._actor)
        self.effect_probed.emit(EffectProbed(run, slot, effect_id, self._hiding.value(result)))

    async def _settle(
        self, run: RunId, slot: SlotId, effect_id: str, said: Literal["happened", "absent"], reason: str
    ) -> None:
        refusal = await self._door.recovery.settle(run, slot, effect_id, said, reason, self._actor)
        self.effect_answered.emit(EffectAnswered(run, slot, effect_id, refusal))
