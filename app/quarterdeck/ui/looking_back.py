"""The window's parts that look back, joined to it: the bottom panel and the page *Timeline and spend*.

The page takes the middle below the banners, which stay (JNL8): the docks step aside while it is seen and come back as
they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QStackedWidget, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.analytics.page import SpendPage
from quarterdeck.ui.bottom.panel import BottomPanel
from quarterdeck.ui.present_problems import ProblemLine
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

PAGE_LEAST = QSize(480, 240)
ASIDE_LEAST = QSize(1, 1)
"""A page that is not seen must not hold the window wide, nor high: the banners stand above it."""


class LookingBack(QObject):
    """One for each window; made once its docks are."""

    left = Signal()
    """The canvas has the middle again."""

    def __init__(self, window: Window, bottom: BottomPanel) -> None:
        super().__init__(window)
        self._window, self.bottom = window, bottom
        self.page = SpendPage(window.theme, window.link, window.clock, window)
        self._aside: list[QDockWidget] = []
        self.page.setMinimumSize(ASIDE_LEAST)
        self._stage = QStackedWidget(window)
        window.below_banners.replaceWidget(window.middle, self._stage)
        for whole in (window.middle, self.page):
            self._stage.addWidget(whole)
        self._connect()

    def _connect(self) -> None:
        window, bottom, page = self._window, self.bottom, self.page
        window.watching.shown_changed.connect(self._on_shown_changed)
        window.watching.files_changed.connect(bottom.problems.show_files)
        window.link.run_launched.connect(bottom.problems.hear_launch)
        window.link.request_failed.connect(bottom.problems.hear_failure)
        bottom.slot_chosen.connect(self._on_slot_chosen)
        bottom.problems.line_chosen.connect(self._on_problem_chosen)
        page.run_chosen.connect(window.watching.choose_run)
        page.slot_chosen.connect(self._on_page_slot_chosen)
        actions = window.actions_
        actions.bind("go_timeline", self.toggle_page)
        actions.bind("compare_runs", page.ask_compare)
        actions.bind("export_spend", page.ask_export)
        actions.drive("compare_runs", page.head.compare, follows=True)
        actions.drive("export_spend", page.head.export, follows=True)
        actions.drive("go_canvas", page.head.back)
        page.can_changed.connect(self._enable)
        self._enable()

    @property
    def is_open(self) -> bool:
        """Whether the page *Timeline and spend* has the middle."""
        return self._stage.currentWidget() is self.page

    def add_page(self, page: QWidget) -> None:
        """Another page that can take the middle."""
        page.setMinimumSize(ASIDE_LEAST)
        self._stage.addWidget(page)

    def toggle_page(self) -> None:
        """To the page, or from it back to the canvas."""
        if self.is_open:
            self.leave()
            self._window.view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        else:
            self.show_page(self.page, self.page.timeline.chart)

    def show_page(self, page: QWidget, target: QWidget) -> None:
        """Give a page the middle, and the keyboard to a part of it; the docks step aside."""
        if self._stage.currentIndex() == 0:
            docks = self._window.findChildren(QDockWidget)
            self._aside = [dock for dock in docks if not dock.isHidden() and not dock.isFloating()]
            for dock in self._aside:
                dock.hide()
        else:
            self._let_shrink()
        page.setMinimumSize(PAGE_LEAST)
        self._stage.setCurrentWidget(page)
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Give the middle back; the docks return as they were."""
        if self._stage.currentIndex() == 0:
            return
        self._let_shrink()
        self._stage.setCurrentIndex(0)
        for dock in self._aside:
            dock.show()
        self._aside = []
        self.left.emit()

    def _let_shrink(self) -> None:
        page = self._stage.currentWidget()
        if page is not None:
            page.setMinimumSize(ASIDE_LEAST)

    def go_bottom(self, page: QWidget, target: QWidget) -> None:
        """Bring a tab of the bottom panel forward."""
        self.leave()
        self._window.agents_dock.show()
        self._window.agents_dock.raise_()
        self.bottom.go(page, target)

    def _on_shown_changed(self, shown: Shown) -> None:
        self.bottom.show_news(shown)
        self.page.show_news(shown)
        self._enable()

    def _enable(self) -> None:
        self._window.actions_.enable("compare_runs", self.page.can_compare)
        self._window.actions_.enable("export_spend", self.page.can_export)

    def _on_slot_chosen(self, key: tuple[RunId, SlotId | None]) -> None:
        run, slot = key
        if slot is None:
            self._window.watching.choose_run(run)
        else:
            self._window.watching.choose_slot(run, slot)

    def _on_page_slot_chosen(self, key: tuple[RunId, SlotId]) -> None:
        self._window.watching.choose_slot(*key)

    def _on_problem_chosen(self, line: ProblemLine) -> None:
        if line.run_id is not None:
            self._on_slot_chosen((line.run_id, line.slot_id))
        elif line.folder is not None:
            self._window.shell.show_folder(line.folder)
        elif line.path is not None:
            self._window.watching.choose_file(line.path)
