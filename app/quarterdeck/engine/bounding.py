"""Holding the store to its caps (STO6–STO9, ruling 16). Blocking; called from a worker thread.

What leaves is chosen by `domain.keeping`. A run leaves by one rename and one ledger line, both in the turn of the store's
writer thread and under the run's own lock, so after everything that was asked of it before; then its folder is deleted.
A run's end looks at a tally and measures that run alone; everything is measured where the tally says too much, is old or
is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from itertools import islice
from typing import Any, TypeVar

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.keeping import KeptRun, Leaving, Limits, Why, runs_leaving, transcripts_leaving
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.show import summary_to_json
from quarterdeck.engine.closed import EVICTED, TOO_LARGE
from quarterdeck.engine.closing import tidy_asides, unknown_effects
from quarterdeck.engine.counting import MEASURE_EVERY_MS, count_run
from quarterdeck.engine.disk_views import read_state, read_view
from quarterdeck.engine.keeping import Pruned, UnknownEffect
from quarterdeck.engine.objects_kept import collect_objects, is_due
from quarterdeck.engine.pinned_runs import forget_lost_pins
from quarterdeck.engine.publishing import publish
from quarterdeck.engine.reading import read_run
from quarterdeck.store.asides import Aside, measure_run
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, StoreDown, StoreError, UnknownRun, is_odd_entry
from quarterdeck.store.json_text import fast_loads
from quarterdeck.store.limits_file import read_limits
from quarterdeck.store.settings_part import FILE_NAME
from quarterdeck.store.tally import Tally, read_tally, write_tally

T = TypeVar("T")
log = logging.getLogger(__name__)
LEAVE_AT_ONCE_MAX = 64
"""Runs that leave at one run's end; a cap that was lowered by thousands is reached at a start, or by `prune`."""
ROOM_PERCENT = 95
"""Where a run's end finds the store full, it lets go down to this share of the cap: to find what may leave, everything is
measured, which with many runs takes seconds."""


def current_limits(store: Store) -> Limits:
    """The caps as the settings say now."""
    return read_limits(store.config() / FILE_NAME)


def make_room(
    store: Store, limits: Limits, now: Moment, *, dry_run: bool = False, at_an_end: bool = False
) -> Pruned:
    """Let runs and transcripts go until the caps hold. dry_run: say what would go, and change nothing.

    at_an_end: at most LEAVE_AT_ONCE_MAX runs, and below the caps, so that not every end comes to this.
    """
    kept, names = _survey(store)
    effects = _Effects(store)
    aim, most = (_below(limits, kept), LEAVE_AT_ONCE_MAX) if at_an_end else (limits, len(kept))
    planned = [*islice(runs_leaving(kept, aim, effects.are_unknown), most)]
    gone = {one.kept.run for one in planned}
    planned += transcripts_leaving((one for one in kept if one.run not in gone), aim)
    if not dry_run:
        planned = [one for one in planned if _let_go(store, one, effects, now.wall_ms)]
    pruned = _count(kept, planned, limits, dry_run)
    if not dry_run:
        write_tally(
            store.io,
            store.folder,
            Tally(pruned.runs, pruned.size_bytes, pruned.transcript_bytes, now.wall_ms),
        )
    told = {one.run for one in pruned.pinned} | {one.kept.run for one in planned}
    return replace(pruned, names={run: names[run] for run in told})


def prune(store: Store, limits: Limits, now: Moment, *, dry_run: bool = False) -> Pruned:
    """As `make_room`, and contents that no run needs any more with it."""
    pruned = make_room(store, limits, now, dry_run=dry_run)
    gone = {one.kept.run for one in pruned.leaving if one.why is not Why.TRANSCRIPTS}
    collected = collect_objects(store, now, dry_run=dry_run, leaving=gone if dry_run else ())
    return replace(pruned, collected=collected)


def after_end(store: Store, run: RunId, limits: Limits, now: Moment) -> None:
    """A run of this process has ended and is durable: count it, and make room where that is too much."""
    more = count_run(store, run, now)
    if more is None or _is_over(more, limits) or not store.records.exists(run):
        make_room(store, limits, now, at_an_end=True)


