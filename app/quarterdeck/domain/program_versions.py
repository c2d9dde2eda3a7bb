"""Whether an attempt ran with another version of its program than those before it (PIN6). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from quarterdeck.domain.views import AttemptView


def other_version_before(attempts: Sequence[AttemptView], number: int) -> tuple[int, str] | None:
    """Number and version of the attempt before `number` (1, 2, …) that the same agent made last, where its version was another.
    None where it was the same, or either is not known.
    """
    one = attempts[number - 1]
    for before in range(number - 1, 0, -1):
        other = attempts[before - 1]
        if other.agent == one.agent and other.program_version:
            differs = bool(one.program_version) and other.program_version != one.program_version
            return (before, other.program_version) if differs else None
    return None
