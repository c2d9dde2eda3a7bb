"""The ladder on its own: what it does when a process outlives even KILL."""

from __future__ import annotations

from quarterdeck.shim.containment import AgentTree
from quarterdeck.shim.ladder import GIVE_UP_S, Ladder, Rung
from quarterdeck.shim.processes import ProcessStat

NOBODY = 2**22 + 1
"""Beyond every pid of this system: signals to it reach nobody."""


class Uninterruptible(AgentTree):
    """A tree with one process that waits for a dead disk."""

    def members(self) -> list[ProcessStat]:
        return [ProcessStat(NOBODY, 1, NOBODY, "D", 7)]


def test_what_outlives_kill_is_named_and_never_said_to_be_stopped() -> None:
    """Case 29: “could not stop” is a state."""
    ladder = Ladder(Uninterruptible(NOBODY, 7, "tree"), "a-nobody", reap=lambda: True)
    ladder.begin(0.0, 4.0, leader_lives=False)
    assert ladder.step(0.0) is not None
    assert ladder.step(3.9) is not None
    assert ladder.rung is Rung.TERMINATING
    assert ladder.step(4.0) is not None
    assert ladder.rung is Rung.KILLING
    assert ladder.step(4.0 + GIVE_UP_S) is None
    assert ladder.rung is Rung.COULD_NOT_STOP
    assert (ladder.left, ladder.killed) == ([NOBODY], 1)


def test_a_second_beginning_changes_nothing() -> None:
    ladder = Ladder(Uninterruptible(NOBODY, 7, "tree"), "a-nobody", reap=lambda: True)
    ladder.begin(0.0, 1.0, leader_lives=False)
    ladder.begin(0.9, 60.0, leader_lives=False)
    ladder.step(1.0)
    assert ladder.rung is Rung.KILLING
