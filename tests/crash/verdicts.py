"""Judges a data folder after a kill or a fault, by its files alone. Imports nothing of the product.

`said` is what the app told before: everything in it was acknowledged. Each function gives faults in words; none: it holds.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.e2e.seen import cost_of, good_prefix, is_good, journal_of, lines_of

Said = list[list[Any]]
DERIVED = ("context.json", "resume.json")
JOURNALED = frozenset(
    [
        "run_launched",
        "attempt_claimed",
        "attempt_ended",
        "run_ended",
        "slot_cancelled",
        "run_stop_requested",
        "approval_asked",
        "approval_answered",
        "sitting_opened",
        "slot_reassigned",
    ]
)


def run_folders(home: Path) -> dict[str, Path]:
    """{run: where it lies}: among the runs, or discarded (`runs/…`, `discarded/RUN…`)."""
    found: dict[str, Path] = {}
    for kind in ("runs", "discarded"):
        for folder in sorted((home / "store" / kind).glob("r-*")):
            if journal_of(folder) and (run := _run_of(folder)):
                found[run] = folder
    return found


def _run_of(folder: Path) -> str:
    return str(journal_of(folder)[0].get("run_id", ""))


def look(home: Path, said: Said) -> list[str]:
    """What must hold at every moment: whole files, whole journals that hold all acknowledged, intents before acts."""
    faults = half_visible(home / "store")
    folders = run_folders(home)
    for what in said:
        if what[0] == "launched" and what[1] not in folders:
            faults.append(f"the launch of {what[1]} is lost")
    claimed = {str(line.get("attempt")) for line in _ledger_lines(home)}  # of runs that have left
    for run, folder in folders.items():
        entries = journal_of(folder)
        faults += _journal(run, entries, said)
        claimed |= {entry["attempt_id"] for entry in entries if entry["kind"] == "attempt_claimed"}
        faults += [f for attempt in sorted((folder / "attempts").glob("a-*")) for f in _prints(home, attempt)]
        if (folder / "record.json").exists():
            faults += _record(folder, entries)
    faults += _starts(home, claimed, folders)
    faults += middle_damage(home / "store")
    return faults


def half_visible(store: Path) -> list[str]:
    faults = []
    for path in store.rglob("*.json"):
        if path.name.startswith(".") or path.name in DERIVED:
            continue
        if not is_good(path.read_bytes().rstrip(b"\n")):
            faults.append(f"half visible: {path.relative_to(store)}")
    for path in (store / "objects").glob("[!.]*"):
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.name:
            faults.append(f"half visible: object {path.name}")
    return faults


def middle_damage(store: Path) -> list[str]:
    """A good line after a bad one: somebody appended behind a torn tail (case 104)."""
    faults = []
    for path in store.rglob("*.jsonl"):
        if "damaged" in path.parts or path.parent.name == "log":
            continue
        is_whole = [is_good(line) for line in path.read_bytes().split(b"\n") if line]
        if True in is_whole[is_whole.index(False) :] if False in is_whole else False:
            faults.append(f"appended behind a torn tail: {path.relative_to(store)}")
    return faults


def _journal(run: str, entries: list[dict[str, Any]], said: Said) -> list[str]:
    faults = []
    if [entry["seq"] for entry in entries] != list(range(1, len(entries) + 1)):
        faults.append("the journal has a gap")
    kinds = Counter(entry["kind"] for entry in entries)
    told = Counter(what[1] for what in said if what[0] == "event" and what[2] == run and what[1] in JOURNALED)
    lost = {kind: count for kind, count in told.items() if kinds[kind] < count}
    if lost:
        faults.append(f"{run}: acknowledged and lost: {lost}")
    for what in said:
        if what[0] == "claimed" and what[1] == run:
            claims = [e["attempt_id"] for e in entries if e["kind"] == "attempt_claimed"]
            if claims.count(what[2]) != 1:
                faults.append(f"the claim of {what[2]} is lost")
        if what[0] == "reassigned" and what[1] == run and not kinds["slot_reassigned"]:
            faults.append("an acknowledged reassignment is lost")
    return faults + _leases(run, entries)


def _leases(run: str, entries: list[dict[str, Any]]) -> list[str]:
    """I1, I2, I7: one living attempt of a slot at a time, epochs rise, one end of each attempt."""
    faults, living, epochs, ended = [], {}, {}, set()
    for entry in entries:
        slot, attempt = entry.get("slot_id"), entry.get("attempt_id")
        if entry["kind"] == "attempt_claimed":
            if slot in living:
                faults.append(f"{run}: {attempt} was claimed while {living[slot]} lived")
            if entry["epoch"] <= epochs.get(slot, 0):
                faults.append(f"{run}: the epoch of {slot} did not rise")
            living[slot], epochs[slot] = attempt, entry["epoch"]
        elif entry["kind"] == "attempt_ended":
            if attempt in ended:
                faults.append(f"{run}: {attempt} ended twice")
            ended.add(attempt)
            if living.pop(slot, None) != attempt:
                faults.append(f"{run}: a phantom ended: {attempt}")
    return faults


def _prints(home: Path, attempt: Path) -> list[str]:
    """Everything that the agent printed is in its transcript, in order, and each fact among its reports."""
    (log,) = list((home / "work").glob(f"said.*.{attempt.name}.log")) or [None]
    if log is None:
        return []
    printed = [line for line in log.read_bytes().splitlines() if line != b"begun"]
    transcript = (attempt / "transcript").read_bytes() if (attempt / "transcript").exists() else b""
    rest = iter(transcript.splitlines())
    if not all(line in rest for line in printed):
        return [f"{attempt.name} printed {printed}, the transcript has {transcript[-300:]!r}"]
    content = (attempt / "reports.jsonl").read_bytes() if (attempt / "reports.jsonl").exists() else b""
    reports = good_prefix(content)
    faults = []
    if [report["seq"] for report in reports] != list(range(1, len(reports) + 1)):
        faults.append(f"{attempt.name}: its reports have a gap")
    for kind in ("turn", "usage", "effect", "checkpoint", "output"):
        lines = sum(line["type"] == kind for line in lines_of(transcript))
        if lines != sum(report["kind"] == kind for report in reports):
            faults.append(f"{attempt.name}: {lines} {kind} lines, not so many reports")
    return faults


def _record(folder: Path, entries: list[dict[str, Any]]) -> list[str]:
    record = json.loads((folder / "record.json").read_bytes())
    ends = [entry["seq"] for entry in entries if entry["kind"] == "run_ended"]
    if not ends or record["covers_seq"] > len(entries):
        return [f"a record of what is not in the journal of {folder.name}"]
    return []


def _starts(home: Path, claimed: set[str], folders: dict[str, Path]) -> list[str]:
    """JNL4, I3: whoever ran has a durable claim, and ran once."""
    faults = []
    for log in (home / "work").glob("said.*.log"):
        attempt = log.name.split(".")[2]
        if attempt not in claimed and folders:
            faults.append(f"{attempt} ran without a durable claim")
        if log.read_bytes().splitlines().count(b"begun") != 1:
            faults.append(f"{attempt} was started twice")
    return faults


def look_settled(home: Path, seen: Said) -> list[str]:
    """After the next process: nothing lives, every attempt has its end, the sums are those of the agents' own logs."""
    faults = []
    folders = run_folders(home)
    shown = {what[1]: what for what in seen if what[0] == "seen"}
    for run, what in shown.items():
        if what[2] != "ended":
            faults.append(f"{run} came back as {what[2]}")
        if run not in folders:
            faults.append(f"a phantom is listed: {run}")
            continue
        entries = journal_of(folders[run])
        claims = {e["attempt_id"] for e in entries if e["kind"] == "attempt_claimed"}
        ends = {e["attempt_id"] for e in entries if e["kind"] == "attempt_ended"}
        if claims != ends:
            faults.append(f"{run}: attempts without an end: {claims - ends}")
        spent = _spent(home, folders[run])
        if Decimal(what[4] if what[4] != "None" else 0) != spent:
            faults.append(f"{run} shows {what[4]}, its agents said {spent}")
    for run, folder in folders.items():
        if folder.parent.name == "runs" and run not in shown:
            faults.append(f"{run} is not listed")
    return faults + _ledger(home, folders)


