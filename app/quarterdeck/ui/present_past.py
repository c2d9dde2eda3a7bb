"""What past runs add to the window, kept while they are the same runs: a step of a live run costs nothing for a long history.

Summaries of ended runs are the same objects from look to look, so that whole tuples of them compare at once. What is kept
is what would be made anew (tests/ui/test_work_is_counted.py counts it, tests/scenarios compares it).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, tzinfo
from typing import Generic, TypeVar

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.practice import Spent, spent, together
from quarterdeck.domain.projection import newest_end
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.ui.words import local_time

Past = tuple[RunSummary, ...]
R = TypeVar("R")
"""What a row is: its maker knows."""


class PastRuns(Generic[R]):
    """One for each window."""

    def __init__(self) -> None:
        self._rows_asked: tuple[object, ...] = ()
        self._rows: tuple[R, ...] = ()
        self._row_of: dict[RunId, tuple[tuple[object, ...], R]] = {}
        self._last_asked: tuple[object, ...] = ()
        self._last: Past = ()
        self._spent_asked: tuple[object, ...] = ()
        self._spent = together(())

    def rows(
        self,
        past: Past,
        views: Mapping[RunId, RunView],
        shared: tuple[object, ...],
        make: Callable[[RunSummary], R],
    ) -> tuple[R, ...]:
        """A row for each past run, in their order. `shared`: what all rows depend on beside run and view."""
        asked = (past, _of_past(views), shared)
        if asked != self._rows_asked:
            before, self._row_of = self._row_of, {}
            self._rows = tuple(
                self._row(run, (run, views.get(run.run_id), shared), before, make) for run in past
            )
            self._rows_asked = asked
        return self._rows

    def _row(
        self,
        run: RunSummary,
        parts: tuple[object, ...],
        before: Mapping[RunId, tuple[tuple[object, ...], R]],
        make: Callable[[RunSummary], R],
    ) -> R:
        kept = before.get(run.run_id)
        row = kept[1] if kept is not None and kept[0] == parts else make(run)
        self._row_of[run.run_id] = (parts, row)
        return row

    def last_of(self, workflow: WorkflowId | None, past: Past) -> Past:
        """The past run of a workflow that was finalised last (OWN1), or nothing."""
        asked = (past, workflow)
        if asked != self._last_asked:
            last = newest_end([run for run in past if run.workflow_id == workflow])
            self._last = (last,) if last is not None else ()
            self._last_asked = asked
        return self._last

    def spent_on(self, day: date, past: Past, views: Mapping[RunId, RunView], zone: tzinfo | None) -> Spent:
        """The cost of the past runs that began on this day."""
        asked = (past, _of_past(views), day, zone)
        if asked != self._spent_asked:
            began = (run for run in past if local_time(run.started_at, zone).date() == day)
            self._spent = together(spent(views.get(run.run_id, run)) for run in began)
            self._spent_asked = asked
        return self._spent


def _of_past(views: Mapping[RunId, RunView]) -> tuple[RunView, ...]:
    return tuple(view for view in views.values() if not view.is_live)
