"""FIM1 × CON5: at each point of four kinds of tasks the app, the keeper or the agent is killed; then a person resumes.

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
OUTCOME = {"app": "interrupted", "shim": "stopped", "agent": "failed"}


def _judge(
    cell: list[str], result: dict[str, Any], service_key: dict[str, int], happened: list[str]
) -> list[str]:
    task, point, kind, _ = cell
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
    return faults + _judge_counts(result["counts"]) + _judge_end(result, point)


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
            for kind in (KINDS if point != "retry wait" else ("app",))
        ]
        results = try_points("tests.crash.matrix_nursery", cells)
        faults = {
            tuple(result["point"][:3]): said
            for result in results
            if (said := _judge(result["point"], result, service.asked, service.happened))
        }
    assert len(results) == 88
    assert not faults, "\n".join(f"{cell}: {said}" for cell, said in faults.items())
