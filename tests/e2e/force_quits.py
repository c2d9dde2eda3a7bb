"""Launches a workflow of a shape in a forked child, kills it at a moment, and lets the next process tell the prompt.

`python -m tests.e2e.force_quits FOLDER COUNT` reads points `[id, shape, turn, word, milliseconds]`, one a line (so long
after the app said the word, or after its start where there is none), and tries COUNT of them at once; one object each in `FOLDER/n*/results`.
Judging is `prompt_judge`'s, `judge`'s and `overheard`'s.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import Any

from quarterdeck.cli.recovering import _run_json
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.recovery_json import plain
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer
from tests.crash.lab import load
from tests.e2e import judge
from tests.e2e.nursery import Say, in_child
from tests.e2e.overheard import overhear
from tests.e2e.prompt_judge import judge_prompt
from tests.e2e.seen import AGENT, KEEPER, marked
from tests.e2e.shapes import SHAPES, write_shape


async def live(home: Path, say: Say) -> None:
    """An app that launches and waits for the end."""
    engine = await Engine.open(home / "store", fork_server=ForkServer.start())
    say("opened")
    run = await engine.launch(LaunchRequest(home / "work" / "shape.workflow.json"))
    assert not isinstance(run, Refusal), run
    say("launched", run)
    view = await engine.wait_ended(run)
    say("ended", run, str(view.outcome))
    await engine.close()


QUIET_S = 2.0


async def prompt(home: Path, *, as_window: bool) -> dict[str, Any]:
    """What `recover --json` prints, from an engine that only reads; or from one as the window has it, alive for a while."""
    engine = await Engine.open(home / "store", read_only=not as_window)
    if as_window:
        await asyncio.sleep(QUIET_S)  # what is shown to be absent needs its time
    owed = await engine.recovery.owed()
    await engine.close()
    return {"runs": [_run_json(run, {}) for run in owed.runs], "unreadable": plain(owed.unreadable)}


def _asked(home: Path, *, as_window: bool) -> tuple[Any, list[str]]:
    """The prompt, and everything forbidden that the next process did (REC5, ruling 25)."""

    def work(say: Say) -> None:
        os.chdir(home / "work")
        os.environ["QUARTERDECK_CONFIG_DIR"] = str(home / "config")
        overhear(lambda words: say("heard", words), home / "store", home / "config")
        say("prompt", asyncio.run(prompt(home, as_window=as_window)))

    status, said, _ = in_child(work)
    assert status == 0, "the next process failed"
    return said[-1][1], [what[1] for what in said if what[0] == "heard"]


def try_point(home: Path, shape: str, turn: int, word: str, at_ms: int) -> dict[str, Any]:
    """One force-quit and its prompt, asked for twice."""
    write_shape(home / "work", shape, turn)

    def work(say: Say) -> None:
        os.environ["QUARTERDECK_DATA_DIR"] = str(home / "store")
        os.chdir(home / "work")
        asyncio.run(live(home, say))

    status, said, died_at = in_child(work, at_ms, word.encode())
    killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    if not killed and status != 0:
        return {"killed": False, "owed": 0, "faults": [f"the app ended with wait status {status}"]}
    left_s, faults = judge.wait_no_marks(home, died_at)
    first, heard = _asked(home, as_window=at_ms % 2 == 0)
    faults += judge_prompt(home, SHAPES[shape][0], first) + heard
    before = judge.lasting(home)
    second, heard = _asked(home, as_window=at_ms % 2 == 1)
    if second != first or judge.lasting(home) != before:
        faults.append("asked a second time it says or leaves something else")
    faults += heard + [f"{pid} was started" for pid in marked(str(home).encode() + b"/", AGENT, KEEPER)]
    launched = any(what[0] == "launched" for what in said)
    return {
        "killed": killed,
        "launched": launched,
        "owed": len(first["runs"]),
        "agents": sum(len(run["agents"]) for run in first["runs"]),
        "left_s": left_s,
        "faults": faults,
    }


def main(folder: Path, at_once: int) -> int:
    """Workers that share what was loaded once; each has its own part of the points, and its own `results`."""
    points = sys.stdin.read().splitlines()
    load()
    workers = []
    for number in range(at_once):
        home = folder / f"n{number}"
        home.mkdir()
        if (pid := os.fork()) == 0:
            try:
                _try_all(home, points[number::at_once])
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        workers.append(pid)
    return max(os.waitpid(pid, 0)[1] for pid in workers)


def _try_all(folder: Path, points: list[str]) -> None:
    with (folder / "results").open("w", buffering=1) as results:
        for line in points:
            name, shape, turn, word, at_ms = json.loads(line)
            home = folder / str(name)
            try:
                result = try_point(home, shape, turn, word, at_ms)
            except Exception:
                result = {"killed": False, "owed": 0, "faults": [traceback.format_exc()]}
            results.write(json.dumps({"point": [name, shape, turn, word, at_ms], **result}) + "\n")
            if not result["faults"]:
                shutil.rmtree(home)


if __name__ == "__main__":
    sys.exit(1 if main(Path(sys.argv[1]), int(sys.argv[2])) else 0)
