"""What was paid, apart from what practice agents pretended to cost: practice costs nothing, so it adds to no spend. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from quarterdeck.domain.figures import FiguresTotals, source_of
from quarterdeck.domain.money import ZERO, parse_usd_exact, sum_known, usd_text

if TYPE_CHECKING:
    from quarterdeck.domain.views import AttemptView, RunSummary, RunView, SlotView

PRACTICE = "practice"
"""The agent kind."""


@dataclass(frozen=True, slots=True)
class Spent:
    """paid: what is known of it, None where nothing is; complete: no part of it is unknown. practice: what was pretended,
    None where no practice agent told any; practice_is_complete: no part of that is unknown. source: of what was paid, as
    `FiguresTotals.cost_source`.
    """

    paid: Decimal | None
    complete: bool
    practice: Decimal | None = None
    source: str = "reported"
    practice_is_complete: bool = True


NOTHING_SPENT = Spent(ZERO, True)


def told_apart(attempts: Iterable[AttemptView]) -> Spent | None:
    """The cost of attempts in its two parts; None where no practice agent is among them."""
    paid: list[FiguresTotals] = []
    pretended: list[FiguresTotals] = []
    has_practice = False
    for attempt in attempts:
        is_practice = attempt.agent_kind == PRACTICE
        has_practice = has_practice or is_practice
        into = pretended if is_practice else paid
        into += [f for f in (attempt.figures, attempt.late) if f is not None]
    if not has_practice:
        return None
    return Spent(
        sum_known(f.cost_usd for f in paid) if paid else ZERO,
        all(f.cost_is_complete for f in paid),
        sum_known(f.cost_usd for f in pretended),
        source_of(f.cost_source for f in paid),
        all(f.cost_is_complete for f in pretended),
    )


def spent(run: RunSummary | RunView) -> Spent:
    """The cost of a run in its two parts."""
    return run.practice or Spent(run.cost_usd, run.cost_is_complete, source=run.cost_source)


def spent_by_slot(slot: SlotView) -> Spent:
    """The cost of one agent in its two parts; it may have been a practice agent once and another later."""
    return told_apart(slot.attempts) or Spent(slot.cost_usd, slot.cost_is_complete, source=slot.cost_source)


def together(parts: Iterable[Spent]) -> Spent:
    """Exact sums; nothing at all is a known nothing."""
    all_parts = list(parts)
    paid = sum_known(part.paid for part in all_parts)
    return Spent(
        ZERO if paid is None else paid,
        all(part.complete and part.paid is not None for part in all_parts),
        sum_known(part.practice for part in all_parts),
        source_of(part.source for part in all_parts),
        all(part.practice_is_complete for part in all_parts),
    )


def is_practice_alone(run: RunView) -> bool:
    """Whether every agent of the run, and every attempt that it had, is a practice agent."""
    agents = [slot for slot in run.slots if slot.agent]
    return all(slot.is_practice for slot in agents) and all(
        attempt.agent_kind == PRACTICE for slot in agents for attempt in slot.attempts
    )


def spent_to_json(cost: Spent | None) -> dict[str, Any] | None:
    """As it stands in `show --json` and records."""
    if cost is None:
        return None
    return {
        "pretended_usd": usd_text(cost.practice),
        "paid_usd": usd_text(cost.paid),
        "paid_is_complete": cost.complete,
        "paid_source": cost.source,
        "pretended_is_complete": cost.practice_is_complete,
    }


def spent_from_json(value: Mapping[str, Any] | None) -> Spent | None:
    """Inverse of `spent_to_json`."""
    if value is None:
        return None
    return Spent(
        parse_usd_exact(value["paid_usd"]),
        bool(value["paid_is_complete"]),
        parse_usd_exact(value["pretended_usd"]),
        str(value.get("paid_source", "reported")),
        bool(value.get("pretended_is_complete", True)),
    )
