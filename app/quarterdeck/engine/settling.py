"""Settling what a dead session left (A15 row 12, ruling 19): every attempt gets its end by evidence, the run its outcome.

Starts nothing, asks nobody. Doing it again, or being killed in the middle of it, gives the same end (REC15): each step is
an ordinary journal entry, and what is journaled already is not done twice. Blocking; called from a worker thread.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from quarterdeck.domain.errors import DomainError
from quarterdeck.domain.events import Entry, Event, RunEnded, RunStopRequested, SlotCancelled
from quarterdeck.domain.ids import AttemptId, RunId, SessionId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.outcome import judge_outcome
from quarterdeck.domain.run_fold import advance, fold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.scheduling import SkipStep, is_settled, next_steps
from quarterdeck.domain.states import AttemptStatus, EndReason, Phase
from quarterdeck.domain.views import RunView
from quarterdeck.engine.attempt_ends import end_of, retry_context
from quarterdeck.engine.conditions import RunConditions
from quarterdeck.engine.counting import count_run
from quarterdeck.engine.crash_rule import note_crash
from quarterdeck.engine.damage import refuse_damaged
from quarterdeck.engine.deaths import DeathFinding, Verdict, wait_verdict
from quarterdeck.engine.disk_views import read_folds, shown_view
from quarterdeck.engine.pinning import PinMissing, pinned_spec
from quarterdeck.engine.publishing import publish
from quarterdeck.engine.report_folds import report_fold, upto_told
from quarterdeck.engine.run_plan import read_plan
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import (
    ODD_ENTRY,
    OF_THE_DISK,
    StoreDamaged,
    StoreDown,
    StoreError,
    StoreTooNew,
    UnknownRun,
)
from quarterdeck.store.sessions import TakenSession

Clock = Callable[[], Moment]
log = logging.getLogger(__name__)


class Held(Exception):
    """Somebody holds the run at this moment; who does may end without having settled it."""


@dataclass(slots=True)
class LeftAlone:
    """What one process could not settle. `sessions` met a fault of ours or a newer version: they are passed over.

    told: {run or session: why it could not be settled}. It is tried again at each look, and logged when it changes.
    """

    sessions: set[SessionId] = field(default_factory=set)
    told: dict[str, str] = field(default_factory=dict)
    for_good: set[RunId] = field(default_factory=set)
    """Runs that nobody owns and that this version never settles, whatever the next look finds: they are tried once."""

    def tell(self, what: str, error: Exception) -> None:
        """Log why something cannot be settled now, once as long as it stays the same."""
        if self.told.get(what) != str(error):
            self.told[what] = str(error)
            log.error("%s cannot be settled now, and is tried again at the next look: %s", what, error)

    def give_up(self, run: RunId, error: Exception) -> None:
        """What is wrong lies in the run's own files. The list names it, so that the log is no place to say it at each start."""
        if run not in self.for_good:
            self.for_good.add(run)
            log.info("run %s is left as it is: %s", run, error)


def settle_dead_sessions(store: Store, now: Clock, left: LeftAlone | None = None) -> tuple[RunId, ...]:
    """Settle every session whose process is gone; returns the runs that were touched. Waits for agents that are still
    ending. Raises StoreDown where the disk as a whole does not take it; what was settled by then stays settled.

    left: what this process could not settle before; it is added to.
    """
    left = left or LeftAlone()
    touched: list[RunId] = []
    for dead in store.sessions.dead():
        if dead.session_id in left.sessions:
            continue
        try:
            taken = store.sessions.take(dead)
        except StoreTooNew as error:
            log.warning("session %s is passed over: %s", dead.session_id, error)
            left.sessions.add(dead.session_id)
            continue
        except (StoreDown, OSError) as error:
            if _is_of_the_disk(store, error):
                raise
            left.tell(f"session {dead.session_id}", error)
            continue
        if taken is not None:
            touched += _settle_session(store, taken, now, left)
    return tuple(touched)


