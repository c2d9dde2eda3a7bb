"""Two agents for a crash: one ends at once, one waits until it is let go. Each attempt keeps a log of its own.

An attempt's log is `NODE.ATTEMPT.log` in the workspace, one JSON object a line; an oracle reads these alone. Imports no
product.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

PYTHON = os.path.realpath("/proc/self/exe")
NAME = "Errand"
COSTS = {"quick": Decimal("0.10"), "patient": Decimal("0.25")}
"""US dollars that each attempt of these tells, once."""
PATIENCE_S = 120.0
LET_GO = "let-go"
AGENT = """
import json, os, sys, time
what, cost, patience_s, let_go = sys.argv[1:5]
attempt, node = os.environ["QUARTERDECK_ATTEMPT"], os.environ["QUARTERDECK_SLOT"]
log = open(f"{node}.{attempt}.log", "a", buffering=1)
def note(what, **more):
    log.write(json.dumps({"at": time.monotonic(), "what": what, **more}) + "\\n")
note("begun", run=os.environ["QUARTERDECK_RUN"], node=node, attempt=attempt,
     key=os.environ["QUARTERDECK_IDEMPOTENCY_KEY"], resume=os.environ.get("QUARTERDECK_RESUME", ""), pid=os.getpid())
print(json.dumps({"type": "usage", "cost_usd": cost, "message_id": "only"}), flush=True)
note("paid", cost=cost)
until = time.monotonic() + float(patience_s)
while what == "patient" and not os.path.exists(let_go) and time.monotonic() < until:
    time.sleep(0.05)
note("ended")
"""


def write_errand(folder: Path) -> Path:
    """The workflow; `LET_GO` made in the folder ends the patient agent."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "agent.py").write_text(AGENT)
    agents = {
        node: {
            "kind": "command",
            "protocol": "lines",
            "argv": [PYTHON, "-I", "-S", "-u", "agent.py", node, str(cost), str(PATIENCE_S), LET_GO],
        }
        for node, cost in COSTS.items()
    }
    nodes = [
        {"id": node, "title": node.capitalize(), "agent": node, "position": [0, 160 * place]}
        for place, node in enumerate(COSTS)
    ]
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d79",
        "name": NAME,
        "agents": agents,
        "nodes": nodes,
        "edges": [],
    }
    path = folder / f"{NAME}.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path


@dataclass(frozen=True)
class Attempt:
    """What one attempt wrote down."""

    lines: tuple[dict[str, Any], ...]

    def did(self, what: str) -> bool:
        """Whether it came so far."""
        return any(line["what"] == what for line in self.lines)

    def word(self, key: str) -> str:
        """Something that it noted at its beginning."""
        return str(self.lines[0][key])


def attempts_of(folder: Path, node: str) -> list[Attempt]:
    """A node's attempts in the order of their beginnings; a line that is still being written is left out."""
    found = []
    for path in folder.glob(f"{node}.*.log"):
        lines = tuple(json.loads(line) for line in path.read_text().split("\n")[:-1])
        if lines:
            found.append(Attempt(lines))
    return sorted(found, key=lambda attempt: attempt.lines[0]["at"])


def logs(folder: Path) -> dict[str, bytes]:
    """Every log as it is."""
    return {path.name: path.read_bytes() for path in folder.glob("*.log")}
