"""The one way in which a tree is ended (design §4): TERM and CONT, a grace, KILL in a loop, and a look that proves it.

Driven by the main loop: `step(now)` does what is due and says when it wants to be called again. Decides nothing about
why; writes nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from enum import Enum

from quarterdeck.shim import processes
from quarterdeck.shim.containment import AgentTree
from quarterdeck.shim.processes import ProcessStat

KILL_EVERY_S = 0.02
LOOK_EVERY_S = 0.05
GIVE_UP_S = 5.0
"""After so many seconds of KILL, what is left cannot be stopped, and that is said."""


class Rung(Enum):
    """Where the ladder stands."""

    IDLE = "idle"
    TERMINATING = "terminating"
    KILLING = "killing"
    EMPTY = "empty"
    COULD_NOT_STOP = "could_not_stop"


class Ladder:
    """Ends one tree. `reap` collects ended children and says whether any are left (False: waitpid said ECHILD)."""

    def __init__(self, tree: AgentTree, attempt: str, reap: Callable[[], bool]) -> None:
        self._tree, self._attempt, self._reap = tree, attempt, reap
        self._deadline_s = self._give_up_s = 0.0
        self._killed: set[tuple[int, int]] = set()
        self.rung = Rung.IDLE
        self.left: list[int] = []

    @property
    def killed(self) -> int:
        """How many processes needed KILL."""
        return len(self._killed)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be done."""
        return self.rung in (Rung.EMPTY, Rung.COULD_NOT_STOP)

    def begin(self, now_s: float, grace_s: float, *, leader_lives: bool) -> None:
        """First rung: the agent's group at once, then the tree by parents; each TERM is followed by CONT."""
        if self.rung is not Rung.IDLE:
            return
        self.rung, self._deadline_s = Rung.TERMINATING, now_s + grace_s
        if leader_lives:
            signal_group(self._tree.leader, signal.SIGTERM, signal.SIGCONT)
        rest = [s for s in self._members() if not (leader_lives and s.group == self._tree.leader)]
        processes.send_all(rest, signal.SIGTERM, signal.SIGCONT)

    def step(self, now_s: float) -> float | None:
        """Do what is due; seconds until the next step, None where the ladder is idle or over."""
        if self.rung is Rung.TERMINATING:
            if self._is_empty():
                self.rung = Rung.EMPTY
                return None
            if now_s < self._deadline_s:
                return min(LOOK_EVERY_S, self._deadline_s - now_s)
            self.rung, self._give_up_s = Rung.KILLING, now_s + GIVE_UP_S
        if self.rung is Rung.KILLING:
            return self._kill(now_s)
        return None

    def _kill(self, now_s: float) -> float | None:
        members = self._members()
        self._killed.update((stat.pid, stat.start_ticks) for stat in members)
        if self._tree.init is not None:
            _send_pid(self._tree.init, signal.SIGKILL)
        processes.send_all(members, signal.SIGSTOP)  # nobody forks while the others are killed
        processes.send_all(members, signal.SIGKILL)
        if self._is_empty():
            self.rung = Rung.EMPTY
            return None
        if now_s >= self._give_up_s:
            self.rung, self.left = Rung.COULD_NOT_STOP, [stat.pid for stat in self._members()]
            return None
        return KILL_EVERY_S

    def _members(self) -> list[ProcessStat]:
        found = {(s.pid, s.start_ticks): s for s in self._tree.members()}
        found.update({(s.pid, s.start_ticks): s for s in processes.marked(self._attempt)})
        return [stat for stat in found.values() if stat.pid != self._tree.init]

    def _is_empty(self) -> bool:
        """waitpid says ECHILD and a look for the mark finds nobody. One look will do: what forks while `/proc` is read is below
        a child of ours (orphans come to this process), so waitpid would not say so.
        """
        return not self._reap() and not processes.marked(self._attempt)


def signal_group(leader: int, *signals: signal.Signals) -> None:
    """Signal the process group of a leader that has not been reaped."""
    for number in signals:
        try:
            os.killpg(leader, number)
        except (ProcessLookupError, PermissionError):  # it ended meanwhile; the tree is looked at next
            return


def _send_pid(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:  # already gone
        return


def hold(tree: AgentTree, number: signal.Signals) -> None:
    """SIGSTOP or SIGCONT to the whole tree; repeated until a look finds nobody new (a process may fork meanwhile)."""
    signal_group(tree.leader, number)
    seen: set[tuple[int, int]] = set()
    for _ in range(20):
        fresh = [s for s in tree.members() if (s.pid, s.start_ticks) not in seen]
        if not fresh:
            return
        processes.send_all(fresh, number)
        seen.update((s.pid, s.start_ticks) for s in fresh)