def _settle_session(store: Store, taken: TakenSession, now: Clock, left: LeftAlone) -> list[RunId]:
    """One run that cannot be settled hinders no other. The session is kept for a run of a newer version, for one that
    somebody holds now, for one whose files the system refuses, and for one that met a fault of ours; a run that is
    damaged for good is given up.
    """
    touched, unsettled = [], []
    note_crash(store, taken.dead)
    try:
        for run in _runs_of(store, taken):
            try:
                if _settle_run(store, run, taken, now):
                    touched.append(run)
            except Held:
                left.told[f"run {run}"] = f"another process has run {run} now"
                unsettled.append(run)
            except Exception as error:
                if _is_of_the_disk(store, error):
                    raise
                if not _gives_up(store, run, error, taken, left):
                    unsettled.append(run)
        if unsettled:
            taken.keep(unsettled)
    except BaseException:
        taken.release()
        raise
    if unsettled:
        taken.release()
    else:
        taken.finish()
    return touched


def _is_of_the_disk(store: Store, error: Exception) -> bool:
    """Whether it would meet every other run as well: the disk as a whole, or a file that all runs share."""
    if not isinstance(error, (StoreDown, OSError)):
        return False
    path = error.path if isinstance(error, StoreDown) else error.filename
    return error.errno in OF_THE_DISK or not (path is None or _is_of_a_run(store, path))


def _is_of_a_run(store: Store, path: str | bytes) -> bool:
    """Whether that file concerns single runs, and not all of them."""
    place = Path(os.fsdecode(path))
    return any(place.is_relative_to(store.folder / part) for part in ("runs", "objects", "sessions"))


def _gives_up(store: Store, run: RunId, error: Exception, taken: TakenSession, left: LeftAlone) -> bool:
    """Whether the run will never be settled by anybody: its files are damaged. Anything else may be: what the system
    refuses now (permissions, a bad place of the disk) by the next look, the rest by another version. A damage of what all
    runs share (`store.json`, the ledger) is none of this run's.
    """
    if isinstance(error, StoreDamaged) and not _is_of_a_run(store, error.path):
        left.tell(f"run {run}", error)
        return False
    if isinstance(error, (StoreDown, OSError)) and error.errno not in ODD_ENTRY:
        left.tell(f"run {run}", error)
        return False
    is_known = isinstance(error, (StoreError, DomainError, OSError))
    log.error("run %s is left as it is: %s", run, error, exc_info=None if is_known else error)
    if is_known and not isinstance(error, StoreTooNew):
        return True
    left.sessions.add(taken.dead.session_id)
    return False


def _runs_of(store: Store, taken: TakenSession) -> tuple[RunId, ...]:
    """The session's runs; where its file cannot be read, every run that nobody owns."""
    return taken.runs if taken.dead.identity is not None else store.runs.ids()


def _settle_run(store: Store, run: RunId, taken: TakenSession, now: Clock) -> bool:
    """Whether there was something to settle. A run without a journal was never launched. Raises Held."""
    try:
        owner = store.runs.own(run)
        if owner is None:
            if _is_of_another(store, run, taken) or taken.dead.identity is None:
                return False
            raise Held
    except UnknownRun:
        return False
    try:
        if _is_of_another(store, run, taken):
            return False
        settle_owned(store, run, now)
    except UnknownRun:
        return False
    finally:
        owner.release()
    return True


def settle_owned(store: Store, run: RunId, now: Clock) -> None:
    """Settle a run whose lock the caller holds; one that was live is counted among what is kept. Raises as Settlement, and
    StoreDamaged where the journal is damaged before its end: that is left as it was found.
    """
    refuse_damaged(store, run)
    journal = store.runs.open(run)
    try:
        settlement = Settlement(store, run, journal, now)
        settlement.settle()
    finally:
        journal.close()
    if not settlement.entries:
        return
    try:
        count_run(store, run, now())
    except StoreError as error:  # it is a cache: a later start counts anew
        log.info("run %s could not be counted: %s", run, error)


def _is_of_another(store: Store, run: RunId, taken: TakenSession) -> bool:
    """Whether a living session answers for the run: it may have journaled it and not locked it yet."""
    entries = store.runs.read(run).entries
    if not entries:
        raise StoreDamaged(str(store.runs.folder(run)), "its journal has no readable header")
    holder = fold(entries).sitting.session_id
    return holder != taken.dead.session_id and store.sessions.is_alive(holder)


class TakesEntries(Protocol):
    """What settling needs of a journal."""

    def append(self, event: Event, at: Moment, *, sync: bool) -> Future[Entry]:
        """As `Journal.append`."""


