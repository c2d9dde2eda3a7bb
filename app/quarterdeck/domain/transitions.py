"""How a table of transitions is read. The tables themselves are data, one module for each aggregate (style 12).

A missing row raises `IllegalTransition`: our bug, never the user's news. Out of a terminal state it carries
E_TERMINAL (A15, "Illegal"), so that whoever asked from outside can be answered with that code.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import TypeVar

from quarterdeck.domain.errors import IllegalTransition
from quarterdeck.domain.refusal import Code

S = TypeVar("S", bound=StrEnum)
E = TypeVar("E", bound=StrEnum)


def next_state(
    aggregate: str, table: Mapping[tuple[S, E], S], terminal: Collection[S], key: str, state: S, event: E
) -> S:
    """The state after the event. Raises IllegalTransition where the table has no such row."""
    after = table.get((state, event))
    if after is None:
        code = Code.E_TERMINAL.value if state in terminal else ""
        raise IllegalTransition(aggregate, key, state.value, event.value, code)
    return after
