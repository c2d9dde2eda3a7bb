"""The facts of real runs, told by the agents' own logs and by what the person did. Imports nothing of the product.

What the logs do not say follows from the design: a node begins when what it waits for is done; a run is over when nothing of
it runs or can begin; an agent that left with another code than 0 has failed, one that was told to end was stopped.
"""

from __future__ import annotations

from typing import Any

from tests.scenarios.naive_runs import Fact

Log = list[dict[str, Any]]


class Told:
    """Facts in the order in which they happened, from acts and logs; `seq` and `upto` are counted along."""

    def __init__(self, flows: list[Fact], acts: list[Fact], logs: dict[str, Log]) -> None:
        self.flows = {flow["id"]: flow for flow in flows}
        self.facts: list[Fact] = []
        self.runs: dict[str, dict[str, Any]] = {}
        self.ended, self.logs = 0, logs
        lines = [{**line, "attempt": a} for a, log in logs.items() for line in log]
        for step in sorted([*acts, *lines], key=lambda s: s["at"]):
            self.now = step["at"]
            if "attempt" in step:
                self.hear(step)
            else:
                getattr(self, f"act_{step['act']}")(step)

    def fact(self, what: str, **fields: Any) -> None:
        clocks = {"ms": round(self.now * 1000), "wall": round(self.now * 1000)}
        self.facts.append({"what": what, **clocks, "quiet": False, **fields})

    def report(self, attempt: str, kind: str, **fields: Any) -> None:
        run = self.run_of(attempt)
        run["said"][attempt] += 1
        self.fact(
            "report", run=run["id"], attempt=attempt, kind=kind, seq=run["said"][attempt], epoch=1, **fields
        )
        self.fact("totals", run=run["id"], attempt=attempt, upto=run["said"][attempt])

    def journal(self, run: str, kind: str, **fields: Any) -> None:
        self.fact("journal", run=run, kind=kind, **fields)

    def run_of(self, attempt: str) -> dict[str, Any]:
        return next(run for run in self.runs.values() if attempt in run["said"])

    # -------------------------------------------------------------- what the person did

    def act_launch(self, act: Fact) -> None:
        flow = self.flows[act["flow"]]
        nodes = {node["id"]: "waits" for node in flow["nodes"]}
        run = {
            "id": act["run"],
            "flow": flow,
            "nodes": nodes,
            "said": {},
            "stopped": set(),
            "live": True,
            "stop": False,
        }
        self.runs[act["run"]] = run
        slots = [{"slot": n["id"], "node": n["id"], "title": n["title"]} for n in flow["nodes"]]
        named = {"workflow_id": flow["id"], "workflow_name": flow["name"], "slots": slots, "foreign": False}
        self.journal(act["run"], "run_launched", launch_seq=len(self.runs), **named)
        self.fact("look", act="launched", run=act["run"])

    def act_look(self, act: Fact) -> None:
        self.fact("look", **act["look"])

    def act_answer(self, act: Fact) -> None:
        attempt, _, _ = act["request"].partition(":")
        answered = {"slot_id": act["node"], "attempt_id": attempt, "request_id": act["request"]}
        self.journal(act["run"], "approval_answered", **answered, choice="Yes")

    def act_pause(self, act: Fact) -> None:
        self.report(self.attempt_at(act), "paused")

    def act_continue(self, act: Fact) -> None:
        self.report(self.attempt_at(act), "continued")

    def act_stop_slot(self, act: Fact) -> None:
        self.runs[act["run"]]["stopped"].add(act["node"])
        self.journal(
            act["run"], "attempt_stop_requested", slot_id=act["node"], attempt_id=self.attempt_at(act)
        )

    def act_stop_run(self, act: Fact) -> None:
        self.runs[act["run"]]["stop"] = True
        self.journal(act["run"], "run_stop_requested")
        self.end_if_over(self.runs[act["run"]])

    def attempt_at(self, act: Fact) -> str:
        attempts: dict[str, str] = self.runs[act["run"]]["said_at"]
        return next(attempt for attempt, node in attempts.items() if node == act["node"])

    # -------------------------------------------------------------- what the agents noted

    def hear(self, line: Fact) -> None:
        run, attempt = self.runs[line["run"]], line["attempt"]
        match line["what"]:
            case "begun":
                run["nodes"][line["node"]] = "runs"
                run["said"][attempt] = 0
                run.setdefault("said_at", {})[attempt] = line["node"]
                named = {"slot_id": line["node"], "attempt_id": attempt, "epoch": 1}
                self.journal(run["id"], "attempt_claimed", **named, agent=line["node"], cause="schedule")
                self.report(attempt, "starting", boot="b")
                self.report(attempt, "started", pid=1)
            case "said":
                self.hear_said(attempt, line["line"])
            case "answered":
                self.report(attempt, "approval_answered", id=line["id"])
            case "ended":
                self.hear_end(run, attempt, line)
            case _:
                raise AssertionError(line)

    def hear_said(self, attempt: str, said: dict[str, Any]) -> None:
        kind = said["type"]
        if kind == "usage":
            named = {"cost_usd": said["cost_usd"], "message_id": said["message_id"], "cumulative": False}
            self.report(attempt, "usage", **named)
        elif kind in ("turn", "approval", "output"):
            self.report(attempt, kind, id=said.get("id"))

    def hear_end(self, run: dict[str, Any], attempt: str, line: Fact) -> None:
        told, node = line["why"] == "told", line["node"]
        status = "stopped" if told else "succeeded" if line["code"] == 0 else "failed"
        self.report(attempt, "exit", code=line["code"], after_ending=told, tree_empty=True)
        is_done = status == "succeeded"
        self.journal(
            run["id"], "attempt_ended", slot_id=node, attempt_id=attempt, epoch=1, status=status, message="",
            upto=run["said"][attempt], next_state="done" if is_done else "retry_wait", hold=None if is_done else "person",
        )  # fmt: skip
        run["nodes"][node] = status
        self.end_if_over(run)

    def end_if_over(self, run: dict[str, Any]) -> None:
        if not run["live"] or "runs" in run["nodes"].values() or self.can_begin(run):
            return
        run["live"] = False
        ends = run["nodes"].values()
        if run["stop"]:
            outcome = "stopped"
        elif "failed" in ends:
            outcome = "failed"
        else:
            outcome = "completed" if all(end == "succeeded" for end in ends) else "stopped"
        self.ended += 1
        self.journal(run["id"], "run_ended", outcome=outcome, end_seq=self.ended, message="")

    def can_begin(self, run: dict[str, Any]) -> list[str]:
        """Nodes that have not begun, and that nothing holds back."""
        if run["stop"]:
            return []
        before = {edge["to"]: edge["from"] for edge in run["flow"]["edges"]}
        nodes = run["nodes"]
        return [
            n for n in nodes if nodes[n] == "waits" and (n not in before or nodes[before[n]] == "succeeded")
        ]

    # -------------------------------------------------------------- whether anything is on its way

    def is_still(self, given: dict[tuple[str, str], int], done: dict[tuple[str, str], int]) -> bool:
        """Every agent that can begin has, has done what it was given (or waits for an answer), and nobody is ending."""
        for run in (run for run in self.runs.values() if run["live"]):
            if self.can_begin(run):
                return False
            for node, state in run["nodes"].items():
                place = (run["id"], node)
                is_ending = run["stop"] or node in run["stopped"]
                if state == "runs" and (is_ending or given.get(place, 0) > done.get(place, 0)):
                    return False
        return True
