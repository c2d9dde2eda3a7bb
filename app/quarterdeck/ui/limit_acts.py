"""What a person does to limits of spending while a run is live: Raise limit…, from the inspector, menu and palette alike."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.ui.present_budgets import Limit
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window


class LimitActs(QObject):
    """One for each window. Refusals come back as those of every other command."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._limits: tuple[Limit, ...] = ()
        window.actions_.bind("raise_limit", self.ask_limit)
        window.actions_.enable("raise_limit", False)
        window.actions_.drive("raise_limit", window.inspector.overview.raise_limit)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        self._limits = shown.agent.limits if shown.agent is not None else ()
        self._window.actions_.enable("raise_limit", bool(self._limits))

    def ask_limit(self) -> None:
        """Raise limit… of the agent or run looked at."""
        if not self._limits:
            return
        from quarterdeck.ui.dialogs.limit_dialog import LimitDialog

        dialog = LimitDialog(self._limits, self._window)
        dialog.raised.connect(self._on_raised)
        self._window.conduct.show_dialog(dialog)

    def _on_raised(self, asked: tuple[Limit, Decimal]) -> None:
        limit, amount = asked
        self._window.link.raise_limit(limit.run_id, limit.slot_id, amount)
