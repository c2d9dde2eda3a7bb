"""Switch agent…: another pinned agent for the slot that is looked at, while it waits. From the inspector, menu and palette alike.

Also taking back what it was allowed for the run, from the inspector's list of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.domain.ids import RequestId
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window


class SwitchActs(QObject):
    """One for each window. Refusals come back as those of every other command."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._agent: AgentFacts | None = None
        window.actions_.bind("switch_agent", self.ask_agent)
        window.actions_.enable("switch_agent", False)
        window.actions_.drive("switch_agent", window.inspector.feet.switch)
        window.inspector.overview.allowed.withdraw_asked.connect(self._on_withdraw)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        self._agent = shown.agent
        self._window.actions_.enable("switch_agent", shown.agent is not None and shown.agent.can_switch)

    def _on_withdraw(self, request: RequestId) -> None:
        """Of the agent that is looked at; nothing is asked back, as all that follows is a question."""
        if self._agent is not None and self._agent.run_id is not None:
            self._window.link.waiting.withdraw_allowed(self._agent.run_id, request)

    def ask_agent(self) -> None:
        """Which agent, for the slot that is looked at now; what is looked at later changes nothing of it."""
        agent = self._agent
        if agent is None or not agent.can_switch or agent.run_id is None or agent.slot_id is None:
            return
        from quarterdeck.ui.dialogs.switch_dialog import SwitchDialog

        run, slot, link = agent.run_id, agent.slot_id, self._window.link.waiting
        dialog = SwitchDialog(agent, self._window)
        dialog.switched.connect(lambda name: link.switch_agent(run, slot, name))
        self._window.conduct.show_dialog(dialog)
