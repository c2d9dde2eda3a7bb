"""Effects of an agent: what it did outside, each with its state, and what a person may do about those that are not known."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.ui.facts_grid import breakable
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.present_effects import EffectLine
from quarterdeck.ui.recovery_asked import EffectAnswered, EffectProbed
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.words import one_line

tr = Texts("EffectsView")

Key = tuple[RunId, SlotId, str]
"""Run, slot, and the effect's own id."""


class EffectsView(QWidget):
    """Asks by signals; `settle_asked` gives ((RunId, SlotId, effect id), target)."""

    probe_asked = Signal(object)
    settle_asked = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._of: tuple[RunId, SlotId] | None = None
        self._lines: tuple[EffectLine, ...] = ()
        self._rows: dict[str, _EffectRow] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)

    def show_effects(self, of: tuple[RunId, SlotId] | None, lines: tuple[EffectLine, ...]) -> None:
        """Follow the effects of one agent."""
        if (of, lines) == (self._of, self._lines):
            return
        said = {id_: row.said_now for id_, row in self._rows.items()} if of == self._of else {}
        self._of, self._lines = of, lines
        for row in self._rows.values():
            row.deleteLater()
        self._rows = {}
        for line in lines:
            self._rows[line.id] = made = _EffectRow(self._theme, line, said.get(line.id, ""), self)
            made.probe.clicked.connect(self._on_probe)
            made.settle.clicked.connect(self._on_settle)
            self._column.addWidget(made)

    def hear_probe(self, news: EffectProbed) -> None:
        """What a probe found."""
        if (news.run, news.slot) == self._of and (row := self._rows.get(news.effect_id)) is not None:
            result = news.result
            row.say(result.message if isinstance(result, Refusal) else result.words)

    def hear_answer(self, news: EffectAnswered) -> None:
        """A person's word was taken or refused."""
        if (news.run, news.slot) == self._of and (row := self._rows.get(news.effect_id)) is not None:
            row.say(news.refusal.message if news.refusal is not None else "")

    def _asking(self) -> tuple[Key, _EffectRow] | None:
        sender = self.sender()
        for row in self._rows.values():
            if self._of is not None and sender in {row.probe, row.settle}:
                return (*self._of, row.line.id), row
        return None

    def _on_probe(self) -> None:
        if (found := self._asking()) is not None:
            key, row = found
            row.wait()
            self.probe_asked.emit(key)

    def _on_settle(self) -> None:
        if (found := self._asking()) is not None:
            self.settle_asked.emit((found[0], found[1].line.target))


class _EffectRow(QWidget):
    """One effect."""

    def __init__(self, theme: Theme, line: EffectLine, said: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.line = line
        sign = QLabel(self)
        tone = theme.tokens.tones[line.badge.family]
        sign.setPixmap(pixmap(line.badge.icon, tone.text, 16, self.devicePixelRatioF()))
        state = label(f"{line.title} · {line.badge.word}", "value", self)
        state.setProperty("tone", str(line.badge.family))
        target, told = _wrapping("mono", self), _wrapping("muted", self)
        set_text(target, breakable(line.target))
        target.setAccessibleName(f"{line.title} {line.target}, {line.badge.word}")
        set_text(told, breakable(line.said))
        told.setVisible(bool(line.said))
        self._now = _wrapping("muted", self)
        self.probe = button(tr("Probe"), tr("Probe {effect}", effect=line.id), "quiet", self)
        self.probe.setToolTip(
            tip(tr("Asks where it would have happened, read-only: files, commits, pushes."))
        )
        self.settle = button(tr("Settle…"), tr("Settle {effect}", effect=line.id), "quiet", self)
        for made in (self.probe, self.settle):
            made.setVisible(line.can_settle)
        words = QVBoxLayout()
        words.setSpacing(2)
        for part in (state, target, told, self._now):
            words.addWidget(part)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addWidget(self.probe, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.settle, 0, Qt.AlignmentFlag.AlignTop)
        self.say(said)

    @property
    def said_now(self) -> str:
        """What the last answer said."""
        return self._now.text()

    def wait(self) -> None:
        """A probe is under way."""
        self.probe.setEnabled(False)
        self.say(tr("Looking…"), is_done=False)

    def say(self, words: str, *, is_done: bool = True) -> None:
        """The last answer; empty: none."""
        set_text(self._now, one_line(in_words(words), 300))
        self._now.setVisible(bool(words))
        if is_done:
            self.probe.setEnabled(True)


def _wrapping(look: str, parent: QWidget) -> QLabel:
    made = label("", look, parent, wrap=True)
    made.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
    return made
