"""Open questions as a list of cards: the inspector's, and the one queue of all runs. A newer one comes below, never under the pointer."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RequestId, RunId
from quarterdeck.domain.moment import Moment
from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.present_questions import Asked, key_of
from quarterdeck.ui.questions import QuestionCard
from quarterdeck.ui.theme import Theme

SHARE_MAX, LEAST_HEIGHT = 0.55, 200
"""How much of the inspector questions may take, and at least, in logical pixels."""
Key = tuple[RunId, RequestId]


class QuestionCards(QScrollArea):
    """Open questions, one below the other, oldest first. share: beyond so much of the part that they are in they are
    scrolled. least: so high they are at least, in logical pixels.
    """

    answered = Signal(object)
    """(RunId, RequestId, choice)."""
    focus_left = Signal()
    """The card that had the keyboard goes, and no other is there."""

    def __init__(
        self,
        theme: Theme,
        parent: QWidget | None = None,
        *,
        share: float = SHARE_MAX,
        least: int = LEAST_HEIGHT,
    ) -> None:
        super().__init__(parent)
        self._theme, self._share, self._least = theme, share, least
        self._cards: dict[Key, QuestionCard] = {}
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
        most = max(LEAST_HEIGHT, round(part.height() * self._share)) if part is not None else LEAST_HEIGHT
        return QSize(super().sizeHint().width(), min(self._height(), most))

    def minimumSizeHint(self) -> QSize:
        """Enough to read one question and to answer it."""
        return QSize(super().minimumSizeHint().width(), min(self._height(), self._least))

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

    def show_questions(self, asked: Sequence[Asked], now: Moment) -> None:
        """Keep the cards of questions that are still open, add and remove the others."""
        wanted = {key_of(one.question): one for one in asked}
        if {(key, one.asker) for key, one in wanted.items()} != {
            (k, c.asker) for k, c in self._cards.items()
        }:
            self._exchange(wanted)
        for key, card in self._cards.items():
            card.show_known(wanted[key].facts)
            card.show_now(now)

    def refuse(self, key: Key, words: str) -> None:
        """Tell the card of a question why its answer was not taken."""
        if key in self._cards:
            self._cards[key].show_refused(words)

    def take_focus(self) -> None:
        """To the oldest question: its field where it has one, else its words; never to a button."""
        heir = next(iter(self._cards.values()), None)
        if heir is not None:
            heir.take_focus()
            self.verticalScrollBar().setValue(0)  # the oldest stands first, and is read from its head

    def _exchange(self, wanted: dict[Key, Asked]) -> None:
        gone = [k for k, c in self._cards.items() if k not in wanted or wanted[k].asker != c.asker]
        closed = [self._cards.pop(key) for key in gone]
        for key, one in wanted.items():
            if key not in self._cards:
                card = QuestionCard(self._theme, one.question, self._inside, one.asker)
                card.answered.connect(self.answered)
                self._cards[key] = card
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
