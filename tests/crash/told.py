"""What a folder was in truth before it was damaged, and whether what the product then tells of it is no lie. Imports nothing of the
product.

The truth is read from agents' own logs and from undamaged files. What is told is a document of plain values (`told_nursery`). What is
missing may be missing only where it is said: the figures "at least", the run or its file named.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.e2e.seen import Line, cost_of, journal_of, objects_of

GOES_ON = re.compile(r"\b([Rr]unning|[Ll]ive|[Cc]ontinues|[Rr]esuming)\b")


@dataclass(frozen=True)
class Truth:
    """One run. done: slots whose agent ended well. effects: sent, and what became of them not known."""

    run: str
    name: str
    cost: Decimal
    turns: int
    done: frozenset[str]
    begun: frozenset[str]
    effects: frozenset[str]
    is_whole: bool


def truths_of(home: Path, needed: dict[str, set[str]]) -> list[Truth]:
    """needed: {workflow's name: all of its slots}."""
    return [
        _truth(home, folder, needed)
        for folder in sorted((home / "store" / "runs").iterdir())
        if journal_of(folder)
    ]


def _truth(home: Path, folder: Path, needed: dict[str, set[str]]) -> Truth:
    name = journal_of(folder)[0]["workflow_name"]
    cost, turns = Decimal(0), 0
    done, begun, effects = set(), set(), set()
    for place in (folder / "attempts").iterdir():
        (log,) = (home / "work").glob(f"said.*.{place.name}.log")
        slot = log.name.split(".")[1]
        lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
        cost += cost_of(lines) or Decimal(0)
        turns += sum(line["type"] == "turn" for line in lines)
        state = {line["id"]: line["state"] for line in lines if line["type"] == "effect"}
        effects |= {key for key, last in state.items() if last == "sent"}
        begun.add(slot)
        if _ended_well(objects_of(place / "reports.jsonl")):
            done.add(slot)
    whole = done == needed[name]
    return Truth(folder.name, name, cost, turns, frozenset(done), frozenset(begun), frozenset(effects), whole)


def _ended_well(reports: list[Line]) -> bool:
    kinds = [report["kind"] for report in reports]
    return bool(kinds) and kinds[-1] == "exit" and "ending" not in kinds and reports[-1]["code"] == 0


def judge(truths: list[Truth], told: dict[str, Any]) -> list[str]:
    """Faults in words. A store that is not opened must say which file is why."""
    if "unusable" in told:
        return (
            [] if ".json" in told["unusable"] else [f"not opened, and no file is named: {told['unusable']}"]
        )
    faults = [f"it says {line!r}" for line in told["texts"] if GOES_ON.search(line)]
    known = {truth.run for truth in truths}
    faults += [f"a run is told that never was: {one}" for one in told["runs"] if one not in known]
    for truth in truths:
        line, owed = told["runs"].get(truth.run), told["owed"].get(truth.run)
        is_named = truth.run in told["unreadable"]
        if line is None and not is_named:
            faults.append(f"{truth.name} is told nowhere")
        faults += _judge_line(truth, line, is_named) if line is not None else []
        faults += _judge_owed(truth, owed, is_named)
    faults += _judge_statuses(truths, told)
    return faults


def _judge_line(truth: Truth, line: dict[str, Any], is_named: bool) -> list[str]:
    faults = []
    if line["phase"] != "ended":
        faults.append(f"{truth.name} came back as {line['phase']}")
    if line["outcome"] == "completed" and not truth.is_whole:
        faults.append(f"{truth.name} is told to be completed")
    if truth.is_whole and line["outcome"] != "completed" and not (is_named or line["reason"]):
        faults.append(f"{truth.name} is {line['outcome']}, for no reason")
    faults += _judge_figures(truth, line, is_named, f"the list of {truth.name}")
    for slot, shown in (line["slots"] or {}).items():
        if shown == "Done" and slot not in truth.done:
            faults.append(f"{truth.name}: {slot} is told to be done")
    return faults


def _judge_figures(truth: Truth, line: dict[str, Any], is_named: bool, whose: str) -> list[str]:
    """Never more than was said; less only with a word of it."""
    cost = Decimal(line["cost_usd"] or 0)
    faults = []
    if cost > truth.cost or line["turns"] > truth.turns:
        faults.append(f"{whose} shows {cost} and {line['turns']}, more than {truth.cost} and {truth.turns}")
    if cost < truth.cost and line["cost_is_complete"]:
        faults.append(f"{whose} shows {cost} as the whole, {truth.cost} was spent")
    is_less = line["turns"] < truth.turns
    if is_less and line["cost_is_complete"] and not (is_named or line.get("torn")):
        faults.append(f"{whose} shows {line['turns']} turns as the whole, of {truth.turns}")
    return faults


def _judge_owed(truth: Truth, owed: dict[str, Any] | None, is_named: bool) -> list[str]:
    if owed is None:
        return [] if truth.is_whole or is_named else [f"the prompt of {truth.name} is forgotten"]
    faults = _judge_figures(truth, owed, is_named, f"the prompt of {truth.name}")
    if owed["damage"] and owed["cost_is_complete"]:
        faults.append(f"{truth.name} is damaged, and its cost is not said to be at least")
    asked = {agent["slot_id"] for agent in owed["agents"]}
    if asked & truth.done and not (is_named or owed["torn"]):
        faults.append(f"{truth.name} asks about {sorted(asked & truth.done)}, which is done")
    named = {effect for agent in owed["agents"] for effect in agent["effects"]}
    unsaid = any(agent["outside"] == "not told" or agent["unread"] for agent in owed["agents"])
    if not truth.effects <= named and not (unsaid or is_named):
        faults.append(f"{truth.name}: {sorted(truth.effects - named)} is not among what is to be checked")
    if any(cost_line_lies(line, owed) for line in owed["texts"]):
        faults.append(f"{truth.name}: 'at least' is not in {owed['texts']}")
    return faults


def cost_line_lies(text: str, owed: dict[str, Any]) -> bool:
    """A figure that is not the whole is shown as if it were."""
    is_money = "$" in text and not owed["cost_is_complete"]
    return is_money and "at least" not in text


def _judge_statuses(truths: list[Truth], told: dict[str, Any]) -> list[str]:
    faults = [f"{one['name']} has {one['live']} live" for one in told["statuses"] if one["live"]]
    whole = {truth.name: truth.is_whole for truth in truths}
    faults += [
        f"the status of {one['name']} is completed"
        for one in told["statuses"]
        if one["outcome"] == "completed" and not whole[one["name"]]
    ]
    return faults
