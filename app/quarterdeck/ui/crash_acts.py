"""*Simulate a crash…*: practice for the day on which Quarterdeck is killed. Offered while nothing but practice is at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.domain.practice import is_practice_alone
from quarterdeck.domain.views import RunView
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.present import Known
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.dialogs.crash_dialog import CrashDialog
    from quarterdeck.ui.window import Window


def interrupted_by_crash(known: Known) -> tuple[RunView, ...]:
    """The live runs of this process, where each is of practice agents alone and known whole; else none."""
    own = [run for run in known.runs if run.is_live and not run.foreign]
    views = tuple(view for run in own if (view := known.views.get(run.run_id)) is not None)
    return views if len(views) == len(own) and all(map(is_practice_alone, views)) else ()


class CrashActs(QObject):
    """One for each window. The engine judges once more before it ends the process."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._live: tuple[RunView, ...] = ()
        self._dialog: CrashDialog | None = None
        window.actions_.bind("simulate_crash", self.ask)
        window.actions_.enable("simulate_crash", False)
        window.link.house.crash_refused.connect(self._on_refused)

    def show(self, shown: Shown) -> None:
        """Follow what is live."""
        self._live = interrupted_by_crash(shown.known)
        self._window.actions_.enable("simulate_crash", bool(self._live))
        if self._dialog is not None:
            self._dialog.show_live(len(self._live))

    def ask(self) -> None:
        """Simulate a crash…"""
        if not self._live:
            return
        from quarterdeck.ui.dialogs.crash_dialog import CrashDialog

        dialog = CrashDialog(len(self._live), self._window)
        dialog.crash_asked.connect(self._window.link.house.simulate_crash)
        self._window.conduct.show_dialog(dialog)
        if dialog.isVisible():
            self._dialog = dialog
            dialog.finished.connect(self._on_finished)

    def _on_finished(self) -> None:
        self._dialog = None

    def _on_refused(self, why: str) -> None:
        self._window.notice.say(one_line(in_words(why), 300))
