"""Settling what a dead session left (A15 row 12, ruling 19): every attempt gets its end by evidence, the run its outcome.

Starts nothing, asks nobody. Doing it again, or being killed in the middle of it, gives the same end (REC15): each step is
an ordinary journal entry, and what is journaled already is not done twice. Blocking; called from a worker thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.domain.endings import Ending, NotEnded, facts_of, judge_end
from quarterdeck.domain.events import AttemptEnded, AttemptLost, Event, RunEnded, RunStopRequested
from quarterdeck.domain.ids import AttemptId, Revision, RunId
from quarterdeck.domain.join import run_view
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.outcome import judge_outcome
from quarterdeck.domain.reports_fold import AttemptFold, baseline_of
from quarterdeck.domain.retry import RetryContext
from quarterdeck.domain.run_fold import advance, fold
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.scheduling import Graph, is_settled
from quarterdeck.domain.states import EndReason
from quarterdeck.engine.deaths import DeathFinding, Verdict, find_death
from quarterdeck.engine.disk_views import agent_kinds, read_fold, read_folds
from quarterdeck.engine.pinning import PinMissing, read_spec, read_workflow
from quarterdeck.engine.publishing import publish
from quarterdeck.engine.supervision import ended_event
from quarterdeck.store.data_folder import Store
from quarterdeck.store.errors import StoreDamaged, UnknownRun
from quarterdeck.store.journal import Journal
from quarterdeck.store.sessions import TakenSession

Clock = Callable[[], Moment]


def settle_dead_sessions(store: Store, now: Clock) -> tuple[RunId, ...]:
    """Settle every session whose process is gone; returns the runs that were touched. Waits for agents that are still
    ending. Raises StoreDown where it cannot be written; what was settled by then stays settled.
    """
    touched: list[RunId] = []
    for dead in store.sessions.dead():
        taken = store.sessions.take(dead)
        if taken is not None:
            touched += _settle_session(store, taken, now)
    return tuple(touched)


def _settle_session(store: Store, taken: TakenSession, now: Clock) -> list[RunId]:
    touched = []
    try:
        for run in _runs_of(store, taken):
            if _settle_run(store, run, now):
                touched.append(run)
    except BaseException:
        taken.release()
        raise
    taken.finish()
    return touched


def _runs_of(store: Store, taken: TakenSession) -> tuple[RunId, ...]:
    """The session's runs; where its file cannot be read, every run that nobody owns."""
    return taken.runs if taken.dead.identity is not None else store.runs.ids()


def _settle_run(store: Store, run: RunId, now: Clock) -> bool:
    """Whether there was something to settle. A run without a journal was never launched; one in doubt is left alone."""
    try:
        owner = store.runs.own(run)
    except UnknownRun:
        return False
    if owner is None:
        return False
    try:
        journal = store.runs.open(run)
    except (UnknownRun, StoreDamaged):
        owner.release()
        return False  # Nothing durable, or damaged: the list shows it; settling would only add guesses.
    try:
        Settlement(store, run, journal, now).settle()
    finally:
        journal.close()
        owner.release()
    return True


class Settlement:
    """One run's settling; holds the run's owner lock through its maker."""

    def __init__(self, store: Store, run: RunId, journal: Journal, now: Clock) -> None:
        self._store, self._run, self._journal, self._now = store, run, journal, now
        self._state: RunState = fold(store.runs.read(run).entries)

    def settle(self) -> None:
        """Ends for all attempts, the outcome, the record."""
        self._store.attempts.sweep(self._run, self._state.attempts.keys())
        if self._state.is_live:
            for attempt in tuple(self._state.open_attempts):
                self._settle_attempt(attempt)
            self._end_run()
        view = run_view(
            self._state, read_folds(self._store, self._state), {}, agent_kinds(self._store, self._state)
        )
        # Also where the end is journaled: a kill may have come between record, index and ledger. Each line counts once.
        publish(self._store, view)

    def _settle_attempt(self, attempt: AttemptRecord) -> None:
        found = self._find_death(attempt.attempt_id)
        folded = read_fold(self._store, self._state, attempt, baseline_of(self._before(attempt)))
        if found.verdict is Verdict.SURVIVOR:
            self._append(AttemptLost(attempt.slot_id, attempt.attempt_id, "still alive"))
            return
        self._append(self._end_of(attempt, folded, found))

    def _before(self, attempt: AttemptRecord) -> list[AttemptFold]:
        folds: list[AttemptFold] = []
        for earlier in self._state.slots[attempt.slot_id].attempts:
            if earlier == attempt.attempt_id:
                break
            folds.append(
                read_fold(self._store, self._state, self._state.attempts[earlier], baseline_of(folds))
            )
        return folds

    def _find_death(self, attempt: AttemptId) -> DeathFinding:
        """Looks until more can be said than `still ending`."""
        begun = self._now()
        while True:
            found = find_death(self._store.attempts, self._run, attempt, self._now().boot_ms - begun.boot_ms)
            if found.verdict is not Verdict.STILL_ENDING:
                return found
            time.sleep(max(found.wait_ms, 20) / 1000)  # In a worker thread; the deadline is the shim's own.

    def _end_of(
        self, attempt: AttemptRecord, folded: AttemptFold, found: DeathFinding
    ) -> AttemptEnded | AttemptLost:
        assert found.evidence is not None
        spec = self._spec(attempt.spec.spec)
        stop = attempt.stop_requested or (
            self._state.stop_requested.reason if self._state.stop_requested else EndReason.APP_CLOSED
        )
        facts = facts_of(
            folded,
            found.evidence,
            exit_file=found.exit_file,
            stop_reason=stop,
            success_codes=tuple(spec.get("agent", {}).get("success_codes", (0,))),
        )
        judged: Ending | NotEnded = judge_end(facts, RetryContext())
        if isinstance(judged, NotEnded):
            return AttemptLost(attempt.slot_id, attempt.attempt_id, judged.message)
        return ended_event(attempt, folded, judged, found)

    def _spec(self, revision: Revision) -> Mapping[str, Any]:
        try:
            return read_spec(self._store.objects.get, revision)
        except PinMissing:
            return {}

    def _end_run(self) -> None:
        """Rolled forward to its true outcome where its last agent had ended (REC3); else interrupted."""
        if self._state.stop_requested is None and not self._is_at_its_end():
            self._append(RunStopRequested(self._state.header.actor, EndReason.APP_CLOSED))
        outcome, exit_code, message = judge_outcome(self._state)
        self._append(RunEnded(outcome, self._store.next_end_seq(), exit_code, message))

    def _is_at_its_end(self) -> bool:
        if self._state.open_attempts:
            return False
        try:
            workflow = read_workflow(self._store.objects.get, self._state.pins.workflow)
        except PinMissing:
            return False
        interrupted = any(_was_interrupted(attempt) for attempt in self._state.attempts.values())
        return not interrupted and is_settled(Graph.of(workflow), self._state)

    def _append(self, event: Event) -> None:
        entry = self._journal.append(event, self._now(), sync=True).result()
        self._state = advance(self._state, entry)


def _was_interrupted(attempt: AttemptRecord) -> bool:
    """Whether the end of the app ended it: it was lost at work, or claimed and then never started by anybody's wish."""
    if attempt.ended is None:
        return False
    never_started = attempt.ended.reason is EndReason.NEVER_STARTED and attempt.stop_requested is None
    return never_started or attempt.ended.reason is EndReason.APP_CLOSED
