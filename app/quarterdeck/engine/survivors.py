"""Processes of a former attempt that are alive, and the ending of exactly one of them (REC9, case 29). Blocking.

A process is the attempt's where it carries its mark, holds its lease, or is the keeper that its first report names.
Who cleared the environment and closed the lease cannot be found by us (ruling 24).
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.reports import STARTING
from quarterdeck.engine.recovery import ProcessEnd, Survivor
from quarterdeck.shim.processes import ProcessStat, marked, stat_of
from quarterdeck.store.attempts import Attempts
from quarterdeck.store.errors import StoreError, is_odd_entry
from quarterdeck.store.machine import boot_id

GRACE_S = 4.0
KILLED_WITHIN_S = 2.0
COMMAND_CHARS_MAX = 500


def survivors_of(attempts: Attempts, run: RunId, attempt: AttemptId) -> tuple[Survivor, ...]:
    """Everything that is alive of an attempt, each once, the keeper last: it ends the others where it still can."""
    found = {stat.pid: (stat, "carries the agent's mark") for stat in marked(attempt)}
    for stat in lease_holders(attempts, run, attempt):
        found.setdefault(stat.pid, (stat, "holds the agent's lease"))
    keeper = _keeper(attempts, run, attempt)
    if keeper is not None:
        found.pop(keeper.pid, None)
        found[keeper.pid] = (keeper, "is the keeper of the agent")
    return tuple(Survivor(s.pid, s.start_ticks, command_of(s.pid), how) for s, how in found.values())


def end_survivor(
    attempts: Attempts, run: RunId, attempt: AttemptId, pid: int, ticks: int
) -> ProcessEnd | Refusal:
    """End it, and see that it ended. A refusal where it is none of the attempt's, or may not be ended by us.

    The descriptor is taken first and the process judged after it, so whatever took the pid since is never signalled.
    """
    try:
        pidfd = os.pidfd_open(pid)
    except OSError:
        return _refused(pid, "is gone; nothing was left to be ended")
    try:
        now = stat_of(pid)
        is_its = any(
            one.pid == pid and one.start_ticks == ticks for one in survivors_of(attempts, run, attempt)
        )
        if now is None or now.start_ticks != ticks or not is_its:
            return _refused(pid, "is none of this agent's any more; nothing was ended")
        result = _end(pidfd)
    except PermissionError:
        return _refused(pid, "belongs to another user; it was not ended")
    finally:
        os.close(pidfd)
    left = survivors_of(attempts, run, attempt)
    words = {
        "ended": f"Process {pid} has ended.",
        "killed": f"Process {pid} did not end when asked and was killed.",
        "still_alive": f"Process {pid} could not be ended: it is still alive.",
    }[result]
    match result:
        case "ended" | "killed" | "still_alive":
            return ProcessEnd(result, words, left)
        case _:
            raise ValueError(result)


def _refused(pid: int, why: str) -> Refusal:
    return Refusal(Code.E_PROCESS, f"Process {pid} {why}.", (("pid", str(pid)),))


def _end(pidfd: int) -> str:
    """As the ladder does: TERM with CONT, then KILL. What is said was seen."""
    _signal(pidfd, signal.SIGTERM)
    _signal(pidfd, signal.SIGCONT)
    if _has_ended(pidfd, GRACE_S):
        return "ended"
    _signal(pidfd, signal.SIGKILL)
    return "killed" if _has_ended(pidfd, KILLED_WITHIN_S) else "still_alive"


def _signal(pidfd: int, number: signal.Signals) -> None:
    try:
        signal.pidfd_send_signal(pidfd, number)
    except ProcessLookupError:
        return  # it ended before; the wait that follows sees so


def _has_ended(pidfd: int, within_s: float) -> bool:
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(within_s * 1000))


def command_of(pid: int) -> str:
    """The command line, cut; the process's name where it has none. Foreign text."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            raw = file.read(16_384)
        if not raw:
            with open(f"/proc/{pid}/comm", "rb") as file:
                raw = file.read(100)
    except OSError:
        return ""
    text = raw.rstrip(b"\0\n").replace(b"\0", b" ").decode("utf-8", "replace")
    return text if len(text) <= COMMAND_CHARS_MAX else text[: COMMAND_CHARS_MAX - 1] + "…"


def _keeper(attempts: Attempts, run: RunId, attempt: AttemptId) -> ProcessStat | None:
    try:
        first = next(attempts.each_report(run, attempt), None)
    except StoreError as error:
        if not is_odd_entry(error):
            raise
        return None  # by its lease and its mark it is still found
    if first is None or first.get("kind") != STARTING or first.get("boot") != boot_id():
        return None
    stat = stat_of(int(first["shim_pid"]))
    if stat is None or not stat.is_alive or stat.start_ticks != first["shim_start_ticks"]:
        return None
    return stat


def lease_holders(attempts: Attempts, run: RunId, attempt: AttemptId) -> Iterator[ProcessStat]:
    """Living processes, this one excepted, that hold the lease, and not those that only have its file open to look at it."""
    try:
        lease = os.stat(attempts.folder(run, attempt).lease_path)
    except OSError:
        return
    if attempts.lease_is_free(run, attempt):
        return
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid() and _holds(name, (lease.st_dev, lease.st_ino)):
            stat = stat_of(int(name))
            if stat is not None and stat.is_alive:
                yield stat


def _holds(pid: str, file: tuple[int, int]) -> bool:
    """Whether the process inherited the very description that the engine locked: the lock belongs to that alone."""
    try:
        numbers = os.listdir(f"/proc/{pid}/fd")
    except OSError:
        return False  # it ended, or belongs to somebody else
    for number in numbers:
        try:
            status = os.stat(f"/proc/{pid}/fd/{number}")
        except OSError:
            continue
        if (status.st_dev, status.st_ino) == file and _is_locked_by(pid, number):
            return True
    return False


def _is_locked_by(pid: str, number: str) -> bool:
    """A lease is locked exclusively; who looks shares the lock for an instant (`store.locks`)."""
    try:
        with open(f"/proc/{pid}/fdinfo/{number}", "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return False
    return any(line.startswith(b"lock:") and b" WRITE " in line for line in lines)
