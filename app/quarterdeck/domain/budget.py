"""Spending limits (ruling 12). All amounts are US dollars as Decimal; None is no limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import NamedTuple

from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.ids import NodeId, SlotId
from quarterdeck.domain.money import EXACT, ZERO
from quarterdeck.domain.run_state import AttemptRecord, RunState
from quarterdeck.domain.workflow import Workflow

WARN_SHARE = Decimal("0.8")
RUN_SCOPE = Shared.RUN


class Limits(NamedTuple):
    """What a workflow lets one attempt do; None is no limit."""

    usd: Decimal | None = None
    turns: int | None = None
    time_s: float | None = None


Budgets = Mapping[tuple[NodeId, str], Limits]
"""{(node, agent): limits of one attempt}."""
NO_LIMITS = Limits()
NO_BUDGETS: Budgets = MappingProxyType({})


def pinned_budgets(workflow: Workflow) -> Budgets:
    """The limits that a workflow gives: of money the smaller of the node's and the agent's, of time the node's before the
    agent's.
    """
    found = {}
    for node in workflow.nodes:
        for name in (node.agent, *node.alternatives):
            agent = workflow.agents.get(name) if name is not None else None
            limits = [b for b in (node.budget_usd, agent.budget_usd if agent else None) if b is not None]
            if name is not None and agent is not None:
                time_s = agent.timeout_s if node.timeout_s is None else node.timeout_s
                found[node.id, name] = Limits(min(limits, default=None), agent.max_turns, time_s)
    return found


def attempt_limit(state: RunState, slot_id: SlotId, pinned: Decimal | None) -> Decimal | None:
    """The limit of an attempt of the slot that lives, or would be claimed now: what a person raised it to, else the pinned one."""
    return state.slot_budgets.get(slot_id, pinned)


def limit_of(state: RunState, attempt: AttemptRecord, pinned: Decimal | None) -> Decimal | None:
    """The limit that stood over an attempt: of one that ended the limit at its end, as the past does not change (REC2)."""
    if not attempt.is_terminal:
        return attempt_limit(state, attempt.slot_id, pinned)
    return pinned if attempt.raised_to is None else attempt.raised_to


def cap_for_claim(
    attempt_budget: Decimal | None, run_budget: Decimal | None, run_spent: Decimal | None
) -> Decimal | None:
    """The shim's cap: the smaller of the attempt's budget and what is left of the run's. Never below 0."""
    if run_budget is None:
        return attempt_budget
    left = max(ZERO, EXACT.subtract(run_budget, run_spent or ZERO))
    return left if attempt_budget is None else min(attempt_budget, left)


OWN_CAP = "cap"


class Cap(NamedTuple):
    """What a keeper ends its agent at. of: what it then says of why: `cap`, or the reason of a limit beyond the run."""

    usd: Decimal | None
    of: str = OWN_CAP


def smallest(own: Decimal | None, shared: Iterable[Cap]) -> Cap:
    """The attempt's cap by its own limit and the run's, or the smallest of what is left to all runs where that is less."""
    found = Cap(own)
    for one in shared:
        if one.usd is not None and (found.usd is None or one.usd < found.usd):
            found = one
    return found


def is_warning_due(state: RunState, scope: str, spent: Decimal | None, limit: Decimal | None) -> bool:
    """Whether 80 % of a limit is passed and was not said yet. scope: a `Shared`, or `scope_of` a slot."""
    if limit is None or spent is None or (scope, limit) in state.warned:
        return False
    return spent >= EXACT.multiply(limit, WARN_SHARE)


def is_spent(spent: Decimal | None, limit: Decimal | None) -> bool:
    """Whether a limit is reached: nothing more is claimed, and what runs under it ends."""
    return limit is not None and (spent or ZERO) >= limit
