"""The last reports of an attempt: `exit`, then `exit.json`. Called when the tree is gone, or cannot be made to go."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from quarterdeck.domain import reports
from quarterdeck.shim.exit_file import ExitFile
from quarterdeck.shim.launch import LaunchSpec
from quarterdeck.shim.relay import Relay
from quarterdeck.shim.report_stream import ReportStream
from quarterdeck.shim.writer import Writer
from quarterdeck.store.machine import now

FLUSH_S = 1.5
"""How long a disk that does not take the last reports may delay the attested end."""
FILES_S = 30.0
FILES_AT_STOP_S = 1.0


class Ending(NamedTuple):
    """Why an agent is being ended, as `ending` says."""

    reason: str
    grace_s: float


class Told(NamedTuple):
    """How far the end reached the disk."""

    upto: int
    durable_seq: int


def publish_end(
    spec: LaunchSpec,
    stream: ReportStream,
    writer: Writer,
    relay: Relay,
    exit_file: ExitFile,
    ending: Ending | None,
    status: int | None,
    *,
    tree_is_empty: bool,
    killed: int = 0,
    left: list[int] | None = None,
    reason: str = "exit",
) -> Told:
    """`exit` in the reports, everything on the disk as far as it goes, then `exit.json` with what was counted."""
    writer.wait_jobs(FILES_S if ending is None else FILES_AT_STOP_S)
    stream.collect()
    judged: dict[str, Any] = {
        "code": None if status is None or os.WIFSIGNALED(status) else os.WEXITSTATUS(status),
        "signal": os.WTERMSIG(status) if status is not None and os.WIFSIGNALED(status) else None,
        "reason": reason if ending is None else ending.reason,
        "after_ending": ending is not None,
        "tree_empty": tree_is_empty,
        "killed": killed,
        "left": left or [],
        "figures": stream.figures(),
    }
    stream.add({"kind": reports.EXIT, **judged})
    writer.wait_idle(FLUSH_S)
    moment = now()
    exit_file.publish(
        {
            "schema": 1,
            "run": spec.run,
            "attempt": spec.attempt,
            "epoch": spec.epoch,
            "boot": moment.boot,
            "boot_ms": moment.boot_ms,
            "wall_ms": moment.wall_ms,
            **judged,
            "upto": writer.written_seq,
            "said_seq": stream.seq,
        }
    )
    relay.flush()
    return Told(writer.written_seq, writer.durable_seq)
