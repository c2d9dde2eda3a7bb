"""The Overview: why it stands as it does, the error, facts, the attempts, and the latest message."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from quarterdeck.ui.allowed_list import AllowedList
from quarterdeck.ui.attempts_list import AttemptsList
from quarterdeck.ui.error_card import ErrorCardView
from quarterdeck.ui.facts_grid import FactsGrid, breakable
from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, rule, set_text
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.present_process import Fact
from quarterdeck.ui.recovery.effects_view import EffectsView
from quarterdeck.ui.theme import Theme

tr = Texts("OverviewPage")

LATEST_SHOWN_MAX = 600


class OverviewPage(QScrollArea):
    """Shows facts; asks for another attempt."""

    attempt_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        page = QWidget(self)
        page.setProperty("look", "page")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 12, 8, 12)
        column.setSpacing(12)
        self._reason = label("", "muted", page, wrap=True)
        self._grid = FactsGrid(page)
        self.raise_limit = button(tr("Raise limit…"), tr("Raise limit"), "quiet", page)
        self.attempts = AttemptsList(theme, page)
        self.attempts.attempt_chosen.connect(self.attempt_chosen)
        self.allowed = AllowedList(page)
        self._latest = label("", "", page, wrap=True)
        self._latest.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._latest.setMinimumWidth(10)
        self._latest.setAccessibleName(tr("Latest message"))
        self.error = ErrorCardView(theme, page)
        self.effects = EffectsView(theme, page)
        self._effects_box = _box(tr("Outside effects"), self.effects, page)
        self._attempts_box = _box(tr("Attempts"), self.attempts, page)
        self._allowed_box = _box(tr("Allowed for this run"), self.allowed, page)
        self._latest_box = _box(tr("Latest message"), _inset(self._latest, page), page)
        column.addWidget(self._reason)
        column.addWidget(self.error)
        column.addWidget(self._effects_box)
        column.addWidget(self._grid)
        column.addWidget(self.raise_limit, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self._allowed_box)
        column.addWidget(self._attempts_box)
        column.addWidget(self._latest_box)
        column.addStretch(1)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(page)
        self.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        self.setAccessibleName(tr("Overview"))

    def show_facts(self, facts: AgentFacts, pinned: tuple[Fact, ...]) -> None:
        """Show an agent or a run; `pinned` is what its pins add."""
        set_text(self._reason, breakable(facts.reason))
        self._reason.setAccessibleName(facts.reason)
        self._reason.setVisible(bool(facts.reason))
        self._grid.show_facts(facts.facts + pinned)
        self._show_limits(facts)
        self.error.show_card(facts.error_card)
        of = (facts.run_id, facts.slot_id) if facts.run_id is not None and facts.slot_id is not None else None
        self.effects.show_effects(of, facts.effects)
        self._effects_box.setVisible(bool(facts.effects))
        self.allowed.show_allowed(facts.allowed)
        self._allowed_box.setVisible(bool(facts.allowed))
        self.attempts.show_attempts(facts.attempts, facts.attempt_id)
        self._attempts_box.setVisible(bool(facts.attempts))
        latest = _last_words(facts.latest.strip())
        set_text(self._latest, breakable(latest))
        self._latest.setAccessibleName(tr("Latest message: {words}", words=latest))
        self._latest_box.setVisible(bool(facts.latest.strip()))

    def _show_limits(self, facts: AgentFacts) -> None:
        if not facts.limits and holds_focus(self.raise_limit):
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.raise_limit.setVisible(bool(facts.limits))


def _last_words(text: str) -> str:
    """The end of a text, begun at a word: `… and then`."""
    if len(text) <= LATEST_SHOWN_MAX:
        return text
    shown = text[-LATEST_SHOWN_MAX:]
    if not text[-LATEST_SHOWN_MAX - 1].isspace():
        _, _, rest = shown.partition(" ")
        shown = rest or shown  # one word without end is cut after all
    return f"… {shown.lstrip()}"


def _box(title: str, content: QWidget, parent: QWidget) -> QWidget:
    box = QWidget(parent)
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    layout.addWidget(rule(box))
    layout.addWidget(label(title, "heading", box))
    layout.addWidget(content)
    return box


def _inset(content: QWidget, parent: QWidget) -> QFrame:
    frame = QFrame(parent)
    frame.setProperty("look", "inset")
    layout = QVBoxLayout(frame)
    layout.setContentsMargins(10, 8, 10, 8)
    layout.addWidget(content)
    return frame
