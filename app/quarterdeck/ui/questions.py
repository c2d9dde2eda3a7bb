"""An open question of an agent: its exact words, its options as buttons. Nothing is allowed by a slip of the hand.

No button has the focus when a card appears, all input is ignored for 500 ms, and no key answers by default.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from quarterdeck.domain.ids import RequestId, SlotId
from quarterdeck.domain.moment import Moment, duration_ms
from quarterdeck.domain.views import ApprovalView
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.present_questions import AskedFact
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import duration_text, one_line, shown_plainly

tr = Texts("Questions")

QUIET_MS = 500
TEXT_HEIGHT_MAX = 180
OPTIONS_IN_A_ROW = 3
OPTION_SHOWN_MAX = 40
SHARE_MAX, LEAST_HEIGHT = 0.55, 200
"""How much of the inspector questions may take, and at least, in logical pixels."""


class WholeText(QPlainTextEdit):
    """As high as its lines are, wrapped as they are now, up to a height from which on it scrolls."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        lines = round(self.document().size().height())  # a plain text's size counts lines, not pixels
        self.setFixedHeight(min(TEXT_HEIGHT_MAX, 18 + max(1, lines) * 17))


class QuestionCard(QFrame):
    """One open question."""

    answered = Signal(object)
    """(RequestId, choice)."""

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
        layout.addWidget(self._text())
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
        row.addWidget(title)
        row.addStretch(1)
        row.addWidget(self._waiting)
        return row

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.NEEDS]
        self._sign.setPixmap(pixmap("hand", tone.text, 16, self.devicePixelRatioF()))

    def _text(self) -> QPlainTextEdit:
        """The whole question, never shortened: it scrolls where it is long."""
        self._exact = text = WholeText(self)
        text.setReadOnly(True)
        text.setPlainText(shown_plainly(self.question.question))
        text.setFont(mono_font())
        text.setAccessibleName(tr("Question text"))
        text.setTabChangesFocus(True)
        return text

    def _add_options(self, layout: QVBoxLayout) -> None:
        if not self.question.options:
            self._add_field(layout)
            return
        row = QHBoxLayout()
        for place, option in enumerate(self.question.options):
            if place and place % OPTIONS_IN_A_ROW == 0:
                row.addStretch(1)
                layout.addLayout(row)
                row = QHBoxLayout()
            words = one_line(option, OPTION_SHOWN_MAX).replace("&", "&&")
            made = button(words, tr("Answer {option}", option=one_line(option, 80)), "", self)
            made.setToolTip("")
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
        self.answered.emit((self.question.request_id, choice))


class QuestionCards(QScrollArea):
    """All open questions of the chosen agent, or of the chosen run. Beyond a part of the inspector they are scrolled."""

    answered = Signal(object)
    focus_left = Signal()
    """The card that had the keyboard goes, and no other is there."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: dict[RequestId, QuestionCard] = {}
        self._inside = QWidget(self)
        self._layout = QVBoxLayout(self._inside)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._inside.installEventFilter(self)
        self.setWidget(self._inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def sizeHint(self) -> QSize:
        """As high as the cards are, up to a part of the inspector: thirty questions must not push it off the screen."""
        part = self.parentWidget()
        most = max(LEAST_HEIGHT, round(part.height() * SHARE_MAX)) if part is not None else LEAST_HEIGHT
        return QSize(super().sizeHint().width(), min(self._height(), most))

    def minimumSizeHint(self) -> QSize:
        """Enough to read one question and to answer it."""
        return QSize(super().minimumSizeHint().width(), min(self._height(), LEAST_HEIGHT))

    def _height(self) -> int:
        width = self.viewport().width()
        return (
            self._layout.totalHeightForWidth(width)
            if self._layout.hasHeightForWidth()
            else self._layout.totalSizeHint().height()
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._inside and event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    @property
    def cards(self) -> tuple[QuestionCard, ...]:
        """The shown cards, oldest question first."""
        return tuple(self._cards.values())

    def show_questions(
        self,
        questions: tuple[ApprovalView, ...],
        now: Moment,
        askers: Mapping[SlotId, str] | None = None,
        known: Mapping[RequestId, tuple[AskedFact, ...]] | None = None,
    ) -> None:
        """Keep the cards of questions that are still open, add and remove the others. askers: names of who asks, to be
        said. known: what is known of what each asks for.
        """
        names = askers or {}
        wanted = {q.request_id: (q, names.get(q.slot_id, "")) for q in questions}
        if {(r, name) for r, (_, name) in wanted.items()} != {(r, c.asker) for r, c in self._cards.items()}:
            self._exchange(wanted)
        for request, card in self._cards.items():
            card.show_known((known or {}).get(request, ()))
            card.show_now(now)

    def refuse(self, request: RequestId, words: str) -> None:
        """Tell the card of a question why its answer was not taken."""
        if request in self._cards:
            self._cards[request].show_refused(words)

    def take_focus(self) -> None:
        """To the oldest question: its field where it has one, else its words; never to a button."""
        heir = next(iter(self._cards.values()), None)
        if heir is not None:
            heir.take_focus()
            self.ensureWidgetVisible(heir)

    def _exchange(self, wanted: dict[RequestId, tuple[ApprovalView, str]]) -> None:
        gone = [r for r, c in self._cards.items() if r not in wanted or wanted[r][1] != c.asker]
        closed = [self._cards.pop(request) for request in gone]
        for request, (question, asker) in wanted.items():
            if request not in self._cards:
                card = QuestionCard(self._theme, question, self._inside, asker)
                card.answered.connect(self.answered)
                self._cards[request] = card
                self._layout.addWidget(card)
        if any(holds_focus(card) for card in closed):
            self._pass_focus()
        for card in closed:
            self._layout.removeWidget(card)
            card.hide()
            card.deleteLater()
        for card in self._cards.values():
            card.keep_quiet()  # what was under the pointer may have moved
        self.setVisible(bool(self._cards))

    def _pass_focus(self) -> None:
        heir = next(iter(self._cards.values()), None)
        if heir is None:
            self.focus_left.emit()
        else:
            heir.show()
            heir.take_focus()
