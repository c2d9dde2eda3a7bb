"""The Prompt page: what an attempt was told, as its launch file has it, and what is missing of that."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.ui.exact_text import ExactText
from quarterdeck.ui.facts_grid import FactsGrid, breakable
from quarterdeck.ui.icon_button import IconButton
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, label, set_text
from quarterdeck.ui.present_details import PromptFacts
from quarterdeck.ui.theme import Theme, ui_font
from quarterdeck.ui.tokens import Family

tr = Texts("PromptPage")


class PromptPage(QWidget):
    """Text `Prompt`, read-only, and what went with it."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._heading = ElidedLabel("heading", self)
        self.copy_button = IconButton("copy", tr("Copy prompt"), theme, self)
        self.text = ExactText(self)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("Prompt"))
        self.text.setObjectName("Prompt")
        self.text.setFont(ui_font(13))
        self.text.setTabChangesFocus(True)
        flags = Qt.TextInteractionFlag
        self.text.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self._problem_card = QFrame(self)
        self._problem_card.setProperty("notice", str(Family.FAILED))
        self.problem = label("", "", self._problem_card, wrap=True)
        self.problem.setProperty("tone", str(Family.FAILED))
        inside = QVBoxLayout(self._problem_card)
        inside.setContentsMargins(12, 8, 12, 8)
        inside.addWidget(self.problem)
        self.grid = FactsGrid(self)
        self._lay_out()
        self.show_facts(None)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._heading, 1)
        head.addWidget(self.copy_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._problem_card)
        column.addWidget(self.text, 100)
        column.addWidget(self.grid)
        column.addStretch()

    def show_facts(self, facts: PromptFacts | None) -> None:
        """Show what was told; None: it is still being read."""
        set_text(self._heading, facts.heading if facts is not None else tr("Reading…"))
        prompt = facts.prompt if facts is not None else ""
        if self.text.toPlainText() != prompt:
            self.text.setPlainText(prompt)
        self.text.setPlaceholderText(
            tr("It was told nothing.") if facts is not None and not facts.problem else ""
        )
        set_text(self.problem, breakable(facts.problem) if facts is not None else "")
        self._problem_card.setVisible(facts is not None and bool(facts.problem))
        self.grid.show_facts(facts.facts if facts is not None else ())
        self.text.setVisible(facts is not None and (bool(prompt) or not facts.problem))

    def copy_all(self) -> None:
        """Put the prompt on the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
