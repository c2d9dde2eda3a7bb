"""The share of the processor that an agent's session and its shim's have: by how much it is lowered, when it is given back."""

from __future__ import annotations

import os
from collections.abc import Mapping

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


class ShareChange:
    """`wanted`: {pid: niceness of its session}. The kernel admits one change of an autogroup every tenth of a second to all of a
    user's processes together, so what was refused is tried again. A process that has ended wants no more.
    """

    def __init__(self, wanted: Mapping[int, int], now_s: float) -> None:
        self._left, self._due_s = dict(wanted), now_s

    def step(self, now_s: float) -> float | None:
        """Try what is due; seconds until the next try, None where nothing is left to change."""
        if not self._left:
            return None
        if now_s >= self._due_s:
            self._due_s = now_s + AGAIN_AFTER_S
            self._left = {
                pid: nice for pid, nice in self._left.items() if not kernel.set_autogroup(pid, nice)
            }
        return self._due_s - now_s

    def forget(self, pid: int) -> None:
        """This process has ended and was collected: its number may be another's by now, which is left alone (ID5)."""
        self._left.pop(pid, None)


def while_working(agent: int, nice: int, now_s: float) -> ShareChange:
    """An agent at work and its shim, which is the calling process, leave the machine to the person."""
    return ShareChange({agent: nice, os.getpid(): nice}, now_s)


def while_ending(agent: int, now_s: float) -> ShareChange:
    """Who ends a tree gets its full share at once, and the tree enough to end: a busy machine must not keep agents alive (REC9, ID5)."""
    return ShareChange({os.getpid(): 0, agent: kernel.AUTOGROUP_NICE}, now_s)
