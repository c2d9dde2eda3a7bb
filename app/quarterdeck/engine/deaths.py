"""Proof of death of one attempt, judged from what is on disk and in `/proc` (design §4, ruling 24).

Blocking; call it from a worker thread. It changes nothing. The order is the design's: another boot; `exit.json` with
`tree_empty`; the PID namespace gone; else no trace of shim, lease and mark. `exit.json` is read again after the other
looks, so that an end in between is not missed.
"""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice
from typing import Any, TypeVar

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.reports import ENDING, STARTED, STARTING, Report
from quarterdeck.domain.states import Evidence
from quarterdeck.shim.exit_file import CRASH_FILE
from quarterdeck.shim.processes import ProcessStat, marked
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.errors import StoreError, is_odd_entry
from quarterdeck.store.machine import awake_ms, boot_id, now, process_identity

log = logging.getLogger(__name__)
T = TypeVar("T")
LOOK_APART_S = 0.1
AFTER_DEADLINE_MS = 1_000
HELD_LEASE_MS = 1_000
HEAD_REPORTS = 16
"""`starting` is the first report, and `started` comes before everything that the agent says: a few lines in."""


class Verdict(StrEnum):
    """What can be said of an attempt whose owner is gone."""

    DEAD = "dead"
    STILL_ENDING = "still_ending"
    SURVIVOR = "survivor"


@dataclass(frozen=True, slots=True)
class DeathFinding:
    """Verdict with its evidence. `wait_ms`: when STILL_ENDING, how long until a look can say more.

    has_keeper_failed: its shim met a fault of its own, and left word of it.
    """

    verdict: Verdict
    evidence: Evidence | None = None
    exit_file: dict[str, Any] | None = None
    survivors: tuple[ProcessStat, ...] = ()
    wait_ms: int = 0
    has_keeper_failed: bool = False


@dataclass(frozen=True, slots=True)
class _Known:
    """What the first reports say about who ran where. is_readable: False where something else lies in their place."""

    starting: Report | None
    started: Report | None
    is_readable: bool = True


def look_pauses_s() -> Iterator[float]:
    """How long to wait between looks at an attempt that is still ending: most end at once, few use their whole grace."""
    pause_s = 0.02
    while True:
        yield pause_s
        pause_s = min(0.5, pause_s * 1.5)


class DeathWatch:
    """Looks at one attempt until it is proved dead. It remembers how far the reports were searched for `ending`."""

    def __init__(self, attempts: Attempts, run: RunId, attempt: AttemptId) -> None:
        self._attempts, self._run, self.attempt = attempts, run, attempt
        self._ending: Report | None = None
        self._searched_bytes = 0

    def look(self, dead_for_ms: int) -> DeathFinding:
        """Judge it now. `dead_for_ms`: how long its owner is known to be gone (0 where just found), time awake alone."""
        found = self._judge(dead_for_ms)
        if found.verdict is not Verdict.DEAD or found.exit_file is not None:
            return found
        folder = self._attempts.folder(self._run, self.attempt)
        if folder.exit_path.exists():
            again = self._judge(dead_for_ms)  # it may have been written while the rest was looked at
            if again.exit_file is not None:
                return again
            log.warning(
                "%s is damaged and proves nothing; the end was judged by %s", folder.exit_path, found.evidence
            )
        return replace(found, has_keeper_failed=(folder.path / CRASH_FILE).exists())

    def _judge(self, dead_for_ms: int) -> DeathFinding:
        attempts, run, attempt = self._attempts, self._run, self.attempt
        exit_file = attempts.exit_file(run, attempt)
        known = _known(attempts, run, attempt)
        proof = _proof(exit_file, known)
        if proof is not None:
            return proof
        alive = _alive_now(attempts, run, attempt, known)
        again = attempts.exit_file(run, attempt)
        if again is not None and again.get("tree_empty"):
            return DeathFinding(Verdict.DEAD, Evidence.EXIT_FILE, again)
        if not alive.shim and not alive.processes and not alive.lease_held:
            return DeathFinding(Verdict.DEAD, _traceless(attempts, run, attempt, known, again), again)
        wait_ms = self._still_ending_ms(dead_for_ms)
        if wait_ms > 0:
            return DeathFinding(Verdict.STILL_ENDING, wait_ms=wait_ms)
        return _look_twice(attempts, run, attempt, known, alive)

    def _still_ending_ms(self, dead_for_ms: int) -> int:
        """Before the recorded deadline and a second an attempt is still ending; without one, for a second of holding.

        Time awake counts: a shim that slept with the machine has the rest of its grace yet (LSE5).
        """
        ending = self._find_ending()
        if ending is not None:
            deadline_ms = ending.get("deadline_awake_ms")
            if isinstance(deadline_ms, int):
                return deadline_ms + AFTER_DEADLINE_MS - awake_ms()
            return int(ending["deadline_boot_ms"]) + AFTER_DEADLINE_MS - now().boot_ms
        return HELD_LEASE_MS - dead_for_ms

    def _find_ending(self) -> Report | None:
        """The first `ending`. It stands behind everything that the agent told: only what was added since is searched."""
        if self._ending is None:
            try:
                self._ending, self._searched_bytes = self._attempts.find_report(
                    self._run, self.attempt, ENDING, self._searched_bytes
                )
            except StoreError as error:
                if not is_odd_entry(error):
                    raise
        return self._ending


