"""The part of the door that holds, ends and talks to what is at work. Each command goes to whoever owns the run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from decimal import Decimal
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import CommandId, RequestId, RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import EndReason

if TYPE_CHECKING:
    from quarterdeck.engine.foreign import ForeignRuns


class AgentOrders(ABC):
    """Base of the engine. `_foreign` takes a command to its run."""

    @property
    @abstractmethod
    def _foreign(self) -> ForeignRuns: ...

    async def pause(
        self, run: RunId, slot: SlotId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """Hold the agent's tree."""
        return await self._foreign.command(run, "pause", actor, command_id, slot=slot)

    async def continue_(
        self, run: RunId, slot: SlotId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """Let a paused agent go on."""
        return await self._foreign.command(run, "continue", actor, command_id, slot=slot)

    async def say(
        self,
        run: RunId,
        slot: SlotId,
        text: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """A message to an agent at work."""
        return await self._foreign.command(run, "say", actor, command_id, slot=slot, text=text)

    async def answer(
        self,
        run: RunId,
        request: RequestId,
        choice: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Answer an open question, once."""
        return await self._foreign.command(run, "answer", actor, command_id, request=request, choice=choice)

    async def withdraw_allowed(
        self,
        run: RunId,
        request: RequestId,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Take back what an answer "for this run" allowed."""
        return await self._foreign.command(run, "withdraw", actor, command_id, request=request)

    async def raise_budget(
        self,
        run: RunId,
        slot: SlotId | None,
        limit_usd: Decimal,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Set a new spending limit."""
        return await self._foreign.command(
            run, "budget", actor, command_id, slot=slot, limit_usd=str(limit_usd)
        )

    async def switch_agent(
        self,
        run: RunId,
        slot: SlotId,
        agent: str,
        actor: str | None = None,
        *,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """Another agent for a slot that waits."""
        return await self._foreign.command(run, "switch", actor, command_id, slot=slot, agent=agent)

    async def stop_slot(
        self,
        run: RunId,
        slot: SlotId,
        actor: str | None = None,
        *,
        nobody_there: bool = False,
        command_id: CommandId | None = None,
    ) -> Refusal | None:
        """End one agent."""
        reason = EndReason.NOBODY_THERE.value if nobody_there else None
        return await self._foreign.command(run, "stop", actor, command_id, slot=slot, reason=reason)

    async def stop_run(
        self, run: RunId, actor: str | None = None, *, command_id: CommandId | None = None
    ) -> Refusal | None:
        """End a run."""
        return await self._foreign.command(run, "stop", actor, command_id)
