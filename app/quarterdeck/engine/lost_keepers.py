"""What a keeper leaves of its agent when it is killed, ended by the app that owns the attempt and lives on (design §4 *Ending*).

As the keeper would have: TERM with CONT, a grace, KILL in a loop. Only who saw the keeper go does this: what outlives an app is
listed, and a person ends it (REC9). Nothing is kept of it: where the app is killed meanwhile, the next start finds what is left.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.states import Evidence
from quarterdeck.engine.deaths import DeathFinding, Verdict, look_pauses_s
from quarterdeck.engine.survivors import lease_holders
from quarterdeck.shim.processes import ProcessStat, descendants, marked, send_all, stat_of
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.errors import StoreDown
from quarterdeck.store.machine import awake_ms

log = logging.getLogger(__name__)
GRACE_MS = 3_000
"""Shorter than that of Stop: six seconds after the keeper's end nothing is to be left, the look and KILL included."""
SHORTEST_GRACE_MS = 1_000
"""For those who are found late, where many keepers are lost at once."""
GIVE_UP_MS = 2_000
"""After so long of KILL what is left cannot be stopped, and that is said."""
KILL_EVERY_S = 0.05
Identity = tuple[int, int]


class Orphans:
    """The processes of one attempt without its keeper: by its mark, by its lease, and what stands below one of these.

    Each is remembered by pid and start time, so that one that cleared its environment is still known when its parent has gone.
    Made when the keeper has gone. on_found is called, on the loop, whenever there are some to be ended. ours: pids that are never
    among them (the fork server holds the lease of what it has just started). One caller at a time.
    """

    def __init__(
        self,
        attempts: Attempts,
        run: RunId,
        attempt: AttemptId,
        on_found: Callable[[AttemptId], None],
        *,
        ours: frozenset[int] = frozenset(),
    ) -> None:
        self._attempts, self._run, self._attempt, self._on_found = attempts, run, attempt, on_found
        self._ours = ours | {os.getpid()}
        self._known: dict[Identity, ProcessStat] = {}
        self._gone_at_ms = awake_ms()
        self._kill_at_ms: int | None = None
        self._killed_since_ms: int | None = None
        """When KILL was first sent: a walk over a full machine may come late."""
        self._pauses_s = look_pauses_s()
        self._has_given_up = False

    async def end_after(self, found: DeathFinding) -> bool:
        """As `end`, where that look leaves something to be ended: an agent whose keeper attested its end, or that it could not be
        stopped, is left as it is.
        """
        is_over = found.verdict is Verdict.DEAD and not self._is_any_left()
        return found.exit_file is None and not is_over and await self.end()

    async def end(self) -> bool:
        """End them all, as far as that can be done. Whether there was anything to do, so that another look will say more."""
        has_acted = False
        while (pause_s := await asyncio.to_thread(self._step)) is not None:
            if not has_acted:
                self._on_found(self._attempt)
            has_acted = True
            await asyncio.sleep(pause_s)
        return has_acted

    def judged(self, found: DeathFinding) -> DeathFinding:
        """A look at the attempt, in the light of what is known here: what lost its mark and could not be stopped lives."""
        if found.verdict is Verdict.DEAD and self._is_any_left():
            return DeathFinding(Verdict.SURVIVOR, Evidence.COULD_NOT_STOP)
        return found

    def _step(self) -> float | None:
        """Do what is due; seconds until the next step, None where nothing is left that may yet be ended. Blocking."""
        now_ms = awake_ms()
        if self._kill_at_ms is not None and now_ms < self._kill_at_ms and self._is_any_left():
            return min(next(self._pauses_s), (self._kill_at_ms - now_ms) / 1000)
        members = [] if self._has_given_up else self._look()
        if not members:
            self._kill_at_ms = self._killed_since_ms = None
            return None
        if self._kill_at_ms is None:
            log.info("attempt %s lost its keeper; %s of it are ended", self._attempt, _named(members))
            self._kill_at_ms = max(self._gone_at_ms + GRACE_MS, now_ms + SHORTEST_GRACE_MS)
            self._pauses_s = look_pauses_s()
            send_all(members, signal.SIGTERM, signal.SIGCONT)
            return next(self._pauses_s)
        if self._killed_since_ms is not None and now_ms >= self._killed_since_ms + GIVE_UP_MS:
            log.warning("attempt %s lost its keeper; %s could not be stopped", self._attempt, _named(members))
            self._has_given_up = True
            return None
        if now_ms >= self._kill_at_ms:
            self._killed_since_ms = self._killed_since_ms or now_ms
            send_all(members, signal.SIGSTOP)  # nobody forks while the others are killed
            send_all(members, signal.SIGKILL)
        return KILL_EVERY_S

    def _is_any_left(self) -> bool:
        """Whether one lives of those that were found, also where nothing tells any more whose it is."""
        self._known = {one: stat for one, stat in self._known.items() if _is_alive(stat)}
        return bool(self._known)

    def _lease_holders(self) -> list[ProcessStat]:
        try:
            return list(lease_holders(self._attempts, self._run, self._attempt))
        except StoreDown as error:  # the disk does not say who holds it: the marks have to do
            log.warning("attempt %s: who holds its lease is not known: %s", self._attempt, error)
            return []

    def _look(self) -> list[ProcessStat]:
        """All that live, each once; none of ours."""
        found = [*marked(self._attempt), *self._lease_holders()]
        self._is_any_left()
        found += self._known.values()
        found += descendants(*(stat.pid for stat in found if stat.pid not in self._ours))
        self._known = {
            (stat.pid, stat.start_ticks): stat
            for stat in found
            if stat.is_alive and stat.pid not in self._ours
        }
        return list(self._known.values())


def _is_alive(stat: ProcessStat) -> bool:
    now = stat_of(stat.pid)
    return now is not None and now.is_alive and now.start_ticks == stat.start_ticks


def _named(members: list[ProcessStat]) -> str:
    return ", ".join(f"process {stat.pid}" for stat in members)
