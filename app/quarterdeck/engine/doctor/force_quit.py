"""Force-quit: a real `run` is killed by SIGKILL in the middle, and what is found afterwards is a record and nothing that acts
(Q2, REC4–REC7, REC9, REC10, EFF2).

What the agents spent is taken from their scripts; what lives from the system's table of processes.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.states import EffectState, Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.doctor.ground import (
    LOOK_EVERY_S,
    Ground,
    PromiseBroken,
    processes_of,
    require,
    wait_until,
)
from quarterdeck.engine.service import Engine
from quarterdeck.store.regular import read_regular

TITLE = "Force-quit"
SCRIPTS = {
    "first": "cost 0.0017 a step\nwork 100ms in 1 step\noutput done",
    "second": "stubborn\ncost 0.0019 a step\nwork 300ms in 3 steps\neffect push origin/doctor: intended|sent\nsave half\nwait 50s",
    "third": "work 100ms in 1 step",
}
"""The second one ignores what asks it to end, so that the grace is part of what is seen, and would live longer than the check."""
SPENT, TURNS = Decimal("0.0017") + 3 * Decimal("0.0019"), 4
SHOWN = {"first": "Done", "second": "Stopped", "third": "Not started"}
KILL_WITHIN_S, GONE_WITHIN_S, SETTLED_WITHIN_S, QUIET_S = 12.0, 6.0, 8.0, 1.0


def own_command() -> tuple[str, ...]:
    """How this program is called once more."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    return (sys.executable, "-P", "-m", "quarterdeck")


async def force_quit(ground: Ground, command: Sequence[str] | None = None) -> str:
    """What was seen, in a sentence. Raises PromiseBroken. command: another program that is to be killed, for tests."""
    nodes = [
        {"id": name, "title": name.capitalize(), "agent": "practice", "prompt": script}
        for name, script in SCRIPTS.items()
    ]
    edges = [("first", "second"), ("second", "third")]
    path = ground.workflow(nodes, {"practice": {"kind": "practice"}}, edges)
    run = await _killed_run(ground, path, command or own_command())
    killed_s = time.monotonic()
    words = f"Agents were still at work {GONE_WITHIN_S:g} s after Quarterdeck was killed."
    await wait_until(lambda: _is_gone(run), GONE_WITHIN_S, words)
    ground.facts["gone_after_s"] = round(time.monotonic() - killed_s, 2)
    async with ground.engine() as engine:
        await _judge_found(engine, ground, run)
        await _judge_quiet(engine, run)
    return "Of a run whose Quarterdeck was killed a record is there, with every turn and cent; nothing was restarted and nothing lives."


async def _is_gone(run: RunId) -> bool:
    return await processes_of(run) == 0


async def _killed_run(ground: Ground, path: Path, command: Sequence[str]) -> RunId:
    """Run it in a process of its own, and kill that once the second agent has saved a step."""
    environ = {
        **os.environ,
        "QUARTERDECK_DATA_DIR": str(ground.data),
        "QUARTERDECK_CONFIG_DIR": str(ground.config),
        "QUARTERDECK_LOG_DIR": str(ground.folder / "log"),
    }
    said = ground.folder / "events"
    with said.open("wb") as out:
        process = await asyncio.create_subprocess_exec(
            *command, "run", str(path), "--events", stdin=DEVNULL, stdout=out, stderr=DEVNULL, env=environ
        )
    try:
        async with asyncio.timeout(KILL_WITHIN_S):
            return await _wait_saved(process, said)
    except TimeoutError:
        words = f"A run of practice agents did not come to its middle within {KILL_WITHIN_S:g} s."
        raise PromiseBroken(words) from None
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _wait_saved(process: Process, said: Path) -> RunId:
    """By the events that it prints, whole lines only."""
    while True:
        has_ended = process.returncode is not None
        for line in read_regular(said).splitlines(keepends=True):
            if line.endswith(b"\n") and (event := json.loads(line))["type"] == "checkpoint":
                return RunId(event["run"])
        if has_ended:
            raise PromiseBroken("A run of practice agents ended before it came to its middle.")
        await asyncio.sleep(LOOK_EVERY_S)


async def _judge_found(engine: Engine, ground: Ground, run: RunId) -> None:
    found = [one.run_id for one in engine.runs()]
    require(found == [run], f"After the kill {len(found)} runs are listed instead of the one that there was.")
    await wait_until(
        lambda: _is_settled(engine, run),
        SETTLED_WITHIN_S,
        "The killed run was not settled: an agent of it is still shown as ending.",
    )
    view = await _view(engine, run)
    displays = {slot.node_id: slot.display for slot in view.slots}
    ground.facts |= {"cost_usd": str(view.cost_usd), "turns": view.turns, "agents": displays}
    require(not view.is_live, "The killed run is shown as live.")
    require(
        view.outcome is Outcome.INTERRUPTED, f"The killed run is told as {view.outcome}, not as interrupted."
    )
    require(displays == SHOWN, f"The agents are shown as {displays}, not as {SHOWN}.")
    require(
        view.cost_usd == SPENT and view.turns == TURNS,
        f"By their scripts the agents spent ${SPENT} in {TURNS} turns; ${view.cost_usd} in {view.turns} is told.",
    )
    effects = [one.state for slot in view.slots for attempt in slot.attempts for one in attempt.effects]
    require(
        effects == [EffectState.UNKNOWN],
        "An outside effect that was sent and never answered is not told as unknown.",
    )
    owed = await engine.recovery.owed()
    require(
        [one.run_id for one in owed.runs] == [run],
        "The question what is to become of the killed run is not asked.",
    )


async def _view(engine: Engine, run: RunId) -> RunView:
    view = await engine.run(run)
    if view is None:
        raise PromiseBroken("The killed run is listed and cannot be read.")
    return view


async def _is_settled(engine: Engine, run: RunId) -> bool:
    await engine.refresh()
    view = await _view(engine, run)
    return all(slot.display != "Still ending" for slot in view.slots)


async def _judge_quiet(engine: Engine, run: RunId) -> None:
    """Nothing begins by itself (REC5, REC8)."""
    attempts = sum(len(slot.attempts) for slot in (await _view(engine, run)).slots)
    until_s = time.monotonic() + QUIET_S
    while time.monotonic() < until_s:
        require(await _is_gone(run), "An agent of the killed run was started without a person's word.")
        await asyncio.sleep(LOOK_EVERY_S)
    view = await _view(engine, run)
    is_same = sum(len(slot.attempts) for slot in view.slots) == attempts and not view.is_live
    require(
        is_same and len(engine.runs()) == 1,
        "Something was started of the killed run without a person's word.",
    )
