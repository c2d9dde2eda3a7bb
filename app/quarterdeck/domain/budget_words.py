"""Limits of spending that many agents share, by whose they are, and the words of their end. Apart from `budget`, which needs states."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.states import EndReason


class Shared(StrEnum):
    """Whose limit it is, as `BudgetWarned` names it. An agent's own limit is named by `scope_of`."""

    RUN = "run"
    WORKFLOW = "*workflow"
    """All runs of a workflow together."""
    NIGHT = "*night"
    """All runs since a time of day."""


_SHARED_SCOPES = frozenset(scope.value for scope in Shared)
_OF_SLOT = "*slot "


def scope_of(slot: SlotId) -> str:
    """How a journal names the limit of one agent: by its slot. A node may be called `run`, which has always been the run's own."""
    return f"{_OF_SLOT}{slot}" if slot in _SHARED_SCOPES else slot


def whose(scope: str) -> Shared | SlotId:
    """Whose limit a journal means by it; the other way of `scope_of`."""
    if scope in _SHARED_SCOPES:
        return Shared(scope)
    return SlotId(scope.removeprefix(_OF_SLOT))


REASON_OF: Mapping[Shared, EndReason] = {
    Shared.RUN: EndReason.RUN_BUDGET,
    Shared.WORKFLOW: EndReason.WORKFLOW_BUDGET,
    Shared.NIGHT: EndReason.NIGHT_BUDGET,
}


def refusal_words(scope: Shared, limit: Decimal) -> str:
    """Why nothing is claimed under a limit that is reached."""
    amount = usd_text(limit)
    return {
        Shared.RUN: f"The run's budget of ${amount} is spent; raise it first.",
        Shared.WORKFLOW: f"The workflow's budget of ${amount} for all its runs is spent; raise it first.",
        Shared.NIGHT: f"The night's budget of ${amount} for all runs is spent; raise it first.",
    }[scope]


BUDGET_REASONS: Mapping[str, EndReason] = {reason.value: reason for reason in REASON_OF.values()}
"""By what `ending` says."""
BUDGET_WORDS: Mapping[EndReason, str] = {
    EndReason.RUN_BUDGET: "the run's budget is spent",
    EndReason.WORKFLOW_BUDGET: "the workflow's budget is spent",
    EndReason.NIGHT_BUDGET: "the night's budget is spent",
}
