"""The row of buttons below the inspector's pages: what can be done with the chosen agent or run now."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, set_text, tint_button
from quarterdeck.ui.present_agent import AgentFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Tokens

tr = Texts("InspectorFeet")

STILL_BILLED = tr.later("A request that was already sent may still be billed.")
"""Said of every kind of agent: what an agent's program has sent is not known here."""


def paused_words() -> str:
    """What holding an agent means."""
    return f"{tr('The agent is held.')} {STILL_BILLED.now}"


class InspectorFeet(QWidget):
    """Its buttons' clicks are the inspector's to hear."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.stop = button(tr("Stop agent…"), tr("Stop chosen"), "danger", self)
        self.stop.setProperty("quiet", True)
        self.pause = button(tr("Pause"), tr("Pause agent"), "", self)
        self.pause.setToolTip(tip(f"{tr('Holds the agent.')} {STILL_BILLED.now}"))
        self.go_on = button(tr("Continue"), tr("Continue agent"), "primary", self)
        self.resume = button(tr("Resume…"), tr("Resume chosen agent"), "", self)
        self.resume.setToolTip(
            tip(tr("Shows what it did and what is not known, before anything is started."))
        )
        self.open = button(tr("Open transcript"), tr("Open transcript"), "", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.stop)
        row.addStretch(1)
        for made in (self.pause, self.go_on, self.open, self.resume):
            row.addWidget(made)
        for made in (self.stop, self.pause, self.go_on, self.open, self.resume):
            made.hide()  # all four at once would widen the dock for good
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_facts(self, facts: AgentFacts, is_transcript_seen: bool) -> None:
        """Show what can be done, and nothing else."""
        is_agent = facts.slot_id is not None
        self.stop.setVisible(facts.can_stop)
        set_text(self.stop, tr("Stop agent…") if is_agent else tr("Stop run…"))
        self.pause.setVisible(facts.can_pause)
        self.go_on.setVisible(facts.can_continue)
        self.resume.setVisible(facts.can_resume or facts.can_start)
        is_waiting = facts.can_start or facts.badge.state == "Re-opened, waiting to start"
        set_text(self.resume, tr("Start…") if is_waiting else tr("Resume…"))
        self.open.setVisible(is_agent and facts.attempt_id is not None and not is_transcript_seen)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        tint_button(self.stop, "square", self._theme)
