"""`python -m tests.crash.many_records FOLDER ENDED CUT_OFF`: a data folder with so many ended runs, and so many of a dead session.

`python -m tests.crash.many_records FOLDER`: a start over it, as a window does it up to its first view. Prints what it saw.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from quarterdeck.domain.events import AttemptClaimed
from quarterdeck.domain.ids import AttemptId, Revision, SessionId, SlotId
from quarterdeck.engine.context import default_actor
from quarterdeck.engine.service import Engine
from quarterdeck.store.sessions import SessionIdentity
from tests.engine.kept import end_run, open_with_list
from tests.store.builders import AT, header, run_id


def make(folder: Path, ended: int, cut_off: int) -> None:
    """The process ends without closing anything: its session is a dead one. Nothing is synced, as no power is cut here."""
    os.fsync = os.fdatasync = lambda fd: None  # type: ignore[assignment]
    store = open_with_list(folder)
    for number in range(1, ended + 1):
        end_run(store, number, f"w-{number % 40}")
    session = store.sessions.begin(SessionIdentity.of_this_process("window"))
    for number in range(ended + 1, ended + cut_off + 1):
        run = run_id(number)
        session.list_run(run)
        entry = header(number, store.tenant)
        launched = replace(entry.event, session_id=session.session_id, actor=default_actor())  # type: ignore[type-var]
        journal = store.runs.create(run, replace(entry, event=launched))  # type: ignore[arg-type]
        journal.append(_claim(number, session.session_id), AT, sync=True).result(20)
    os._exit(0)


def _claim(number: int, session: SessionId) -> AttemptClaimed:
    attempt = AttemptId(f"a-{number:032x}")
    return AttemptClaimed(
        SlotId("lint"),
        attempt,
        1,
        "ruff",
        "command",
        Revision("d" * 64),
        "schedule",
        default_actor(),
        session,
    )


async def start(folder: Path) -> None:
    engine = await Engine.open(folder, kind="window")
    runs = engine.runs()
    print(json.dumps([len(runs), sum(str(run.outcome) == "interrupted" for run in runs)]))
    await engine.close()


if __name__ == "__main__":
    if len(sys.argv) > 2:
        make(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    asyncio.run(start(Path(sys.argv[1])))
