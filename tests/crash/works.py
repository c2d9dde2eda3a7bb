"""Workflows of the sweeps over kills and errors, and agents that cost next to nothing to start. Imports nothing of the product.

Each agent keeps a log of its own, `said.SLOT.ATTEMPT.log` beside its workflow: `begun`, and each line after it was printed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

SAY = r"""
log="said.$QUARTERDECK_SLOT.$QUARTERDECK_ATTEMPT.log"
echo begun >>"$log"
say() { printf '%s\n' "$1"; printf '%s\n' "$1" >>"$log"; }
"""
WORKS = SAY + (
    """say '{"type":"session","id":"s-1","resumable":true}'; say '{"type":"turn"}'\n"""
    """say '{"type":"usage","cost_usd":"0.02","message_id":"m1","input_tokens":2}'\n"""
    """say '{"type":"effect","id":"push","state":"sent","kind":"git","target":"origin"}'\n"""
    """say '{"type":"effect","id":"push","state":"confirmed","kind":"git","target":"origin"}'\n"""
    """say '{"type":"output","value":{"n":1}}'\n"""
)
SPENDS = SAY + """say '{"type":"usage","cost_usd":"0.07"}'; say '{"type":"output","value":"two"}'\n"""
FAILS = SAY + """say '{"type":"usage","cost_usd":"0.13"}'; exit 1\n"""
STAYS = SAY + (
    """say '{"type":"turn"}'; say '{"type":"usage","cost_usd":"0.29"}'\n"""
    """say '{"type":"checkpoint","step":"one","data":1}'\n"""
    """say '{"type":"effect","id":"send","state":"sent","kind":"mail","target":"x"}'\n"""
    """if [ -n "$QUARTERDECK_RESUME" ]; then say '{"type":"output","value":"resumed"}'; exit 0; fi\n"""
    """: >>"there.$QUARTERDECK_RUN"; read _ <fifo\n"""
)


def _agent(script: str) -> dict[str, Any]:
    return {"kind": "command", "protocol": "lines", "argv": ["/bin/sh", "-c", script]}


SHAPES: dict[str, tuple[dict[str, str], list[tuple[str, ...]], list[dict[str, Any]]]] = {
    "chain": ({"a": WORKS, "b": SPENDS}, [("a", "b")], []),
    "pair": ({"a": WORKS, "b": SPENDS}, [], []),
    "failing": ({"a": FAILS, "b": SPENDS}, [("a", "b", "failure")], []),
    "asks": (
        {"a": SPENDS, "b": SPENDS},
        [("a", "gate"), ("gate", "b")],
        [{"id": "gate", "title": "Gate", "kind": "approval", "question": "Go?"}],
    ),
    "stays": ({"a": WORKS, "b": STAYS, "c": SPENDS}, [("a", "b"), ("b", "c")], []),
}


def write(folder: Path, shape: str) -> Path:
    """The workflow of that shape, in a folder of its own where agents find `fifo` to wait at."""
    agents, edges, more = SHAPES[shape]
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "fifo").exists():
        os.mkfifo(folder / "fifo")
    document = {
        "format": "quarterdeck.workflow/1",
        "id": f"0198c1c2-7a53-7c5e-9d0e-{list(SHAPES).index(shape):012x}",
        "name": shape,
        "agents": {name: _agent(script) for name, script in agents.items()},
        "nodes": [*({"id": name, "agent": name, "title": name.upper()} for name in agents), *more],
        "edges": [dict(zip(("from", "to", "when"), edge, strict=False)) for edge in edges],
    }
    path = folder / f"{shape}.workflow.json"
    path.write_text(json.dumps(document, indent=1))
    return path
