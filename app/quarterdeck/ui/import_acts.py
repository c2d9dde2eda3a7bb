"""*Import MCP servers…*: offered where the shown workflow has an agent that takes them; asks, shows, and writes on a press."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.domain.mcp_servers import KINDS
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.ui.house_link import ImportWritten
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("ImportActs")


class ImportActs(QObject):
    """One for each window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        window.actions_.bind("import_mcp", self.ask)
        window.actions_.enable("import_mcp", False)
        window.watching.shown_changed.connect(self._on_shown_changed)
        window.link.house.import_written.connect(self._on_written)

    def ask(self) -> None:
        """Import MCP servers…"""
        file = self._window.watching.file
        takers = self._takers(file)
        if not isinstance(file, LoadedWorkflow) or not takers:
            return
        from quarterdeck.ui.dialogs.import_dialog import ImportDialog

        self._window.conduct.show_dialog(
            ImportDialog(self._window.link.house, file.path, takers, self._window)
        )

    def _on_shown_changed(self, shown: Shown) -> None:
        self._window.actions_.enable("import_mcp", bool(self._takers(shown.file)))

    @staticmethod
    def _takers(file: object) -> tuple[str, ...]:
        agents = file.workflow.agents.items() if isinstance(file, LoadedWorkflow) else ()
        return tuple(name for name, agent in agents if agent.kind in KINDS)

    def _on_written(self, news: ImportWritten) -> None:
        if news.fault:
            self._window.notice.say(one_line(in_words(news.fault), 400))
            return
        count = len(news.plan.servers)
        words = tr.count(
            "{n} MCP servers of {agent} stand in {name} now.",
            "{n} MCP server of {agent} stands in {name} now.",
            count,
            agent=one_line(news.plan.agent, 80),
            name=one_line(news.plan.path.name, 80),
        )
        self._window.notice.tell(words)
        self._window.conduct.reload()
