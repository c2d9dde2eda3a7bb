"""FIM1 × CON5: at each point of four kinds of tasks the app, the keeper or the agent is killed, the power is cut, the disk fills or
fails to sync, or the machine sleeps for eight hours; then a person resumes.

FIM3: re-opening makes no worker and no lease, claiming makes one of each. FIM4: for each point it is stated which pinned
inputs, steps and effects the successor finds, and which it has to do again. EFF1–EFF4, CON1–CON3, C10, REC10, SLT13–SLT16.
"""

from __future__ import annotations

import shutil
from decimal import Decimal
from typing import Any

import pytest

from tests.crash.nurseries import try_points
from tests.crash.service import serving

TASKS = ("report", "edit", "commit", "remote")
KINDS = ("app", "shim", "agent")
LOSING = ("power", "full disk", "no sync")
"""What was not yet safe may be lost there: what a successor finds is a prefix."""
READ = ["read"]
FINDS: dict[str, tuple[list[str], list[str]]] = {
    "before work": ([], []),
    "after a tool result": (READ, []),
    "retry wait": (READ, []),
    "before intent": (READ, []),
    "after intent": (READ, ["intended"]),
    "after send": (READ, ["unknown"]),
    "after answer": (READ, ["unknown"]),
    "after record": (["read", "did"], ["confirmed"]),
}
"""FIM4: {point: (steps that the successor finds saved, states of the effect that it finds)}; all else is done again."""
STATUS = {"app": "interrupted", "shim": "interrupted", "agent": "failed"}
WORDS = {"app": "app closed", "shim": "its keeper was ended from outside", "agent": "ended by SIGKILL"}
"""Why the attempt ended, as it is told: whoever it was, and nobody else."""
OUTCOME = {"app": "interrupted", "shim": "stopped", "agent": "failed"}


def _judge(
    cell: list[str], result: dict[str, Any], service_key: dict[str, int], happened: list[str]
) -> list[str]:
    task, point, kind, _ = cell
    if kind == "sleep":
        return _judge_night(cell, result, service_key, happened)
    if kind in LOSING:
        return _judge_losing(cell, result, service_key, happened)
    steps, states = FINDS[point]
    found = result["found"]
    if found is None:
        return ["the successor never ran"]
    faults = _judge_found(found, steps, states)
    key = found["key"]
    deeds = {"remote": happened.count(key)}.get(task, len(result["world"]))
    if deeds != 1:
        faults.append(f"it happened {deeds} times: {result['world']}")
    if task == "remote":
        again = 2 if states == ["unknown"] else 1
        if service_key[key] != again:
            faults.append(f"the service was asked {service_key[key]} times, not {again}")
    settled = {what[1]: what[3] for what in result["settled"] if what[0] == "slot"}
    expected = ["failed"] if point == "retry wait" else [STATUS[kind]]
    if settled != {"a": expected, "after": []}:
        faults.append(f"it came back as {result['settled']}")
    (why,) = [what[4][0] for what in result["settled"] if what[:2] == ["slot", "a"]]
    if point != "retry wait" and why != WORDS[kind]:
        faults.append(f"the {kind} was killed, and the words are {why!r}")
    return faults + _judge_counts(result["counts"]) + _judge_end(result, point)


def _judge_losing(
    cell: list[str], result: dict[str, Any], service_key: dict[str, int], happened: list[str]
) -> list[str]:
    """Nothing is found that was not told, each deed is done once, and figures that are less are "at least"."""
    task, point, _, _ = cell
    ((_, _, outcome, cost, is_complete),) = [what for what in result["settled"] if what[0] == "settled"]
    ((_, _, shown, statuses, _), (_, _, _, later, _)) = [
        what for what in result["settled"] if what[0] == "slot"
    ]
    told = Decimal(0) if point == "before work" and cell[2] == "power" else Decimal("0.11")
    faults = []
    if Decimal(0 if cost == "None" else cost) > told or (
        Decimal(0 if cost == "None" else cost) < told and is_complete
    ):
        faults.append(f"it shows {cost} as {'the whole' if is_complete else 'at least'}, {told} was said")
    if outcome != "interrupted" or later or shown in ("Running", "Waiting"):
        faults.append(f"it came back as {result['settled']}")
    if statuses[-1:] != ["succeeded"]:  # else all that was told is there, and nothing is to be resumed
        faults += _judge_successor(result, point)
    deeds = (
        happened.count(_key_of(task, result, service_key)) if task == "remote" else len(set(result["world"]))
    )
    if deeds != 1 or (task in ("edit", "commit") and len(result["world"]) != 1):
        faults.append(f"it happened {deeds} times: {result['world']}")
    return faults


def _key_of(task: str, result: dict[str, Any], service_key: dict[str, int]) -> str:
    run = result["settled"][0][1]
    (key,) = [key for key in service_key if key.startswith(f"{run}/a:")]
    return key


