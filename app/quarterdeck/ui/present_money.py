"""What runs and agents cost, in words that keep practice apart: what it pretends is never told as money spent. Pure."""

from __future__ import annotations

from decimal import Decimal

from quarterdeck.domain.practice import PRACTICE, Spent, spent, spent_by_slot
from quarterdeck.domain.views import AttemptView, RunSummary, RunView, SlotView
from quarterdeck.ui.language import Texts
from quarterdeck.ui.words import money_text

tr = Texts("PresentMoney")


def spent_text(cost: Spent) -> str:
    """`$3.21`, `$0.28 practice`, `$2.93 and $0.28 practice`; with *at least* and *unknown* as `money_text` has them."""
    paid = money_text(cost.paid, cost.complete, cost.source)
    if cost.practice is None:
        return paid
    practice = practice_text(cost.practice, cost.practice_is_complete)
    if cost.paid == 0 and cost.complete:
        return practice
    return tr("{paid} and {practice}", paid=paid, practice=practice)


def practice_text(amount: Decimal, complete: bool = True) -> str:
    """What practice agents pretended, as far as it is known."""
    return tr("{amount} practice", amount=money_text(amount, complete))


def run_money(run: RunSummary | RunView) -> str:
    """The cost of a run."""
    return spent_text(spent(run))


def agent_money(cost_usd: Decimal | None, complete: bool, source: str, *, is_practice: bool) -> str:
    """The cost of an agent or of one attempt of it. source: `FiguresTotals.cost_source`."""
    if is_practice and cost_usd is not None:
        return practice_text(cost_usd, complete)
    return money_text(cost_usd, complete, source)


def attempt_money(attempt: AttemptView) -> str:
    """The cost of one attempt, late usage apart."""
    figures, is_practice = attempt.figures, attempt.agent_kind == PRACTICE
    return agent_money(
        figures.cost_usd, figures.cost_is_complete, figures.cost_source, is_practice=is_practice
    )


def slot_money(slot: SlotView) -> str:
    """The cost of one agent; empty before its first attempt."""
    return spent_text(spent_by_slot(slot)) if slot.attempts else ""
