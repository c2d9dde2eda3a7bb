"""What settling would make of a run now: its entries are made by the rules of settling and written nowhere.

They all stand at the last sign of the run, so that no look makes it older. Blocking; waits for nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from concurrent.futures import Future

from quarterdeck.domain.events import Entry, Event
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.last_signs import report_moment
from quarterdeck.domain.moment import Moment, later_of
from quarterdeck.domain.run_state import RunState
from quarterdeck.engine.damaged_runs import LONG_DEAD_MS
from quarterdeck.engine.deaths import DeathFinding, DeathWatch
from quarterdeck.engine.disk_views import read_folds
from quarterdeck.engine.settling import Settlement
from quarterdeck.store.data_folder import Store


def foresee(store: Store, state: RunState) -> RunState:
    """The live state as settling would leave it. Its end has no number, and its sequence stays that of the journal, which
    will be longer once it is settled. Raises StoreError, DomainError.
    """
    known = state.seq
    at = functools.reduce(later_of, _signs(store, state))
    foreseen = _Foreseen(store, state.run_id, _Paper(known), lambda: at, state=state)
    ended = foreseen.ended_state()
    ended.seq, ended.end_seq = known, None
    return ended


class _Paper:
    """A journal that is kept nowhere."""

    def __init__(self, seq: int) -> None:
        self._seq = seq

    def append(self, event: Event, at: Moment, *, sync: bool) -> Future[Entry]:
        """As `Journal.append`."""
        self._seq += 1
        entry: Future[Entry] = Future()
        entry.set_result(Entry(self._seq, at, event))
        return entry


class _Foreseen(Settlement):
    """A settling without a lock: a look at each attempt in the place of waiting for its end."""

    def ended_state(self) -> RunState:
        """Nothing is swept, published or counted."""
        self._end_live()
        return self.state

    def _find_death(self, attempt: AttemptId) -> DeathFinding:
        return DeathWatch(self._store.attempts, self._run, attempt).look(LONG_DEAD_MS)

    def _next_end_seq(self) -> int:
        return 0


def _signs(store: Store, state: RunState) -> Iterator[Moment]:
    yield state.sitting.last_sign_at
    folds = read_folds(store, state)
    for record in state.open_attempts:
        folded = folds[record.attempt_id]
        for report in (folded.last, folded.exit):
            if report is not None:
                yield report_moment(report, record, folded)
