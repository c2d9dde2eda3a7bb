"""The parts of the door that only look, each loaded when it is first asked for: a verb that needs none loads none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import Revision, RunId
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError

if TYPE_CHECKING:
    from quarterdeck.domain.views import RunView
    from quarterdeck.domain.workflow import Workflow
    from quarterdeck.engine.attempt_reading import AttemptReading
    from quarterdeck.engine.local_household import LocalHousehold
    from quarterdeck.engine.looking_back import LookingBack


class LookingParts:
    """Base of the engine: what the door shows beside runs, over one store."""

    def __init__(self, store: Store, live: Callable[[], Iterable[RunView]]) -> None:
        self._store, self._live_views = store, live

    @cached_property
    def household(self) -> LocalHousehold:
        """Settings, sizes, examples and agent programs."""
        from quarterdeck.engine.local_household import LocalHousehold, bundled_examples

        return LocalHousehold(self._store.folder, bundled_examples(), live=self._live_views)

    @cached_property
    def details(self) -> AttemptReading:
        """What one attempt printed, was told and saved."""
        from quarterdeck.engine.attempt_reading import AttemptReading

        return AttemptReading(self._store, self._hidden_of)

    def _hidden_of(self, run: RunId) -> Iterable[str]:
        """Secrets that are known of a run; blocking."""
        return ()

    @cached_property
    def past(self) -> LookingBack:
        """Spend by the ledger, waits, the end of the app's log."""
        from quarterdeck.engine.looking_back import LookingBack

        return LookingBack(self._store)

    async def launched_workflow(self, revision: Revision) -> Workflow | None:
        """A workflow as it was launched; None where it is missing or damaged. Raises StoreUnusable."""
        from quarterdeck.engine.pinning import PinMissing, read_workflow

        try:
            return await asyncio.to_thread(read_workflow, self._store.objects.get, revision)
        except PinMissing:
            return None
        except StoreError as error:
            raise StoreUnusable(f"What was launched cannot be read: {error}") from error
