"""What the tests of this room let run: agents that keep a log of their own, and a workflow of them. Imports no product.

An agent's log is `NODE.RUN.log` in the workspace, one JSON object a line, `{"at": seconds on the monotonic clock, …}`;
an oracle reads these alone.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PYTHON = os.path.realpath("/proc/self/exe")

LONG_S = 40.0
AGENT = """
import json, os, sys, time
what, seconds = sys.argv[1], LENGTHS[sys.argv[2]]
run, node = os.environ["QUARTERDECK_RUN"], os.environ["QUARTERDECK_SLOT"]
log = open(f"{node}.{run}.log", "a", buffering=1)
def note(what, **more):
    log.write(json.dumps({"at": time.monotonic(), "what": what, "run": run, "node": node, "pid": os.getpid(), **more}) + "\\n")
def say(type, **more):
    print(json.dumps({"type": type, **more}), flush=True)
note("begun")
if what == "fail":
    words = f"the shop of {run} does not answer"
    note("failed", words=words)
    say("error", **{"class": "other", "message": words})
    sys.exit(3)
if what == "ask":
    say("approval", id="q", question="Go on?", options=["yes", "no"])
    note("asked")
    note("answered", answer=json.loads(sys.stdin.readline())["answer"])
until = time.monotonic() + seconds / (2 if what == "half" else 1)
while time.monotonic() < until:
    say("usage", cost_usd="0.01")
    time.sleep(min(0.25, max(0.0, until - time.monotonic())))
note("ended")
"""


def write_story(folder: Path, *nodes: tuple[str, str], name: str = "Story", short_s: float = 1.0) -> Path:
    """A workflow of independent agents. nodes: (id, what it does: `work`, `half`, `fail`, `ask`)."""
    lengths = {"long": LONG_S, "short": short_s}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.py").write_text(f"LENGTHS = {lengths}\n{AGENT}")
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d78",
        "name": name,
        "inputs": [
            {
                "name": "length",
                "type": "choice",
                "options": list(lengths),
                "label": "Length",
                "required": True,
            }
        ],
        "agents": {
            node: {
                "kind": "command",
                "protocol": "lines",
                "argv": [PYTHON, "-I", "-S", "-u", "agent.py", what, "{{ inputs.length }}"],
            }
            for node, what in nodes
        },
        "nodes": [
            {"id": node, "title": node.capitalize(), "agent": node, "position": [0, 160 * place]}
            for place, (node, _) in enumerate(nodes)
        ],
        "edges": [],
    }
    path = folder / f"{name}.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path


@dataclass(frozen=True)
class Told:
    """What one agent wrote down."""

    run: str
    node: str
    lines: tuple[dict[str, Any], ...]

    def at(self, *whats: str) -> float | None:
        """When it did the first of these; None: it did not."""
        return next((line["at"] for line in self.lines if line["what"] in whats), None)

    def words(self, what: str, key: str) -> str:
        """A field of a note."""
        return str(next(line[key] for line in self.lines if line["what"] == what))

    @property
    def is_alive(self) -> bool:
        """Its process is there (a log belongs to one process)."""
        try:
            argv = Path(f"/proc/{self.lines[0]['pid']}/cmdline").read_bytes()
        except OSError:
            return False
        return b"agent.py" in argv


def told_in(folder: Path) -> list[Told]:
    """Every agent's log, in the order of their beginnings; a line that is still being written is left out."""
    found = []
    for path in folder.glob("*.log"):
        lines = tuple(json.loads(line) for line in path.read_text().split("\n")[:-1])
        if lines:
            found.append(Told(lines[0]["run"], lines[0]["node"], lines))
    return sorted(found, key=lambda told: told.lines[0]["at"])
