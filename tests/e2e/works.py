"""Workflows for end-to-end tests, and agents that keep a log of their own. Imports nothing of the product.

An agent's log lies where its workflow lies: `NAME.ATTEMPT.log`, one JSON object a line, `{"at": seconds on the
monotonic clock, …}`. Oracles are made from these logs alone.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

PYTHON = os.path.realpath("/proc/self/exe")

LOGGING = """
import json, os, sys, time
node, attempt, run = os.environ["QUARTERDECK_SLOT"], os.environ["QUARTERDECK_ATTEMPT"], os.environ["QUARTERDECK_RUN"]
_log = open(os.path.join(os.environ["LOGS"], f"{node}.{attempt}.log"), "a", buffering=1)
def note(what, **fields):
    _log.write(json.dumps({"at": time.monotonic(), "what": what, "run": run, "node": node, **fields}) + "\\n")
def say(type, **fields):
    sys.stdout.write(json.dumps({"type": type, **fields}) + "\\n"); sys.stdout.flush()
    note("said", line={"type": type, **fields})
note("begun")
"""


def python(source: str, logs: Path | None = None, **more: Any) -> dict[str, Any]:
    """An agent in a bare Python that speaks the lines protocol; with `logs`, `say` and `note` are defined."""
    agent: dict[str, Any] = {"kind": "command", "protocol": "lines", **more}
    if logs is not None:
        source = LOGGING + source
        agent["env"] = {"LOGS": str(logs), **more.get("env", {})}
    return {**agent, "argv": [PYTHON, "-I", "-S", "-u", "-c", source]}


def shell(command: str, **more: Any) -> dict[str, Any]:
    """A text agent."""
    return {"kind": "command", "argv": ["/bin/sh", "-c", command], **more}


def write_workflow(
    folder: Path,
    agents: dict[str, Any],
    *edges: tuple[str, str],
    name: str = "work",
    number: int = 1,
    **more: Any,
) -> Path:
    """A file with one node an agent, named alike; `more` are further keys of the document."""
    folder.mkdir(parents=True, exist_ok=True)
    document = {
        "format": "quarterdeck.workflow/1",
        "id": f"0198c1c2-7a53-7c5e-9d0e-{number:012x}",
        "name": name,
        "agents": agents,
        "nodes": [{"id": key, "title": key.capitalize(), "agent": key} for key in agents],
        "edges": [{"from": source, "to": target} for source, target in edges],
        **more,
    }
    path = folder / f"{name}.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path


def logs_of(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """What every agent logged, by attempt; a line that is still being written is left out."""
    found: dict[str, list[dict[str, Any]]] = {}
    for path in folder.glob("*.a-*.log"):
        lines = path.read_text().split("\n")[:-1]
        found[path.name.split(".")[-2]] = [json.loads(line) for line in lines]
    return found


__all__ = ["PYTHON", "logs_of", "python", "shell", "write_workflow"]
