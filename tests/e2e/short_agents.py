"""Agents of the short run of the kill sweep. Each writes what it printed into a log of its own, after it printed it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.e2e.seen import Line

PYTHON = os.path.realpath("/proc/self/exe")

SAY = """
import json, os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
attempt = os.environ["QUARTERDECK_ATTEMPT"]
log = os.open(f"said.{attempt}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
done = f"done.{attempt}"
def say(type, **fields):
    line = json.dumps({"type": type, **fields}).encode() + b"\\n"
    os.write(1, line)
    os.write(log, line)
def deaf():
    os.close(log)
    while not os.path.exists(done): time.sleep(0.005)
    os._exit(0)
def refuse(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    say("usage", cost_usd="0.29", message_id=attempt + "-late", input_tokens=29)  # it goes on spending in its grace
    while True: time.sleep(1)
"""

SESSION_OF_ITS_OWN = (
    SAY
    + """
if os.fork() == 0:
    os.setsid()
    deaf()
signal.signal(signal.SIGTERM, refuse)
say("session", id="s-1", resumable=False)
say("turn")
say("usage", cost_usd="0.02", message_id="m1", input_tokens=2)
say("usage", cost_usd="0.03", message_id="m1", input_tokens=3)
say("effect", id="push", state="intended", kind="git", target="origin")
say("effect", id="push", state="sent", kind="git", target="origin")
say("usage", cost_usd="0.05", message_id="m2", input_tokens=5)
time.sleep(0.1)
say("effect", id="push", state="confirmed", kind="git", target="origin")
say("artifact", name="note.txt", text="noted")
say("output", value={"n": 1})
open(done, "w").close()
"""
)

DAEMON = (
    SAY
    + """
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
    deaf()
say("usage", cost_usd="0.07", cumulative=True, model="m", input_tokens=7)
say("turn")
time.sleep(0.03)
say("usage", cost_usd="0.18", cumulative=True, model="m", input_tokens=18)
say("output", value="two")
open(done, "w").close()
"""
)

THIRD = (
    SAY
    + 'say("usage", cost_usd=0.13, input_tokens=13)\nsay("output", value="three")\nopen(done, "w").close()\n'
)

NODES = ("first", "second", "third")
WHOLE_COST = "0.39"
"""0.03 + 0.05 of the first (its message m1 counts once), 0.18 of the second, 0.13 of the third."""


def write_workflow(folder: Path) -> Path:
    """The short run: `first` and `third` at once, `second` after `first`."""
    folder.mkdir(parents=True)
    sources = dict(zip(NODES, (SESSION_OF_ITS_OWN, DAEMON, THIRD), strict=True))
    agents: Line = {
        name: {"kind": "command", "protocol": "lines", "argv": [PYTHON, "-I", "-S", "-c", source]}
        for name, source in sources.items()
    }
    nodes: list[Any] = [{"id": name, "agent": name, "title": name.capitalize()} for name in NODES]
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d33",
        "name": "Short run",
        "agents": agents,
        "nodes": nodes,
        "edges": [{"from": "first", "to": "second"}],
    }
    path = folder / "short.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path
