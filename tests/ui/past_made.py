"""Builders of what looks back: runs with sittings and several attempts, waits, a ledger of many days."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal

from quarterdeck.domain.ids import AttemptId, RequestId, RunId, SlotId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.spend_rows import SpendReport, SpendRow
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import AttemptView, RunView, SittingView
from quarterdeck.domain.waits import Wait
from tests.ui import made

DAY_S = 86_400
MIN = 60.0


def later(seconds: float, boot: str = made.BOOT) -> Moment:
    """As `made.at`, in another boot where one is named (its clock begins anew)."""
    moment = made.at(seconds)
    return moment if boot == made.BOOT else Moment(boot, 5_000 + round(seconds * 1000), moment.wall_ms)


def wait(slot: str, attempt: str | None, start: float, end: float | None, number: int = 1) -> Wait:
    answered = made.at(end) if end is not None else None
    owner = AttemptId(attempt) if attempt is not None else None
    return Wait(
        SlotId(slot),
        owner,
        RequestId(f"{attempt}:{number}"),
        "git push?",
        made.at(start),
        answered,
        end is not None,
    )


def attempts(
    *spans: tuple[AttemptStatus, float, float | None], first: int = 1, cost: str = "0.62"
) -> tuple[AttemptView, ...]:
    """(status, minutes from, minutes to) each."""
    return tuple(
        made.attempt(
            n, status, start * MIN, end * MIN if end is not None else None, figures=made.figures(cost)
        )
        for n, (status, start, end) in enumerate(spans, first)
    )


def resumed_run(number: int = 6, start: float = 0) -> tuple[RunView, tuple[Wait, ...]]:
    """As on the drawing: five agents, eight attempts, the app gone from minute 11 to 17."""
    s = AttemptStatus
    spans = {
        "planner": ((s.SUCCEEDED, 0.0, 1.6),),
        "web": ((s.INTERRUPTED, 1.7, 11.0), (s.SUCCEEDED, 17.6, 24.2)),
        "repo": ((s.FAILED, 1.7, 5.2), (s.INTERRUPTED, 5.9, 11.0), (s.SUCCEEDED, 18.4, 22.9)),
        "drafter": ((s.SUCCEEDED, 24.3, 28.3),),
        "reviewer": ((s.SUCCEEDED, 28.4, 31.3),),
    }
    view = made.run_view(number, start=start)
    slots = []
    at = 1
    for slot in view.slots:
        own = attempts(*((k, start / MIN + a, start / MIN + b) for k, a, b in spans[slot.slot_id]), first=at)
        at += len(own)
        kind = {"repo": "codex", "reviewer": "gemini-cli"}.get(slot.slot_id, "claude-code")
        own = tuple(replace(a, agent_kind=kind, agent=kind) for a in own)
        cost = Decimal("0.62") * len(own)
        shown = replace(slot, attempts=own, display="Done", cost_usd=cost, agent_kind=kind, is_practice=False)
        slots.append(shown)
    sittings = (
        SittingView(made.at(start), made.at(start + 17.3 * MIN), "ana"),
        SittingView(made.at(start + 17.4 * MIN), made.at(start + 31.3 * MIN), "ana"),
    )
    done = made.ended(
        replace(view, slots=tuple(slots), sittings=sittings, cost_usd=Decimal("4.96"), turns=164),
        Outcome.COMPLETED,
        start + 31.3 * MIN,
        number,
    )
    waits = (
        wait("repo", "a-5", start + 8.3 * MIN, start + 9.6 * MIN),
        wait("reviewer", "a-8", start + 28.4 * MIN, start + 29.3 * MIN, 2),
    )
    return done, waits


def ledger(days: int = 14, seed: int = 7, per_day: int = 6) -> SpendReport:
    """Spend of earlier days, of runs that are no longer kept."""
    chance = random.Random(seed)
    rows = []
    today = made.START_MS // 3_600_000
    for day in range(days):
        for n in range(per_day):
            kind = ("claude-code", "codex", "gemini-cli")[n % 3]
            cost = Decimal(chance.randrange(1, 420)) / Decimal(100) / (1 + n % 3)
            rows.append(
                SpendRow(
                    RunId(f"r-{day:02x}{n:02x}"),
                    WorkflowId("w-1"),
                    kind,
                    kind,
                    f"model-{n % 4}",
                    today - 24 * day - n % 5,
                    round(cost, 4),
                    True,
                    chance.randrange(1, 40),
                )
            )
    return SpendReport(tuple(rows))
