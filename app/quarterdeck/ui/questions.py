"""An open question of an agent: its exact words, its options as buttons. Nothing is allowed by a slip of the hand.

No button has the focus when a card appears, all input is ignored for 500 ms, and no key answers by default.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.permissions import is_for_run
from quarterdeck.domain.views import ApprovalView
from quarterdeck.ui.exact_text import ExactText
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.present_questions import AskedFact, Reading, reading_of
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import duration_text, one_line

tr = Texts("Questions")

QUIET_MS = 500
TEXT_HEIGHT_MAX = 180
OPTIONS_IN_A_ROW = 3
OPTION_SHOWN_MAX = 40
FOR_RUN = tr.later(
    "Later requests of this agent in this run that are the same to the byte are answered the same way."
)


class WholeText(ExactText):
    """As high as its lines are, wrapped as they are now, up to a height from which on it scrolls."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def fit(self) -> None:
        """Take the height of its lines."""
        lines = round(self.document().size().height())  # a plain text's size counts lines, not pixels
        self.setFixedHeight(min(TEXT_HEIGHT_MAX, 18 + max(1, lines) * 17))


class QuestionCard(QFrame):
    """One open question."""

    answered = Signal(object)
    """(RunId, RequestId, choice)."""

    def __init__(
        self,
        theme: Theme,
        question: ApprovalView,
        parent: QWidget | None = None,
        asker: str = "",
        facts: tuple[AskedFact, ...] = (),
    ) -> None:
        super().__init__(parent)
        self.question = question
        self.asker = asker
        """Who asks, where that is not said above; else empty."""
        self.setProperty("notice", str(Family.NEEDS))
        self.setAccessibleName(tr("Question"))
        self._buttons: list[QPushButton] = []
        self._field: QLineEdit | None = None
        self._waiting = label("", "", self)
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 12)
        layout.setSpacing(8)
        layout.addLayout(self._head(theme))
        self._add_words(layout, reading_of(question))
        self.facts: tuple[AskedFact, ...] = ()
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(12)
        self._facts.setVerticalSpacing(2)
        self._facts.setColumnStretch(1, 1)
        self._fact_labels: list[QLabel] = []
        self.show_known(facts)
        layout.addLayout(self._facts)
        self._add_options(layout)
        layout.addWidget(self._said)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.timeout.connect(self._on_quiet_over)
        self.keep_quiet()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.keep_quiet()  # it may have been made long before anybody saw it

    def keep_quiet(self) -> None:
        """Ignore all input for a moment: the card has just appeared, or moved."""
        self._set_enabled(False)
        self._quiet.start(QUIET_MS)

    def show_now(self, now: Moment) -> None:
        """Say how long the question has been open."""
        set_text(
            self._waiting,
            tr("waiting {duration}", duration=duration_text(duration_ms(self.question.asked_at, now))),
        )

    def show_known(self, facts: tuple[AskedFact, ...]) -> None:
        """What is known of what it asks for; what is not told is said to be so."""
        if facts == self.facts:
            return
        self.facts = facts
        for old in self._fact_labels:
            self._facts.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._fact_labels = []
        for row, fact in enumerate(facts):
            name = label(fact.name, "muted", self)
            value = label(breakable(fact.value), "" if fact.is_known else "muted", self, wrap=True)
            value.setAccessibleName(f"{fact.name}: {fact.value}")
            if fact.mono:
                value.setFont(mono_font(12))
            self._facts.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
            self._facts.addWidget(value, row, 1)
            self._fact_labels += [name, value]

    def show_refused(self, words: str) -> None:
        """The answer was not taken: say why, and let the person answer again."""
        self._said.setText(words)
        self._said.show()
        self._set_enabled(True)

    def take_focus(self) -> None:
        """The keyboard stands at the field or at the words, never at a button: no key answers by default."""
        target = self._field if self._field is not None and self._field.isEnabled() else self._exact
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def is_quiet(self) -> bool:
        """True while input is ignored."""
        return self._quiet.isActive()

    @property
    def option_buttons(self) -> tuple[QPushButton, ...]:
        """The buttons, in the order of the options."""
        return tuple(self._buttons)

    def _head(self, theme: Theme) -> QHBoxLayout:
        row = QHBoxLayout()
        self._theme = theme
        self._sign = QLabel(self)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        words = tr("{agent} asks you", agent=self.asker) if self.asker else tr("Asks you")
        title = label(words, "heading", self, wrap=bool(self.asker))
        title.setProperty("tone", str(Family.NEEDS))
        self._waiting.setProperty("tone", str(Family.NEEDS))
        row.addWidget(self._sign)
        row.addWidget(title, 1)
        row.addWidget(self._waiting)
        return row

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.NEEDS]
        self._sign.setPixmap(pixmap("hand", tone.text, 16, self.devicePixelRatioF()))

    def _add_words(self, layout: QVBoxLayout, reading: Reading) -> None:
        """The whole question, never shortened and not twice: it scrolls where it is long."""
        self._reading = reading
        self.title = label(breakable(reading.title), "heading", self, wrap=True)
        self.title.setAccessibleName(reading.title)
        self.title.setVisible(bool(reading.title))
        layout.addWidget(self.title)
        self._exact = text = WholeText(self)
        text.setReadOnly(True)
        text.setPlainText(reading.text)
        text.setFont(mono_font())
        text.setAccessibleName(tr("Question text"))
        text.setTabChangesFocus(True)
        layout.addWidget(text)
        self.other = button("", tr("Another reading of the question"), "link", self)
        self.other.setVisible(bool(reading.other))
        self.other.clicked.connect(self._on_other_clicked)
        self._name_other()
        layout.addWidget(self.other, 0, Qt.AlignmentFlag.AlignLeft)

    def _name_other(self) -> None:
        set_text(self.other, tr("Read it in words") if self._reading.is_exact else tr("Show what was sent"))

    def _on_other_clicked(self) -> None:
        """The same in the other reading, in its place. The buttons may move by that, so no click counts at first."""
        now = self._reading
        self._reading = Reading(now.title, now.other, now.text, not now.is_exact)
        self._exact.setPlainText(self._reading.text)
        self._exact.fit()
        self._name_other()
        self.keep_quiet()

    def _add_options(self, layout: QVBoxLayout) -> None:
        if not self.question.choices:
            self._add_field(layout)
            return
        row = QHBoxLayout()
        for place, option in enumerate(self.question.choices):
            if place and place % OPTIONS_IN_A_ROW == 0:
                row.addStretch(1)
                layout.addLayout(row)
                row = QHBoxLayout()
            is_ours = option not in self.question.options
            said = tr("Allow for this run") if is_ours else one_line(option, 80)
            words = one_line(said, OPTION_SHOWN_MAX).replace("&", "&&")
            made = button(words, tr("Answer {option}", option=said), "", self)
            made.setToolTip("")
            if is_for_run(option):
                made.setToolTip(tip(FOR_RUN.now))
            made.setProperty("option", option)
            made.clicked.connect(self._on_option_clicked)
            self._buttons.append(made)
            row.addWidget(made)
        row.addStretch(1)
        layout.addLayout(row)

    def _add_field(self, layout: QVBoxLayout) -> None:
        row = QHBoxLayout()
        self._field = QLineEdit(self)
        self._field.setAccessibleName(tr("Answer"))
        send = button(tr("Send"), tr("Send answer"), "", self)
        send.clicked.connect(self._on_send_clicked)
        self._buttons.append(send)
        row.addWidget(self._field, 1)
        row.addWidget(send)
        layout.addLayout(row)

    def _set_enabled(self, enabled: bool) -> None:
        if not enabled and holds_focus(self):
            self._exact.setFocus(
                Qt.FocusReason.OtherFocusReason
            )  # Qt would look for the next part of the window
        for made in self._buttons:
            made.setEnabled(enabled)
        if self._field is not None:
            self._field.setEnabled(enabled)

    def _on_quiet_over(self) -> None:
        self._set_enabled(True)

    def _on_option_clicked(self) -> None:
        sender = self.sender()
        if sender is not None:
            self._send(str(sender.property("option")))

    def _on_send_clicked(self) -> None:
        if self._field is not None and self._field.text():
            self._send(self._field.text())

    def _send(self, choice: str) -> None:
        self._set_enabled(False)
        self._said.hide()
        self.answered.emit((self.question.run_id, self.question.request_id, choice))
