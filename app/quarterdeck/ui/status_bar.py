"""The status bar: whether records are written, what the runs of this day cost, how many agents and processes are alive."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label, set_text
from quarterdeck.ui.present import Footing
from quarterdeck.ui.present_processes import Counted, footing_words
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import NOT_KNOWN, UNREADABLE

tr = Texts("StatusBar")


class StatusBar(QStatusBar):
    """Reads the footing of the facts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._footing: Footing | None = None
        self._counted = Counted()
        self._is_unreadable = False
        self.setSizeGripEnabled(False)
        self._sign = QLabel(self)
        self.recording = label(NOT_KNOWN, "foot", self)
        self.today = label("", "foot", self)
        self.processes = label("", "foot", self)
        self._sign.setContentsMargins(10, 0, 0, 0)
        for part in (self._sign, self.recording, _gap(self), self.today):
            self.addWidget(part)
        self.addPermanentWidget(self.processes)
        self.addPermanentWidget(_gap(self))
        theme.theme_changed.connect(self._on_theme_changed)

    def show_footing(self, footing: Footing) -> None:
        """Follow the facts."""
        if footing == self._footing:
            return
        self._footing = footing
        set_text(self.recording, tr("Recording") if footing.recording else tr("Recording stopped"))
        set_text(self.today, tr("Runs of today {amount}", amount=footing.today))
        for part in (self.recording, self.today):
            part.setAccessibleName(part.text())
        self._say_processes()
        self._tint()

    def show_counted(self, found: Counted) -> None:
        """The processes of agents, as they were counted last."""
        if found != self._counted:
            self._counted = found
            self._say_processes()

    def _say_processes(self) -> None:
        if self._footing is None:
            return
        set_text(self.processes, footing_words(self._footing, self._counted))
        self.processes.setAccessibleName(self.processes.text())
        self.processes.setAccessibleDescription("; ".join(self._counted.lines))
        self.processes.setToolTip(tip("\n".join(self._counted.lines)))

    def say_unreadable(self) -> None:
        """The records could not be opened: nothing else is claimed."""
        self._footing, self._is_unreadable = None, True
        set_text(self.recording, UNREADABLE)
        self.recording.setAccessibleName(UNREADABLE.now)
        for part in (self.today, self.processes):
            set_text(part, "")
        self._tint()

    def _tint(self) -> None:
        if self._footing is None and not self._is_unreadable:
            self._sign.clear()
            return
        well = self._footing is not None and self._footing.recording
        tone = self._theme.tokens.tones[Family.DONE if well else Family.FAILED]
        name = "circle-check" if well else "triangle-alert"
        self._sign.setPixmap(pixmap(name, tone.text, 14, self.devicePixelRatioF()))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()


def _gap(parent: QWidget) -> QWidget:
    made = QWidget(parent)
    made.setFixedWidth(12)
    return made
