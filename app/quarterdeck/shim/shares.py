"""Lowering the scheduling of an agent's session and of its shim's: by how much, and as fast as the kernel admits it."""

from __future__ import annotations

from quarterdeck.shim import kernel

AGAIN_AFTER_S = 0.5
FEW, SOME = 2, 8
NICE_OF_SOME, NICE_OF_MANY = 15, 19


def nice_beside(living: int) -> int:
    """The niceness of an agent's session, and its keeper's, where so many others of the app live already (ADR 0060).

    The system weighs a session at 0 with 1,024, at 10 with 110, at 15 with 36 and at 19 with 15: forty agents and their
    keepers weigh together less than two other programs of the person, and one or two still get their tenth beside one.
    """
    if living < FEW:
        return kernel.AUTOGROUP_NICE
    return NICE_OF_SOME if living < SOME else NICE_OF_MANY


class ShareLowering:
    """The kernel admits one change of an autogroup every tenth of a second to all of a user's processes together."""

    def __init__(self, pids: tuple[int, ...], nice: int, now_s: float) -> None:
        self._left, self._nice, self._due_s = list(pids), nice, now_s

    def step(self, now_s: float) -> float | None:
        """Try what is due; seconds until the next try, None where all is lowered."""
        if not self._left:
            return None
        if now_s >= self._due_s:
            self._due_s = now_s + AGAIN_AFTER_S
            self._left = [pid for pid in self._left if not kernel.lower_autogroup(pid, self._nice)]
        return self._due_s - now_s
