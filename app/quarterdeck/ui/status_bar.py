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
from quarterdeck.ui.words import NOT_KNOWN, UNREADABLE, duration_text

tr = Texts("StatusBar")

_BY = {
    "terminal": tr.later("Recording: by the terminal, not seen from here"),
    "window": tr.later("Recording: by another window, not seen from here"),
    "": tr.later("Recording: by other processes, not seen from here"),
}
"""By the kind of process that records all live runs; empty: several, or not known."""


class StatusBar(QStatusBar):
    """Reads the footing of the facts."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._footing: Footing | None = None
        self._counted = Counted()
        self._saved_s: int | None = None
        self._is_unreadable = self._is_read_only = False
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

    def show_footing(
        self, footing: Footing, saved_ago_ms: int | None = None, *, is_read_only: bool = False
    ) -> None:
        """Follow the facts. saved_ago_ms: how long ago records of a live run here became durable; None: none is written.
        is_read_only: these records are looked at and never written here.
        """
        seconds = saved_ago_ms // 1000 if saved_ago_ms is not None else None
        if (footing, seconds, is_read_only) == (self._footing, self._saved_s, self._is_read_only):
            return
        self._footing, self._saved_s, self._is_read_only = footing, seconds, is_read_only
        set_text(self.recording, self._recording(seconds))
        set_text(self.today, tr("Runs of today {amount}", amount=footing.today))
        self.today.setAccessibleName(self.today.text())
        self._say_processes()
        self.recording.setAccessibleName(self._recording(None))  # what ticks is not read out again and again
        self.recording.setToolTip(tip(self._more()))
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
        name, family = self.sign
        tone = self._theme.tokens.tones[family]
        self._sign.setPixmap(pixmap(name, tone.text, 14, self.devicePixelRatioF()))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()

    @property
    def sign(self) -> tuple[str, Family]:
        """The sign beside the words, icon and family: green only where recording is known to go well."""
        recording = self._footing.recording if self._footing is not None else False
        if recording is False:
            return "triangle-alert", Family.FAILED
        if self._is_read_only:
            return "lock", Family.NEEDS
        return ("circle-check", Family.DONE) if recording else ("circle-dashed", Family.NEUTRAL)

    def _recording(self, saved_s: int | None) -> str:
        """`Records saved 1 s ago`: the last durable write of a live run here. Where none is live there is nothing to save."""
        if self._footing is None or self._footing.recording is False:
            return tr("Recording stopped")
        if self._is_read_only:
            return tr("Read only")
        recorders = self._footing.recorders
        if self._footing.recording is None:
            one = next(iter(recorders)) if len(recorders) == 1 else ""
            return _BY.get(one, _BY[""]).now
        if saved_s is None:
            return tr("Recording the runs of this window") if recorders else tr("Recording")
        ago = tr("{seconds} s", seconds=saved_s) if saved_s < 60 else duration_text(saved_s * 1000)
        if recorders:
            return tr("Records of this window saved {ago} ago", ago=ago)
        return tr("Records saved {ago} ago", ago=ago)

    def _more(self) -> str:
        if self._footing is None or self._footing.recording is False or not self._footing.recorders:
            return ""
        return tr(
            "Runs of other processes are recorded by those. What is seen of it here is whether the data folder takes a write."
        )


def _gap(parent: QWidget) -> QWidget:
    made = QWidget(parent)
    made.setFixedWidth(12)
    return made
