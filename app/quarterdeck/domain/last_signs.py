"""When an attempt and a sitting ended: the one place that every duration of the past comes from (REC2, REC6).

An end that the owner journaled is as old as its entry. An end that was found later, by who settled what a dead owner left,
says when somebody looked and nothing of how long the work went on: there the last durable sign counts, which is the owner's
last entry, an agent's exit, or its last report. It is an end "at least"; when it was found is a fact of its own.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.moment import Moment, later_of
from quarterdeck.domain.reports_fold import AttemptFold
from quarterdeck.domain.run_state import AttemptRecord, RunState, Sitting
from quarterdeck.domain.views import SittingView


def report_moment(report: Mapping[str, Any], attempt: AttemptRecord, fold: AttemptFold) -> Moment:
    """When a report was written; only the first one and `exit.json` name the boot."""
    boot = report.get("boot") or (fold.starting or {}).get("boot") or attempt.claimed_at.boot
    return Moment(str(boot), int(report.get("boot_ms") or 0), int(report.get("wall_ms") or 0))


def attempt_end(attempt: AttemptRecord, fold: AttemptFold | None) -> Moment | None:
    """When the agent ended: by its own exit; else when its owner saw it; else the last sign of it. None while it is open."""
    if attempt.ended is None:
        return None
    if fold is not None and fold.exit is not None:
        return report_moment(fold.exit, attempt, fold)
    if not attempt.found_late:
        return attempt.ended_at
    told = (
        attempt.claimed_at if fold is None or fold.last is None else report_moment(fold.last, attempt, fold)
    )
    return told if attempt.lost_at is None else later_of(told, attempt.lost_at)  # it was seen alive then


def is_attempt_end_at_least(attempt: AttemptRecord, fold: AttemptFold | None) -> bool:
    """Whether that end is no more than the last sign of it: it was found later, and its own exit was not kept."""
    return attempt.ended is not None and attempt.found_late and (fold is None or fold.exit is None)


def sitting_view(state: RunState, sitting: Sitting, folds: Mapping[AttemptId, AttemptFold]) -> SittingView:
    """The sitting with its end. `settled_at` stands only where the end was found later: it is then an end at least."""
    return SittingView(
        sitting.opened_at, _sitting_end(state, sitting, folds), sitting.actor, sitting.settled_at
    )


def _sitting_end(state: RunState, sitting: Sitting, folds: Mapping[AttemptId, AttemptFold]) -> Moment | None:
    settled = sitting.settled_at
    if settled is None:
        return sitting.ended_at
    signs = [sitting.last_sign_at]
    for attempt in state.attempts.values():
        if attempt.sitting == sitting.number:
            end = attempt_end(attempt, folds.get(attempt.attempt_id))
            if end is None:
                return settled  # a survivor: its work went on until the run was settled, and longer
            signs.append(end)
    last = functools.reduce(later_of, signs)
    return settled if later_of(last, settled) is last else last
