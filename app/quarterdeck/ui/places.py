"""Going to places of the window: the actions that change nothing but what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from quarterdeck.ui.inspector import FILES

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window


@runtime_checkable
class FindsHere(Protocol):
    """A part of the window with a search of its own: Ctrl+F goes there while the keyboard is inside it."""

    def find_here(self) -> None:
        """Give the keyboard to the part's search field."""


class Places(QObject):
    """One for each window; binds its actions."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        actions = window.actions_
        for name, handler in (
            ("next_waiting", window.watching.next_waiting),
            ("previous_run", self._on_previous_run),
            ("next_run", self._on_next_run),
            ("go_runs", self._on_go_runs),
            ("go_canvas", self._on_go_canvas),
            ("go_inspector", self.go_inspector),
            ("go_agents", self._on_go_agents),
            ("go_activity", self._on_go_activity),
            ("go_run_timeline", self._on_go_run_timeline),
            ("go_questions", self._on_go_questions),
            ("go_problems", self._on_go_problems),
            ("go_log", self._on_go_log),
            ("toggle_bottom", self._on_toggle_bottom),
            ("open_transcript", self._on_open_transcript),
            ("fit", window.view.fit),
            ("fit_chosen", window.view.fit_chosen),
            ("zoom_full", window.view.zoom_full),
            ("zoom_in", window.view.zoom_in),
            ("zoom_out", window.view.zoom_out),
            ("go_files", self._on_go_files),
            ("find", self._on_find),
            ("reset_layout", window.reset_layout),
        ):
            actions.bind(name, handler)

        window.rail.mark("go_canvas")
        window.looking_back.left.connect(self._on_canvas_back)
        window.inspector.tabs.currentChanged.connect(self._on_focus_moved)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_moved)

    def _on_focus_moved(self) -> None:
        """The rail marks where the keyboard is; in bars and dialogs it is nowhere else than before."""
        place = self._place_of(QApplication.focusWidget())
        if place:
            self._window.rail.mark(place)

    def _on_canvas_back(self) -> None:
        """Without a step of the keyboard, where a button of a card or bar led back."""
        self._window.rail.mark("go_canvas")

    def _place_of(self, part: QWidget | None) -> str:
        window = self._window
        if part is None or part.window() is not window:
            return ""
        if window.looking_back.page.isAncestorOf(part):
            return "go_timeline"
        if window.runs.isAncestorOf(part):
            return "go_runs"
        if window.agents.isAncestorOf(part):
            return "go_agents"
        if window.inspector.isAncestorOf(part):
            return "go_files" if window.inspector.tabs.currentIndex() == FILES else "go_canvas"
        return "go_canvas" if window.middle.isAncestorOf(part) else ""

    # ------------------------------------------------------------------ going to places

    def _on_previous_run(self) -> None:
        self._window.watching.step_run(-1)

    def _on_next_run(self) -> None:
        self._window.watching.step_run(1)

    def _on_go_runs(self) -> None:
        self._go(self._window.runs_dock, self._window.runs.table)

    def _on_go_canvas(self) -> None:
        self._window.looking_back.leave()
        self._window.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def go_inspector(self) -> None:
        """Bring the inspector forward and give it the keyboard."""
        self._go(self._window.inspector_dock, self._window.inspector.tabs.tabBar())

    def _on_go_agents(self) -> None:
        self._window.looking_back.go_bottom(self._window.agents, self._window.agents.table)

    def _on_go_activity(self) -> None:
        tab = self._window.bottom.activity
        self._window.looking_back.go_bottom(tab, tab.table)

    def _on_go_run_timeline(self) -> None:
        tab = self._window.bottom.timeline
        self._window.looking_back.go_bottom(tab, tab.chart)

    def _on_go_questions(self) -> None:
        tab = self._window.bottom.questions
        self._window.looking_back.go_bottom(tab, tab)
        tab.take_focus()

    def _on_go_problems(self) -> None:
        tab = self._window.bottom.problems
        self._window.looking_back.go_bottom(tab, tab.table)

    def _on_go_log(self) -> None:
        tab = self._window.bottom.log
        self._window.looking_back.go_bottom(tab, tab.filter)

    def _go(self, dock: QWidget, target: QWidget) -> None:
        self._window.looking_back.leave()
        dock.show()
        dock.raise_()
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_toggle_bottom(self) -> None:
        self._window.agents_dock.setVisible(not self._window.agents_dock.isVisible())

    def _on_open_transcript(self) -> None:
        self._go(self._window.inspector_dock, self._window.inspector.tabs.tabBar())
        self._window.inspector.open_transcript()

    def _on_go_files(self) -> None:
        """The page that takes the whole middle gives it back: its docks hold what is gone to."""
        self._window.inspector.tabs.setCurrentIndex(FILES)
        self._go(self._window.inspector_dock, self._window.inspector.tabs.tabBar())

    def _on_find(self) -> None:
        """Find in the part that has the keyboard, where that part can; else in everything."""
        part = QApplication.focusWidget()
        while part is not None and not isinstance(part, FindsHere):
            part = part.parentWidget()
        if isinstance(part, FindsHere):
            part.find_here()
        else:
            self._window.actions_["palette"].trigger()
