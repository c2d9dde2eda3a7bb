"""Judges what a killed app left on disk and in /proc. Imports nothing of the product; written from the design's pages.

`said` is what the app told over its pipe while it lived: everything in it was acknowledged. Each function returns
faults in words, none where everything holds.
"""

from __future__ import annotations

import hashlib
import json
import select
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.e2e.seen import (
    AGENT,
    KEEPER,
    Line,
    cost_of,
    good_prefix,
    is_good,
    journal_of,
    lines_of,
    marked,
    objects_of,
)
from tests.e2e.short_agents import NODES, WHOLE_COST

GONE_WITHIN_S = 6.0
LOOK_EVERY_S = 0.2
"""Looking through /proc is dear where many do it at once."""
JOURNALED = {
    "run_launched", "attempt_claimed", "attempt_ended", "run_ended", "slot_cancelled", "run_stop_requested", "claim_refused",
}  # fmt: skip


class OwnDelay:
    """How long this thread has waited for a processor since it was made, beside what it slept by itself, in seconds.

    Where forty are killed at once on two processors, that is what each keeper waits, too, and no time that it took.
    """

    def __init__(self) -> None:
        self._began_s, self._slept_s = time.monotonic() - time.thread_time(), 0.0

    def sleep(self, duration_s: float) -> None:
        """Sleep for so long, at least."""
        self._slept_s += duration_s
        select.select([], [], [], duration_s)

    def seconds(self) -> float:
        """So far."""
        return time.monotonic() - time.thread_time() - self._began_s - self._slept_s


def wait_no_marks(home: Path, died_at: float) -> tuple[float, list[str]]:
    """How long marked processes of this home stayed, or could still come; a fault if longer than six seconds, less what a
    busy machine kept this thread waiting meanwhile.

    A keeper that was about to start its agent when the app died may still do so, and then ends it: so nothing is over
    before the keepers, too, are gone. They have a moment more, for writing the end.
    """
    word = str(home).encode() + b"/"
    gone_s, delay = 0.0, OwnDelay()
    while True:
        living = marked(word, AGENT, KEEPER)
        agents = {pid for pid, environment in living.items() if AGENT.decode() in environment}
        keepers = living.keys() - agents
        now_s = time.monotonic() - died_at
        if agents:
            gone_s = now_s
        within_s = GONE_WITHIN_S + delay.seconds()
        if agents and now_s > within_s:
            return gone_s, [f"still alive {now_s:.1f} s later, {within_s:.1f} allowed: {sorted(agents)}"]
        if not agents and not keepers:
            return gone_s, []
        if now_s > within_s + 3:
            return gone_s, [f"a keeper lives on: {sorted(keepers)}"]
        delay.sleep(LOOK_EVERY_S)


def _run_folders(home: Path) -> list[Path]:
    return sorted(p for p in (home / "store" / "runs").glob("*") if journal_of(p))


def look(home: Path, said: list[Any]) -> list[str]:
    """Before anything is settled: whole files only, a prefix of the decisions that holds all acknowledged ones."""
    store, faults = home / "store", _half_visible(home / "store")
    folders = _run_folders(home)
    launched = [what[1] for what in said if what[0] == "launched"]
    faults += [f"the launch of {run} is lost" for run in launched if store / "runs" / run not in folders]
    for folder in folders:
        entries = journal_of(folder)
        if [entry["seq"] for entry in entries] != list(range(1, len(entries) + 1)):
            faults.append("the journal has a gap")
        faults += _lost_decisions(entries, said)
        faults += _acted_without_intent(home, entries)
        faults += _lost_prints(home, folder, said)
        if (folder / "record.json").exists() and entries[-1]["kind"] != "run_ended":
            faults.append("a record of a run that has not ended")
    if any(what[0] == "ended" for what in said) and not (folders and (folders[0] / "record.json").exists()):
        faults.append("the record of an ended run is lost")
    return faults


def _half_visible(store: Path) -> list[str]:
    faults = []
    for path in store.rglob("*.json"):
        if path.name.startswith(".") or path.name in ("context.json", "resume.json"):
            continue
        if not is_good(path.read_bytes().rstrip(b"\n\0")):
            faults.append(f"half visible: {path.name}")
    for path in (store / "objects").glob("[!.]*"):
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.name:
            faults.append(f"half visible: object {path.name}")
    return faults


def _lost_decisions(entries: list[Line], said: list[Any]) -> list[str]:
    told = [what[1] for what in said if what[0] == "event" and what[4] is None]
    kept = [entry["kind"] for entry in entries]
    return [] if kept[: len(told)] == told else [f"acknowledged decisions {told}, on disk {kept}"]


def _acted_without_intent(home: Path, entries: list[Line]) -> list[str]:
    """JNL4, I3: every agent that ever ran has a durable claim."""
    claimed = {entry["attempt_id"] for entry in entries if entry["kind"] == "attempt_claimed"}
    ran = {path.name.split(".")[1] for path in (home / "work").glob("said.*.log")}
    return [f"{attempt} ran without a durable claim" for attempt in sorted(ran - claimed)]


