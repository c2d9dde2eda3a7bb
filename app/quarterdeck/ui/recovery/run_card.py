"""One interrupted run in the recovery dialog: its head, its agents, and the agents that were not cut off."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.icons import icon
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Chip, ElidedLabel, label, rule, set_text
from quarterdeck.ui.present_recovery import RunCard
from quarterdeck.ui.recovery.agent_row import ACTION_W, COLUMNS, SIGN_W, AgentRow
from quarterdeck.ui.recovery_asked import EvidenceRead
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Tokens

tr = Texts("RunCard")

NAME_W_MIN = 120
NAME_SHARE, LINE_SHARE = 1, 20
"""Where room is short the name yields before the line."""


class RunCardView(QFrame):
    """Passes on what its rows ask."""

    resume_asked = Signal(object)
    look_asked = Signal(object)
    check_asked = Signal(object)

    def __init__(self, theme: Theme, card: RunCard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("look", "card")
        self.rows = [AgentRow(theme, line, self) for line in card.agents]
        self._line = ElidedLabel("muted", self)
        self._line.cut = Qt.TextElideMode.ElideMiddle  # its end is what was spent
        self._damage = label("", "problem", self, wrap=True)
        self._unnamed = label("", "muted", self, wrap=True)
        self._make_rest()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(self._head(card))
        whole.addWidget(rule(self))
        body = QVBoxLayout()
        body.setContentsMargins(14, 8, 12, 10)
        body.setSpacing(0)
        self._damage.setContentsMargins(0, 0, 0, 8)
        self._unnamed.setContentsMargins(0, 2, 0, 4)
        body.addWidget(self._damage)
        if self.rows:
            body.addLayout(_headings(self))
        for row in self.rows:
            row.resume_asked.connect(self.resume_asked)
            row.look_asked.connect(self.look_asked)
            row.check_asked.connect(self.check_asked)
            body.addWidget(row)
        if not self.rows and not card.unnamed:
            body.addWidget(label(tr("No agent had begun when it was cut off."), "muted", self))
        body.addWidget(self._unnamed)
        body.addWidget(self.more)
        body.addWidget(self._others)
        whole.addLayout(body)
        theme.theme_changed.connect(self._on_theme_changed)
        self.show_card(card)

    def show_card(self, card: RunCard) -> None:
        """Follow what is known; the agents stay the same ones."""
        set_text(self._line, card.line)
        self._line.setMaximumWidth(self._line.fontMetrics().horizontalAdvance(card.line) + 2)
        self.chip.show_badge(card.badge, card.stands)
        self._line.setToolTip(tip(card.run_id))
        for row, line in zip(self.rows, card.agents, strict=True):
            row.show_line(line)
        set_text(self._damage, card.damage)
        self._damage.setVisible(bool(card.damage))
        set_text(self._unnamed, breakable("\n".join(card.unnamed)))
        self._unnamed.setVisible(bool(card.unnamed))
        set_text(self.more, card.rest)
        self.more.setVisible(bool(card.rest))
        set_text(self._others, "\n".join(card.others))
        self._on_unfolded(self.more.isChecked())

    def fits(self, card: RunCard) -> bool:
        """Whether it can follow this card: the same agents."""
        return [row.key for row in self.rows] == [(a.run_id, a.slot_id) for a in card.agents]

    def show_found(self, news: EvidenceRead) -> None:
        """An answer to *Look*."""
        for row in self.rows:
            if row.key == (news.run, news.slot):
                row.show_found(news)

    # ------------------------------------------------------------------ parts

    def _head(self, card: RunCard) -> QHBoxLayout:
        letter = label(card.letter, "letter", self)
        letter.setAlignment(Qt.AlignmentFlag.AlignCenter)
        letter.setMinimumSize(20, 20)
        name = ElidedLabel("heading", self)
        name.setText(card.name)
        name.setToolTip(tip(card.name))
        wide = name.fontMetrics().horizontalAdvance(card.name) + 16
        name.setMinimumWidth(min(wide, NAME_W_MIN))
        name.setMaximumWidth(max(wide, 40))
        self.chip = Chip(self._theme, self)
        row = QHBoxLayout()
        row.setContentsMargins(14, 9, 12, 9)
        row.setSpacing(9)
        row.addWidget(letter)
        row.addWidget(name, NAME_SHARE)
        row.addWidget(self._line, LINE_SHARE)
        row.addStretch()
        row.addWidget(self.chip)
        return row

    def _make_rest(self) -> None:
        self.more = _Fold(self)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.more.setCheckable(True)
        self.more.setIconSize(QSize(14, 14))
        self.more.setProperty("look", "fold")
        self.more.toggled.connect(self._on_unfolded)
        self._others = label("", "muted", self, wrap=True)
        self._others.setContentsMargins(SIGN_W, 2, 0, 4)

    def _on_unfolded(self, is_open: bool) -> None:
        self._others.setVisible(is_open and bool(self._others.text()))
        t = self._theme.tokens
        self.more.setIcon(icon("chevron-down" if is_open else "chevron-right", t.muted))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._on_unfolded(self.more.isChecked())


class _Fold(QToolButton):
    """One line that is cut where room is short; it unfolds what it sums up."""

    def minimumSizeHint(self) -> QSize:
        return QSize(60, super().minimumSizeHint().height())


def _headings(parent: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(12)
    row.setContentsMargins(0, 0, 0, 2)
    words = (tr("Agent"), tr("Last known state"), tr("Outside effects to check"))
    row.addSpacing(SIGN_W)
    for text, share in zip(words, COLUMNS, strict=True):
        made = ElidedLabel("faint", parent)
        made.setText(text)
        row.addWidget(made, share)
    row.addSpacing(ACTION_W)
    return row
