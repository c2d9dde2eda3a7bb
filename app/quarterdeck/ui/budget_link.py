"""The link's part about what runs may spend together. Verbs return at once; each answer is one past-tense signal."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.shared_limits import SharedLimits
from quarterdeck.engine.door import Door
from quarterdeck.ui.language import Texts

tr = Texts("BudgetLink")


class BudgetLink(QObject):
    """Made by the link, which runs and guards what is asked."""

    told = Signal(object)
    """SharedSpending: how the limits stand."""
    kept = Signal(str)
    """Empty; or why the limits were not kept, in words."""

    def __init__(self, ask: Callable[..., None], door: Callable[[], Door], parent: QObject) -> None:
        super().__init__(parent)
        self._ask: Callable[..., None] = ask
        self._door = door

    def ask(self) -> None:
        """How the limits stand → `told`."""
        self._ask(tr("Summing what was spent"), self._tell)

    def keep(self, wanted: SharedLimits) -> None:
        """Write the limits → `kept`."""
        self._ask(tr("Saving the budgets"), self._keep, wanted)

    async def _tell(self) -> None:
        self.told.emit(await self._door().shared_spending())

    async def _keep(self, wanted: SharedLimits) -> None:
        self.kept.emit(await self._door().household.keep_budgets(wanted))
