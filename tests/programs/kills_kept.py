"""What the kills of real programs gave, kept for the table of `docs/agents.md`: one file for each program at one version."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.programs.contained import Killed
from tests.programs.moments import Pair

FOLDER = Path(__file__).with_name("killed")
Record = dict[str, Any]


def path_of(program: str, version: str) -> Path:
    """The file of one program at one version."""
    return FOLDER / f"{program}-{version}.json"


def kept(path: Path) -> dict[str, dict[str, Record]]:
    """{moment: {victim: record}}; nothing where there is none yet."""
    return dict(json.loads(path.read_text("utf-8"))) if path.exists() else {}


def record_of(told: Mapping[str, Any], killed: Killed) -> Record:
    """What was told of one kill that passed."""
    (slot,) = told["slots"]
    attempt = slot["attempts"][-1]
    figures = attempt["figures"]
    cost = (
        "unknown" if figures["cost_usd"] is None else "whole" if figures["cost_is_complete"] else "at least"
    )
    effects = [f"{one['type']} {one['state']}" for one in attempt["effects"] if one["type"] != "step"]
    session = killed.session
    return {
        "containment": killed.containment,
        "run": told["outcome"],
        "end": attempt["status"],
        "had_ended": killed.had_ended,
        "effects": effects,
        "cost": cost,
        "session": "none" if session is None else "kept" if session["resumable"] else "begun",
        "gone_s": round(killed.gone_s, 1),
    }


def keep(program: str, version: str, pair: Pair, record: Record) -> None:
    """In the file of the program, under a lock: several processes play."""
    FOLDER.mkdir(exist_ok=True)
    path = path_of(program, version)
    lock = os.open(FOLDER, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        whole = kept(path)
        whole.setdefault(pair.moment, {})[str(pair.victim)] = record
        ordered = {name: dict(sorted(whole[name].items())) for name in sorted(whole)}
        path.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
    finally:
        os.close(lock)
