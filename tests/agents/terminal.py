"""Workflows of one agent, run by the program's own terminal as a process of its own; what is left of it, by a naive look."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DEADLINE_S = 300.0


def write_workflow(folder: Path, agent: Mapping[str, Any], prompt: str = "Do the scripted work.") -> Path:
    """A workflow of one node."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "one.workflow.json"
    node = {"id": "work", "title": "Work", "agent": "worker", "prompt": prompt}
    whole = {"format": "quarterdeck.workflow/1", "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d10", "name": "One"}
    path.write_text(json.dumps({**whole, "agents": {"worker": dict(agent)}, "nodes": [node]}), "utf-8")
    return path


def begin(*words: str, env: Mapping[str, str]) -> subprocess.Popen[str]:
    """A verb of the terminal, begun."""
    command = [sys.executable, "-m", "quarterdeck", *words]
    return subprocess.Popen(command, env=dict(env), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def quarterdeck(*words: str, env: Mapping[str, str]) -> tuple[int, dict[str, Any]]:
    """(exit code, the JSON document) of a verb."""
    process = begin(*words, env=env)
    stdout, stderr = process.communicate(timeout=DEADLINE_S)
    assert stdout.strip(), stderr
    return process.returncode, json.loads(stdout)


def only_attempt(shown: Mapping[str, Any], nth: int = -1) -> dict[str, Any]:
    """An attempt of the only slot, the last one by default."""
    (slot,) = shown["slots"]
    attempt: dict[str, Any] = slot["attempts"][nth]
    return attempt


def reports_of(folder: Path) -> list[dict[str, Any]]:
    """Every report below a data folder, in the order of the attempts' beginnings."""
    paths = sorted(folder.glob("runs/*/attempts/*/reports.jsonl"), key=lambda path: path.stat().st_ctime_ns)
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines()]


def launches_of(folder: Path) -> list[dict[str, Any]]:
    """Every launch below a data folder, oldest first."""
    paths = sorted(folder.glob("runs/*/attempts/*/launch.json"), key=lambda path: path.stat().st_mtime_ns)
    return [json.loads(path.read_text("utf-8")) for path in paths]


def alive_below(folder: Path) -> list[int]:
    """The processes that carry the folder in their environment; the test's own, and dead ones, are none."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            is_marked = f"={folder}".encode() in (entry / "environ").read_bytes()
            is_dead = (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except OSError:
            continue  # gone, or somebody else's
        if is_marked and not is_dead and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def wait_until(condition: Any, deadline_s: float, what: str) -> Any:
    """The first true value of the condition; fails after the deadline."""
    end = time.monotonic() + deadline_s
    while not (value := condition()):
        assert time.monotonic() < end, f"not within {deadline_s} s: {what}"
        time.sleep(0.02)
    return value
