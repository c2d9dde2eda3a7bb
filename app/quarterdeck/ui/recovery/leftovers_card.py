"""Processes that outlived their run, in amber, each with the button that ends exactly it; or what was checked instead."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from quarterdeck.domain.refusal import Refusal
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button, label, restyle, set_text
from quarterdeck.ui.present_leftovers import Leftover, Leftovers
from quarterdeck.ui.recovery_asked import ProcessEnded
from quarterdeck.ui.theme import Theme, mono_font
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line

tr = Texts("LeftoversCard")


class LeftoversCard(QFrame):
    """Asks to end one process at a time."""

    end_asked = Signal(object)
    """Leftover."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: Leftovers | None = None
        self._lines: list[QWidget] = []
        self.buttons: dict[int, QPushButton] = {}
        self._asked: dict[QPushButton, Leftover] = {}
        self._sign = QLabel(self)
        self._words = label("", "", self, wrap=True)
        self._said = label("", "", self, wrap=True)
        self._said.hide()
        self._list = QVBoxLayout()
        self._list.setSpacing(6)
        self._list.addWidget(self._words)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 10, 10)
        row.setSpacing(10)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(self._list, 1)
        self._list.addWidget(self._said)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_leftovers(self, shown: Leftovers) -> None:
        """Follow what is alive."""
        if shown == self._shown:
            return
        self._shown = shown
        words = shown.heading or shown.checked
        set_text(self._words, words)
        self.setVisible(bool(words))
        restyle(self, "notice", "" if self._is_well else str(Family.NEEDS))
        restyle(self._words, "tone", "" if self._is_well else str(Family.NEEDS))
        restyle(self._words, "look", "muted" if self._is_well else "")
        for line in self._lines:
            line.deleteLater()
        self._lines, self.buttons, self._asked = [], {}, {}
        for place, one in enumerate(shown.alive):
            line = self._line(one)
            self._lines.append(line)
            self._list.insertWidget(place + 1, line)
        self._tint()

    def show_ended(self, news: ProcessEnded) -> None:
        """What became of a process, as it was seen."""
        result = news.result
        words = result.message if isinstance(result, Refusal) else result.words
        said = one_line(in_words(words), 300)
        if not words.startswith(f"Process {news.pid} "):  # most sentences name it themselves
            said = tr("Process {pid}: {words}", pid=news.pid, words=said)
        set_text(self._said, said)
        self._said.show()
        self.show()
        if (asked := self.buttons.get(news.pid)) is not None:
            asked.setEnabled(True)

    @property
    def _is_well(self) -> bool:
        return self._shown is None or (not self._shown.alive and self._shown.is_sure)

    def _line(self, one: Leftover) -> QWidget:
        line = QWidget(self)
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        command = ElidedLabel("", line)
        command.setText(one.command)
        command.setToolTip(tip(one.command))
        command.setFont(mono_font())
        command.setProperty("tone", str(Family.NEEDS))
        words = ElidedLabel("", line)
        words.setText(one.words)
        words.setToolTip(tip(one.how))
        end = button(tr("End process"), f"End process {one.pid}", "", line)
        end.setToolTip(tip(tr("Asks exactly this process to end, and kills it after four seconds.")))
        end.clicked.connect(self._on_end)
        wide = command.fontMetrics().horizontalAdvance(one.command) + 4
        command.setMaximumWidth(wide)
        row.addWidget(command, 1)
        row.addWidget(words, 1)
        row.addWidget(end)
        self.buttons[one.pid] = end
        self._asked[end] = one
        return line

    def _on_end(self) -> None:
        sender = self.sender()
        if isinstance(sender, QPushButton) and sender in self._asked:
            sender.setEnabled(False)
            self.end_asked.emit(self._asked[sender])

    def _tint(self) -> None:
        family = Family.DONE if self._is_well else Family.NEEDS
        tone = self._theme.tokens.tones[family]
        name = "circle-check" if self._is_well else "triangle-alert"
        self._sign.setPixmap(pixmap(name, tone.text, 18, self.devicePixelRatioF()))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()
