"""Quitting with live runs (REC16): stop them and quit · let them finish, at most N minutes, then stop · cancel.

The default leaves no agent running unattended. While the program waits, the same dialog shows what is still live.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, Qt, QTimer, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QProgressBar, QSpinBox, QVBoxLayout, QWidget

from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import button, fit_dialog, label, set_text
from quarterdeck.ui.present import Known
from quarterdeck.ui.words import duration_text

tr = Texts("DialogsQuitDialog")

MINUTES_DEFAULT, MINUTES_MAX = 10, 240
TICK_MS = 250


@dataclass(frozen=True, slots=True)
class Held:
    """What of this process's live runs cannot finish without a person."""

    paused: int = 0
    questions: int = 0
    elsewhere: int = 0
    """Live runs of other processes, which this quit does not touch."""

    def words(self) -> str:
        """A sentence each; empty where nothing is held and nothing goes on."""
        return " ".join(filter(None, (self._held_words(), self._elsewhere_words())))

    def _elsewhere_words(self) -> str:
        if not self.elsewhere:
            return ""
        return tr.count(
            "{n} runs of other Quarterdeck processes, such as a terminal, go on.",
            "{n} run of another Quarterdeck process, such as a terminal, goes on.",
            self.elsewhere,
        )

    def _held_words(self) -> str:
        paused = tr.count("{n} paused agents", "{n} paused agent", self.paused)
        asked = tr.count("{n} open questions", "{n} open question", self.questions)
        if self.paused and self.questions:
            held = tr("{paused} and {asked}", paused=paused, asked=asked)
        elif self.paused or self.questions:
            held = paused if self.paused else asked
        else:
            return ""
        return tr(
            "{held} cannot finish without you: continue or answer first, or they are stopped.", held=held
        )


def held_now(known: Known) -> Held:
    """Count the paused agents and open questions of the live runs that end with this process."""
    own = [view for view in known.views.values() if view.is_live and not view.foreign]
    slots = [slot for view in own for slot in view.slots]
    return Held(
        paused=sum(slot.display == "Paused" for slot in slots),
        questions=sum(len(slot.approvals) for slot in slots),
        elsewhere=sum(run.is_live and run.foreign for run in known.runs),
    )


WORDS = tr.later(
    "Agents do not go on without Quarterdeck. Whatever you choose, what they have done so far is kept, and nothing starts again by itself."
)


