"""A process that was opened for reading owns no runs: what stands in the place of `LiveRuns`, without loading it.

Also the refusals that both give.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from quarterdeck.domain.commands import SwitchAgent
from quarterdeck.domain.ids import AttemptId, CommandId, RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import EndReason
from quarterdeck.domain.views import RunView
from quarterdeck.engine.feed import Publisher
from quarterdeck.engine.finishing import Patience

if TYPE_CHECKING:
    from quarterdeck.engine.door import FeedEvent
    from quarterdeck.engine.shared_budgets import SharedBudgets

T = TypeVar("T")
OVER = Refusal(Code.E_ATTEMPT_STATE, "The run has ended; nothing was changed.")
CLOSING = Refusal(Code.E_OWNER, "Quarterdeck is closing; nothing new is started.")
READ_ONLY = Refusal(Code.E_STORE, "This process was opened for reading only.")


def read_only(newer: str) -> Refusal:
    """Why nothing is done here; `newer`: the sentence of a store that a newer version wrote."""
    return Refusal(Code.E_STORE, newer) if newer else READ_ONLY


class OwnRuns(Protocol):
    """The runs of this process, as commands and lists see them; each method as in `LiveRuns`."""

    publisher: Publisher
    patience: Patience
    """Of who closes: whether it waits until live runs finish by themselves."""

    @property
    def actor(self) -> str: ...

    budgets: SharedBudgets | None
    """What runs may spend together; None where none is ever live."""

    async def claim(
        self, run: RunId, slot: SlotId, go_on: bool, actor: str, command_id: CommandId
    ) -> AttemptId | Refusal: ...

    async def switch(self, run: RunId, command: SwitchAgent) -> Refusal | None: ...

    async def order(self, run: RunId, do: Callable[[Any], Awaitable[T]]) -> T | Refusal: ...

    async def order_or_at_rest(self, run: RunId, do: Callable[[Any], Awaitable[T]]) -> T | Refusal: ...

    def stop_at_once(self, run: RunId, slot: SlotId | None) -> None: ...

    def is_live(self, run: RunId) -> bool: ...

    def view(self, run: RunId) -> RunView | None: ...

    def live_views(self) -> tuple[RunView, ...]: ...

    def forget_if_behind(self, run: RunId, seq: int) -> None: ...

    def forget(self, run: RunId) -> None: ...

    def events(self, run: RunId) -> AsyncIterator[FeedEvent]: ...

    async def wait_ended(self, run: RunId) -> RunView | None: ...

    async def close(self, why: EndReason, finish_within_s: float) -> bool: ...


class NoRuns:
    """No run is ever live here, and none can be taken up."""

    actor = ""
    budgets: SharedBudgets | None = None

    def __init__(self, newer: str = "") -> None:
        self._refusal = read_only(newer)
        self.publisher = Publisher()
        self.patience = Patience()

    async def claim(
        self, run: RunId, slot: SlotId, go_on: bool, actor: str, command_id: CommandId
    ) -> AttemptId | Refusal:
        """Refused."""
        return self._refusal

    async def switch(self, run: RunId, command: SwitchAgent) -> Refusal | None:
        """Refused."""
        return self._refusal

    async def order(self, run: RunId, do: Callable[[Any], Awaitable[T]]) -> T | Refusal:
        """Refused."""
        return self._refusal

    async def order_or_at_rest(self, run: RunId, do: Callable[[Any], Awaitable[T]]) -> T | Refusal:
        """Refused."""
        return self._refusal

    def stop_at_once(self, run: RunId, slot: SlotId | None) -> None:
        """Nothing is there to stop."""

    def is_live(self, run: RunId) -> bool:
        """Never."""
        return False

    def view(self, run: RunId) -> RunView | None:
        """None is held."""
        return None

    def live_views(self) -> tuple[RunView, ...]:
        """None."""
        return ()

    def forget_if_behind(self, run: RunId, seq: int) -> None:
        """Nothing is remembered."""

    def forget(self, run: RunId) -> None:
        """Nothing is remembered."""

    async def events(self, run: RunId) -> AsyncIterator[FeedEvent]:
        """None."""
        nothing: tuple[FeedEvent, ...] = ()
        for event in nothing:
            yield event

    async def wait_ended(self, run: RunId) -> RunView | None:
        """None is held."""
        return None

    async def close(self, why: EndReason, finish_within_s: float) -> bool:
        """Nothing to end."""
        return True