def _below(limits: Limits, kept: list[KeptRun]) -> Limits:
    """A share below each cap that is exceeded, the others as they are."""

    def aim(cap: int, found: int) -> int:
        return cap * ROOM_PERCENT // 100 if found > cap else cap

    return replace(
        limits,
        runs=aim(limits.runs, len(kept)),
        size_bytes=aim(limits.size_bytes, sum(one.size_bytes for one in kept)),
        transcripts_bytes=aim(limits.transcripts_bytes, sum(one.transcript_bytes for one in kept)),
    )


def tend(store: Store, limits: Limits, now: Moment) -> None:
    """What a start owes the store: moves that were cut off, discards past their time, damaged records, the caps."""
    tidy_asides(store, now)
    forget_lost_pins(store)
    _mend_ledger(store)
    for run in store.index.in_part:
        _mend_record(store, run)
    known = read_tally(store.folder)
    if known is None or not 0 <= now.wall_ms - known.at_ms < MEASURE_EVERY_MS or _is_over(known, limits):
        left = make_room(store, limits, now).leaving
    else:
        left = ()
    if left or is_due(store, now):
        collect_objects(store, now)


def _mend_ledger(store: Store) -> None:
    """Raises StoreDown. What is no file stays: it is told among what cannot be read."""
    try:
        set_aside = store.ledger.mend(store.quarantine)
    except StoreDamaged as error:
        log.warning("the ledger cannot be mended: %s", error)
        return
    if set_aside is not None:
        log.warning(
            "the ledger was damaged; as it was it lies in %s now, and its good lines go on", set_aside
        )


def _is_over(known: Tally, limits: Limits) -> bool:
    return (
        known.runs > limits.runs
        or known.size_bytes > limits.size_bytes
        or known.transcript_bytes > limits.transcripts_bytes
    )


def _mend_record(store: Store, run: RunId) -> None:
    """A damaged record is set aside, and made again from the journal where that is whole (ruling 15)."""
    try:
        owner = store.runs.own(run)
    except UnknownRun:
        return
    except StoreDown as error:
        if not is_odd_entry(error):
            raise
        return  # something else lies in the place of its lock: it is named, and a person may discard it
    if owner is None:
        return
    try:
        set_aside = store.records.set_aside_damaged(run)
        if set_aside is None:
            return
        log.warning("the record of run %s could not be read; it lies in %s now", run, set_aside)
        if store.runs.read(run).is_whole and not (view := read_view(store, run)).is_live:
            publish(store, view)
    except (StoreError, DomainError) as error:
        log.warning("the record of run %s could not be made again: %s", run, error)
    finally:
        owner.release()


# ------------------------------------------------------------------------------------------- what there is


def _survey(store: Store) -> tuple[list[KeptRun], dict[RunId, str]]:
    """Every run that the list can show, measured; and the names of their workflows."""
    looked_at, pinned = store.sessions.looked_at(), store.pinned.load()
    too_large = {run: line.get("seq") for run, line in store.ledger.closings(TOO_LARGE).items()}
    kept, names = [], {}
    for run, text in store.index.texts().items():
        line = fast_loads(text)
        size = measure_run(store.runs.folder(run))
        names[run] = str(line.get("workflow_name") or "")
        kept.append(
            KeptRun(
                run,
                WorkflowId(str(line.get("workflow_id"))),
                int(line.get("launch_seq") or 0),
                line.get("end_seq"),
                size.size_bytes,
                size.transcript_bytes,
                _is_spared(line, run in looked_at),
                run in too_large and too_large[run] == line.get("seq") and not _has_record(store, run, line),
                run in pinned,
            )
        )
    return kept, names


def _is_spared(line: dict[str, Any], is_looked_at: bool) -> bool:
    """Live, interrupted and not answered, or looked at now (ruling 16)."""
    return is_looked_at or line.get("phase") == "live" or line.get("unanswered") is True


def _has_record(store: Store, run: RunId, line: dict[str, Any]) -> bool:
    try:
        record = store.records.read(run)
    except StoreError:
        return False
    return record is not None and record["covers_seq"] >= int(line.get("seq") or 0)


