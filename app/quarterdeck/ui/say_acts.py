"""What a person says to an agent at work, from the inspector's field: sent to the link, and what became of it heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.asked import CommandAnswered
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window


class SayActs(QObject):
    """One for each window. Refusals come back as those of every other command."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._row = window.inspector.message
        window.actions_.bind("say_agent", self._on_go)
        window.actions_.enable("say_agent", False)
        self._row.said.connect(self._on_said)
        window.link.command_answered.connect(self._on_command_answered)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        self._window.actions_.enable("say_agent", shown.agent is not None and shown.agent.can_say)

    def _on_go(self) -> None:
        self._window.looking_back.leave()
        self._window.inspector_dock.show()
        self._window.inspector_dock.raise_()
        self._row.take_focus()

    def _on_said(self, said: tuple[RunId, SlotId, str]) -> None:
        self._window.link.say(*said)

    def _on_command_answered(self, news: CommandAnswered) -> None:
        if news.verb == "say" and news.slot is not None:
            self._row.hear((news.run, news.slot), news.refusal is None)
