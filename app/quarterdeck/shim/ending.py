"""The last reports of an attempt: `exit`, then `exit.json`. Called when the tree is gone, or cannot be made to go."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from quarterdeck.shim.exit_file import ExitFile
from quarterdeck.shim.launch import LaunchSpec
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.writer import Writer
from quarterdeck.store.machine import now

FLUSH_S = 1.5
"""How long a disk that does not take the last reports may delay the attested end."""
LAST_REPORTS_S = 0.5
"""Of that, what is kept for the reports once the transcript has had its time."""
SEAL_S = 0.25
"""How long a write of reports that has begun is waited for."""
DISK_S = 30.0
"""How long the files that an agent named and its last reports may take after its end, counted from the last that the disk took."""
FILES_AT_STOP_S = 1.0
"""The same for the files alone, once its end is wanted: Stop, the end of the app, or a signal."""


class Ending(NamedTuple):
    """Why an agent is being ended, as `ending` says."""

    reason: str
    grace_s: float


@dataclass(frozen=True, slots=True)
class End:
    """How an attempt ended. status: the leader's raw wait status, None where it never ran. reason: without `ending`. is_over: the
    work was over before the program ended.
    """

    status: int | None
    ending: Ending | None
    tree_is_empty: bool
    killed: int = 0
    left: tuple[int, ...] = ()
    reason: str = "exit"
    is_over: bool = False

    def judged(self) -> dict[str, Any]:
        """The fields that `exit` and `exit.json` share."""
        signalled = self.status is not None and os.WIFSIGNALED(self.status)
        return {
            "code": None if self.status is None or signalled else os.WEXITSTATUS(self.status),
            "signal": os.WTERMSIG(self.status) if self.status is not None and signalled else None,
            "reason": self.reason if self.ending is None else self.ending.reason,
            "after_ending": self.ending is not None,
            "tree_empty": self.tree_is_empty,
            "killed": self.killed,
            "left": list(self.left),
            **({"over": True} if self.is_over else {}),
        }


def wait_for_disk(
    writer: Writer, is_end_wanted: Callable[[], bool], hear_for: Callable[[float], None]
) -> None:
    """Until what the agent named and said is kept, or the time for that is over; `hear_for` serves the app at most so many seconds.

    A slow disk that goes on taking it is waited for: what waits is bounded by its bytes, and work that is done has not failed
    because other programs write as well. An end that comes to be wanted meanwhile shortens the time once, so that Stop reaches
    idle in its bound (ID5); then, and where the disk refuses, what was said has only the time that `publish_end` gives it.
    """
    until_s, was_wanted = time.monotonic() + DISK_S, False
    progress = writer.progress
    while writer.jobs or not (was_wanted or writer.errno is not None or writer.is_idle):
        now_s = time.monotonic()
        if writer.progress != progress and not was_wanted:
            progress, until_s = writer.progress, now_s + DISK_S
        if not was_wanted and is_end_wanted():
            until_s, was_wanted = min(until_s, now_s + FILES_AT_STOP_S), True
            continue
        if now_s >= until_s:
            return
        hear_for(until_s - now_s)


def publish_end(
    spec: LaunchSpec, stream: ReportStream, writer: Writer, exit_file: ExitFile, end: End
) -> None:
    """`exit` in the reports, everything on the disk as far as it goes, then `exit.json` with what was counted.

    Called once the disk has had its time for the files that the agent named. What the agent said and did not get that far
    counts in `said_seq`, so that results count as durable only if `durable_seq` has reached it (JNL3, A15 row 8); `exit`
    is not the agent's, and `exit.json` says it as well. No report is written behind `upto`.
    """
    stream.collect()
    until_s = time.monotonic() + FLUSH_S
    said_seq = stream.seq + stream.unkept
    lost = writer.wait_transcript(FLUSH_S - LAST_REPORTS_S)
    told = stream.add_exit({**end.judged(), "transcript_lost_bytes": lost})
    writer.wait_idle(max(LAST_REPORTS_S, until_s - time.monotonic()))
    moment = now()
    identity = {"schema": 1, "run": spec.run, "attempt": spec.attempt, "epoch": spec.epoch}
    times = {"boot": moment.boot, "boot_ms": moment.boot_ms, "wall_ms": moment.wall_ms}
    counted = {"upto": writer.seal(SEAL_S), "durable_seq": writer.durable_seq, "said_seq": said_seq}
    exit_file.publish({**identity, **times, **told, **counted})
