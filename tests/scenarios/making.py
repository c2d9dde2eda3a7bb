"""Seeded scenarios: what happens to 2–50 live runs of 1–4 workflows, as plain facts. Imports nothing of the product.

`scenario(seed)` gives the workflow files and the facts, in the order in which they become known; the same seed gives the
same ones. Most scenarios are small, two in a hundred have up to fifty runs live at once. A `quiet` fact is one
after which the window does not look yet (it is drained thirty times a second, not for each fact).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from tests.scenarios.making_agents import AgentStory
from tests.scenarios.naive_runs import ENDS, Fact, Run, Slot

NAMES = ("Digest", "Night check", "Release notes", "Triage")
KINDS = ("command", "practice", "claude-code")
PASSES_MS = (0, 0, 1, 30, 400, 1000, 1000, 2500, 61_000, 3_700_000)
START_MS, START_WALL = 1_000_000, 1_764_421_320_000


@dataclass(frozen=True)
class Scenario:
    seed: int
    flows: list[Fact]
    facts: list[Fact]


def scenario(seed: int) -> Scenario:
    """The scenario of this seed."""
    story = Story(seed)
    story.tell()
    return Scenario(seed, story.first, story.facts)


def sizes(random: Random) -> tuple[int, int, float]:
    """(runs live at once, steps, share of quiet facts)."""
    place = random.random()
    if place < 0.84:
        return random.randint(2, 4), random.randint(20, 60), 0.25
    if place < 0.96:
        return random.randint(5, 9), random.randint(40, 80), 0.5
    if place < 0.99:
        return random.randint(10, 24), random.randint(70, 110), 0.75
    return random.randint(25, 50), 140, 0.9


def flow_of(random: Random, number: int) -> Fact:
    """A workflow file with 1–4 nodes; some ask a person, some edges are missing."""
    count = random.randint(1, 4)
    agents: Fact = {}
    for n in range(2):
        kind = random.choice(KINDS)
        agents[f"agent{n}"] = {"kind": kind, "argv": ["true"]} if kind == "command" else {"kind": kind}
    nodes: list[Fact] = []
    for n in range(count):
        node: Fact = {"id": f"n{n}", "title": f"Node {n}", "position": [300 * n, 0]}
        asks = random.random() < 0.12
        node |= {"kind": "approval", "question": "Go on?"} if asks else {"agent": f"agent{n % 2}"}
        nodes.append(node)
    edges = [edge_of(random, nodes[n], nodes[n + 1]) for n in range(count - 1) if random.random() < 0.7]
    return {
        "format": "quarterdeck.workflow/1",
        "id": f"0198c1c2-7a53-7c5e-9d0e-{number:012x}",
        "name": NAMES[number % len(NAMES)],
        "agents": agents,
        "nodes": nodes,
        "edges": edges,
    }


def edge_of(random: Random, source: Fact, target: Fact) -> Fact:
    """Most edges follow a success. Who asks a person is always answered with a yes here, so its failure is never followed."""
    edge = {"from": source["id"], "to": target["id"]}
    others = ("failure", "always", "output.ok") if "agent" in source else ("always",)
    return edge if random.random() < 0.5 else {**edge, "when": random.choice(others)}


def edited(random: Random, flow: Fact, number: int) -> Fact:
    """The same file after somebody worked on it: a node has another id or title, or is gone."""
    nodes, edges = list(flow["nodes"]), list(flow["edges"])
    at = random.randrange(len(nodes))
    old = nodes[at]["id"]
    chance = random.random()
    if chance < 0.4:
        new = f"m{number}"
        nodes[at] = {**nodes[at], "id": new}
        ends = [(e, {end: new for end in ("from", "to") if e[end] == old}) for e in edges]
        edges = [{**edge, **moved} for edge, moved in ends]
    elif chance < 0.7 or len(nodes) == 1:
        nodes[at] = {**nodes[at], "title": f"Node {number} anew"}
    else:
        del nodes[at]
        edges = [edge for edge in edges if old not in (edge["from"], edge["to"])]
    return {**flow, "nodes": nodes, "edges": edges}


class Story:
    """Tells facts one after the other, most of them sensible; knows of each run what the naive reading knows."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.wanted_live, self.steps, self.quiet = sizes(self.random)
        self.flows = [flow_of(self.random, n) for n in range(self.random.choice((1, 1, 2, 3, 4)))]
        self.first = list(self.flows)
        """The files as the window finds them; `flows` are the files as they are by now."""
        self.flow_of: dict[str, Fact] = {}
        """What each run began with."""
        self.facts: list[Fact] = []
        self.runs: dict[str, Run] = {}
        self.ms, self.wall = START_MS, START_WALL
        self.minted = self.launched = self.ended = self.edits = 0
        self.agents = AgentStory(self)

    def tell(self) -> None:
        self.fact("look", act="reopen")
        while self.launched < 2:
            self.launch()
        for _ in range(self.steps):
            self.step()
        self.facts[-1]["quiet"] = False

    def mint(self, letter: str, digits: int = 32) -> str:
        """An id whose first digits differ, so that short ids do too."""
        self.minted += 1
        return f"{letter}-{self.minted:04x}{self.random.getrandbits(64):016x}".ljust(digits + 2, "0")

    def fact(self, what: str, **fields: Any) -> Fact:
        passed = self.random.choice(PASSES_MS)
        self.ms += passed
        self.wall += passed
        is_quiet = what not in ("look", "tick") and self.random.random() < self.quiet
        told: Fact = {"what": what, "ms": self.ms, "wall": self.wall, "quiet": is_quiet, **fields}
        self.facts.append(told)
        return told

    def journal(self, run: Run, kind: str, **fields: Any) -> None:
        run.take(self.fact("journal", run=run.id, kind=kind, **fields))

    # -------------------------------------------------------------- what happens next

    def step(self) -> None:
        chance, live = self.random.random(), [run for run in self.runs.values() if run.live]
        if len(live) < 2 or (len(live) < self.wanted_live and chance < 0.12 + self.wanted_live / 90):
            self.launch()
        elif chance < 0.55:
            self.move(self.random.choice(live))
        elif chance < 0.70:
            self.move(live[-1])
        elif chance < 0.80:
            self.look(live)
        elif chance < 0.84:
            self.wall += self.random.choice(
                (0, 0, 0, -86_400_000, 86_400_000, 7_200_000)
            )  # somebody set the clock (ID2)
            self.fact("tick")
        elif chance < 0.92:
            self.after_the_end()
        else:
            self.agents.again()

    def launch(self) -> None:
        flow = self.random.choice(self.flows)
        self.launched += 1
        slots = [slot for node in flow["nodes"] for slot in self.slots_of(node)]
        told = self.fact(
            "journal",
            run=self.mint("r"),
            kind="run_launched",
            workflow_id=flow["id"],
            workflow_name=flow["name"],
            launch_seq=self.launched,
            slots=slots,
            foreign=self.random.random() < 0.15,
        )
        run = Run(told, {name: agent["kind"] for name, agent in flow["agents"].items()})
        self.runs[run.id], self.flow_of[run.id] = run, flow
        if not run.foreign and self.random.random() < 0.3:
            self.fact("look", act="launched", run=run.id)

    def slots_of(self, node: Fact) -> Iterator[Fact]:
        many = self.random.randint(2, 3) if "agent" in node and self.random.random() < 0.1 else 1
        for n in range(many):
            slot = f"{node['id']}[{n}]" if many > 1 else node["id"]
            yield {"slot": slot, "node": node["id"], "title": node["title"]}

    def move(self, run: Run) -> None:
        """One step of a live run."""
        is_idle = all(t.status == "lost" or t.status in ENDS for t in run.tries.values())
        is_over = all(slot.state in ("done", "failed", "cancelled") for slot in run.slots.values())
        chance = self.random.random()
        if is_idle and (chance < (0.8 if is_over or run.stop else 0.05)):
            self.end_run(run, is_over)
        elif chance < 0.03 and not run.stop:
            self.journal(run, "run_stop_requested")
        elif chance < 0.08:
            self.limit(self.random.choice([r for r in self.runs.values() if r.live]))
        else:
            self.move_slot(run, self.random.choice(list(run.slots.values())))

    def limit(self, run: Run) -> None:
        """A person sets a limit of spending that is about what is spent; where that is 80 % of it, it is said once."""
        of_slots = {s.id: run.spent_of_newest(s)[1] for s in run.slots.values() if s.tries}
        known = [(scope, spent) for scope, spent in {"run": run.total()[1], **of_slots}.items() if spent]
        if not known:
            self.fact("tick")
            return
        scope, spent = self.random.choice(known)
        limit = run.limits.get(scope)
        if limit is None or self.random.random() < 0.5:
            percent = self.random.choice((50, 79, 80, 81, 100, 120, 125, 126, 200))
            limit = spent * percent / 100
            self.journal(run, "budget_raised", scope=scope, limit_usd=f"{limit:f}")
        if spent >= limit * Decimal("0.8") and (scope, limit) not in run.warned:
            self.journal(run, "budget_warned", scope=scope, spent_usd=f"{spent:f}", limit_usd=f"{limit:f}")

    def end_run(self, run: Run, is_over: bool) -> None:
        self.ended += 1
        if run.stop:
            outcome, message = self.random.choice(
                (("stopped", "stopped by you"), ("interrupted", "app closed"))
            )
        elif any(run.word(slot) == "Failed" and slot.state != "failed" for slot in run.slots.values()):
            outcome, message = "failed", "Node 0: exit 1"
        else:
            outcome, message = (
                ("completed", "done") if is_over else ("stopped", "waits for a person (Node 0)")
            )
        self.journal(run, "run_ended", outcome=outcome, end_seq=self.ended, message=message)

    def after_the_end(self) -> None:
        """An ended run: something comes late, or a person takes it up again."""
        ended = [run for run in self.runs.values() if not run.live]
        if not ended:
            return
        run = self.random.choice(ended)
        if self.random.random() < 0.3 and run.outcome != "completed":
            self.journal(run, "sitting_opened", go_on=self.random.random() < 0.5)
        else:
            self.agents.late(run)

    def edit(self) -> None:
        """Somebody changes a file, and the window reads the folder again."""
        at = self.random.randrange(len(self.flows))
        self.edits += 1
        self.flows[at] = edited(self.random, self.flows[at], self.edits)
        self.fact("look", act="edit", now=self.flows[at])

    # -------------------------------------------------------------- one slot

    def move_slot(self, run: Run, slot: Slot) -> None:
        match slot.state:
            case "pending":
                self.move_pending(run, slot)
            case "claimed":
                self.agents.move(run, slot.tries[-1])
            case "retry_wait":
                self.move_waiting(run, slot)
            case _:
                self.fact("tick")

    def is_approval(self, run: Run, slot: Slot) -> bool:
        flow = self.flow_of[run.id]
        return any(node["id"] == slot.node and "agent" not in node for node in flow["nodes"])

    def move_pending(self, run: Run, slot: Slot) -> None:
        chance = self.random.random()
        if chance < 0.06:
            code = self.random.choice(("E_CRED_REMEMBERED", "E_CAPACITY", "E_STORE"))
            self.journal(run, "claim_refused", slot_id=slot.id, code=code, message=f"refused: {code}")
        elif chance < 0.10 and slot.asked is None:
            self.journal(run, "slot_cancelled", slot_id=slot.id)
        elif chance < 0.13:
            self.journal(run, "command_refused", slot_id=slot.id)
        elif self.is_approval(run, slot):
            if slot.asked is None:
                self.journal(
                    run,
                    "approval_asked",
                    slot_id=slot.id,
                    request_id=f"{slot.id}:approval",
                    options=["Yes", "No"],
                )
            elif chance > 0.5:
                asked = {"request_id": slot.asked, "attempt_id": None, "choice": "Yes"}
                self.journal(run, "approval_answered", slot_id=slot.id, **asked)
        elif not run.stop:
            self.claim(run, slot)

    def move_waiting(self, run: Run, slot: Slot) -> None:
        chance = self.random.random()
        if slot.token or slot.hold == "timer":
            if slot.hold == "timer" and chance < 0.45:
                self.journal(run, "retry_cancelled", slot_id=slot.id)
            elif not run.stop:
                self.claim(run, slot)
        elif chance < 0.5:
            self.journal(
                run, "slot_reassigned", slot_id=slot.id, prior=slot.tries[-1].id, token=self.mint("k")
            )
        elif chance < 0.65:
            self.journal(run, "slot_failed", slot_id=slot.id)
        elif chance < 0.75:
            self.journal(
                run, "claim_refused", slot_id=slot.id, code="E_BUDGET", message="the budget is spent"
            )

    def claim(self, run: Run, slot: Slot) -> None:
        flow = self.flow_of[run.id]
        agent = next(node["agent"] for node in flow["nodes"] if node["id"] == slot.node)
        cause = "person" if slot.token else "retry" if slot.tries else "schedule"
        named = {"slot_id": slot.id, "attempt_id": self.mint("a"), "epoch": len(slot.tries) + 1}
        self.journal(run, "attempt_claimed", **named, agent=agent, cause=cause)

    # -------------------------------------------------------------- where the person looks

    def look(self, live: list[Run]) -> None:
        match self.random.randrange(9):
            case 0:
                self.fact("look", act="flow", flow=self.random.choice(self.flows)["id"])
            case 1 | 2:
                self.fact("look", act="row", run=self.random.choice(list(self.runs)))
            case 3 | 4:
                chosen = self.random.choice(live)
                self.fact("look", act="flow", flow=chosen.flow)
                self.fact("look", act="switch", run=self.random.choice((None, chosen.id)))
            case 5:
                self.fact("look", act="next")
            case 6 | 7:
                self.edit()
            case _:
                self.fact("look", act="reopen")
