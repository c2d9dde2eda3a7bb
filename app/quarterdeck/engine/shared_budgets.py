"""How the limits of workflow and night stand: what is recorded, by the ledger, and what live runs spend as it stands.

`refresh` is blocking and reads settings and ledger, where they moved; everything else is memory, and the loop's. The runs of
other processes count by what the list of runs says of them, a moment late. Nothing is read of the ledger while no limit is set.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.domain.figures import FiguresTotals
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import ZERO, parse_usd_exact
from quarterdeck.domain.practice import PRACTICE, spent
from quarterdeck.domain.shared_limits import HOUR_MS, Books, Part, SharedLimits, Standing, minute_of_day
from quarterdeck.domain.spend_rows import SPEND_KINDS
from quarterdeck.domain.views import RunSummary
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError
from quarterdeck.store.ledger import LedgerMark, key_of
from quarterdeck.store.limits_file import BudgetsUnreadable, read_shared_limits
from quarterdeck.store.settings_part import FILE_NAME

if TYPE_CHECKING:
    from quarterdeck.engine.run_book import RunBook

log = logging.getLogger(__name__)


class SharedBudgets:
    """One for each engine. `live`: the books of this process's live runs; `others`: live runs of other processes."""

    def __init__(self, store: Store, now: Callable[[], Moment]) -> None:
        self._store, self._now = store, now
        self.live: Callable[[], Iterable[RunBook]] = tuple
        self.others: Callable[[], Iterable[RunSummary]] = tuple
        self.limits = SharedLimits()
        self.fault = ""
        """Why the limits cannot be told, in words: nothing is launched or claimed then. Runs that live go on under the last."""
        self.warned: set[tuple[Any, ...]] = set()
        """Limits of which a run of this process has said that 80 % is spent: forty runs do not say it forty times."""
        self._settings: tuple[int, ...] | None = None
        self._mark: LedgerMark | None = None
        self._lines: dict[tuple[Any, ...], Part] = {}
        self._books = Books((), None)
        self._reading = threading.Lock()

    # ------------------------------------------------------------------------------- in a worker thread

    def refresh(self) -> None:
        """Read what moved, one call at a time. A ledger that cannot be read now leaves the sums as they were known."""
        with self._reading:
            self._refresh()

    def _refresh(self) -> None:
        self._read_settings(self._store.config() / FILE_NAME)
        if self.limits.is_none:
            return
        since_ms = night_began_ms(self.limits.night_from, self._now().wall_ms)
        if self._read_ledger() or since_ms != self._books.since_ms:
            self._books = Books(self._lines.values(), since_ms)

    def _read_settings(self, path: Path) -> None:
        stamp = _stamp(path)
        if stamp == self._settings:
            return
        try:
            self.limits, self.fault = read_shared_limits(path), ""
        except BudgetsUnreadable as error:
            log.warning("the budgets cannot be told: %s", error)
            self.fault = str(error)
        self._settings = stamp

    def _read_ledger(self) -> bool:
        """Whether it has grown, or is another than it was."""
        before = self._mark
        try:
            mark, lines = self._store.ledger.read_on(before)
        except StoreError as error:
            log.info("what was spent cannot be read now: %s", error)
            return False
        if before is not None and mark[:2] == before[:2]:
            return False
        if not mark.goes_on:
            self._lines = {}
        for line in lines:
            if (part := _part_of(line)) is not None:
                self._lines[key_of(line)] = part
        self._mark = mark
        return True

    # ------------------------------------------------------------------------------- on the loop

    def standings(self) -> tuple[Standing, ...]:
        """Every limit that is set, the night's first."""
        if self.limits.is_none:
            return ()
        return self._books.standings(self.limits, [*self._own(), *self._foreign()])

    def of(self, workflow: WorkflowId) -> tuple[Standing, ...]:
        """The limits that a run of that workflow is under."""
        return tuple(one for one in self.standings() if one.workflow in (None, workflow))

    def _own(self) -> Iterator[Part]:
        for book in self.live():
            for attempt in book.state.attempts.values():
                if book.plan.kinds.get(attempt.agent) == PRACTICE:
                    continue
                figures = book.figures_of(attempt.attempt_id)
                ended_ms = attempt.ended_at.wall_ms if attempt.ended_at is not None else None
                # An agent that has told nothing yet is no unknown part of a sum.
                has_told_nothing = ended_ms is None and figures == FiguresTotals()
                cost = ZERO if has_told_nothing else figures.cost_usd
                complete = has_told_nothing or figures.cost_is_complete
                workflow = book.state.header.workflow_id
                yield Part(book.run_id, workflow, ended_ms, cost, complete, figures.cost_source)

    def _foreign(self) -> Iterator[Part]:
        for line in self.others():
            cost = spent(line)
            yield Part(line.run_id, line.workflow_id, None, cost.paid, cost.complete, line.cost_source)


def night_began_ms(night_from: str, now_ms: int) -> int:
    """The newest time of day `HH:MM` that is not after now, by the local time of this computer; wall clock."""
    minute = minute_of_day(night_from) or 0
    today = time.localtime(now_ms / 1000)

    def at(day: int) -> int:
        return round(time.mktime((today.tm_year, today.tm_mon, day, *divmod(minute, 60), 0, 0, 0, -1)) * 1000)

    began_ms = at(today.tm_mday)
    return began_ms if began_ms <= now_ms else at(today.tm_mday - 1)


def _part_of(line: dict[str, Any]) -> Part | None:
    """A ledger line as a part of sums; None for practice, and for what is no line of spend."""
    if line.get("kind") not in SPEND_KINDS or line.get("agent_kind") == PRACTICE:
        return None
    try:
        # A line of an earlier version knows the hour alone: it counts to the end of that hour.
        ended_ms = int(line.get("ended_ms") or (int(line["hour"]) + 1) * HOUR_MS - 1)
        run, workflow = RunId(str(line["run"])), WorkflowId(str(line["workflow"]))
        cost = parse_usd_exact(line["cost_usd"])
        return Part(
            run, workflow, ended_ms, cost, bool(line["complete"]), str(line.get("source", "reported"))
        )
    except (KeyError, TypeError, ValueError):
        return None


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        status = os.stat(path)
    except OSError as error:
        return (-1, error.errno or 0)
    return (status.st_ino, status.st_size, status.st_mtime_ns)
