"""The status bar: whether records are written, what the runs of this day cost, how many agent processes there are."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QStatusBar, QWidget

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import label, set_text
from quarterdeck.ui.present import Footing
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import NOT_KNOWN, UNREADABLE, duration_text

tr = Texts("StatusBar")


class StatusBar(QStatusBar):
    """Reads the footing of the facts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._footing: Footing | None = None
        self._saved_s: int | None = None
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

    def show_footing(self, footing: Footing, saved_ago_ms: int | None = None) -> None:
        """Follow the facts. saved_ago_ms: how long ago records of a live run here became durable; None: none is written."""
        seconds = saved_ago_ms // 1000 if saved_ago_ms is not None else None
        if (footing, seconds) == (self._footing, self._saved_s):
            return
        self._footing, self._saved_s = footing, seconds
        set_text(self.recording, _recording(footing, seconds))
        set_text(self.today, tr("Runs of today {amount}", amount=footing.today))
        set_text(self.processes, _processes(footing))
        for part in (self.today, self.processes):
            part.setAccessibleName(part.text())
        self.recording.setAccessibleName(
            _recording(footing, None)
        )  # what ticks is not read out again and again
        self._tint()

    def say_unreadable(self) -> None:
        """The records could not be opened: nothing else is claimed."""
        self._footing, self._saved_s, self._is_unreadable = None, None, True
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


def _recording(footing: Footing, saved_s: int | None) -> str:
    """`Records saved 1 s ago`: the last durable write of a live run here. Where none is live there is nothing to save."""
    if not footing.recording:
        return tr("Recording stopped")
    if saved_s is None:
        return tr("Recording")
    ago = tr("{seconds} s", seconds=saved_s) if saved_s < 60 else duration_text(saved_s * 1000)
    return tr("Records saved {ago} ago", ago=ago)


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
