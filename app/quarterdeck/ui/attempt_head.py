"""Which attempt is shown, said above the inspector's pages while it is not the newest; the way to the others."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.present_agent import AgentFacts

tr = Texts("Inspector")


class AttemptHead(QWidget):
    """Hidden while the newest attempt is shown, and where there is none."""

    attempt_chosen = Signal(object)
    """AttemptId."""
    focus_left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._facts: AgentFacts | None = None
        self._words = label("", "muted", self)
        self.newest = button(tr("Show newest"), tr("Show newest attempt"), "quiet", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._words, 1)
        row.addWidget(self.newest)
        self.hide()

    @property
    def words(self) -> str:
        """What is said."""
        return self._words.text()

    @property
    def place(self) -> tuple[int, int]:
        """The number of the shown attempt, counted from 1, and how many there are; 0 where none is shown."""
        lines = self._facts.attempts if self._facts is not None else ()
        return (_number(self._facts) if self._facts is not None else 0), len(lines)

    def show_facts(self, facts: AgentFacts) -> None:
        """Follow what is shown."""
        self._facts = facts
        of = {"attempt": attempt_title(facts), "count": f"{len(facts.attempts):,}"}
        set_text(self._words, tr("Showing {attempt} of {count}", **of) if not facts.is_newest else "")
        if facts.is_newest and holds_focus(self.newest):
            self.focus_left.emit()
        self.setVisible(not facts.is_newest)

    def go_previous(self) -> None:
        """Show the attempt before the shown one."""
        self._step(-1)

    def go_next(self) -> None:
        """Show the attempt after the shown one."""
        self._step(1)

    def go_newest(self) -> None:
        """Show the newest attempt, and follow it."""
        place, count = self.place
        self._step(count - place)

    def _step(self, step: int) -> None:
        place, count = self.place
        if self._facts is not None and place and 1 <= place + step <= count:
            self.attempt_chosen.emit(self._facts.attempts[place + step - 1].key)


def attempt_title(facts: AgentFacts) -> str:
    """`attempt 2`; empty before the first."""
    number = _number(facts)
    return tr("attempt {number}", number=number) if number else ""


def _number(facts: AgentFacts) -> int:
    return next((n for n, line in enumerate(facts.attempts, 1) if line.key == facts.attempt_id), 0)
