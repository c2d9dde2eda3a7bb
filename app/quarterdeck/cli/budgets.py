"""`budgets`: what all runs of a night, and all runs of a workflow, may spend together, and how that stands. Starts nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarterdeck.cli import exits
from quarterdeck.cli.errors import UsageProblem
from quarterdeck.cli.loop import Call
from quarterdeck.cli.plain_text import escaped, money_text, time_text
from quarterdeck.domain.budget_words import Shared
from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.moment import Moment, iso_utc
from quarterdeck.domain.money import parse_usd, usd_text
from quarterdeck.domain.shared_limits import SharedLimits, SharedSpending, Standing, minute_of_day
from quarterdeck.engine.planned import LoadedWorkflow

if TYPE_CHECKING:
    from quarterdeck.engine.door import Door

NONE = "none"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be set; None leaves it as it is, `none` takes a limit away."""

    night: str | None = None
    night_from: str | None = None
    workflow: Path | None = None
    limit: str | None = None

    @property
    def is_nothing(self) -> bool:
        """Whether it only asks how the limits stand."""
        return self == Wanted(workflow=self.workflow)


async def budgets(call: Call, wanted: Wanted) -> int:
    """Set what is wanted, then show how every limit stands. Exit 2 on what is no amount, and where it cannot be kept."""
    async with call.door(read_only=True) as door:
        spending = await door.shared_spending()
        if not wanted.is_nothing:
            limits = await _limits(door, spending, wanted)
            if fault := await door.household.keep_budgets(limits):
                raise UsageProblem(fault)
            spending = await door.shared_spending()
        names = {WorkflowId(one.workflow_id): one.workflow_name for one in door.statuses()}
    if call.console.as_json:
        call.console.print_document(_document(spending, names))
        return exits.DONE
    if spending.fault:
        call.console.say(escaped(f"The budgets cannot be told, so nothing is started: {spending.fault}"))
    lines = [escaped(_line(one, spending.limits, names)) for one in spending.standings]
    call.console.print_text("\n".join(lines or ["No limit is set for a night or for a workflow."]) + "\n")
    return exits.DONE


async def _limits(door: Door, spending: SharedSpending, wanted: Wanted) -> SharedLimits:
    if spending.fault:
        raise UsageProblem(f"Correct the settings first: {spending.fault}")
    limits = spending.limits
    if wanted.night is not None:
        limits = replace(limits, night_usd=_amount("--night", wanted.night))
    if wanted.night_from is not None:
        if minute_of_day(wanted.night_from) is None:
            raise UsageProblem(f"--from takes a time of day such as 18:00, not {wanted.night_from!r}.")
        limits = replace(limits, night_from=wanted.night_from)
    if (wanted.limit is None) != (wanted.workflow is None):
        raise UsageProblem("--workflow FILE and --limit USD go together.")
    if wanted.limit is not None and wanted.workflow is not None:
        loaded = await door.load(wanted.workflow)
        if not isinstance(loaded, LoadedWorkflow):
            raise UsageProblem(f"{wanted.workflow} cannot be read; `quarterdeck check` says why.")
        limits = limits.with_workflow(loaded.workflow.id, _amount("--limit", wanted.limit))
    return limits


def _amount(option: str, text: str) -> Decimal | None:
    if text == NONE:
        return None
    amount = parse_usd(text)
    if amount is None:
        raise UsageProblem(f"{option} takes an amount in US dollars such as 20.00, or none, not {text!r}.")
    return amount


def _line(one: Standing, limits: SharedLimits, names: dict[WorkflowId, str]) -> str:
    spent = money_text(one.spent.cost_usd, one.spent.complete, one.spent.source)
    told = f"{spent} of {money_text(one.limit_usd, is_complete=True)} spent"
    state = "; nothing is started until it is raised" if one.is_spent else ""
    if one.scope is Shared.NIGHT:
        since = time_text(Moment("", 0, one.since_ms or 0))
        return f"Night, all runs since {since} (each day from {limits.night_from}): {told}{state}."
    name = names.get(one.workflow) if one.workflow is not None else None
    return f"Workflow {name or one.workflow}, all its runs together: {told}{state}."


def _document(spending: SharedSpending, names: dict[WorkflowId, str]) -> dict[str, Any]:
    night = spending.of(Shared.NIGHT)
    since = (
        {} if night is None else {"from": spending.limits.night_from, "since": iso_utc(night.since_ms or 0)}
    )
    workflows = [
        {"workflow_id": one.workflow, "name": names.get(one.workflow), **_figures(one)}
        for one in spending.standings
        if one.workflow is not None
    ]
    told = None if night is None else since | _figures(night)
    return {"night": told, "workflows": workflows, "fault": spending.fault}


def _figures(one: Standing) -> dict[str, Any]:
    return {
        "limit_usd": usd_text(one.limit_usd),
        "spent_usd": usd_text(one.spent.cost_usd),
        "spent_is_complete": one.spent.complete,
        "spent_source": one.spent.source,
        "is_spent": one.is_spent,
    }
