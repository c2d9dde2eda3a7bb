"""The status bar: whether records are written, what the runs of this day cost, how many agent processes there are."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label, set_text
from quarterdeck.ui.present import Footing
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import NOT_KNOWN, UNREADABLE

tr = Texts("StatusBar")


class StatusBar(QStatusBar):
    """Reads the footing of the facts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._footing: Footing | None = None
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
        set_text(self.processes, _processes(footing))
        for part in (self.recording, self.today, self.processes):
            part.setAccessibleName(part.text())
        self._tint()

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


def _processes(footing: Footing) -> str:
    """Those of this window; agents of runs in other processes are theirs to count."""
    own = tr.count("{n} agent processes", "{n} agent process", footing.processes)
    if footing.foreign_runs:
        own = tr.count("{n} agent processes here", "{n} agent process here", footing.processes)
    said = [own]
    if footing.unproved:
        said.append(
            tr.count("{n} not proved to have ended", "{n} not proved to have ended", footing.unproved)
        )
    if footing.foreign_runs:
        words = tr.count("{n} runs in other processes", "{n} run in another process", footing.foreign_runs)
        said.append(words)
    return " · ".join(said)


def _gap(parent: QWidget) -> QWidget:
    made = QWidget(parent)
    made.setFixedWidth(12)
    return made
