"""`python -m tests.crash.matrix_nursery FOLDER`: one JSON list `[task, point, kind, url]` a line from stdin; a JSON object each.

An agent is at POINT of its TASK when the app, its keeper or itself is killed, the power is cut, the machine sleeps for a night, or its
disk fills or fails to sync (KIND). Then the next process settles, a person re-opens the slot, looks, and claims it; what the successor
found and what is in the world is told, for the test to judge. After a night nobody died, and the run goes to its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Refusal
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.service import Engine
from quarterdeck.store.durable_io import DurableIO
from tests.crash import lab, scenes, verdicts
from tests.crash.weather import FULL, NO_SYNC, Weather
from tests.e2e.seen import good_prefix, journal_of

WORKER = Path(__file__).with_name("task_worker.py")
A = SlotId("a")
WEATHER = Weather()
FAILING = {"full disk": FULL, "no sync": NO_SYNC}
ENDS_APP = ("app", "power", *FAILING)


def write_workflow(home: Path, task: str, point: str, url: str) -> Path:
    place = home / "work"
    place.mkdir(parents=True)
    (home / "config").mkdir()
    if task == "commit":
        _make_repository(place / "repo")
    python = os.path.realpath("/proc/self/exe")
    agent = {
        "kind": "command",
        "protocol": "lines",
        "argv": [python, "-I", "-S", str(WORKER), task, point, str(place), url],
    }
    node: dict[str, Any] = {"id": "a", "title": "A", "agent": "a", "prompt": "About {{ inputs.topic }}"}
    if point == "retry wait":
        node["retry"] = {"max_attempts": 3}
    document = {
        "format": "quarterdeck.workflow/1",
        "id": "0198c1c2-7a53-7c5e-9d0e-0000000000aa",
        "name": "matrix",
        "inputs": [{"name": "topic", "type": "text", "default": "whales"}],
        "agents": {"a": agent},
        "nodes": [node, {"id": "after", "title": "After", "agent": "a"}],
        "edges": [{"from": "a", "to": "after"}],
    }
    path = place / "matrix.workflow.json"
    path.write_text(json.dumps(document))
    return path


def _make_repository(folder: Path) -> None:
    folder.mkdir()
    (folder / "file.txt").write_text("first\n")
    for arguments in (
        ("init", "-q"),
        ("add", "."),
        ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"),
    ):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)


def _first_life(kind: str, point: str) -> scenes.Act:
    async def act(engine: Engine, home: Path, say: lab.Say) -> None:
        run = await engine.launch(LaunchRequest(home / "work" / "matrix.workflow.json"))
        assert not isinstance(run, Refusal), run
        say("launched", run)
        async with asyncio.timeout(80):
            while not _is_there(home, run, point, kind):
                await asyncio.sleep(0.01)
        if kind in ("sleep", *FAILING):
            await _befall(engine, home, run, kind)
            view = await asyncio.wait_for(engine.wait_ended(run), 80)
            say(
                "ended",
                run,
                str(view.outcome),
                [len(slot.attempts) for slot in view.slots],
                str(view.cost_usd),
            )
            return
        if kind == "power":
            _kill_workers()
        if kind in ("app", "power"):
            os.kill(os.getpid(), signal.SIGKILL)
        (reports,) = (home / "store" / "runs" / run / "attempts").glob("*/reports.jsonl")
        facts: dict[str, Any] = {}
        while (
            "started" not in facts
        ):  # the agent may be at its point before its keeper has written that it runs
            facts = {report["kind"]: report for report in good_prefix(reports.read_bytes())}
            await asyncio.sleep(0)
        os.kill(facts["starting"]["shim_pid"] if kind == "shim" else facts["started"]["pid"], signal.SIGKILL)
        view = await asyncio.wait_for(engine.wait_ended(run), 80)
        say("ended", run, str(view.outcome))

    return act


async def _befall(engine: Engine, home: Path, run: RunId, kind: str) -> None:
    """A night: it is noticed, and all go on. A failing disk: all go on for a while; then the app is killed with the disk still so."""
    if kind == "sleep":
        WEATHER.sleep_a_night()
        while not any(e["kind"] == "machine_slept" for e in journal_of(home / "store" / "runs" / run)):
            await asyncio.sleep(0.02)
        (home / "work" / "go").touch()
        return
    WEATHER.fail(FAILING[kind])
    (home / "work" / "go").touch()
    for _ in range(50):
        await asyncio.sleep(0.02)
        if not _workers():
            break
    os.kill(os.getpid(), signal.SIGKILL)


def _kill_workers() -> None:
    """Keepers before their agents, so that nobody is left who could write an end."""
    for pid in _family():
        with contextlib.suppress(ProcessLookupError):  # it went with its keeper
            os.kill(pid, signal.SIGKILL)


def _is_there(home: Path, run: str, point: str, kind: str) -> bool:
    if point == "retry wait":
        return any(entry["kind"] == "attempt_ended" for entry in journal_of(home / "store" / "runs" / run))
    here = next((home / "work").glob("here.*"), None)
    if here is None or kind in ("app", "agent"):
        return here is not None
    (reports,) = (home / "store" / "runs" / run / "attempts").glob("*/reports.jsonl")
    told = [
        report["kind"] for report in good_prefix(reports.read_bytes())
    ]  # what a keeper never read is lost with it
    return len([kind for kind in told if kind not in ("starting", "started")]) >= int(here.read_text())


async def _settles(engine: Engine, home: Path, say: lab.Say) -> None:
    (line,) = engine.runs()
    view = await engine.run(line.run_id)
    assert view is not None
    say("settled", line.run_id, str(view.outcome), str(view.cost_usd), view.cost_is_complete)
    for slot in view.slots:
        tries = slot.attempts
        say(
            "slot",
            slot.slot_id,
            slot.display,
            [str(one.status) for one in tries],
            [one.reason for one in tries],
        )


def _counts(home: Path, run: RunId) -> dict[str, int]:
    folder = home / "store" / "runs" / run
    kinds = [entry["kind"] for entry in journal_of(folder)]
    return {
        "claims": kinds.count("attempt_claimed"),
        "leases": len(list(folder.glob("attempts/*/lease"))),
        "folders": len(list((folder / "attempts").iterdir())),
        "workers": _workers(),
    }


def _workers() -> int:
    """How many keepers and agents live."""
    return len(_family())


def _family() -> list[int]:
    """Everything in the family but the app and its fork server, keepers first."""
    nursery = os.getppid()
    family = Path(f"/proc/{nursery}/task/{nursery}/children").read_text().split()
    found: list[int] = []
    todo = [int(pid) for pid in family if int(pid) != os.getpid()]
    while todo:
        pid = todo.pop(0)
        try:
            below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            continue  # it ended while we looked
        found += map(int, below)
        todo += map(int, below)
    return found


async def _resumes(engine: Engine, home: Path, say: lab.Say) -> None:
    (line,) = engine.runs()
    run = line.run_id
    before = await engine.run(run)
    assert before is not None
    (a,) = [slot for slot in before.slots if slot.slot_id == A]
    if a.attempts and a.attempts[-1].status is AttemptStatus.SUCCEEDED:
        return  # nothing was cut off
    say("counts", "before", _counts(home, run))
    refused = await engine.reassign(run, A, "again")
    assert refused is None, refused
    say("counts", "re-opened", _counts(home, run))
    claimed = await engine.claim(run, A)
    assert not isinstance(claimed, Refusal), claimed
    view = await asyncio.wait_for(engine.wait_ended(run), 80)
    say("counts", "claimed", _counts(home, run))
    slots = {str(slot.slot_id): [str(attempt.status) for attempt in slot.attempts] for slot in view.slots}
    say("ended", run, str(view.outcome), slots, str(view.cost_usd))


def try_cell(folder: Path, task: str, point: str, kind: str, url: str) -> dict[str, Any]:
    home = folder / "home"
    shutil.rmtree(folder / "synced", ignore_errors=True)
    WEATHER.begin(folder / "synced", keeps_synced=kind == "power")
    write_workflow(home, task, point, url)
    first = scenes.play(home, DurableIO(), _first_life(kind, point))
    faults = [f"{pid} lives on" for pid in first.left] + verdicts.look(home, first.said)
    ended_itself = bool(first.heard("ended")) and not first.status
    if first.was_killed is not (kind in ENDS_APP) or ended_itself is not (kind not in ENDS_APP):
        faults.append(f"the first life: {first.status}, {first.said[-4:]}")
    WEATHER.calm()
    lost = 0
    if kind == "power":
        lost = WEATHER.cut_power(home / "store", random.Random(f"{task} {point}"))
    settled = scenes.play(home, DurableIO(), _settles)
    resumed = scenes.play(home, DurableIO(), _resumes) if kind != "sleep" else settled
    if settled.status or resumed.status:
        faults.append(f"a later life failed: {settled.said[-2:]}, {resumed.said[-2:]}")
    if kind == "power":  # what was acknowledged and not synced is not owed
        first.said.clear()
    faults += verdicts.look(home, [*first.said, *resumed.said])
    found = home / "work" / "found.json"
    result = {
        "faults": faults,
        "lost": lost,
        "first": first.heard("ended"),
        "settled": settled.heard("settled") + settled.heard("slot"),
        "counts": {what[1]: what[2] for what in resumed.heard("counts")},
        "ended": resumed.heard("ended"),
        "found": json.loads(found.read_text()) if found.exists() else None,
        "world": _world(home / "work", task),
    }
    shutil.rmtree(home)
    return result


def _world(place: Path, task: str) -> list[str]:
    """The traces that the task left, one a deed."""
    if task == "edit":
        return (place / "edited.txt").read_text().splitlines() if (place / "edited.txt").exists() else []
    if task == "commit":
        log = ["git", "-C", str(place / "repo"), "log", "--format=%(trailers:key=Key)"]
        told = subprocess.run(log, check=True, capture_output=True, text=True).stdout
        return [line for line in told.splitlines() if line]
    if task == "report":
        return (place / "report.txt").read_text().splitlines() if (place / "report.txt").exists() else []
    return []


def main(folder: Path) -> None:
    lab.warm_up()
    WEATHER.install()
    for line in sys.stdin:
        cell = json.loads(line)
        begun_s = time.monotonic()
        try:
            result = try_cell(folder, *cell)
        except Exception:
            result = {"faults": [traceback.format_exc()]}
            shutil.rmtree(folder / "home", ignore_errors=True)
        took_s = round(time.monotonic() - begun_s, 3)
        print(json.dumps({"point": cell, "took_s": took_s, **result}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
