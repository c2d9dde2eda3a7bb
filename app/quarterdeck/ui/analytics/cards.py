"""A figure in a card: title, value, a line of words, a spark line."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from quarterdeck.ui.charts.spark import Spark
from quarterdeck.ui.parts import ElidedLabel, label, set_text
from quarterdeck.ui.present_cards import Card
from quarterdeck.ui.theme import Theme, ui_font
from quarterdeck.ui.tips import tip


class CardFrame(QFrame):
    """A sheet with round corners."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "card")


class FigureCard(CardFrame):
    """Shows one `Card`; its accessible name is the whole card in words."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = label("", "muted", self)
        self._value = label("", "", self)
        self._value.setFont(ui_font(24, ui_font().Weight.DemiBold))
        self._value.setStyleSheet("font-size: 24px; font-weight: 600;")
        self._line = ElidedLabel("muted", self)
        self._spark = Spark(theme, self)
        middle = QHBoxLayout()
        middle.addWidget(self._value)
        middle.addStretch(1)
        middle.addWidget(self._spark)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 12)
        column.setSpacing(4)
        column.addWidget(self._title)
        column.addLayout(middle)
        column.addWidget(self._line)

    def show_card(self, card: Card) -> None:
        """Show this figure."""
        set_text(self._title, card.title)
        set_text(self._value, card.value)
        set_text(self._line, card.line)
        self._line.setToolTip(tip(card.line))
        self._spark.show_values(card.spark, card.family)
        if self.accessibleName() != card.spoken:
            self.setAccessibleName(card.spoken)
