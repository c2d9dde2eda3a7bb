"""Transitions of a lease (A9, A15) as data. Silence makes it suspect and never more (LSE4)."""

from __future__ import annotations

from enum import StrEnum

from quarterdeck.domain.states import TERMINAL_LEASE, LeaseStatus
from quarterdeck.domain.transitions import next_state


class LeaseMove(StrEnum):
    """What moves a lease."""

    SUSPECT = "suspect"
    RELEASE = "release"
    REVOKE = "revoke"
    PROVE_DEATH = "prove_death"


MOVE_OF_LEASE_END: dict[LeaseStatus, LeaseMove] = {
    LeaseStatus.RELEASED: LeaseMove.RELEASE,
    LeaseStatus.REVOKED: LeaseMove.REVOKE,
    LeaseStatus.EXPIRED_PROVED: LeaseMove.PROVE_DEATH,
}

_OPEN = (LeaseStatus.GRANTED, LeaseStatus.SUSPECT)

LEASE_TABLE: dict[tuple[LeaseStatus, LeaseMove], LeaseStatus] = {
    **{(status, LeaseMove.SUSPECT): LeaseStatus.SUSPECT for status in _OPEN},
    **{(status, move): end for status in _OPEN for end, move in MOVE_OF_LEASE_END.items()},
}


def lease_after(key: str, status: LeaseStatus, move: LeaseMove) -> LeaseStatus:
    """The status after the move. Raises IllegalTransition, with E_TERMINAL after an end."""
    return next_state("lease", LEASE_TABLE, TERMINAL_LEASE, key, status, move)
