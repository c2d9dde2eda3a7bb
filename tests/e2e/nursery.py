"""Runs the short run again and again in forked children, each killed at one point; afterwards it is looked at and settled.

`python -m tests.e2e.nursery FOLDER` reads points, one JSON list `[id, how, at, torn]` a line, from stdin: how is
`operation` (SIGKILL ahead of durable operation number `at`, torn: in the middle of a write), `moment` (SIGKILL from
outside, `at` milliseconds after the start), `settling` (the app was killed while an agent
had an effect under way, and the next two are killed ahead of operation `at` of their settling) or `none`. Prints one JSON object a point. The judging is `tests.e2e.judge`'s.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.show import run_to_json
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from quarterdeck.store.durable_io import DurableIO
from tests.crash.lab import load
from tests.e2e import judge
from tests.e2e.short_agents import write_workflow
from tests.store.faulty_io import KillingIO

Say = Callable[..., None]
Document = dict[str, Any]


class NotingIO(DurableIO):
    """Tells each operation's name, so that the sweep knows which there are."""

    def __init__(self) -> None:
        self.operations: list[str] = []

    def before(self, operation: str, target: str) -> None:
        self.operations.append(operation)


async def live(home: Path, io: DurableIO, say: Say) -> None:
    """The whole life of the app: open, launch, watch to the end, close. Says what it was told is durable."""
    engine = await Engine.open(home / "store", fork_server=ForkServer.start(), io=io)
    say("opened")
    run = await engine.launch(LaunchRequest(home / "work" / "short.workflow.json"))
    assert not isinstance(run, Refusal), run
    say("launched", run)
    async for event in engine.events(run):
        say("event", event.type, event.attempt, event.slot, event.data.get("report_seq"))
    view = await engine.wait_ended(run)
    say("ended", run, str(view.outcome))
    await engine.close()
    say("closed")


async def settle(home: Path, io: DurableIO | None = None) -> list[Document]:
    """What the next process sees: every run, once everything that died is settled."""
    engine = await Engine.open(home / "store", io=io)
    views = [await engine.run(summary.run_id) for summary in engine.runs()]
    await engine.close()
    return [run_to_json(view) for view in views if view is not None]


def in_child(
    work: Callable[[Say], None], kill_after_ms: int | None = None, after: bytes = b""
) -> tuple[int, list[Any], float]:
    """Do the work in a forked child; its wait status, what it said, and when it was gone (monotonic).

    kill_after_ms: SIGKILL so long after its start, or after it has said a line that holds the word `after`.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _end_child(work, write)
    os.close(write)
    pidfd = os.pidfd_open(pid)
    try:
        said = _hear_until(read, after) if after else b""
        if kill_after_ms is not None and not select.select([pidfd], [], [], kill_after_ms / 1000)[0]:
            os.kill(pid, signal.SIGKILL)
        with os.fdopen(read, "rb") as told:
            lines = (said + told.read()).splitlines()
        status = os.waitpid(pid, 0)[1]
    finally:
        os.close(pidfd)
    return status, [json.loads(line) for line in lines], time.monotonic()


def _hear_until(read: int, word: bytes) -> bytes:
    """What is said up to the word, or up to the end."""
    said = b""
    while word not in said and (piece := os.read(read, 1 << 16)):
        said += piece
    return said


def _end_child(work: Callable[[Say], None], write: int) -> None:
    def say(*what: object) -> None:
        os.write(write, json.dumps(what).encode() + b"\n")

    try:
        work(say)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _settled(home: Path) -> list[Document]:
    status, said, _ = in_child(lambda say: say("runs", asyncio.run(settle(home))))
    assert status == 0, "the next process failed"
    return list(said[-1][1])


def _deadly(say: Say) -> Say:
    def say_and_die(*what: object) -> None:
        say(*what)
        if what[:2] == ("event", "effect"):
            os.kill(os.getpid(), signal.SIGKILL)

    return say_and_die


def _killed_in_settling(home: Path, at: int) -> bool:
    status, _, _ = in_child(lambda _: asyncio.run(_settle_once(home, at)))
    return os.WIFSIGNALED(status)


async def _settle_once(home: Path, at: int) -> None:
    await settle(home, KillingIO(at))


def try_point(home: Path, how: str, at: int, torn: bool) -> Document:
    """One life, its death, and what is left of it."""
    write_workflow(home / "work")
    io: DurableIO = KillingIO(at, torn=torn) if how == "operation" else NotingIO()

    def work(say: Say) -> None:
        os.environ["QUARTERDECK_DATA_DIR"] = str(
            home / "store"
        )  # so that whatever it leaves carries this folder
        os.chdir(home / "work")
        asyncio.run(live(home, io, _deadly(say) if how == "settling" else say))
        if isinstance(io, NotingIO):
            say("operations", io.operations)

    status, said, died_at = in_child(work, at if how == "moment" else None)
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and status != 0:
        return {"killed": False, "faults": [f"the app ended with wait status {status}"], "said": said}
    left_s, faults = judge.wait_no_marks(home, died_at)
    faults += judge.look(home, said)
    if how == "settling":
        killed = all(_killed_in_settling(home, at) for _ in range(2))
    first = _settled(home)
    faults += judge.look_settled(home, said, first)
    before = judge.lasting(home)
    second = _settled(home)
    if second != first or judge.lasting(home) != before:
        faults.append("settling a second time changed something")
    return {
        "killed": killed,
        "left_s": left_s,
        "said": said,
        "faults": faults,
        "outcomes": [run["outcome"] for run in first],
    }


def main(folder: Path) -> None:
    load()
    for line in sys.stdin:
        name, how, at, torn = json.loads(line)
        home = folder / str(name)
        try:
            result = try_point(home, how, at, torn)
        except Exception:
            result = {"killed": False, "faults": [traceback.format_exc()], "said": []}
        print(json.dumps({"point": [name, how, at, torn], **result}), flush=True)
        if not result["faults"]:
            shutil.rmtree(home)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