def _judge_successor(result: dict[str, Any], point: str) -> list[str]:
    found = result["found"]
    if found is None or not result["ended"]:
        return ["the successor never ran"]
    resume, faults = found["resume"], []
    kept = [step["step"] for step in resume["steps"]["kept"]]
    if kept != ["read", "did"][: len(kept)]:
        faults.append(f"it found the steps {kept}")
    effects = [effect for attempt in resume["attempts"] for effect in attempt["effects"]]
    if any(effect["idempotency_key"] != found["key"] for effect in effects) or len(effects) > 1:
        faults.append(f"it found the effects {effects}")
    if point in ("after record",) and [effect["state"] for effect in effects] == ["absent"]:
        faults.append("what was done is told to be absent")
    faults += _judge_counts(result["counts"])
    ((_, _, outcome, slots, _),) = result["ended"]
    if slots["a"][-1] != "succeeded" or slots["after"] or outcome != "stopped":
        faults.append(f"it ended as {outcome}, {slots}")
    return faults


def _judge_night(
    cell: list[str], result: dict[str, Any], service_key: dict[str, int], happened: list[str]
) -> list[str]:
    """LSE5: nothing expired, nobody was ended, nothing was begun again; each deed of both nodes is done once."""
    ((_, run, outcome, attempts, cost),) = result["first"]
    tries = 2 if cell[1] == "retry wait" else 1
    faults = []
    if (outcome, attempts) != ("completed", [tries, 1]):
        faults.append(f"it ended as {outcome} after {attempts} attempts")
    if Decimal(cost) != Decimal("0.11") * (tries + 1):
        faults.append(f"it shows {cost}")
    deeds = [key for key in happened if key.startswith(f"{run}/")] if cell[0] == "remote" else result["world"]
    wanted = 1 if cell[0] == "report" else 2  # the second report is written over the first
    if len(deeds) != wanted or len(set(deeds)) != wanted:
        faults.append(f"it happened {len(deeds)} times: {deeds}")
    if any(count != 1 for key, count in service_key.items() if key.startswith(f"{run}/")):
        faults.append("the service was asked again")
    return faults


def _judge_found(found: dict[str, Any], steps: list[str], states: list[str]) -> list[str]:
    faults = []
    resume, context = found["resume"], found["context"]
    kept = [step["step"] for step in resume["steps"]["kept"]]
    if kept != steps:
        faults.append(f"it found the steps {kept}, not {steps}")
    if resume["steps"]["repeat"]:
        faults.append(f"nothing was lost, and it has to repeat {resume['steps']['repeat']}")
    effects = [effect for attempt in resume["attempts"] for effect in attempt["effects"]]
    if [effect["state"] for effect in effects] != states:
        faults.append(f"it found {effects}, not {states}")
    if any(effect["idempotency_key"] != found["key"] for effect in effects):
        faults.append("the effect has another key")
    if (context["inputs"], context["prompt"], resume["reason"]) != (
        {"topic": "whales"},
        "About whales",
        "again",
    ):
        faults.append(f"its pinned inputs are {context['inputs']}, {context['prompt']!r}")
    saved = resume["attempts"][0]["artifacts"]
    if ("notes" in saved) is not bool(steps):
        faults.append(f"it found the files {sorted(saved)}")
    return faults


def _judge_counts(counts: dict[str, dict[str, int]]) -> list[str]:
    """FIM3."""
    before, reopened, claimed = counts["before"], counts["re-opened"], counts["claimed"]
    faults = []
    if before != reopened or reopened["workers"]:
        faults.append(f"re-opening made something: {before}, {reopened}")
    if {name: claimed[name] - reopened[name] for name in ("claims", "leases", "folders")} != {
        "claims": 1,
        "leases": 1,
        "folders": 1,
    }:
        faults.append(f"a claim is to make one of each: {reopened}, {claimed}")
    return faults


def _judge_end(result: dict[str, Any], point: str) -> list[str]:
    """The resumed attempt is whole; the node after it waits for a person; what was spent is the sum of both attempts."""
    ((_, _, outcome, slots, cost),) = result["ended"]
    spent = Decimal("0.11") * (1 if point == "before work" else 2)
    faults = []
    if slots["a"][1:] != ["succeeded"] or slots["after"] or outcome != "stopped":
        faults.append(f"it ended as {outcome}, {slots}")
    if Decimal(cost) != spent:
        faults.append(f"it shows {cost}, {spent} was said")
    return faults


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_whatever_dies_at_whatever_point_of_whatever_task_it_is_done_once() -> None:
    with serving() as service:
        cells = [
            [task, point, kind, service.url]
            for task in TASKS
            for point in FINDS
            for kind in (*(KINDS if point != "retry wait" else ("app",)), *LOSING, "sleep")
        ]
        results = try_points("tests.crash.matrix_nursery", cells)
        faults = {
            tuple(result["point"][:3]): said
            for result in results
            if (said := _judge(result["point"], result, service.asked, service.happened))
        }
    assert len(results) == 216
    assert sum(bool(result["lost"]) for result in results) > 20, "the power cuts took nothing"
    assert not faults, "\n".join(f"{cell}: {said}" for cell, said in faults.items())
