"""The recovery part of a fake door: it tells what a test sets, and records every command as (verb, *arguments)."""

from __future__ import annotations

from typing import Any, Literal

from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.engine.recovery import (
    AgentEvidence,
    Exported,
    Owed,
    Probed,
    ProcessEnd,
    ResumePreview,
    Survivor,
)

NOTHING = Refusal(Code.E_RUN, "No such run.")


class FakeRecovery:
    def __init__(self) -> None:
        self.opens_records_only = False
        self.waiting = Owed(())
        self.alive: tuple[Survivor, ...] = ()
        self.seen: dict[tuple[RunId, SlotId], AgentEvidence] = {}
        self.previews: dict[tuple[RunId, SlotId], ResumePreview] = {}
        self.end = ProcessEnd("ended", "It has ended.", ())
        self.probed = Probed("unknown", "there is no probe")
        self.exported = Exported("{}\n", ".json", ())
        self.refusal: Refusal | None = None
        self.commands: list[tuple[Any, ...]] = []

    async def owed(self) -> Owed:
        return self.waiting

    async def keep_as_stopped(
        self, run: RunId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        self.commands.append(("keep", run))
        return self.refusal

    async def survivors(self, run: RunId, slot: SlotId) -> tuple[Survivor, ...] | Refusal:
        return self.refusal if self.refusal is not None else self.alive

    async def end_process(
        self, run: RunId, attempt: AttemptId, pid: int, start_ticks: int, actor: str | None = None
    ) -> ProcessEnd | Refusal:
        self.commands.append(("end_process", run, attempt, pid, start_ticks))
        return self.refusal if self.refusal is not None else self.end

    async def evidence(self, run: RunId, slot: SlotId) -> AgentEvidence | Refusal:
        self.commands.append(("evidence", run, slot))
        return self.seen.get((run, slot), NOTHING)

    async def before_resume(self, run: RunId, slot: SlotId) -> ResumePreview | Refusal:
        self.commands.append(("before_resume", run, slot))
        return self.previews.get((run, slot), NOTHING)

    async def probe(
        self, run: RunId, slot: SlotId, effect_id: str, actor: str | None = None
    ) -> Probed | Refusal:
        self.commands.append(("probe", run, slot, effect_id))
        return self.refusal if self.refusal is not None else self.probed

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
        self.commands.append(("settle", run, slot, effect_id, said, reason))
        return self.refusal

    async def known_secrets(self, run: RunId) -> frozenset[str]:
        return frozenset()

    async def export(self, run: RunView, form: Literal["json", "markdown"]) -> Exported:
        self.commands.append(("export", run.run_id, form))
        return self.exported
