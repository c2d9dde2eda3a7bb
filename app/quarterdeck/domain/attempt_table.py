"""Transitions of an attempt (A15 rows 3–11) as data.

The journal moves an attempt by LOSE and the ends alone; STARTED, PAUSE, CONTINUE and STOP are what the join of journal
and reports shows. Their rows stand here so that both readings obey one table.
"""

from __future__ import annotations

from enum import StrEnum

from quarterdeck.domain.states import TERMINAL_ATTEMPT, AttemptStatus
from quarterdeck.domain.transitions import next_state


class AttemptMove(StrEnum):
    """What moves an attempt."""

    STARTED = "started"
    PAUSE = "pause"
    CONTINUE = "continue"
    STOP = "stop"
    LOSE = "lose"
    SUCCEED = "succeed"
    FAIL = "fail"
    END_STOPPED = "end_stopped"
    INTERRUPT = "interrupt"
    NEVER_START = "never_start"


MOVE_OF_END: dict[AttemptStatus, AttemptMove] = {
    AttemptStatus.SUCCEEDED: AttemptMove.SUCCEED,
    AttemptStatus.FAILED: AttemptMove.FAIL,
    AttemptStatus.STOPPED: AttemptMove.END_STOPPED,
    AttemptStatus.INTERRUPTED: AttemptMove.INTERRUPT,
    AttemptStatus.NEVER_STARTED: AttemptMove.NEVER_START,
}

_OPEN = tuple(status for status in AttemptStatus if status not in TERMINAL_ATTEMPT)

ATTEMPT_TABLE: dict[tuple[AttemptStatus, AttemptMove], AttemptStatus] = {
    (AttemptStatus.STARTING, AttemptMove.STARTED): AttemptStatus.RUNNING,
    (AttemptStatus.RUNNING, AttemptMove.PAUSE): AttemptStatus.PAUSED,
    (AttemptStatus.PAUSED, AttemptMove.CONTINUE): AttemptStatus.RUNNING,
    **{(status, AttemptMove.STOP): AttemptStatus.STOPPING for status in _OPEN},
    **{(status, AttemptMove.LOSE): AttemptStatus.LOST for status in _OPEN},
    **{(status, move): end for status in _OPEN for end, move in MOVE_OF_END.items()},
}


def attempt_after(key: str, status: AttemptStatus, move: AttemptMove) -> AttemptStatus:
    """The status after the move. Raises IllegalTransition, with E_TERMINAL after an end (I7)."""
    return next_state("attempt", ATTEMPT_TABLE, TERMINAL_ATTEMPT, key, status, move)
