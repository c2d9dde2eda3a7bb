"""Whether the prompt after a force-quit tells the truth, from agents' logs, raw transcripts and framed reports.

Imports nothing of the product. A prompt is the document of `recover --json`, or as much of it as the dialog shows; each
function returns faults in words.
"""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.e2e.seen import Line, cost_of, good_prefix, journal_of, lines_of, objects_of

CLOSED_BY_ITSELF = "exit"


def judge_prompt(home: Path, nodes: tuple[str, ...], prompt: Any) -> list[str]:
    """Owed iff something was cut off or not begun; then its agents, turns, cost and unknown effects."""
    faults = [] if not prompt["unreadable"] else [f"unreadable: {prompt['unreadable']}"]
    folders = [path for path in sorted((home / "store" / "runs").glob("*")) if journal_of(path)]
    told = {run["run_id"]: run for run in prompt["runs"]}
    if set(told) - {folder.name for folder in folders}:
        faults.append("a run is owed that was never launched")
    for folder in folders:
        faults += _judge_run(home, folder, nodes, told.get(folder.name))
    return faults


def _judge_run(home: Path, folder: Path, nodes: tuple[str, ...], told: Any) -> list[str]:
    attempts = [e for e in journal_of(folder) if e["kind"] == "attempt_claimed"]
    ends = {e["attempt_id"]: _end_of(folder / "attempts" / e["attempt_id"]) for e in attempts}
    last = {e["slot_id"]: e["attempt_id"] for e in attempts}
    is_whole = all(node in last and ends[last[node]] == 0 for node in nodes)
    if is_whole or told is None:
        return [] if is_whole is (told is None) else [f"whole: {is_whole}, and owed: {told is not None}"]
    faults = []
    cut_off = {
        node for node, attempt in last.items() if ends[attempt] != 0
    }  # one that failed was to be tried again
    if {agent["node_id"] for agent in told["agents"]} != cut_off:
        faults.append(f"asks about {[a['node_id'] for a in told['agents']]}, cut off were {sorted(cut_off)}")
    lines = {e["attempt_id"]: _printed(home, folder, e["attempt_id"], faults) for e in attempts}
    slots: dict[str, list[Line]] = {slot: [] for slot in last}
    for e in attempts:
        slots[e["slot_id"]] += lines[e["attempt_id"]]
    faults += _judge_sums("the run", told, list(slots.values()))
    for agent in told["agents"]:
        faults += _judge_sums(agent["node_id"], agent, [slots[agent["slot_id"]]])
        tried = [e["attempt_id"] for e in attempts if e["slot_id"] == agent["slot_id"]]
        sent = set().union(*(_unanswered(lines[attempt]) for attempt in tried))
        faults += _judge_effects(agent, sent)
        if agent["survivors"]:
            faults.append(f"{agent['node_id']}: survivors {agent['survivors']}")
    return faults


def _end_of(place: Path) -> int | None:
    """The exit code of an agent that ended before anybody asked it to; None where it was cut off or never began."""
    reports = objects_of(place / "reports.jsonl")
    if not reports or reports[-1]["kind"] != CLOSED_BY_ITSELF or any(r["kind"] == "ending" for r in reports):
        return None
    code = reports[-1]["code"]
    return int(code) if code is not None else -1


def _printed(home: Path, folder: Path, attempt: str, faults: list[str]) -> list[Line]:
    """What the agent printed. Its own log, its transcript and its reports must say the same of turns and money."""
    place = folder / "attempts" / attempt
    transcript = lines_of((place / "transcript").read_bytes()) if (place / "transcript").exists() else []
    reports = (
        good_prefix((place / "reports.jsonl").read_bytes()) if (place / "reports.jsonl").exists() else []
    )
    log = home / "work" / f"said.{attempt}.log"
    noted = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not _is_in_order(noted, transcript):
        faults.append(f"{attempt}: its own log is not in its transcript")
    for kind in ("turn", "usage", "effect"):
        counts = [
            sum(x.get(key) == kind for x in lines) for lines, key in ((transcript, "type"), (reports, "kind"))
        ]
        if counts[0] != counts[1]:
            faults.append(f"{attempt}: {counts[0]} {kind} lines printed, {counts[1]} reports")
    return transcript


def _is_in_order(lines: list[Line], among: list[Line]) -> bool:
    rest = iter(among)
    return all(line in rest for line in lines)


def _judge_sums(whose: str, told: Any, agents: list[list[Line]]) -> list[str]:
    """Agents name their messages as they like: a message counts once in its own agent."""
    turns = sum(line.get("type") == "turn" for lines in agents for line in lines)
    cost = sum((cost_of(lines) or Decimal(0) for lines in agents), Decimal(0))
    shown = Decimal(told.get("cost_usd", cost) or 0)
    if (told["turns"], shown) == (turns, cost):
        return []
    return [f"{whose} shows {told['turns']} turns and {shown}, its agents printed {turns} and {cost}"]


def _judge_effects(agent: Any, sent: set[str]) -> list[str]:
    """By name, or by their number where only that is shown."""
    named = {effect["id"] for effect in agent.get("effects_unknown", ())}
    if named == sent or agent.get("effects") == len(sent):
        return []
    return [
        f"{agent['node_id']}: effects {sorted(named) or agent.get('effects')} to check, sent were {sorted(sent)}"
    ]


def _unanswered(lines: list[Line]) -> set[str]:
    state = {line["id"]: line["state"] for line in lines if line.get("type") == "effect"}
    return {name for name, last in state.items() if last == "sent"}
