"""Transitions of a run (A15, first line) as data. A phase and an outcome together are the run's standing."""

from __future__ import annotations

from enum import StrEnum

from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.domain.transitions import next_state


class RunStanding(StrEnum):
    """Phase of a run, with its outcome where it ended."""

    CREATED = "created"
    LIVE = "live"
    COMPLETED = "ended(completed)"
    FAILED = "ended(failed)"
    STOPPED = "ended(stopped)"
    INTERRUPTED = "ended(interrupted)"
    CLOSED = "closed"


class RunMove(StrEnum):
    """What moves a run."""

    LAUNCH = "launch"
    COMPLETE = "complete"
    FAIL = "fail"
    STOP = "stop"
    INTERRUPT = "interrupt"
    OPEN_SITTING = "open_sitting"
    CLOSE = "close"


MOVE_OF_OUTCOME: dict[Outcome, RunMove] = {
    Outcome.COMPLETED: RunMove.COMPLETE,
    Outcome.FAILED: RunMove.FAIL,
    Outcome.STOPPED: RunMove.STOP,
    Outcome.INTERRUPTED: RunMove.INTERRUPT,
}

RUN_TABLE: dict[tuple[RunStanding, RunMove], RunStanding] = {
    (RunStanding.CREATED, RunMove.LAUNCH): RunStanding.LIVE,
    (RunStanding.LIVE, RunMove.COMPLETE): RunStanding.COMPLETED,
    (RunStanding.LIVE, RunMove.FAIL): RunStanding.FAILED,
    (RunStanding.LIVE, RunMove.STOP): RunStanding.STOPPED,
    (RunStanding.LIVE, RunMove.INTERRUPT): RunStanding.INTERRUPTED,
    (RunStanding.STOPPED, RunMove.OPEN_SITTING): RunStanding.LIVE,
    (RunStanding.FAILED, RunMove.OPEN_SITTING): RunStanding.LIVE,
    (RunStanding.INTERRUPTED, RunMove.OPEN_SITTING): RunStanding.LIVE,
    (RunStanding.COMPLETED, RunMove.CLOSE): RunStanding.CLOSED,
    (RunStanding.FAILED, RunMove.CLOSE): RunStanding.CLOSED,
    (RunStanding.STOPPED, RunMove.CLOSE): RunStanding.CLOSED,
    (RunStanding.INTERRUPTED, RunMove.CLOSE): RunStanding.CLOSED,
}

TERMINAL_RUN = frozenset({RunStanding.CLOSED})


def run_standing(phase: Phase, outcome: Outcome | None) -> RunStanding:
    """The standing of a run in that phase; the outcome counts only in ENDED."""
    if phase is Phase.ENDED and outcome is not None:
        return RunStanding(f"ended({outcome.value})")
    return RunStanding(phase.value)


def run_after(key: str, standing: RunStanding, move: RunMove) -> RunStanding:
    """The standing after the move. Raises IllegalTransition."""
    return next_state("run", RUN_TABLE, TERMINAL_RUN, key, standing, move)


def can_reopen(standing: RunStanding) -> bool:
    """Whether a person's claim may open another sitting of the run (A15)."""
    return (standing, RunMove.OPEN_SITTING) in RUN_TABLE
