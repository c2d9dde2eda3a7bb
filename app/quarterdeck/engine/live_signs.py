"""What the files tell of agents that another process keeps: when each printed last, and its last words. Blocking.

Their keepers tell it to whoever owns the run, and write it nowhere: the transcript is the durable sign. Its end is read by the
adapter that the keeper reads it with, so that it says the same. Bounded: one `stat` and one short read for each open attempt.
"""

from __future__ import annotations

from collections.abc import Mapping

from quarterdeck.agents.launching import UnknownKind
from quarterdeck.agents.registry import adapter_for
from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.join import LiveTotals
from quarterdeck.domain.last_signs import report_moment
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.store.attempts import Printed
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreError, is_odd_entry

TAIL_BYTES = 16 * 1024
CLOCKS_APART_MS = 5_000
"""The two clocks drift apart a little, by a sleep more; by so much they are set."""


def live_signs(
    store: Store, state: RunState, folds: Mapping[AttemptId, AttemptFold], seen_at: Moment
) -> dict[AttemptId, LiveTotals]:
    """Of every attempt that began and has not ended. seen_at: both clocks, as the files are looked at. Raises StoreDown."""
    found = {}
    for attempt in state.attempts.values():
        fold = folds.get(attempt.attempt_id)
        if attempt.is_terminal or fold is None or fold.started is None:
            continue
        printed = _printed(store, state.run_id, attempt.attempt_id)
        if printed is not None:
            found[attempt.attempt_id] = LiveTotals(
                figures=fold.totals(),
                tail=_words(store, state.run_id, attempt.attempt_id, printed),
                progress=fold.progress,
                last_output_boot_ms=_boot_ms(attempt, fold, printed, seen_at),
            )
    return found


def _printed(store: Store, run: RunId, attempt: AttemptId) -> Printed | None:
    try:
        return store.attempts.printed(run, attempt, TAIL_BYTES)
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        return None


def _boot_ms(attempt: AttemptRecord, fold: AttemptFold, printed: Printed, seen_at: Moment) -> int | None:
    """When it printed last, by the clock that durations are told by. Files know the wall clock alone: where somebody has set
    that since its keeper began, it is not known, and no silence is made up.
    """
    assert fold.started is not None
    began = report_moment(fold.started, attempt, fold)
    kept = report_moment(fold.starting or fold.started, attempt, fold)
    offset_ms = seen_at.wall_ms - seen_at.boot_ms
    if began.boot != seen_at.boot or abs(kept.wall_ms - kept.boot_ms - offset_ms) > CLOCKS_APART_MS:
        return None
    told_ms = printed.wall_ms - offset_ms
    if told_ms > seen_at.boot_ms + CLOCKS_APART_MS:
        return None  # of a clock that was set, and set back
    return min(max(told_ms, began.boot_ms), seen_at.boot_ms)


def _words(store: Store, run: RunId, attempt: AttemptId, printed: Printed) -> str:
    launch = store.attempts.launch(run, attempt) or {}
    try:
        wire = launch.get("wire")
        adapter = adapter_for(
            str(launch.get("kind", "")),
            str(launch.get("protocol", "")),
            wire if isinstance(wire, dict) else {},
        )
    except UnknownKind:
        return ""
    whole_lines = printed.end if printed.is_whole else printed.end[printed.end.find(b"\n") + 1 :]
    for _ in adapter.feed("stdout", whole_lines):
        pass  # what it reports is in its reports
    return adapter.tail()