def _lost_prints(home: Path, folder: Path, said: list[Any]) -> list[str]:
    """Everything an agent printed is in its transcript, in order, and its facts are among the reports."""
    faults = []
    seen = {(what[2], what[4]) for what in said if what[0] == "event" and what[4] is not None}
    for log in (home / "work").glob("said.*.log"):
        attempt = log.name.split(".")[1]
        place = folder / "attempts" / attempt
        printed, kept = log.read_bytes(), (place / "transcript").read_bytes()
        if not _is_in_order(printed.splitlines(), kept.splitlines()):
            faults.append(f"{attempt} printed {printed[-300:]!r}, the transcript has {kept[-300:]!r}")
        reports = good_prefix((place / "reports.jsonl").read_bytes())
        numbers = [report["seq"] for report in reports]
        if numbers != list(range(1, len(numbers) + 1)):
            faults.append(f"{attempt}: reports have a gap")
        lost = {seq for of, seq in seen if of == attempt} - set(numbers)
        if lost:
            faults.append(f"{attempt}: reports {sorted(lost)} were shown and are lost")
        for kind in ("session", "turn", "usage", "effect", "artifact", "output"):
            lines = sum(line["type"] == kind for line in lines_of(kept))
            if lines != sum(report["kind"] == kind for report in reports):
                faults.append(f"{attempt}: {lines} {kind} lines, not so many reports")
        if reports[-1]["kind"] != "exit":
            faults.append(f"{attempt}: its reports are not closed")
    return faults


def _is_in_order(lines: list[bytes], among: list[bytes]) -> bool:
    """Whether all lines are among the others, in their order. A signal may have kept a printed line out of the log."""
    rest = iter(among)
    return all(line in rest for line in lines)


def look_settled(home: Path, said: list[Any], runs: list[Line]) -> list[str]:
    """After the next process has looked: no live run, true outcomes, exact sums, nothing started."""
    faults = _half_visible(home / "store")
    folders = _run_folders(home)
    if [run["run_id"] for run in runs] != [folder.name for folder in folders]:
        faults.append("the list is not what is on disk")
    faults += [f"{pid} was started by settling" for pid in marked(str(home).encode() + b"/")]
    for run, folder in zip(runs, folders, strict=False):
        faults += _settled_run(home, said, run, folder)
    return faults


def _settled_run(home: Path, said: list[Any], run: Line, folder: Path) -> list[str]:
    faults = []
    if run["phase"] != "ended":
        faults.append(f"it came back as {run['phase']}")
    expected = _outcome(folder)
    told = [what[2] for what in said if what[0] == "ended"]
    if run["outcome"] != expected or (told and told != [expected]):
        faults.append(f"outcome {run['outcome']}, told {told}, in truth {expected}")
    spent = Decimal(0)
    for attempt in (attempt for slot in run["slots"] for attempt in slot["attempts"]):
        place = folder / "attempts" / attempt["attempt_id"]
        printed = (place / "transcript").read_bytes() if (place / "transcript").exists() else b""
        cost = cost_of(lines_of(printed)) or Decimal(0)
        spent += cost
        if Decimal(attempt["cost_usd"] or 0) != cost:
            faults.append(f"{attempt['attempt_id']} shows {attempt['cost_usd']}, it said {cost}")
        if attempt["status"] not in ("succeeded", "failed", "stopped", "interrupted", "never_started"):
            faults.append(f"an attempt came back as {attempt['status']}")
        if expected == "interrupted" and attempt["status"] not in (
            "succeeded",
            "interrupted",
            "never_started",
        ):
            faults.append(f"an attempt of a killed app is {attempt['status']}")
    if Decimal(run["cost_usd"] or 0) != spent or (expected == "completed" and str(spent) != WHOLE_COST):
        faults.append(f"the run shows {run['cost_usd']}, its agents said {spent}")
    ledger = {json.dumps([x.get(k) for k in ("attempt", "model", "hour", "upto")]): x for x in _ledger(home)}
    if sum((Decimal(x["cost_usd"] or 0) for x in ledger.values()), Decimal(0)) != spent:
        faults.append("the ledger does not sum up to what was spent")
    return faults


def _ledger(home: Path) -> list[Line]:
    return objects_of(home / "store" / "ledger.jsonl")


def _outcome(folder: Path) -> str:
    """Completed iff every node has an attempt whose agent ended by itself, with exit code 0, before anybody asked it to."""
    whole = set()
    for place in (folder / "attempts").glob("*"):
        launch = good_prefix((place / "launch.json").read_bytes()) if (place / "launch.json").exists() else []
        reports = objects_of(place / "reports.jsonl")
        kinds = [report["kind"] for report in reports]
        if launch and reports and kinds[-1] == "exit" and "ending" not in kinds and reports[-1]["code"] == 0:
            whole.add(launch[0]["node_id"])
    return "completed" if whole == set(NODES) else "interrupted"


def lasting(home: Path) -> dict[str, str]:
    """What settling a second time must leave as it is, by name: journals, records, reports, ends and the ledger."""
    kept = [
        *(home / "store" / "runs").rglob("*"),
        home / "store" / "ledger.jsonl",
        home / "store" / "index.jsonl",
    ]
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in kept
        if path.is_file() and not path.name.endswith(".lock")
    }
