"""Twin runs: the same workflow twice, the short one ends, and what is shown stays with the one that lives (Q1, OWN1–OWN5, ID3).

What lives is taken from the system's table of processes, what was spent from the scripts of the agents: neither from what is judged.
"""

from __future__ import annotations

import asyncio
from decimal import Decimal
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.projection import WorkflowStatus
from quarterdeck.domain.views import RunView
from quarterdeck.engine.doctor.ground import LOOK_EVERY_S, Ground, launch, processes_of, require, wait_until
from quarterdeck.engine.service import Engine

TITLE = "Twin runs"
SCRIPT = "cost {{ inputs.price }} a step\nwork {{ inputs.time }} in {{ inputs.steps }} steps\noutput done"
LONG = {"price": "0.0011", "time": "4s", "steps": "8"}
SHORT = {"price": "0.0013", "time": "600ms", "steps": "3"}
START_WITHIN_S, END_WITHIN_S = 8.0, 12.0


async def twin_runs(ground: Ground) -> str:
    """What was seen, in a sentence. Raises PromiseBroken."""
    nodes = [{"id": "work", "title": "Work", "agent": "practice", "prompt": SCRIPT}]
    path = ground.workflow(nodes, {"practice": {"kind": "practice"}}, inputs=("price", "time", "steps"))
    async with ground.engine() as engine:
        long = await launch(engine, path, **LONG)
        await wait_until(lambda: processes_of(long), START_WITHIN_S, "A launched agent did not start.")
        short = await launch(engine, path, **SHORT)
        looks = await _watch(engine, long, short)
        ground.facts["looks"] = looks
        await _judge_end(engine, ground, long, short)
    return f"In {looks} looks the workflow never looked idle while a run of it lived, and no figure went to the other run."


async def _watch(engine: Engine, long: RunId, short: RunId) -> int:
    """Look at the status while the long run lives. A look counts for a run that had a process before and after it."""
    looks, has_outlived = 0, False
    while True:
        before = await processes_of(long), await processes_of(short)
        status = _status(engine)
        after = await processes_of(long), await processes_of(short)
        if not after[0]:
            break
        if before[0]:
            looks += 1
            _judge_look(status, long, short if before[1] and after[1] else None)
        ended = engine.live_run(short)
        if not has_outlived and not after[1] and ended is not None and not ended.is_live:
            has_outlived = True
            require(
                _status(engine).shown_run == long,
                "A run that ended spoke for its workflow while another one lived.",
            )
        await asyncio.sleep(LOOK_EVERY_S)
    require(has_outlived, "The short run did not end before the long one, so nothing can be said.")
    return looks


def _judge_look(status: WorkflowStatus, long: RunId, short: RunId | None) -> None:
    require(
        status.state == "live",
        f"The workflow was shown as “{status.state}” while an agent of it was at work.",
    )
    if short is not None:
        require(status.live == 2, f"Two runs were at work and the workflow counted {status.live}.")
        require(status.shown_run == short, "Of two runs at work the workflow did not show the newest.")


def _status(engine: Engine) -> WorkflowStatus:
    (status,) = engine.statuses()
    return status


async def _judge_end(engine: Engine, ground: Ground, long: RunId, short: RunId) -> None:
    async with asyncio.timeout(END_WITHIN_S):
        ends = [await engine.wait_ended(run) for run in (long, short)]
    for name, view, said in (("long", ends[0], LONG), ("short", ends[1], SHORT)):
        ground.facts[name] = _figures(view)
        spent = Decimal(said["price"]) * int(said["steps"])
        words = f"The {name} run spent ${spent} in {said['steps']} turns by its agent's script, and ${view.cost_usd} in {view.turns} is told."
        require(view.cost_usd == spent and view.turns == int(said["steps"]), words)
        require(
            (ground.data / "runs" / view.run_id / "record.json").is_file(), f"The {name} run has no record."
        )
    status = _status(engine)
    require(
        status.state == "ended" and status.shown_run == long,
        "Once both had ended the workflow did not show the one that ended last.",
    )


def _figures(view: RunView) -> dict[str, Any]:
    return {"run": view.run_id, "cost_usd": str(view.cost_usd), "turns": view.turns}
