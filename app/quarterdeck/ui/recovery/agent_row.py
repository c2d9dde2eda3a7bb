"""One interrupted agent in the recovery dialog: what it was in, what may have happened, and the way to its second step."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button, label, restyle, set_text
from quarterdeck.ui.present_evidence import evidence_parts
from quarterdeck.ui.present_recovery import AgentLine, Going
from quarterdeck.ui.recovery.evidence_view import EvidenceView
from quarterdeck.ui.recovery_asked import EvidenceRead
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line

tr = Texts("AgentRow")

SIGN_W, ACTION_W, NOTE_W = 26, 168, 100
COLUMNS = (4, 6, 6)
"""Shares of the width: agent, last known state, outside effects."""


def column(*parts: QWidget) -> QVBoxLayout:
    """Widgets below each other, close together."""
    made = QVBoxLayout()
    made.setSpacing(1)
    made.addStretch(1)
    for part in parts:
        made.addWidget(part)
    made.addStretch(1)
    return made


class AgentRow(QWidget):
    """Asks by signals, each with (RunId, SlotId)."""

    resume_asked = Signal(object)
    look_asked = Signal(object)
    check_asked = Signal(object)

    def __init__(self, theme: Theme, line: AgentLine, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._line = theme, line
        self._found: EvidenceView | None = None
        self._make_parts(line)
        row = QHBoxLayout()
        row.setSpacing(12)
        self._sign.setFixedWidth(SIGN_W - 12)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addLayout(column(self._title, self._subtitle), COLUMNS[0])
        row.addLayout(column(self._state, self._known), COLUMNS[1])
        row.addLayout(self._outside(), COLUMNS[2])
        row.addWidget(self._action(), 0, Qt.AlignmentFlag.AlignVCenter)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 5, 0, 5)
        whole.setSpacing(8)
        whole.addLayout(row)
        self._whole = whole
        self.resume.clicked.connect(self._on_resume)
        self.look.clicked.connect(self._on_look)
        self.check.clicked.connect(self._on_check)
        theme.theme_changed.connect(self._on_theme_changed)
        self.show_line(line)

    @property
    def key(self) -> tuple[RunId, SlotId]:
        """Run and slot."""
        return self._line.run_id, self._line.slot_id

    def show_line(self, line: AgentLine) -> None:
        """Follow what is known of the agent; what was found by a look stays."""
        self._line = line
        set_text(self._title, line.title)
        self._title.setToolTip(tip(line.title))
        set_text(self._subtitle, line.subtitle)
        set_text(self._state, line.badge.word)
        restyle(self._state, "tone", str(line.badge.family))
        set_text(self._known, breakable(line.last_known))
        self._known.setAccessibleName(tr("Last known state: {words}", words=line.last_known))
        set_text(self._checks, "\n".join(breakable(check) for check in line.checks))
        self._checks.setAccessibleName(tr("Outside effects: {words}", words="; ".join(line.checks)))
        is_open = not line.is_clear and line.has_effects
        restyle(self._checks, "tone", str(Family.NEEDS) if is_open else "")
        restyle(self._checks, "look", "value" if is_open else "told")
        self.check.setVisible(line.can_check)
        can = line.going in {Going.RESUME, Going.REOPENED}
        self.resume.setVisible(can)
        set_text(self.resume, tr("Resume…") if line.going is not Going.REOPENED else tr("Start…"))
        self.look.setVisible(line.going is not Going.TAKEN_UP)
        set_text(self._note, line.note)
        self._note.setVisible(bool(line.note) and not can)
        self.setToolTip(tip(line.evidence))
        self._tint()

    def show_found(self, news: EvidenceRead) -> None:
        """What a look found, or why there was nothing to be found."""
        self.look.setEnabled(True)
        if self._found is not None:
            self._found.deleteLater()
            self._found = None
        if isinstance(news.result, Refusal):
            set_text(self._said, one_line(in_words(news.result.message), 300))
            self._said.show()
            return
        self._said.hide()
        self._found = EvidenceView(evidence_parts(news.result), self)
        self._whole.addWidget(self._found)

    # ------------------------------------------------------------------ parts

    def _make_parts(self, line: AgentLine) -> None:
        self._sign = QLabel(self)
        self._title = ElidedLabel("heading", self)
        self._subtitle = _wrapping("muted", self)
        self._state = label("", "value", self)
        self._known = _wrapping("muted", self)
        self._clear = QLabel(self)
        self._checks = _wrapping("value", self)
        self.check = button(
            tr("Check…"),
            tr("Check effects of {agent}", agent=line.name.removeprefix("Resume ")),
            "link",
            self,
        )
        self.look = button(
            tr("Look"),
            tr("Look at what {agent} left", agent=line.name.removeprefix("Resume ")),
            "quiet",
            self,
        )
        self.look.setToolTip(
            tip(tr("Gathers, now: last lines, files and commits since it began, its old process."))
        )
        self.resume = button(tr("Resume…"), line.name, "", self)
        self.resume.setAccessibleDescription(line.described)
        self._note = label("", "muted", self, wrap=True)
        self._said = label("", "problem", self, wrap=True)
        self._said.hide()

    def _outside(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._clear, 0, Qt.AlignmentFlag.AlignVCenter)
        words = column(self._checks, self.check)
        words.setAlignment(self.check, Qt.AlignmentFlag.AlignLeft)
        row.addLayout(words, 1)
        return row

    def _action(self) -> QWidget:
        place = QWidget(self)
        place.setMinimumWidth(ACTION_W)
        row = QHBoxLayout(place)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addStretch(1)
        row.addWidget(self.look)
        row.addWidget(self._note)
        row.addWidget(self.resume)
        self._note.setFixedWidth(NOTE_W)
        return place

    # ------------------------------------------------------------------ events

    def _on_resume(self) -> None:
        self.resume_asked.emit(self.key)

    def _on_look(self) -> None:
        self.look.setEnabled(False)
        self.look_asked.emit(self.key)

    def _on_check(self) -> None:
        self.check_asked.emit(self.key)

    def _tint(self) -> None:
        t, ratio = self._theme.tokens, self.devicePixelRatioF()
        tone = t.tones[self._line.badge.family]
        self._sign.setPixmap(pixmap(self._line.badge.icon, tone.text, 16, ratio))
        look = (Family.DONE, "circle-check") if self._line.is_clear else (Family.NEEDS, "circle-alert")
        if not self._line.is_clear and not self._line.has_effects:
            look = (Family.NEUTRAL, "circle-question-mark")
        self._clear.setPixmap(pixmap(look[1], t.tones[look[0]].text, 16, ratio))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()


def _wrapping(look: str, parent: QWidget) -> QLabel:
    """A label whose width is its column's, whatever it says."""
    made = label("", look, parent, wrap=True)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return made
