"""Limits that runs share, as a person reads and writes them. Pure; what is an estimate is called one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import tzinfo
from decimal import Decimal

from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.money import usd_text
from quarterdeck.domain.shared_limits import SharedLimits, SharedSpending, Standing, minute_of_day
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_budgets import share_text
from quarterdeck.ui.present_resume import amount_of
from quarterdeck.ui.words import money_text, one_line, time_text

tr = Texts("PresentShared")


@dataclass(frozen=True, slots=True)
class SharedFacts:
    """What the dialog shows. `workflow` None: none is shown, so that its limit cannot be set."""

    limits: SharedLimits
    night: str
    night_words: str
    workflow: WorkflowId | None
    workflow_name: str
    workflow_limit: str
    workflow_words: str


def shared_facts(
    spending: SharedSpending, workflow: WorkflowId | None, name: str, zone: tzinfo | None = None
) -> SharedFacts:
    """How the limits stand, and as they were typed."""
    limits = spending.limits
    own = limits.workflows.get(workflow) if workflow is not None else None
    return SharedFacts(
        limits=limits,
        night=usd_text(limits.night_usd) or "",
        night_words=_words(spending.of(Shared.NIGHT), zone),
        workflow=workflow,
        workflow_name=one_line(name, 60),
        workflow_limit=usd_text(own) or "",
        workflow_words=_words(spending.of(Shared.WORKFLOW, workflow), zone) if workflow is not None else "",
    )


def limits_typed(facts: SharedFacts, night: str, night_from: str, workflow: str) -> SharedLimits | str:
    """The limits as they were typed, or what is wrong with them, in words. Nothing typed is no limit."""
    amount, own = amount_of(night), amount_of(workflow)
    if isinstance(amount, str) or isinstance(own, str):
        return amount if isinstance(amount, str) else str(own)
    began = night_from.strip()
    if minute_of_day(began) is None:
        return tr("Write the time of day as hours and minutes, such as 18:00.")
    limits = replace(facts.limits, night_usd=amount, night_from=began)
    return limits if facts.workflow is None else limits.with_workflow(facts.workflow, own)


def _words(one: Standing | None, zone: tzinfo | None) -> str:
    if one is None:
        return tr("no limit")
    spent = money_text(one.spent.cost_usd, one.spent.complete, one.spent.source)
    share = share_text(one.spent.cost_usd, one.limit_usd) if one.limit_usd > Decimal(0) else ""
    limit = money_text(one.limit_usd)
    if one.since_ms is None:
        words = tr("{spent} of {limit} spent", spent=spent, limit=limit)
    else:
        since = time_text(Moment("", 0, one.since_ms), zone)
        words = tr("{spent} of {limit} spent since {time}", spent=spent, limit=limit, time=since)
    return f"{words} ({share})" if share else words
