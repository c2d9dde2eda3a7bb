"""The card of an error: what happened, where, what is kept, what to do; the raw text behind *Details*; *Copy* takes all of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from quarterdeck.ui.exact_text import ExactText
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text, tint_button
from quarterdeck.ui.present_errors import ErrorCard
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tokens import Family, Tokens

tr = Texts("ErrorCard")

DETAILS_HIGH = 160


class ErrorCardView(QFrame):
    """Its buttons stand for actions. `text`: the raw words, named `Error`, seen once *Details* is on."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._card: ErrorCard | None = None
        self.setProperty("notice", str(Family.FAILED))
        self._sign = QLabel(self)
        self._what = label("", "heading", self, wrap=True)
        self._what.setProperty("tone", str(Family.FAILED))
        self._said = label("", "", self, wrap=True)
        self._parts = tuple(label("", "", self, wrap=True) for _ in range(3))
        self.text = ExactText(self)
        self.text.setReadOnly(True)
        self.text.setFont(mono_font())
        self.text.setAccessibleName(tr("Error"))
        self.text.setTabChangesFocus(True)
        self.text.hide()
        self.details = button(tr("Details"), tr("Details of the error"), "", self)
        self.details.setCheckable(True)
        self.copy = button(tr("Copy"), tr("Copy error"), "", self)
        self._lay_out()
        self.details.toggled.connect(self._on_details_toggled)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.hide()

    @property
    def is_shown(self) -> bool:
        """Whether there is an error."""
        return self._card is not None

    def show_card(self, card: ErrorCard | None) -> None:
        """Show an error; None: there is none."""
        self.setVisible(card is not None)
        if card is None or card == self._card:
            self._card = card
            return
        self._card = card
        self.setAccessibleName(card.what)
        texts = (card.what, card.said, card.where, card.kept, card.advice)
        for part, words in zip((self._what, self._said, *self._parts), texts, strict=True):
            set_text(part, breakable(words))
            part.setAccessibleName(words)
        self._said.setVisible(bool(card.said))
        if self.text.toPlainText() != card.details:
            self.text.setPlainText(card.details)
            lines = card.details.count("\n") + 1 + len(card.details) // 34
            self.text.setFixedHeight(min(DETAILS_HIGH, 18 + lines * 17))

    def copy_all(self) -> None:
        """Put card and raw text on the clipboard."""
        if self._card is not None:
            QGuiApplication.clipboard().setText(self._card.copied)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._what, 1)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, part) in enumerate(
            zip((tr("Where"), tr("Kept"), tr("What to do")), self._parts, strict=True)
        ):
            grid.addWidget(label(name, "muted", self), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(part, row, 1)
        feet = QHBoxLayout()
        feet.addStretch(1)
        feet.addWidget(self.details)
        feet.addWidget(self.copy)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 12)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._said)
        column.addLayout(grid)
        column.addLayout(feet)
        column.addWidget(self.text)

    def _on_details_toggled(self, is_on: bool) -> None:
        self.text.setVisible(is_on)
        tint_button(self.details, "chevron-up" if is_on else "chevron-down", self._theme)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        tone = tokens.tones[Family.FAILED]
        self._sign.setPixmap(pixmap("circle-alert", tone.text, 18, self.devicePixelRatioF()))
        self._on_details_toggled(self.details.isChecked())