class QuitDialog(QDialog):
    """Window-modal, opened with `open()`. Enter stops and quits; Esc and closing keep the window open."""

    quit_asked = Signal(object)
    """QuitAsked."""

    def __init__(
        self,
        live: int,
        minutes: int = MINUTES_DEFAULT,
        parent: QWidget | None = None,
        held: Held | None = None,
    ) -> None:
        super().__init__(parent)
        self._first_minutes = minutes
        self.setWindowTitle(tr("Quit Quarterdeck"))
        self.setAccessibleName(tr("Quit dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        self.title = label("", "big", self)
        column.addWidget(self.title)
        column.addWidget(label(WORDS, "muted", self, wrap=True))
        column.addLayout(self._finish_row())
        self.held = label("", "", self, wrap=True)
        column.addWidget(self.held)
        self.show_live(live, held or Held())
        self.cancel = button(tr("Cancel"), tr("Cancel quit"), "", self)
        self.finish = button(tr("Let them finish, then quit"), tr("Let them finish, then quit"), "", self)
        self.stop = button(tr("Stop them and quit"), tr("Stop them and quit"), "primary", self)
        self.stop.setDefault(True)
        feet = QHBoxLayout()
        feet.addWidget(self.cancel)
        feet.addStretch(1)
        feet.addWidget(self.finish)
        feet.addWidget(self.stop)
        column.addLayout(feet)
        self.cancel.clicked.connect(self.reject)
        self.finish.clicked.connect(self._on_finish)
        self.stop.clicked.connect(self._on_stop)
        fit_dialog(self, 580)
        self.stop.setFocus()

    def show_live(self, live: int, held: Held) -> None:
        """How many runs are live now, and what of them is held."""
        set_text(self.title, tr.count("{n} runs are live", "{n} run is live", live))
        set_text(self.held, held.words())
        self.held.setVisible(bool(self.held.text()))

    def _finish_row(self) -> QHBoxLayout:
        self.minutes = QSpinBox(self)
        self.minutes.setRange(1, MINUTES_MAX)
        self.minutes.setValue(self._first_minutes)
        self.minutes.setSuffix(f" {tr('min')}")
        self.minutes.lineEdit().setTextMargins(7, 0, 0, 0)  # a style sheet does not reach the field inside
        self.minutes.setAccessibleName(tr("Minutes at most"))
        row = QHBoxLayout()
        row.addWidget(label(tr("Finishing may take at most"), "", self))
        row.addWidget(self.minutes)
        row.addWidget(label(tr("– then what is still live is stopped."), "", self))
        row.addStretch(1)
        return row

    def _on_stop(self) -> None:
        self.quit_asked.emit(QuitAsked(Quit.STOP))
        self.accept()

    def _on_finish(self) -> None:
        self.quit_asked.emit(QuitAsked(Quit.FINISH, self.minutes.value() * 60.0))
        self.accept()


class ClosingDialog(QDialog):
    """Shown while the program closes: what is still live, how long at most, and buttons to stop at once or to stay open.

    While runs may finish it holds nothing up: questions are answered and agents stopped in the window beside it (ID5).
    """

    stop_asked = Signal()
    keep_asked = Signal()
    """Stay open: only while runs may finish."""

    def __init__(self, asked: QuitAsked, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked = asked
        self._live = 0
        self._spent = QElapsedTimer()
        self._spent.start()
        self.setWindowTitle(tr("Closing Quarterdeck"))
        self.setAccessibleName(tr("Closing dialog"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._title = label("", "big", self)
        self._words = label("", "muted", self, wrap=True)
        bar = QProgressBar(self)
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setFixedHeight(6)
        bar.setAccessibleName(tr("Closing"))
        self.stop = button(tr("Stop them now"), tr("Stop them now"), "danger", self)
        self.stop.clicked.connect(self.stop_asked)
        self.keep = button(tr("Keep running"), tr("Keep running"), "", self)
        self.keep.clicked.connect(self.keep_asked)
        feet = QHBoxLayout()
        feet.addWidget(self.keep)
        feet.addStretch(1)
        feet.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        for part in (self._title, self._words, bar):
            column.addWidget(part)
        column.addLayout(feet)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._on_tick)
        self._tick.start()
        self._on_tick()
        fit_dialog(self, 460)
        is_patient = asked.how is Quit.FINISH
        self.setWindowModality(Qt.WindowModality.NonModal if is_patient else Qt.WindowModality.WindowModal)
        self.keep.setFocus()  # a key that was meant for something else ends nothing

    def show_live(self, live: int) -> None:
        """How many runs are live now."""
        self._live = live
        self._on_tick()

    def reject(self) -> None:
        """Esc and the close button keep the program open while runs may finish; then closing goes on and is shown."""
        if self._is_waiting:
            self.keep_asked.emit()

    @property
    def _left_ms(self) -> int:
        return round(self._asked.finish_within_s * 1000) - self._spent.elapsed()

    @property
    def _is_waiting(self) -> bool:
        return self._asked.how is Quit.FINISH and self._live > 0 and self._left_ms > 0

    def _on_tick(self) -> None:
        left_ms, is_waiting = self._left_ms, self._is_waiting
        self.stop.setVisible(is_waiting)
        self.keep.setVisible(is_waiting)
        if is_waiting:
            set_text(self._title, tr.count("Waiting for {n} runs", "Waiting for {n} run", self._live))
            set_text(
                self._words,
                tr(
                    "At most {duration} more, then what is still live is stopped.",
                    duration=duration_text(left_ms),
                ),
            )
            return
        set_text(self._title, tr("Ending agents and saving records"))
        set_text(
            self._words,
            tr("Each agent gets a few seconds to end by itself. Quarterdeck closes when all have ended."),
        )
