"""*Pin run* and *Unpin run*: the run looked at stays above every cap of the store, or leaves again when its turn comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.recovery_asked import PinAnswered
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line, short_id

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("PinActs")


class PinActs(QObject):
    """One for each window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window, self._link = window, window.link.keeping
        self._shown: Shown | None = None
        for name, handler in (("pin_run", self._on_pin), ("unpin_run", self._on_unpin)):
            window.actions_.bind(name, handler)
            window.actions_.enable(name, False)
        self._link.pin_answered.connect(self._on_answered)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at: exactly one of the two applies to a run."""
        self._shown = shown
        is_run = shown.run is not None and any(run.run_id == shown.run for run in shown.known.runs)
        is_pinned = shown.run in shown.known.pinned
        self._window.actions_.enable("pin_run", is_run and not is_pinned)
        self._window.actions_.enable("unpin_run", is_run and is_pinned)

    def _on_pin(self) -> None:
        self._ask(True)

    def _on_unpin(self) -> None:
        self._ask(False)

    def _ask(self, wanted: bool) -> None:
        if self._shown is not None and self._shown.run is not None:
            self._link.pin(self._shown.run, wanted)

    def _on_answered(self, news: PinAnswered) -> None:
        """What was done is seen at the row; only what was not done needs words."""
        if news.refusal is None:
            return
        why, run = one_line(in_words(news.refusal.message), 300), short_id(news.run)
        words = (
            tr("{run} was not pinned: {why}", run=run, why=why)
            if news.wanted
            else tr("{run} was not unpinned: {why}", run=run, why=why)
        )
        self._window.notice.say(words)