class Settlement:
    """One run's settling; holds the run's owner lock through its maker. `entries` are those that it journaled.

    message: why the run ended, in words, where it is interrupted; empty: as `judge_outcome` says it. state: of the journal,
    where it was folded already.
    """

    def __init__(
        self,
        store: Store,
        run: RunId,
        journal: TakesEntries,
        now: Clock,
        message: str = "",
        state: RunState | None = None,
    ) -> None:
        self._store, self._run, self._journal, self._now = store, run, journal, now
        self._message = message
        self.state: RunState = fold(store.runs.read(run).entries) if state is None else state
        self.entries: list[Entry] = []

    def settle(self) -> RunView:
        """Ends for all attempts, the outcome, the record. Returns the run as it is then shown."""
        self._store.attempts.sweep(self._run, self.state.attempts.keys())
        if self.state.is_live:
            self._end_live()
        view = shown_view(self._store, self.state)
        if self.state.phase is Phase.ENDED:
            # Also where the end is journaled: a kill may have come between record, index and ledger. Each line counts once.
            publish(self._store, view)
        return view

    def _end_live(self) -> None:
        for attempt in tuple(self.state.open_attempts):
            self._settle_attempt(attempt)
        self._end_run()

    def settle_survivors(self) -> None:
        """Look once more at attempts that were alive when their run ended; those that are dead now get their end."""
        for attempt in tuple(self.state.open_attempts):
            self._settle_attempt(attempt)

    def _settle_attempt(self, attempt: AttemptRecord) -> None:
        found = self._find_death(attempt.attempt_id)
        if found.verdict is Verdict.SURVIVOR and attempt.status is AttemptStatus.LOST:
            return
        upto = upto_told(found.exit_file)
        folded = report_fold(self._store.attempts, self._run, attempt.attempt_id, upto)
        spec = pinned_spec(self._store.objects.get, attempt.spec.spec)
        context = retry_context(self.state, attempt, spec, self._now().boot_ms)
        self._append(end_of(self.state, attempt, spec, folded, found, context, EndReason.APP_CLOSED))

    def _find_death(self, attempt: AttemptId) -> DeathFinding:
        return wait_verdict(self._store.attempts, self._run, attempt)

    def _end_run(self) -> None:
        """Rolled forward to its true outcome where its last agent had ended (REC3); else interrupted."""
        if self.state.stop_requested is None and not self._is_at_its_end():
            self._append(RunStopRequested(self.state.header.actor, EndReason.APP_CLOSED))
        outcome, exit_code, message = judge_outcome(self.state)
        stop = self.state.stop_requested
        if self._message and stop is not None and stop.reason is EndReason.APP_CLOSED:
            message = self._message
        self._append(RunEnded(outcome, self._next_end_seq(), exit_code, message, settled=True))

    def _next_end_seq(self) -> int:
        return self._store.next_end_seq()

    def _is_at_its_end(self) -> bool:
        """Whether nothing was cut off and nothing is left to start. Skips that were still owed are journaled here.

        A condition that cannot be worked out now, its file gone, leaves the run where it was: not at its end.
        """
        if self.state.open_attempts or any(map(self._was_cut_off, self.state.attempts.values())):
            return False
        try:
            plan = read_plan(self._store.objects.get, self.state.header)
        except PinMissing:
            return False
        conditions = RunConditions(self._store, plan)
        folds = read_folds(self._store, self.state)
        while True:
            if conditions.work_out(self.state, conditions.open_questions(self.state, folds)):
                return False
            steps = next_steps(plan.graph, self.state, self._now().boot_ms, conditions)
            skips = [step for step in steps if isinstance(step, SkipStep)]
            if not skips or len(skips) != len(steps):
                return is_settled(plan.graph, self.state, conditions)
            for step in skips:
                self._append(SlotCancelled(step.slot_id))

    def _was_cut_off(self, attempt: AttemptRecord) -> bool:
        """Whether the death of the owner ended the attempt in this sitting, and not a person's stop."""
        cut_off = attempt.status in (AttemptStatus.INTERRUPTED, AttemptStatus.NEVER_STARTED)
        is_newest = self.state.slots[attempt.slot_id].prior == attempt.attempt_id
        in_this = attempt.sitting == self.state.sitting.number
        return cut_off and is_newest and in_this and attempt.stop_requested is None

    def _append(self, event: Event) -> None:
        entry = self._journal.append(event, self._now(), sync=True).result()
        self.state = advance(self.state, entry)
        self.entries.append(entry)
