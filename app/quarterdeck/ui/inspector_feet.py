"""The row of buttons below the inspector's pages: what can be done with the chosen agent or run now."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from quarterdeck.ui.focus import holds_focus
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

    focus_left = Signal()
    """The button that had the keyboard goes, and no other takes its place."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._awaited: tuple[QPushButton, QWidget | None] | None = None
        self.stop = button(tr("Stop agent…"), tr("Stop chosen"), "danger", self)
        self.stop.setProperty("quiet", True)
        self.pause = button(tr("Pause"), tr("Pause agent"), "", self)
        self.pause.setToolTip(tip(f"{tr('Holds the agent.')} {STILL_BILLED.now}"))
        self.go_on = button(tr("Continue"), tr("Continue agent"), "primary", self)
        self.resume = button(tr("Resume…"), tr("Resume chosen agent"), "", self)
        self.resume.setToolTip(
            tip(tr("Shows what it did and what is not known, before anything is started."))
        )
        self.switch = button(tr("Switch agent…"), tr("Switch chosen agent"), "", self)
        self.switch.setToolTip(tip(tr("Has another of its agents take it over, while it waits.")))
        self.open = button(tr("Transcript"), tr("Open transcript"), "", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.stop)
        row.addStretch(1)
        for made in (self.pause, self.go_on, self.open, self.switch, self.resume):
            row.addWidget(made)
        for made in (self.stop, self.pause, self.go_on, self.open, self.switch, self.resume):
            made.hide()  # all four at once would widen the dock for good
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_facts(self, facts: AgentFacts, is_transcript_seen: bool) -> None:
        """Show what can be done, and nothing else."""
        is_agent = facts.slot_id is not None
        set_text(self.stop, tr("Stop agent…") if is_agent else tr("Stop run…"))
        is_waiting = facts.can_start or facts.badge.state == "Re-opened, waiting to start"
        set_text(self.resume, tr("Start…") if is_waiting else tr("Resume…"))
        seen = {
            self.stop: facts.can_stop,
            self.pause: facts.can_pause,
            self.go_on: facts.can_continue,
            self.switch: facts.can_switch,
            self.resume: facts.can_resume or facts.can_start,
            self.open: is_agent and facts.attempt_id is not None and not is_transcript_seen,
        }
        going = next((made for made in seen if not seen[made] and holds_focus(made)), None)
        for made in sorted(seen, key=seen.__getitem__, reverse=True):  # first what comes, then what goes
            if made is going:
                self._pass_focus(made, seen)
            made.setVisible(seen[made])
        self._follow(seen)

    def _pass_focus(self, going: QPushButton, seen: dict[QPushButton, bool]) -> None:
        """Pause and Continue stand for each other, also where there is neither for a moment."""
        other = {self.pause: self.go_on, self.go_on: self.pause}.get(going)
        if other is not None and seen[other]:
            other.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.focus_left.emit()
        if other is not None:
            self._awaited = other, self.window().focusWidget()

    def _follow(self, seen: dict[QPushButton, bool]) -> None:
        """The awaited button is there: it takes the keyboard, unless the person has moved it meanwhile."""
        if self._awaited is None:
            return
        awaited, stand_in = self._awaited
        has_moved = self.window().focusWidget() is not stand_in
        if seen[awaited] and not has_moved:
            awaited.setFocus(Qt.FocusReason.OtherFocusReason)
        if seen[awaited] or has_moved:
            self._awaited = None

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        tint_button(self.stop, "square", self._theme)
        pair = (self.pause, self.go_on)
        for made in pair:
            made.ensurePolished()
        wide = max(made.sizeHint().width() for made in pair)
        for made in pair:
            made.setMinimumWidth(wide)  # one takes the other's place: the dock stays as wide as it is
