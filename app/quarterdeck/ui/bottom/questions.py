"""Tab *Questions*: the one queue. Every open question of every live run, with who asks, oldest first; answered where it stands."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label
from quarterdeck.ui.present_questions import queue_of
from quarterdeck.ui.question_cards import QuestionCards
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.watching import Shown

tr = Texts("BottomQuestions")

LEAST_HEIGHT = 80
"""The panel stays as high as the person made it."""


class QuestionsTab(QWidget):
    """Keeps nothing of its own: what is open is open, whether the tab is seen, left or closed."""

    answered = Signal(object)
    """(RunId, RequestId, choice)."""
    count_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._count = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Open questions"))
        self.cards = QuestionCards(theme, self, share=1.0, least=LEAST_HEIGHT)
        self.cards.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.cards.answered.connect(self.answered)
        self.cards.focus_left.connect(self.setFocus)  # never into the next part of the window
        self._empty = label(tr("No agent asks anything."), "muted", self)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.cards)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)

    def show_news(self, shown: Shown) -> None:
        """Follow the views."""
        letters = {run.run_id: run.letter for run in shown.facts.live}
        queue = queue_of(shown.known.views.values(), letters)
        if len(queue) != self._count:
            self._count = len(queue)
            self.count_changed.emit(self._count)
        self.cards.show_questions(queue, shown.now)
        self._stack.setCurrentIndex(1 if queue else 0)

    def take_focus(self) -> None:
        """To the words of the oldest question, never to a button."""
        if self.cards.cards:
            self.cards.take_focus()
        else:
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)