def wait_verdict(attempts: Attempts, run: RunId, attempt: AttemptId) -> DeathFinding:
    """Look until more can be said than `still ending`, for at most the deadline that the shim recorded."""
    begun_ms = awake_ms()
    watch = DeathWatch(attempts, run, attempt)
    return _look_until(
        lambda: watch.look(awake_ms() - begun_ms), lambda found: found.verdict is not Verdict.STILL_ENDING
    )


def wait_while(holds: Callable[[], object], within_ms: int) -> bool:
    """Look until it does not hold any more, at most so long; whether it came to that."""
    return not _look_until(holds, lambda held: not held, within_ms)


def _look_until(look: Callable[[], T], is_enough: Callable[[T], bool], within_ms: float = math.inf) -> T:
    """The first look that is enough, or the last within the time. In a worker thread: nothing signals the end of a process
    that is no child of ours, nor that another process has let go of a lock.
    """
    begun_ms, pauses_s = awake_ms(), look_pauses_s()
    while not is_enough(found := look()) and awake_ms() - begun_ms <= within_ms:
        time.sleep(next(pauses_s))
    return found


@dataclass(frozen=True, slots=True)
class _Look:
    shim: bool
    lease_held: bool
    processes: tuple[ProcessStat, ...]


def _known(attempts: Attempts, run: RunId, attempt: AttemptId) -> _Known:
    """From the first lines alone: the file may be long, and an attempt that is ending is looked at many times a second."""
    found: dict[str, Report] = {}
    try:
        for report in islice(attempts.each_report(run, attempt), HEAD_REPORTS):
            found[str(report.get("kind"))] = report
            if STARTED in found:
                break
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        return _Known(found.get(STARTING), found.get(STARTED), is_readable=False)
    return _Known(found.get(STARTING), found.get(STARTED))


def _proof(exit_file: dict[str, Any] | None, known: _Known) -> DeathFinding | None:
    """The proofs that need no look at processes by name. That there is no lease proves nothing: an agent may unlink it."""
    if known.starting is not None and known.starting.get("boot") != boot_id():
        return DeathFinding(Verdict.DEAD, Evidence.OTHER_BOOT, exit_file)
    if exit_file is not None and exit_file.get("tree_empty"):
        return DeathFinding(Verdict.DEAD, Evidence.EXIT_FILE, exit_file)
    if _namespace_gone(known) and not _shim_alive(known):
        return DeathFinding(Verdict.DEAD, Evidence.NAMESPACE_GONE, exit_file)
    return None


def _namespace_gone(known: _Known) -> bool:
    if known.started is None or known.started.get("containment") == "tree":
        return False
    inode = known.started.get("pid_ns")
    return isinstance(inode, int) and not _has_members(inode)


def _has_members(pid_ns: int) -> bool:
    """Whether any process that we may look at is in that PID namespace."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if os.stat(f"/proc/{name}/ns/pid").st_ino == pid_ns:
                    return True
            except OSError:
                continue  # It ended while we looked, or belongs to somebody else.
    return False


def _shim_alive(known: _Known) -> bool:
    if known.starting is None:
        return False
    identity = process_identity(int(known.starting["shim_pid"]))
    return identity is not None and identity[0] == known.starting["shim_start_ticks"]


def _alive_now(attempts: Attempts, run: RunId, attempt: AttemptId, known: _Known) -> _Look:
    return _Look(_shim_alive(known), not attempts.lease_is_free(run, attempt), tuple(marked(attempt)))


def may_have_begun(attempts: Attempts, run: RunId, attempt: AttemptId) -> bool:
    """Whether something beside its reports says so, or nothing can: it printed, or what was kept of it, or of all attempts, is
    another thing by now.
    """
    is_odd = attempts.is_odd(run, attempt) or not attempts.can_be_listed(run)
    return is_odd or attempts.has_printed(run, attempt)


def _traceless(
    attempts: Attempts, run: RunId, attempt: AttemptId, known: _Known, exit_file: dict[str, Any] | None
) -> Evidence:
    """Never started only where nothing tells of more: reports may be gone, and what it printed or the end it had is there."""
    is_unstarted = known.starting is None and known.is_readable
    has_told = bool((exit_file or {}).get("upto"))
    is_unstarted = is_unstarted and not has_told and not may_have_begun(attempts, run, attempt)
    return Evidence.NEVER_STARTED if is_unstarted else Evidence.NO_TRACE


def _look_twice(
    attempts: Attempts, run: RunId, attempt: AttemptId, known: _Known, first: _Look
) -> DeathFinding:
    """A survivor needs two equal looks, or a held lease (design §4)."""
    time.sleep(LOOK_APART_S)  # In a worker thread: the design asks for two looks this far apart.
    second = _alive_now(attempts, run, attempt, known)
    exit_file = attempts.exit_file(run, attempt)
    if exit_file is not None and exit_file.get("tree_empty"):
        return DeathFinding(Verdict.DEAD, Evidence.EXIT_FILE, exit_file)
    if not second.shim and not second.processes and not second.lease_held:
        return DeathFinding(Verdict.DEAD, _traceless(attempts, run, attempt, known, exit_file), exit_file)
    if second == first or second.lease_held:
        return DeathFinding(Verdict.SURVIVOR, Evidence.COULD_NOT_STOP, exit_file, second.processes)
    return DeathFinding(Verdict.STILL_ENDING, wait_ms=int(LOOK_APART_S * 1000))
