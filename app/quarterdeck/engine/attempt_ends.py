"""The end of an attempt as the journal says it: proof of death and closed reports, judged by `domain.endings`.

The live engine, the settling of dead sessions and the re-opening of a run all come here, so they judge alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from quarterdeck.domain.endings import Ending, NotEnded, facts_of, judge_end
from quarterdeck.domain.events import AttemptEnded, AttemptLost
from quarterdeck.domain.figures_json import figures_from_json
from quarterdeck.domain.reports_fold import NOTHING_SPENT, AttemptFold
from quarterdeck.domain.retry import RetryContext
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.states import (
    AttemptStatus,
    EndReason,
    Evidence,
    Hold,
    KeeperEnd,
    LeaseStatus,
    SlotState,
)
from quarterdeck.engine.deaths import DeathFinding, Verdict

STILL_ALIVE = "still alive"


def end_of(
    state: RunState,
    record: AttemptRecord,
    spec: Mapping[str, Any],
    fold: AttemptFold,
    found: DeathFinding,
    context: RetryContext,
    unordered: EndReason | None = None,
    keeper: KeeperEnd = KeeperEnd.UNSEEN,
) -> AttemptEnded | AttemptLost:
    """What is to be journaled of an attempt that was looked at.

    spec: the pinned specification, empty where it is missing. unordered: why it was stopped where no stop is journaled.
    keeper: how its keeper went, as far as the caller saw it.
    """
    seen = _seen(fold, found)
    if found.verdict is not Verdict.DEAD and not _is_left(seen):
        return AttemptLost(record.slot_id, record.attempt_id, STILL_ALIVE)
    of_run = state.stop_requested.reason if state.stop_requested is not None else None
    agent = spec.get("agent", {})
    facts = facts_of(
        fold,
        found.evidence or Evidence.COULD_NOT_STOP,
        exit_file=seen,
        stop_reason=record.stop_requested or of_run,
        unordered=unordered,
        results_durable=_is_durable(found),
        success_codes=tuple(agent.get("success_codes", (0,))),
        has_keeper_failed=found.has_keeper_failed,
        keeper=keeper,
    )
    judged = judge_end(facts, context)
    if isinstance(judged, NotEnded):
        return AttemptLost(record.slot_id, record.attempt_id, judged.message)
    return _ended_event(record, fold, judged, found, seen, speaks=_speaks(agent))


def failed_start(record: AttemptRecord, message: str) -> AttemptEnded:
    """The end of a claimed attempt that could not be started (A15 row 4); message: why, in a sentence."""
    return AttemptEnded(
        slot_id=record.slot_id,
        attempt_id=record.attempt_id,
        epoch=record.epoch,
        status=AttemptStatus.FAILED,
        lease=LeaseStatus.RELEASED,
        reason=EndReason.SPAWN,
        message=message,
        upto=0,
        evidence=Evidence.NEVER_STARTED,
        next_state=SlotState.RETRY_WAIT,
        figures=NOTHING_SPENT,
        hold=Hold.PERSON,
    )


def retry_context(
    state: RunState,
    record: AttemptRecord,
    spec: Mapping[str, Any],
    now_ms: int,
    jitter: float = 0.5,
    shared_left: int | None = None,
) -> RetryContext:
    """What its retry rests on, live and in settling alike: a retry that was owed when the app died is not forgotten.

    spec: as in `end_of`. An ended run retries nothing by itself (C4). now_ms: boot time; jitter in [0, 1). shared_left: as
    RetryContext has it.
    """
    if not spec or not state.is_live:
        return RetryContext()
    made = state.series_length(state.slots[record.slot_id])
    return RetryContext(made, int(spec["retry"]["max_attempts"]), jitter, now_ms, shared_left)


def _seen(fold: AttemptFold, found: DeathFinding) -> Mapping[str, Any] | None:
    """The attested end. What it says was left is gone where a later look proved so."""
    seen = found.exit_file if found.exit_file is not None else fold.exit
    is_gone = found.verdict is Verdict.DEAD and found.evidence is not Evidence.COULD_NOT_STOP
    return {**seen, "tree_empty": True} if seen is not None and _is_left(seen) and is_gone else seen


def _is_left(seen: Mapping[str, Any] | None) -> bool:
    return seen is not None and seen.get("tree_empty") is False


def _is_durable(found: DeathFinding) -> bool:
    """Whether everything that the shim had to say reached its file (row 8)."""
    told = found.exit_file or {}
    return int(told.get("said_seq") or 0) <= int(told.get("durable_seq") or 0)


def _speaks(agent: Mapping[str, Any]) -> bool:
    """Whether such an agent may have told a cost that was lost with its shim."""
    return agent.get("kind") != "command" or agent.get("protocol") == "lines"


def _ended_event(
    record: AttemptRecord,
    fold: AttemptFold,
    end: Ending,
    found: DeathFinding,
    seen: Mapping[str, Any] | None,
    *,
    speaks: bool,
) -> AttemptEnded:
    """Figures are those that `exit` or `exit.json` carries; without either the fold's, at least (design §4)."""
    told = (seen or {}).get("figures")
    figures = figures_from_json(told) if told else fold.totals()
    if seen is None and (fold.starting is not None or fold.unread) and speaks:
        figures = replace(figures, cost_is_complete=False)
    return AttemptEnded(
        slot_id=record.slot_id,
        attempt_id=record.attempt_id,
        epoch=record.epoch,
        status=end.status,
        lease=end.lease,
        reason=end.reason,
        message=end.message,
        upto=int((found.exit_file or {}).get("upto") or fold.upto),
        evidence=found.evidence or Evidence.NO_TRACE,
        next_state=end.next_state,
        figures=figures,
        hold=end.hold,
        retry_at_ms=end.retry_at_ms,
        exit_code=end.exit_code,
        signal=end.signal,
    )
