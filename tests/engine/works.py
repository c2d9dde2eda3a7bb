"""Workflows and agents of the engine's tests, and an engine to run them: real processes, a data folder of the test's own."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.views import AttemptView, RunView, SlotView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.store.durable_io import DurableIO

PYTHON = os.path.realpath("/proc/self/exe")
WITHIN_S = 20.0

SAY = """
import json, os, sys, time
def say(type, **fields):
    sys.stdout.write(json.dumps({"type": type, **fields}) + "\\n"); sys.stdout.flush()
def told():
    return json.loads(sys.stdin.readline())
"""

FOREVER = "say('session', id='s', resumable=True)\nwhile True: time.sleep(0.05)"
ASKS = "say('approval', id='q', question='Go?', options=['yes', 'no'])\nsay('output', value=told()['answer'])"


class Disk(DurableIO):
    """Refuses every operation while it is `full`."""

    full = False

    def before(self, operation: str, target: str) -> None:
        """Called before each operation."""
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device", target)


def shell(command: str, **more: Any) -> dict[str, Any]:
    """A text agent."""
    return {"kind": "command", "argv": ["/bin/sh", "-c", command], **more}


def waits_for(file: Path) -> dict[str, Any]:
    """A text agent that ends once there is such a file."""
    return shell(f"while [ ! -e '{file}' ]; do sleep 0.02; done")


def python(source: str, **more: Any) -> dict[str, Any]:
    """An agent in a bare Python that speaks the lines protocol through `say` and hears answers by `told`."""
    return {"kind": "command", "protocol": "lines", "argv": [PYTHON, "-I", "-S", "-c", SAY + source], **more}


def spends(*costs: str, then: str = "") -> dict[str, Any]:
    """One turn for each cost, each with a message of its own."""
    lines = "".join(
        f"say('turn')\nsay('usage', input_tokens=1, cost_usd='{cost}', model='m', message_id=os.environ['QUARTERDECK_ATTEMPT'] + '{number}')\n"
        for number, cost in enumerate(costs)
    )
    return python(lines + then)


def write(
    folder: Path,
    agents: dict[str, Any],
    *edges: tuple[str, ...],
    nodes: dict[str, dict[str, Any]] | None = None,
    name: str = "work",
    **more: Any,
) -> Path:
    """A file with one node an agent, named alike. edges: (from, to) or (from, to, when). nodes: further keys by node; a
    node that is no agent's comes after the others.
    """
    nodes = nodes or {}
    named = [{"id": key, "title": key.capitalize(), "agent": key, **nodes.get(key, {})} for key in agents]
    named += [
        {"id": key, "title": key.capitalize(), **value} for key, value in nodes.items() if key not in agents
    ]
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10",
        "name": name,
        "agents": agents,
        "nodes": named,
        "edges": [dict(zip(("from", "to", "when"), edge, strict=False)) for edge in edges],
        **more,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path


async def launch(engine: Engine, path: Path, **inputs: Any) -> RunId:
    """A launch that must not be refused."""
    run = await engine.launch(LaunchRequest(path, inputs))
    assert not isinstance(run, Refusal), run
    return run


async def at_work(engine: Engine, path: Path, *nodes: str) -> RunId:
    """Launch, and wait until the agents of these nodes run."""
    run = await launch(engine, path)
    for node in nodes:
        await until(engine, run, shows(node, "Running"))
    return run


async def to_end(engine: Engine, path: Path, **inputs: Any) -> RunView:
    """Launch, and wait for the end."""
    return await ended(engine, await launch(engine, path, **inputs))


async def ended(engine: Engine, run: RunId) -> RunView:
    """The run once it has ended."""
    async with asyncio.timeout(WITHIN_S):
        return await engine.wait_ended(run)


async def until(engine: Engine, run: RunId, holds: Callable[[RunView], object]) -> RunView:
    """The first view of the live run for which the condition holds."""
    feed = engine.subscribe()
    try:
        async with asyncio.timeout(WITHIN_S):
            while True:
                view = engine.live_run(run)
                assert view is not None
                if holds(view):
                    return view
                await feed.wait_changed()
                feed.take()
    except TimeoutError:
        view = engine.live_run(run)
        assert view is not None
        shown = [(s.slot_id, s.display, s.reason) for s in view.slots]
        raise AssertionError(
            f"did not come true; {view.phase}, recording={view.recording}: {shown}"
        ) from None
    finally:
        feed.close()


def shows(slot: str, *words: str) -> Callable[[RunView], bool]:
    """A condition: the slot shows one of these words."""
    return lambda view: slot_of(view, slot).display in words


def slot_of(view: RunView, slot: str) -> SlotView:
    """One slot of a view."""
    return next(one for one in view.slots if one.slot_id == slot)


def attempt_of(view: RunView, slot: str, number: int = -1) -> AttemptView:
    """An attempt of a slot, the newest by default."""
    return slot_of(view, slot).attempts[number]


def displays(view: RunView) -> dict[str, str]:
    """{slot: word}."""
    return {str(slot.slot_id): slot.display for slot in view.slots}


def journal_kinds(data: Path, run: RunId) -> list[str]:
    """Kinds of the entries of the journal, read naively."""
    folder = data / "runs" / run
    newest = max(folder.glob("journal*.jsonl"), key=lambda path: (len(path.name), path.name))
    return [json.loads(line)["kind"] for line in newest.read_text().splitlines()]


def launch_file(data: Path, run: RunId, attempt: str) -> dict[str, Any]:
    """The launch specification of an attempt, read naively."""
    return dict(json.loads((data / "runs" / run / "attempts" / attempt / "launch.json").read_text()))


A = SlotId("a")
B = SlotId("b")


def rewind(data: Path, run: str, lines: list[str]) -> None:
    """Put the run's files back to the moment after the last of these lines, its session dead."""
    folder = data / "runs" / run
    (folder / "journal.jsonl").write_text("".join(lines))
    (folder / "record.json").unlink(missing_ok=True)
    claimed = "".join(line for line in lines if '"attempt_claimed"' in line)
    for attempt in (folder / "attempts").glob("*"):
        if attempt.name not in claimed:  # a claim is durable before its attempt has a folder
            shutil.rmtree(attempt)
