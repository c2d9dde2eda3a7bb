"""A data folder with genuine files of every format, as the product wrote them, while the process that wrote them still lives.

Agents with reports of every kind, a retry, a discarded run, a run that is interrupted: so that each file has many lines.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.keeping import Discarded
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.e2e.works import python, shell, write_workflow

TALKS = """
import json
def say(type, **fields): print(json.dumps({"type": type, **fields}), flush=True)
say("session", id="s", resumable=True)
for n in range(6):
    say("turn")
    say("usage", cost_usd="0.0%d" % n, input_tokens=n, model="m%d" % n, message_id="m%d" % n)
    say("effect", id="e%d" % n, state="sent", kind="git", target="größe")
    say("checkpoint", step="s%d" % n, data={"n": n, "text": "x" * 300})
say("output", value={"k": [1, 2.5, None], "text": "y" * 600})
"""


@dataclass(frozen=True)
class Genuine:
    """The copied folder; a finished run, one of its attempts, and the file of the session that lived then."""

    folder: Path
    run: RunId
    attempt: AttemptId
    session: str


def make(home: Path) -> Genuine:
    """In a forked child, which is killed once the files are copied: the session in the copy is a dead one."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(write, asyncio.run(_life(home)).encode())
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        said = told.read().decode().split()
    os.waitpid(pid, 0)
    assert len(said) == 3, "the life that makes the files failed"
    return Genuine(home / "copy", RunId(said[0]), AttemptId(said[1]), said[2])


async def _life(home: Path) -> str:
    engine = await Engine.open(home / "store", fork_server=ForkServer.start())
    work = {f"n{number}": python(TALKS) for number in range(4)} | {"last": shell("true")}
    path = write_workflow(home / "work", work, *[(f"n{number}", "last") for number in range(4)])
    runs = []
    for _ in range(3):
        run = await engine.launch(LaunchRequest(path))
        assert not isinstance(run, Refusal), run
        view = await engine.wait_ended(run)
        runs.append(view)
    assert isinstance(await engine.keeping.discard(runs[0].run_id), Discarded)
    kept = runs[1]
    (session,) = (home / "store" / "sessions").glob("*.json")
    shutil.copytree(
        home / "store",
        home / "copy",
        ignore=lambda folder, names: [name for name in names if name.endswith(".sock")],
    )
    return f"{kept.run_id} {kept.slots[0].attempts[0].attempt_id} {session.stem}"
