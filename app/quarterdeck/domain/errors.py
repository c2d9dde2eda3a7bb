"""Errors of the domain. They are our bugs, never the user's news (style 13).

DomainError
├── IllegalTransition   a table has no such row: state, event and id are carried; `code` is E_TERMINAL where
│                       the state is terminal, E_IMMUTABLE where a pin would change, else empty
├── BrokenInvariant     two leases on one slot, an epoch that fell, a pin that changed (A15)
└── UnknownRecord       a journal event or report that does not fit its stream
"""

from __future__ import annotations


class DomainError(Exception):
    """Root of the tree."""


class IllegalTransition(DomainError):
    """An event met a state in which it cannot happen."""

    def __init__(self, aggregate: str, key: str, state: str, event: str, code: str = "") -> None:
        super().__init__(f"{aggregate} {key}: {event} is impossible in state {state}")
        self.aggregate, self.key, self.state, self.event = aggregate, key, state, event
        self.code = code


class BrokenInvariant(DomainError):
    """One of I1–I9 of A15 does not hold; `key` names the run, slot or attempt."""

    def __init__(self, invariant: str, key: str, detail: str) -> None:
        super().__init__(f"{invariant} broken for {key}: {detail}")
        self.invariant, self.key = invariant, key


class UnknownRecord(DomainError):
    """A line that no fold knows how to take."""
