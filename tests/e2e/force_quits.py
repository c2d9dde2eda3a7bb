"""Launches a workflow of a shape in a forked child, kills it at a moment, and lets the next process tell the prompt.

`python -m tests.e2e.force_quits FOLDER` reads points `[id, shape, turn, word, milliseconds]`, one a line (so long
after the app said the word, or after its start where there is none); prints one object each.
Judging is `prompt_judge`'s and `judge`'s.
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
from tests.e2e import judge
from tests.e2e.nursery import Say, in_child
from tests.e2e.prompt_judge import judge_prompt
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


async def prompt(home: Path) -> dict[str, Any]:
    """What `recover --json` prints, from an engine that only reads."""
    engine = await Engine.open(home / "store", read_only=True)
    owed = await engine.recovery.owed()
    await engine.close()
    return {"runs": [_run_json(run, {}) for run in owed.runs], "unreadable": plain(owed.unreadable)}


def _asked(home: Path) -> Any:
    status, said, _ = in_child(lambda say: say("prompt", asyncio.run(prompt(home))))
    assert status == 0, "the next process failed"
    return said[-1][1]


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
    first = _asked(home)
    faults += judge_prompt(home, SHAPES[shape][0], first)
    before = judge.lasting(home)
    if _asked(home) != first or judge.lasting(home) != before:
        faults.append("asked a second time it says or leaves something else")
    launched = any(what[0] == "launched" for what in said)
    return {
        "killed": killed,
        "launched": launched,
        "owed": len(first["runs"]),
        "agents": sum(len(run["agents"]) for run in first["runs"]),
        "left_s": left_s,
        "faults": faults,
    }


def main(folder: Path) -> None:
    for line in sys.stdin:
        name, shape, turn, word, at_ms = json.loads(line)
        home = folder / str(name)
        try:
            result = try_point(home, shape, turn, word, at_ms)
        except Exception:
            result = {"killed": False, "owed": 0, "faults": [traceback.format_exc()]}
        print(json.dumps({"point": [name, shape, turn, word, at_ms], **result}), flush=True)
        if not result["faults"]:
            shutil.rmtree(home)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
