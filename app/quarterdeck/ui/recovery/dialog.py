"""The recovery dialog: what was interrupted, and that nothing goes on by itself. Its window title is `Interrupted runs`.

It is not modal. Enter, Esc and the close button do *Keep as stopped*; nothing in it resumes more than one agent, and
nothing in it acts without a second step. Whoever makes it tells the engine what was asked.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import (
    button,
    enter_is_harmless,
    label,
    resize_within_screen,
    restyle,
    room_of,
    rule,
    set_text,
    tint_button,
)
from quarterdeck.ui.present_recovery import SENTENCE, RecoveryFacts, RunCard, Total
from quarterdeck.ui.recovery.leftovers_card import LeftoversCard
from quarterdeck.ui.recovery.run_card import RunCardView
from quarterdeck.ui.recovery.unreadable_card import UnreadableCard
from quarterdeck.ui.recovery_asked import EvidenceRead
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens

tr = Texts("RecoveryDialog")

WIDTH, HEIGHT = 920, 706
HINT = tr.later(
    "Resume starts a new attempt in the same run. It can repeat work that already happened, and may cost money."
)
PRACTICE_HINT = tr.later(
    "Resume starts a new attempt in the same run. It can repeat what already happened. Practice agents cost nothing."
)
QUIET_MS = 500
"""After it appeared it takes no answer for so long: a key that was meant for something else is none."""


class RecoveryDialog(QDialog):
    """Shown with `show()`. `kept`: it was answered; leaving it by `put_away` or `review_asked` answers nothing."""

    kept = Signal()
    review_asked = Signal()
    discard_asked = Signal()
    files_asked = Signal()
    resume_asked = Signal(object)
    look_asked = Signal(object)
    check_asked = Signal(object)
    end_asked = Signal(object)
    file_asked = Signal(object)

    def __init__(self, theme: Theme, facts: RecoveryFacts, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        enter_is_harmless(self)
        self._theme = theme
        self.facts = facts
        self.cards: dict[RunId, RunCardView] = {}
        self.setWindowTitle("Interrupted runs")
        self.setAccessibleName("Interrupted runs")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._was_empty = facts.is_empty
        self._totals: list[tuple[QLabel, QLabel]] = []
        self._whole = whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self._make_head())
        whole.addWidget(rule(self))
        whole.addWidget(self._make_body(), 1)
        whole.addWidget(rule(self))
        whole.addWidget(self._make_feet())
        theme.theme_changed.connect(self._on_theme_changed)
        self._quiet = QTimer(self)
        self._quiet.setSingleShot(True)
        self._quiet.start(QUIET_MS)
        self._tint()
        self.show_facts(facts)
        self._fit()
        self.keep.setFocus()

    @property
    def is_quiet(self) -> bool:
        """True while no answer is taken."""
        return self._quiet.isActive()

    def show_facts(self, facts: RecoveryFacts) -> None:
        """Follow what is known."""
        self.facts = facts
        set_text(self._title, facts.title)
        for (value, caption), total in zip(self._totals, facts.totals, strict=True):
            set_text(value, total.value)
            set_text(caption, total.caption)
            value.setAccessibleName(f"{total.value} {total.caption}")
        self.leftovers.show_leftovers(facts.leftovers)
        self.unreadable.show_lines(facts.unreadable)
        self._show_cards(facts.cards)
        set_text(self._hint, (PRACTICE_HINT if facts.is_practice else HINT).now)
        self._hint.setVisible(bool(facts.cards) and not facts.read_only)
        self._why.setVisible(bool(facts.read_only))
        reading = tr("{why} Until then these runs can only be looked at.", why=facts.read_only)
        set_text(self._why, reading)
        self.discard.setEnabled(bool(facts.cards) and not facts.read_only)
        set_text(self.keep, tr("Keep as stopped") if self._can_keep else tr("Close"))
        self._show_empty()

    @property
    def _can_keep(self) -> bool:
        """Whether there is something to be answered, and it can be."""
        return bool(self.facts.cards) and not self.facts.read_only

    def _show_empty(self) -> None:
        """Where nothing waits any more only that is said, and the dialog shrinks to it."""
        is_empty = self.facts.is_empty
        self._figures.setVisible(bool(self.facts.cards))
        for part in (self._words, self.discard, self.files, self.review):
            part.setVisible(not is_empty)
        self.area.setVisible(not is_empty or not self._said.isHidden())
        if is_empty and not self._was_empty:
            self._whole.activate()
            self.resize(self.width(), self.minimumSizeHint().height())
        self._was_empty = is_empty

    def show_found(self, news: EvidenceRead) -> None:
        """An answer to *Look*."""
        if (card := self.cards.get(news.run)) is not None:
            card.show_found(news)

    def say(self, words: str) -> None:
        """Something that was refused; empty: nothing."""
        restyle(self._said, "look", "problem")
        self._tell(words)

    def tell(self, words: str) -> None:
        """What happened elsewhere, and is no failure."""
        restyle(self._said, "look", "told")
        self._tell(words)

    def _tell(self, words: str) -> None:
        set_text(self._said, words)
        self._said.setVisible(bool(words))
        self._show_empty()

    def put_away(self) -> None:
        """Close without an answer: the prompt stays owed."""
        self.done(QDialog.DialogCode.Rejected)

    def reject(self) -> None:
        """Enter, Esc, the close button, *Keep as stopped*. Where nothing can be written it stays owed."""
        if not self.is_quiet:
            if self._can_keep:
                self.kept.emit()
            self.put_away()

    # ------------------------------------------------------------------ parts

    def _make_head(self) -> QWidget:
        head = _sheet(self)
        self._sign = QLabel(head)
        self._title = label("", "big", head, wrap=True)
        restarted = tr("Quarterdeck restarted nothing.")
        done = tr("Anything they had already done is still done: files, commits, messages and money spent.")
        self._words = label(f"{restarted} {SENTENCE} {done}", "told", head, wrap=True)
        self._words.setMaximumWidth(720)
        top = QHBoxLayout()
        top.setSpacing(12)
        top.addWidget(self._sign)
        top.addWidget(self._title, 1)
        column = QVBoxLayout(head)
        column.setContentsMargins(24, 18, 24, 16)
        column.setSpacing(10)
        column.addLayout(top)
        column.addWidget(self._words)
        column.addWidget(self._make_totals(head))
        return head

    def _make_totals(self, head: QWidget) -> QWidget:
        self._figures = QWidget(head)
        row = QHBoxLayout(self._figures)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(20)
        for place, total in enumerate(self.facts.totals):
            if place:
                row.addWidget(_upright(self._figures))
            row.addLayout(self._make_total(total, self._figures))
        row.addStretch(1)
        return self._figures

    def _make_total(self, total: Total, head: QWidget) -> QVBoxLayout:
        value, caption = label(total.value, "total", head), label(total.caption, "muted", head)
        self._totals.append((value, caption))
        pair = QVBoxLayout()
        pair.setSpacing(0)
        pair.addWidget(value)
        pair.addWidget(caption)
        return pair

    def _make_body(self) -> QWidget:
        page = QWidget(self)
        page.setProperty("look", "page")
        self.leftovers = LeftoversCard(self._theme, page)
        self.leftovers.end_asked.connect(self.end_asked)
        self.unreadable = UnreadableCard(self._theme, page)
        self.unreadable.file_asked.connect(self.file_asked)
        self._said = label("", "problem", page, wrap=True)
        self._said.hide()
        self._hint = label(HINT.now, "muted", page, wrap=True)
        self._why = label("", "value", page, wrap=True)
        self._why.setProperty("tone", str(Family.NEEDS))
        self._list = QVBoxLayout(page)
        self._list.setContentsMargins(24, 16, 24, 16)
        self._list.setSpacing(12)
        for part in (self._said, self._why, self.leftovers, self.unreadable):
            self._list.addWidget(part)
        self._list.addStretch(1)
        self._list.addWidget(self._hint)
        self.area = QScrollArea(self)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(page)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.viewport().setAutoFillBackground(False)
        page.setAutoFillBackground(False)
        return self.area

    def _make_feet(self) -> QWidget:
        feet = _sheet(self)
        self.discard = button(tr("Discard these records…"), "Discard these records", "danger", feet)
        self.discard.setProperty("quiet", True)
        self.files = button(tr("Show record files"), tr("Show record files"), "quiet", feet)
        self.review = button(tr("Review runs"), "Review runs", "", feet)
        self.review.setToolTip(tip(tr("Leaves this open for an answer, and shows the runs in the list.")))
        self.keep = button(tr("Keep as stopped"), "Keep as stopped", "primary", feet)
        self.keep.setDefault(True)
        self.keep.setMinimumWidth(150)
        row = QHBoxLayout(feet)
        row.setContentsMargins(24, 12, 24, 12)
        row.setSpacing(10)
        row.addWidget(self.discard)
        row.addWidget(self.files)
        row.addStretch(1)
        row.addWidget(self.review)
        row.addWidget(self.keep)
        self.discard.clicked.connect(self.discard_asked)
        self.files.clicked.connect(self.files_asked)
        self.review.clicked.connect(self.review_asked)
        self.keep.clicked.connect(self.reject)
        return feet

    def _show_cards(self, cards: tuple[RunCard, ...]) -> None:
        wanted = {card.run_id for card in cards}
        for run in [run for run in self.cards if run not in wanted]:
            self.cards.pop(run).deleteLater()
        first = self._list.indexOf(self.unreadable) + 1
        for place, card in enumerate(cards):
            view = self.cards.get(card.run_id)
            if view is not None and view.fits(card):
                view.show_card(card)
                continue
            if view is not None:
                view.deleteLater()
            self.cards[card.run_id] = made = RunCardView(self._theme, card, self.area.widget())
            made.resume_asked.connect(self.resume_asked)
            made.look_asked.connect(self.look_asked)
            made.check_asked.connect(self.check_asked)
            self._list.insertWidget(first + place, made)

    def _fit(self) -> None:
        """As high as its content, within limits and the screen."""
        wide = min(WIDTH, room_of(self).width())
        self.setMinimumWidth(min(640, wide))
        for part in self.findChildren(QWidget):
            part.ensurePolished()
        self.area.setMinimumHeight(120)
        high = self._whole.totalHeightForWidth(wide) - 120 + self._list.totalHeightForWidth(wide)
        resize_within_screen(self, wide, min(HEIGHT, high + 8))

    def _tint(self) -> None:
        t = self._theme.tokens
        tone = t.tones[Family.INTERRUPTED]
        self._sign.setPixmap(pixmap("unplug", tone.text, 24, self.devicePixelRatioF()))
        tint_button(self.files, "folder-open", self._theme)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()


def _sheet(parent: QWidget) -> QWidget:
    made = QWidget(parent)
    made.setProperty("look", "sheet")
    made.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return made


def _upright(parent: QWidget) -> QFrame:
    made = QFrame(parent)
    made.setProperty("look", "upright")
    return made