class _Effects:
    """Unknown effects of runs whose turn has come, read once; and the one aggregate row that stays of each (REC13)."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[RunId, tuple[UnknownEffect, ...]] = {}
        self._rows: dict[RunId, dict[str, Any]] = {}
        self.unread: set[RunId] = set()
        """The disk gives them to nobody now: they leave last, and so not at all while that lasts."""

    def of(self, run: RunId) -> tuple[UnknownEffect, ...]:
        if run not in self._known:
            try:
                view = read_run(self._store, run)
                self._known[run] = unknown_effects(view)
                if view is not None:
                    self._rows[run] = summary_to_json(view)
            except StoreDown as error:
                log.warning("run %s cannot be read, and stays: %s", run, error)
                self.unread.add(run)
                self._known[run] = ()
        return self._known[run]

    def row_of(self, run: RunId) -> dict[str, Any] | None:
        """None where nothing of it can be read. After `of`."""
        return self._rows.get(run)

    def are_unknown(self, run: RunId) -> bool:
        return bool(self.of(run)) or run in self.unread


def _count(kept: Iterable[KeptRun], gone: Iterable[Leaving], limits: Limits, dry_run: bool) -> Pruned:
    left = {one.run: one for one in kept}
    leaving = tuple(gone)
    for one in leaving:
        if one.why is Why.TRANSCRIPTS:
            left[one.kept.run] = replace(one.kept, transcript_bytes=0)
        else:
            del left[one.kept.run]
    size = sum(one.size_bytes for one in left.values())
    transcripts = sum(one.transcript_bytes for one in left.values())
    counted = Tally(len(left), size, transcripts, 0)
    pinned = tuple(one for one in left.values() if one.is_pinned)
    is_over = _is_over(counted, limits)
    return Pruned(leaving, limits, len(left), size, transcripts, is_over, dry_run, pinned=pinned)


# ------------------------------------------------------------------------------------------- letting go


def _let_go(store: Store, one: Leaving, effects: _Effects, at_ms: int) -> bool:
    """Whether it left. One that somebody has taken up meanwhile stays, and one that cannot be read or opened."""
    if one.why is Why.TRANSCRIPTS:
        return _owned(store, one.kept, lambda: _drop_transcripts(store, one.kept.run)) is True
    unknown = effects.of(one.kept.run)
    if one.kept.run in effects.unread:
        return False
    row = effects.row_of(one.kept.run)
    aside = store.writer.run(
        lambda: _owned(store, one.kept, lambda: _send_off(store, one, unknown, row, at_ms))
    ).result()
    if aside is None:
        return False
    store.asides.delete(aside)
    return True


def _owned(store: Store, kept: KeptRun, do: Callable[[], T]) -> T | None:
    """Do it while the run is ours and stands as it was when it was chosen; None where it does not."""
    try:
        owner = store.runs.own(kept.run)
    except UnknownRun:
        return None
    except StoreDown as error:
        if not is_odd_entry(error):
            raise
        return None  # as in `_mend_record`
    if owner is None:
        return None
    try:
        return do() if _stands(store, kept) else None
    finally:
        owner.release()


def _stands(store: Store, kept: KeptRun) -> bool:
    try:
        state = read_state(store, kept.run)
    except (StoreError, DomainError):
        return True  # by its record alone: nothing more can happen to it
    return not state.is_live and state.end_seq == kept.end_seq


def _send_off(
    store: Store,
    one: Leaving,
    effects: tuple[UnknownEffect, ...],
    row: dict[str, Any] | None,
    at_ms: int,
) -> Aside | None:
    """Out of the runs, and said in the ledger; or neither, as where it was pinned meanwhile. On the writer thread."""
    line = {
        "kind": EVICTED,
        "run": one.kept.run,
        "workflow": one.kept.workflow,
        "end_seq": one.kept.end_seq,
        "why": one.why.value,
        "size_bytes": one.size_bytes,
        "at_ms": at_ms,
        "effects": [asdict(effect) for effect in effects],
        "summary": row,
    }
    with store.asides.lock():
        if store.pinned.has(one.kept.run):
            return None
        aside = store.asides.send_off(one.kept.run)
        try:
            store.ledger.append([line])
        except StoreError:
            store.asides.bring_back(aside)
            raise
    return aside


def _drop_transcripts(store: Store, run: RunId) -> bool:
    """Whether they are gone; one that cannot be removed hinders no other run's."""
    try:
        with store.asides.lock():
            if store.pinned.has(run):
                return False
            for path in (store.runs.folder(run) / "attempts").glob("*/transcript"):
                store.io.unlink(path)
    except OSError as error:
        log.warning("transcripts of run %s stay: %s", run, error)
        return False
    return True
