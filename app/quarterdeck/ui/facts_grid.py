"""Names and values in two columns; values wrap, are copied whole, and are never interpreted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label, restyle, set_text
from quarterdeck.ui.present_process import Fact

tr = Texts("FactsGrid")


class FactValue(QLabel):
    """A value that wraps anywhere; *Copy* in its menu gives the value itself, without the places to wrap."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._value = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setProperty("look", "value")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        copy = QAction(tr("Copy"), self)
        copy.triggered.connect(self.copy_value)
        self.addAction(copy)

    def show_fact(self, fact: Fact) -> None:
        """Show the value of this fact."""
        if self._value != fact.value:
            self._value = fact.value
            self.setText(breakable(fact.value))
            self.setAccessibleName(f"{fact.name}: {fact.value}")
        restyle(self, "look", "mono" if fact.mono else "value")

    def copy_value(self) -> None:
        """Put the value on the clipboard."""
        QGuiApplication.clipboard().setText(self._value)


class FactsGrid(QWidget):
    """Names at the left, values at the right; labels are kept and only their texts change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(7)
        self._grid.setColumnStretch(1, 1)
        self._lines: list[tuple[QLabel, FactValue]] = []

    def show_facts(self, facts: tuple[Fact, ...]) -> None:
        """Show these lines."""
        while len(self._lines) < len(facts):
            self._add_line()
        for place, (name, value) in enumerate(self._lines):
            name.setVisible(place < len(facts))
            value.setVisible(place < len(facts))
            if place < len(facts):
                set_text(name, facts[place].name)
                value.show_fact(facts[place])

    def _add_line(self) -> None:
        name, value = label("", "muted", self), FactValue(self)
        place = len(self._lines)
        self._grid.addWidget(name, place, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(value, place, 1)
        self._lines.append((name, value))


def breakable(text: str) -> str:
    """Let long words and paths wrap: a label's width must not follow foreign text."""
    if max(map(len, text.split()), default=0) < 24:
        return text
    return "".join(f"{c}\u200b" if c in "/._-" or i % 16 == 15 else c for i, c in enumerate(text))
