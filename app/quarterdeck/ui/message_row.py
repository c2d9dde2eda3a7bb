"""A message to the agent that is looked at: one field and a button, seen only while its program takes messages.

What was typed for one agent stays with it: it is never sent to another that came to be looked at meanwhile.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.messages import MESSAGE_CHARS_MAX
from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button
from quarterdeck.ui.present_agent import AgentFacts

tr = Texts("MessageRow")

Whom = tuple[RunId, SlotId]


class MessageRow(QWidget):
    """Keeps a draft for each agent, as long as the window lives."""

    said = Signal(object)
    """(RunId, SlotId, text)."""
    focus_left = Signal()
    """The row had the keyboard, and the agent takes nothing more."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._whom: Whom | None = None
        self._drafts: dict[Whom, str] = {}
        self._sent: dict[Whom, str] = {}
        self.field = QLineEdit(self)
        self.field.setMaxLength(MESSAGE_CHARS_MAX)
        self.field.setPlaceholderText(tr("Say something to the agent"))
        self.field.setAccessibleName(tr("Message to the agent"))
        self.send = button(tr("Send"), tr("Send message"), "", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.field, 1)
        row.addWidget(self.send)
        self.field.textEdited.connect(self._on_edited)
        self.field.returnPressed.connect(self._on_send)
        self.send.clicked.connect(self._on_send)
        self.hide()

    def show_facts(self, facts: AgentFacts | None) -> None:
        """Follow who is looked at."""
        can_say = facts is not None and facts.can_say
        whom = (facts.run_id, facts.slot_id) if facts is not None and facts.run_id and facts.slot_id else None
        if whom != self._whom:
            self._whom = whom
            self.field.setText(self._drafts.get(whom, "") if whom is not None else "")
        if not can_say and holds_focus(self):
            self.focus_left.emit()
        self.setVisible(can_say)
        self._enable()

    def hear(self, whom: Whom, was_taken: bool) -> None:
        """The engine's answer: what was recorded leaves the field, anything else stays to be sent again."""
        sent = self._sent.pop(whom, None)
        if was_taken and sent is not None and self._drafts.get(whom) == sent:
            del self._drafts[whom]
            if whom == self._whom:
                self.field.clear()
        self._enable()

    def take_focus(self) -> None:
        """To the field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_edited(self, text: str) -> None:
        if self._whom is not None:
            self._drafts[self._whom] = text
        self._enable()

    def _on_send(self) -> None:
        if self._whom is None or not self.send.isEnabled():
            return
        text = self.field.text()
        self._drafts[self._whom] = self._sent[self._whom] = text
        self._enable()
        self.said.emit((*self._whom, text))

    def _enable(self) -> None:
        is_open = self._whom is not None and self._whom not in self._sent
        self.send.setEnabled(is_open and bool(self.field.text().strip()))
