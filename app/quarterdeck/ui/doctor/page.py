"""The page *Doctor* in the window's middle: two parts, each found out on a press of its button and not before (ruling 25)."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from quarterdeck.engine.doctor.findings import Examination, Part
from quarterdeck.ui.doctor.present import FindingRow, rows_of, summary
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, rule, set_text, tint_button
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tokens import Tokens

tr = Texts("DoctorPage")

OF_MACHINE = tr.later(
    "Looks at the disk, the clock, the display libraries, the keyring, sign-ins and agent programs. It asks each program that it finds for its version and your login shell for its PATH, and sends nothing anywhere."
)
OF_TRUST = tr.later(
    "Tries with practice agents, in a store of their own, what Quarterdeck promises: two runs of one workflow are told apart, a killed Quarterdeck leaves a record and nothing that acts, a dead sign-in is learned once. It takes a minute at most and costs nothing."
)
SIGN_PX = 18


class FindingsCard(QFrame):
    """One part: its title, its button, what it does, and what was found."""

    def __init__(self, theme: Theme, part: Part, title: str, words: str, press: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self.part = theme, part
        self.rows: tuple[FindingRow, ...] = ()
        self._made: list[QWidget] = []
        self._signs: list[QLabel] = []
        self.setProperty("look", "card")
        self.setAccessibleName(title)
        self.begin = button(press, press, "", self)
        self.said = label(words, "muted", self, wrap=True)
        head = QHBoxLayout()
        head.addWidget(label(title, "title", self), 1)
        head.addWidget(self.begin)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(10)
        self._grid.setColumnStretch(2, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 16)
        column.setSpacing(10)
        column.addLayout(head)
        column.addWidget(self.said)
        column.addLayout(self._grid)
        theme.theme_changed.connect(self._on_theme_changed)

    def begins(self) -> None:
        """It is under way."""
        self._clear()
        set_text(self.said, tr("Looking…") if self.part is Part.MACHINE else tr("Trying; a minute at most…"))

    def show_result(self, result: Examination | str) -> None:
        """What was found, or why nothing was."""
        self._clear()
        self.rows = rows_of(result) if isinstance(result, Examination) else ()
        set_text(self.said, summary(self.part, result))
        for number, row in enumerate(self.rows):
            self._add(number, row)
        self._on_theme_changed(self._theme.tokens)

    def _add(self, number: int, row: FindingRow) -> None:
        sign = QLabel(self)
        sign.setAccessibleName(row.state)
        names = QVBoxLayout()
        title, state = label(row.title, "heading", self), label(row.state, "muted", self)
        names.setSpacing(2)
        names.addWidget(title)
        names.addWidget(state)
        said = label(row.said, "value", self, wrap=True)
        said.setAccessibleName(row.accessible)
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(said)
        made = [sign, title, state, said]
        if row.to_do:
            to_do = label(row.to_do, "mono", self, wrap=True)
            to_do.setFont(mono_font(12))
            to_do.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            to_do.setAccessibleName(tr("What to do: {words}", words=row.to_do))
            words.addWidget(to_do)
            made.append(to_do)
        words.addStretch(1)
        top = Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(sign, number, 0, top)
        self._grid.addLayout(names, number, 1, top)
        self._grid.addLayout(words, number, 2)
        self._made += made
        self._signs.append(sign)

    def _clear(self) -> None:
        for old in self._made:
            old.hide()
            old.deleteLater()
        while (item := self._grid.takeAt(0)) is not None:
            if (inner := item.layout()) is not None:
                inner.deleteLater()
        self.rows, self._made, self._signs = (), [], []

    def _on_theme_changed(self, tokens: Tokens) -> None:
        for row, sign in zip(self.rows, self._signs, strict=True):
            colour = tokens.tones[row.family].text
            sign.setPixmap(pixmap(row.sign, colour, SIGN_PX, self.devicePixelRatioF()))


class DoctorPage(QWidget):
    """Both parts under one head. Nothing is looked at before a button is pressed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setAccessibleName(tr("Doctor"))
        self.copy = button(tr("Copy"), tr("Copy what the doctor found"), "", self)
        self.back = button(tr("Back to canvas"), tr("Back from the doctor to the canvas"), "quiet", self)
        self.machine = FindingsCard(
            theme, Part.MACHINE, tr("This computer"), OF_MACHINE, tr("Check this computer"), self
        )
        self.trust = FindingsCard(
            theme, Part.TRUST, tr("Three promises"), OF_TRUST, tr("Try the three promises"), self
        )
        self._lay_out()
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def card(self, part: Part) -> FindingsCard:
        """The card of a part."""
        return self.machine if part is Part.MACHINE else self.trust

    @property
    def rows(self) -> tuple[FindingRow, ...]:
        """Everything that is shown."""
        return (*self.machine.rows, *self.trust.rows)

    def minimumSizeHint(self) -> QSize:
        """Small: a page that is not seen must not hold the window wide; what does not fit is scrolled."""
        return QSize(480, 300)

    def _lay_out(self) -> None:
        head = QWidget(self)
        row = QHBoxLayout(head)
        row.setContentsMargins(20, 10, 16, 10)
        row.setSpacing(10)
        row.addWidget(label(tr("Doctor"), "title", head))
        row.addStretch(1)
        row.addWidget(self.back)
        row.addWidget(self.copy)
        inside = QWidget(self)
        inside.setProperty("look", "page")
        column = QVBoxLayout(inside)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(14)
        column.addWidget(self.machine)
        column.addWidget(self.trust)
        column.addStretch(1)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setWidget(inside)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(head)
        whole.addWidget(rule(self))
        whole.addWidget(area, 1)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        tint_button(self.machine.begin, "cpu", self._theme)
        tint_button(self.trust.begin, "graduation-cap", self._theme)
        tint_button(self.copy, "copy", self._theme)
