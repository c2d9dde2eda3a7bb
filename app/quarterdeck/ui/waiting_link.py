"""The link's part about agents that wait or ask: another agent for one that waits, and taking back what was allowed for a run.

Verbs return at once; each answer is the link's `command_answered`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RequestId, RunId, SlotId
from quarterdeck.ui.asked import CommandAnswered
from quarterdeck.ui.language import Texts

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

tr = Texts("WaitingLink")


class WaitingLink:
    """Made by the link, which runs and guards what is asked. tell: hands on an answer."""

    def __init__(
        self,
        ask: Callable[..., None],
        door: Callable[[], Door],
        actor: str | None,
        tell: Callable[[CommandAnswered], None],
    ) -> None:
        self._ask: Callable[..., None] = ask
        self._door: Callable[[], Door] = door
        self._actor = actor
        self._tell: Callable[[CommandAnswered], None] = tell

    def switch_agent(self, run: RunId, slot: SlotId, agent: str) -> None:
        """Another agent for a slot that waits."""
        self._ask(tr("Switching the agent"), self._switch_agent, run, slot, agent)

    def withdraw_allowed(self, run: RunId, request: RequestId) -> None:
        """What was allowed for the run is asked again."""
        self._ask(tr("Withdrawing what was allowed"), self._withdraw_allowed, run, request)

    async def _switch_agent(self, run: RunId, slot: SlotId, agent: str) -> None:
        refusal = await self._door().switch_agent(run, slot, agent, self._actor)
        self._tell(CommandAnswered("switch_agent", run, slot, None, refusal))

    async def _withdraw_allowed(self, run: RunId, request: RequestId) -> None:
        refusal = await self._door().withdraw_allowed(run, request, self._actor)
        self._tell(CommandAnswered("withdraw_allowed", run, None, request, refusal))
