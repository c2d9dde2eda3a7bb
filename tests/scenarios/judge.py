"""Plays a scenario and compares, after every fact that is not quiet, what the product shows with what it must say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.money import parse_usd_exact
from quarterdeck.engine.publishing import ledger_lines
from tests.scenarios.making import Scenario, scenario
from tests.scenarios.naive_runs import Fact
from tests.scenarios.naive_window import Window
from tests.scenarios.plainly import plain
from tests.scenarios.played import Played

FRESH_EACH = 4
"""After each so many facts everything is made anew as well; the naive reading is asked after every one."""
Tamper = Callable[[Played], None]


@dataclass(frozen=True)
class Fault:
    """The first place where the product contradicts the naive reading."""

    seed: int
    steps: int
    what: str

    def __str__(self) -> str:
        again = f"python -m tests.scenarios.replay {self.seed} {self.steps}"
        return f"seed {self.seed}, after fact {self.steps}: {self.what}\n  again: PYTHONPATH=app {again}"


def differences(shown: Any, must: Any, place: str = "") -> list[str]:
    """Where two plain values differ, each with its place."""
    if isinstance(shown, dict) and isinstance(must, dict) and shown.keys() == must.keys():
        return [d for key in must for d in differences(shown[key], must[key], f"{place}.{key}")]
    both = isinstance(shown, list | tuple) and isinstance(must, list | tuple) and len(shown) == len(must)
    if both:
        return [
            d
            for n, (a, b) in enumerate(zip(shown, must, strict=True))
            for d in differences(a, b, f"{place}[{n}]")
        ]
    return [] if shown == must else [f"{place}: shown {shown!r}, in truth {must!r}"]


def play(seed: int, tamper: Tamper | None = None) -> Fault | None:
    """The first fault of a seed's scenario, None where there is none. The facts up to it are the shortest that show it."""
    return play_scenario(scenario(seed), tamper)


def play_scenario(told: Scenario, tamper: Tamper | None = None) -> Fault | None:
    """As `play`."""
    played = Played(told.flows)
    if tamper is not None:
        tamper(played)
    for step, fact in enumerate(told.facts, 1):
        try:
            played.take(fact)
            found = [] if fact["quiet"] else compare(played, told.flows, told.facts[:step])
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError) as error:
            found = [f"{type(error).__name__}: {error}"]
        if found:
            return Fault(told.seed, step, "; ".join(found[:6]))
    found = conserved(played, told.facts)
    return Fault(told.seed, len(told.facts), "; ".join(found)) if found else None


def compare(played: Played, flows: list[Fact], facts: list[Fact]) -> list[str]:
    """What is shown against the naive reading of all facts, and against the same made without anything kept."""
    shown = played.shown
    assert shown is not None
    views = [played.house.view(run) for run in played.house.books]
    said = plain(shown.facts, shown.known, views, {flow["id"]: flow["name"] for flow in flows})
    must = Window(flows, facts).said()
    found = [] if said == must else differences(said, must)
    if len(facts) % FRESH_EACH == 0 and played.fresh_facts() != shown.facts:
        found.append("what was kept differs from what is made anew")
    run = facts[-1].get("to") or facts[-1].get("run")
    kept = played.house.live_run(RunId(run)) if run is not None else None
    if kept is not None and played.fresh_view(kept.run_id) != kept:
        found.append(f"the kept view of {run} differs from the one made anew")
    return found


def conserved(played: Played, facts: list[Fact]) -> list[str]:
    """I5: what all files say was spent is what all agents told, to the last digit; so does the ledger."""
    views = played.disk_views()
    in_runs = sum((v.cost_usd for v in views if v.cost_usd is not None), Decimal(0))
    lines = [line for view in views for line in ledger_lines(view)]
    open_ = [a for v in views for s in v.slots for a in s.attempts if a.ended_at is None]
    owed = sum((a.figures.cost_usd for a in open_ if a.figures.cost_usd is not None), Decimal(0))
    in_ledger = sum((parse_usd_exact(line["cost_usd"]) or Decimal(0) for line in lines), Decimal(0))
    told = all_told(facts)
    return [
        f"{name} {amount}, told {told}"
        for name, amount in (("runs", in_runs), ("ledger", in_ledger + owed))
        if amount != told
    ]


def all_told(facts: list[Fact]) -> Decimal:
    """The sum of everything that agents said they spent: a message once in its slot, a running total by its last figure."""
    once: dict[Any, Decimal] = {}
    sessions: dict[str, str] = {}
    for number, fact in enumerate(facts):
        if fact["what"] != "report":
            continue
        if fact["kind"] == "session":
            sessions[fact["attempt"]] = fact["id"]
        elif fact["kind"] == "usage" and fact["cost_usd"] is not None:
            key: Any = number
            if fact["cumulative"]:
                key = fact["attempt"]
            elif fact["message_id"] is not None:
                key = (sessions[fact["attempt"]], fact["message_id"])
            once[key] = Decimal(fact["cost_usd"])
    return sum(once.values(), Decimal(0))
