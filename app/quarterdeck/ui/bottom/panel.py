"""The bottom dock's content: tabs Agents, Activity, Timeline, Questions, Problems and App log, and a button that folds it away."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QTabWidget, QVBoxLayout, QWidget

from quarterdeck.ui.agents_dock import AgentsPanel
from quarterdeck.ui.bottom.activity import ActivityTab
from quarterdeck.ui.bottom.app_log import AppLogTab
from quarterdeck.ui.bottom.problems import ProblemsTab
from quarterdeck.ui.bottom.questions import QuestionsTab
from quarterdeck.ui.bottom.timeline_tab import TimelineTab
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import action_button
from quarterdeck.ui.past_link import PastLink
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.watching import Shown

tr = Texts("BottomPanel")

HEIGHT = 176


class BottomPanel(QWidget):
    """Owns its tabs; each follows what is shown, the costly ones only while they are seen."""

    slot_chosen = Signal(object)
    """(RunId, SlotId or None)."""

    def __init__(
        self, theme: Theme, link: PastLink, agents: AgentsPanel, fold: QAction, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("look", "sheet")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._shown: Shown | None = None
        self.agents = agents
        self.activity = ActivityTab(theme, self)
        self.timeline = TimelineTab(theme, link, self)
        self.questions = QuestionsTab(theme, self)
        self.problems = ProblemsTab(theme, self)
        self.log = AppLogTab(theme, link, self)
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Bottom panel pages"))
        self.tabs.tabBar().setAccessibleName(tr("Bottom panel"))
        for page, name in (
            (self.agents, tr("Agents")),
            (self.activity, tr("Activity")),
            (self.timeline, tr("Timeline")),
            (self.questions, tr("Questions")),
            (self.problems, tr("Problems")),
            (self.log, tr("App log")),
        ):
            self.tabs.addTab(page, name)
        bar = self.tabs.tabBar()  # `Agents` and `Timeline` are the tables
        bar.setAccessibleTabName(self.tabs.indexOf(self.agents), tr("Agents page"))
        bar.setAccessibleTabName(self.tabs.indexOf(self.timeline), tr("Timeline page"))
        folder = action_button(fold, self)
        folder.setText("")
        self.tabs.setCornerWidget(folder, Qt.Corner.TopRightCorner)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 2, 12, 0)
        column.addWidget(self.tabs)
        self.activity.slot_chosen.connect(self.slot_chosen)
        self.timeline.slot_chosen.connect(self.slot_chosen)
        self.questions.count_changed.connect(self._on_asked_changed)
        self.problems.count_changed.connect(self._on_count_changed)
        self.tabs.currentChanged.connect(self._on_tab_changed)

    def sizeHint(self) -> QSize:
        return QSize(640, HEIGHT)

    def show_news(self, shown: Shown) -> None:
        """Follow what the window shows."""
        self._shown = shown
        self.activity.show_news(shown)
        self.questions.show_news(shown)
        self.problems.show_news(shown)
        self.timeline.show_news(shown)

    def go(self, page: QWidget, target: QWidget) -> None:
        """Bring a tab forward and give it the keyboard."""
        self.tabs.setCurrentWidget(page)
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_asked_changed(self, count: int) -> None:
        words = tr("Questions {count}", count=count) if count else tr("Questions")
        self.tabs.setTabText(self.tabs.indexOf(self.questions), words)

    def _on_count_changed(self, count: int) -> None:
        words = tr("Problems {count}", count=count) if count else tr("Problems")
        self.tabs.setTabText(self.tabs.indexOf(self.problems), words)

    def _on_tab_changed(self) -> None:
        if self._shown is not None:
            self.timeline.show_news(self._shown)
