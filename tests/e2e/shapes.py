"""Workflows of five shapes whose agents do not want to end, for force-quits. Imports nothing of the product.

Each agent prints turns, costs and effects, and writes what it printed into a log of its own; a child of it escapes into
another session, becomes a daemon, or ignores TERM like its parent, which then spends more and never ends.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.e2e.short_agents import PYTHON, SAY

ESCAPES = {
    "setsid": "if os.fork() == 0:\n    os.setsid()\n    deaf()\n",
    "double fork": "if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    deaf()\n",
    "ignored TERM": "if os.fork() == 0: deaf()\nsignal.signal(signal.SIGTERM, refuse)\n",
}
FAILS_ONCE = """
if not os.path.exists("failed.once"):
    open("failed.once", "w").close()
    say("turn")
    say("usage", cost_usd="0.31", message_id=attempt + "-0")
    open(done, "w").close()
    sys.exit(1)
"""
ASKS = """
if not os.environ.get("QUARTERDECK_RESUME"):
    say("approval", id="q", question="Go on?", options=["yes", "no"])
    sys.stdin.readline()
"""
WORKS = """
for n in range(%d if os.environ.get("QUARTERDECK_RESUME") else %d):
    say("turn")
    say("usage", cost_usd="%s", message_id=attempt + "-" + str(n))
    say("effect", id="e" + str(n), state="sent", kind="mail", target="m")
    time.sleep(0.1)
    say("effect", id="e" + str(n), state="confirmed", kind="mail", target="m")
say("output", value="whole")
open(done, "w").close()
"""
STEPS = 6
PRICES = ("0.02", "0.03", "0.05", "0.07")
SHAPES: dict[str, tuple[tuple[str, ...], tuple[tuple[str, str], ...]]] = {
    "chain": (("a", "b", "c"), (("a", "b"), ("b", "c"))),
    "wide": (("a", "b", "c", "d"), ()),
    "diamond": (("a", "b", "c", "d"), (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))),
    "retry": (("a", "b"), (("a", "b"),)),
    "asks": (("a", "b"), ()),
}
"""{shape: (nodes, edges)}"""


def write_shape(folder: Path, shape: str, turn: int, last_steps: int = STEPS) -> Path:
    """The workflow file. turn: which escape the first node has; the others follow in turn. last_steps: how many steps, of
    a tenth of a second, the agents take after which nothing comes, and all that were resumed.
    """
    folder.mkdir(parents=True)
    names, edges = SHAPES[shape]
    followed = {before for before, _ in edges}
    ways = list(ESCAPES.values())
    agents: dict[str, Any] = {}
    nodes: list[dict[str, Any]] = []
    for place, name in enumerate(names):
        source = SAY + ways[(turn + place) % len(ways)]
        if name == "a":
            source += {"retry": FAILS_ONCE, "asks": ASKS}.get(shape, "")
        steps = STEPS if name in followed else last_steps
        argv = [PYTHON, "-I", "-S", "-c", source + WORKS % (last_steps, steps, PRICES[place])]
        agents[name] = {"kind": "command", "protocol": "lines", "argv": argv}
        nodes.append({"id": name, "title": name.upper(), "agent": name})
    if shape == "retry":
        nodes[0]["retry"] = {"max_attempts": 3}
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-2f6a3b1c9d34",
        "name": f"Shape {shape}",
        "agents": agents,
        "nodes": nodes,
        "edges": [{"from": source, "to": target} for source, target in edges],
    }
    path = folder / "shape.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path