def _spent(home: Path, folder: Path) -> Decimal:
    spent = Decimal(0)
    for attempt in (folder / "attempts").glob("a-*"):
        transcript = (attempt / "transcript").read_bytes() if (attempt / "transcript").exists() else b""
        spent += cost_of(lines_of(transcript)) or Decimal(0)
    return spent


def _ledger_lines(home: Path) -> list[dict[str, Any]]:
    path = home / "store" / "ledger.jsonl"
    return good_prefix(path.read_bytes()) if path.exists() else []


def _ledger(home: Path, folders: dict[str, Path]) -> list[str]:
    """Of runs that are still there, in whatever place: what was spent, once."""
    key = ("kind", "run", "attempt", "model", "hour", "upto")
    keyed = {json.dumps([line.get(name) for name in key]): line for line in _ledger_lines(home)}
    sums: Counter[str] = Counter()
    for line in keyed.values():
        if line.get("kind") == "spend":
            sums[line["run"]] += Decimal(line["cost_usd"] or 0)  # type: ignore[assignment]
    return [
        f"{run}: the ledger says {sums[run]}, the agents {spent}"
        for run, folder in folders.items()
        if any(e["kind"] == "run_ended" for e in journal_of(folder))
        and Decimal(sums[run]) != (spent := _spent(home, folder))
    ]


def phantoms(home: Path, said: Said, before: set[str]) -> list[str]:
    """Runs that are there and that nobody was told of, though the app lived to its end. Where the disk refuses even to take
    back what it took of a launch, that is told in the log, and the next start settles it.
    """
    told = {what[1] for what in said if what[0] == "launched"} | before
    kept = " ".join(what[2] for what in said if what[0] == "log" and "could not be removed" in what[2])
    return [
        f"{run} was refused, and is there" for run in run_folders(home) if run not in told and run not in kept
    ]


def said_of_faults(said: Said, failed: list[str], how: str) -> list[str]:
    """None silent; nothing claimed while recording is down; no fault of the app's own."""
    faults = [
        f"a fault of its own: {what[2]}"
        for what in said
        if what[0] == "log" and what[1] == "ERROR" and what[3]
    ]
    faults += [f"the close failed: {what[1]}" for what in said if what[0] == "close failed"]
    is_told = any(
        what[0] in ("refused", "unusable", "recording", "log", "gave up waiting")
        or (what[0] == "ended" and what[3])
        for what in said
    )
    if failed and not is_told:
        faults.append(f"a silent fault: {failed[:3]}")
    recording = True
    for what in said:
        if what[0] == "recording":
            recording = what[1]
        elif what[0] == "event" and what[1] == "attempt_claimed" and not recording and how == "for good":
            faults.append("a claim while recording was down")
    return faults


def lasting(home: Path) -> dict[str, str]:
    """What another start must leave as it is."""
    store = home / "store"
    places = [
        *(store / "runs").rglob("*"),
        *(store / "discarded").rglob("*"),
        store / "ledger.jsonl",
        store / "index.jsonl",
    ]
    return {
        str(path.relative_to(store)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in places
        if path.is_file() and not path.name.endswith(".lock")
    }
