"""Where the trust checks are tried: a temporary data folder, workflows of practice agents, and how a promise is judged.

Nothing of the person's own data folder is read or written there. What is tried is the product itself: a launch, keepers, journals,
records and recovery as in any run.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.engine.agent_processes import count_processes
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.shim.client import ForkServer

LOOK_EVERY_S = 0.05
WORKFLOW_ID = "0198c1c2-7a53-7c5e-9d0e-0d0c70d0c701"


class PromiseBroken(Exception):
    """What was seen is not what Quarterdeck promises; its text says which, in a sentence."""


@dataclass
class Ground:
    """The place of one check, and what it needs to start agents. facts: figures that are told, also of a broken promise."""

    folder: Path
    fork_server: ForkServer
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        """The data folder."""
        return self.folder / "data"

    @property
    def config(self) -> Path:
        """The folder of settings, of which there are none: what the person set, or set wrongly, is not what is tried."""
        return self.folder / "config"

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        """An engine over it, closed in order at the end."""
        engine = await Engine.open(self.data, fork_server=self.fork_server, config=self.config)
        try:
            yield engine
        finally:
            await engine.close(reason="person")

    def workflow(
        self,
        nodes: Sequence[Mapping[str, Any]],
        agents: Mapping[str, Any],
        edges: Sequence[tuple[str, str]] = (),
        inputs: Sequence[str] = (),
    ) -> Path:
        """A workflow file in the folder."""
        document = {
            "format": "quarterdeck.workflow/1",
            "id": WORKFLOW_ID,
            "name": "Doctor",
            "inputs": [{"name": name, "type": "text", "required": True} for name in inputs],
            "agents": dict(agents),
            "nodes": list(nodes),
            "edges": [{"from": source, "to": target} for source, target in edges],
        }
        path = self.folder / "doctor.workflow.json"
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return path


async def launch(engine: Engine, path: Path, **inputs: str) -> RunId:
    """Launch it as a person would. Raises PromiseBroken where it is refused."""
    run = await engine.launch(LaunchRequest(path, inputs))
    if isinstance(run, Refusal):
        raise PromiseBroken(f"A launch of practice agents was refused: {run.message}")
    return run


async def processes_of(run: RunId) -> int:
    """Living processes of the run's agents, by the system's own table and not by anything that Quarterdeck recorded."""
    found = await asyncio.to_thread(count_processes)
    return found[run].processes if run in found else 0


async def wait_until(condition: Callable[[], Any], within_s: float, broken: str) -> None:
    """Returns once it holds (a coroutine function is awaited). Raises PromiseBroken with the words after so many seconds."""
    end_s = time.monotonic() + within_s
    while True:
        found = condition()
        if await found if asyncio.iscoroutine(found) else found:
            return
        if time.monotonic() > end_s:
            raise PromiseBroken(broken)
        await asyncio.sleep(LOOK_EVERY_S)


def require(holds: bool, broken: str) -> None:
    """Raises PromiseBroken with the words where it does not hold."""
    if not holds:
        raise PromiseBroken(broken)
