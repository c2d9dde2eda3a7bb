"""Has the processes of agents counted while there may be any, and tells who shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import RunSummary
from quarterdeck.ui.present import Known
from quarterdeck.ui.present_processes import Counts, counted
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

EACH_MS = 3_000
"""From an answer to the next question: the look itself is not counted in."""


class ProcessWatch(QObject):
    """One for each window. Nothing is asked while nothing is live and nothing was left."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._known = Known()
        self._now: Moment | None = None
        self._counts: Counts = {}
        self._of: tuple[RunSummary, ...] = ()
        """The runs that were counted, as they stand now."""
        self._is_owed = self._may_be = self._is_closed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_due)
        window.link.house.processes_counted.connect(self._on_counted)

    def show(self, shown: Shown) -> None:
        """Follow what is shown."""
        if shown.known.runs is not self._known.runs:
            self._of = _counted_runs(self._counts, shown.known)
        self._known, self._now = shown.known, shown.now
        self._say()
        facts = shown.facts
        self._may_be = bool(facts.live or facts.live_elsewhere or facts.footing.unproved or self._counts)
        self._begin(EACH_MS if self._counts else 0)

    def close(self) -> None:
        """Nothing further is asked."""
        self._is_closed = True
        self._timer.stop()

    def _on_due(self) -> None:
        self._is_owed = True
        self._window.link.house.count_processes()

    def _on_counted(self, counts: Counts) -> None:
        self._is_owed = False
        self._of = _counted_runs(counts, self._known)
        self._counts = {run.run_id: counts[run.run_id] for run in self._of}
        self._window.watching.counts = self._counts
        self._say()
        self._begin(EACH_MS)

    def _say(self) -> None:
        if self._now is not None:
            self._window.foot.show_counted(counted(self._counts, self._of, self._now))

    def _begin(self, after_ms: int) -> None:
        is_wanted = (self._may_be or bool(self._counts)) and not self._is_closed
        if is_wanted and not self._is_owed and not self._timer.isActive():
            self._timer.start(after_ms)


def _counted_runs(counts: Counts, known: Known) -> tuple[RunSummary, ...]:
    return tuple(run for run in known.runs if run.run_id in counts) if counts else ()
