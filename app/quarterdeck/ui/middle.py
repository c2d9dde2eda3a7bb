"""What stands in the middle of the window: the canvas, the problems of a file that does not load, or why nothing is drawn."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QStackedWidget, QWidget

from quarterdeck.engine.planned import BrokenWorkflow
from quarterdeck.ui.actions import Actions
from quarterdeck.ui.asked import WorkspaceLoaded
from quarterdeck.ui.canvas.page import CanvasPage
from quarterdeck.ui.canvas.scene import Drawing
from quarterdeck.ui.canvas.view import CanvasView
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.pages import EmptyPage, ProblemsPage
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.watching import Shown

tr = Texts("Window")

LEAST = QSize(320, 144)
"""In a low window what stands around it yields first, and then a page scrolls."""


class Middle(QStackedWidget):
    """One of three pages at a time."""

    def __init__(self, theme: Theme, view: CanvasView, actions: Actions, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = view
        self.canvas = CanvasPage(theme, view, actions, self)
        self.problems = ProblemsPage(theme, self)
        self.empty = EmptyPage(theme, self)
        self.empty.show_words(tr("Opening…"), tr("Reading the folder's workflows."), can_open=False)
        for page in (self.empty, self.canvas, self.problems):
            self.addWidget(page)

    def minimumSizeHint(self) -> QSize:
        return LEAST

    def show_files(self, news: WorkspaceLoaded) -> None:
        """A folder was read: why there is nothing to draw, where that is so."""
        if news.error:
            self.empty.show_words(tr("This folder cannot be read"), in_words(news.error))
        elif not news.files:
            self.empty.show_words(
                tr("No workflow here"), tr("{folder} holds no file NAME.workflow.json.", folder=news.folder)
            )

    def say_records_only(self) -> None:
        """No workspace is opened (ruling 19), and the empty page no longer waits for one."""
        self.empty.show_words(
            tr("No workspace is open"), tr("The records of your runs stand at the left."), can_open=True
        )

    def show_facts(self, shown: Shown) -> None:
        """Follow what is shown; a broken file stands back behind a run that is looked at."""
        has_runs = bool(shown.facts.live) or shown.picked is not None
        if isinstance(shown.file, BrokenWorkflow) and not has_runs:
            self.problems.show_file(shown.file)
            self.setCurrentWidget(self.problems)
        elif shown.workflow is None:
            self.setCurrentWidget(self.empty)
        else:
            self._draw(shown)

    def _draw(self, shown: Shown) -> None:
        of_runs = shown.facts.drawn
        drawn = Drawing(of_runs.edges, of_runs.frames, of_runs.notes)
        self._view.show_faces(shown.facts.faces, drawn, shown.facts.passed)
        self._view.show_chosen(shown.node, shown.run)
        self._view.say(shown.facts.canvas_text)
        self.canvas.switcher.show_runs(shown.facts, shown.picked, shown.run)
        self.canvas.say_drawn(shown.facts.drawn_note)
        self.canvas.place_floats()
        was_empty = self.currentWidget() is self.empty
        self.setCurrentWidget(self.canvas)
        if was_empty:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
