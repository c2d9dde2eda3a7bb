"""The projected status of a workflow: a pure function of its runs (OWN1–OWN5, I4). Nobody writes a status."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from quarterdeck.domain.ids import RunId, WorkflowId
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.domain.views import RunSummary

LIVE, ENDED, NEVER_RUN = "live", "ended", "never_run"


@dataclass(frozen=True, slots=True)
class WorkflowStatus:
    """Projected status of a workflow (OWN1): `state` is `live`, `ended` or `never_run`; `shown_run` names its run."""

    workflow_id: WorkflowId
    workflow_name: str
    live: int
    shown_run: RunId | None
    state: str
    outcome: Outcome | None
    turns: int
    cost_usd: Decimal | None
    cost_is_complete: bool = True
    closed: str = ""
    """Why the run that it shows is not kept any more ("discarded"); empty where it is kept (C12, STO8)."""
    cost_source: str = "reported"
    """As in SlotView."""


def project(workflow_id: WorkflowId, name: str, runs: Iterable[RunSummary]) -> WorkflowStatus:
    """Any live run: the newest of them by launch_seq; else the last finalised by end_seq (rulings 1, 7, 8; C12).

    Runs of other workflows are passed over, so that no sibling speaks for it (ID4).
    """
    own = [run for run in runs if run.workflow_id == workflow_id]
    live = [run for run in own if run.phase is Phase.LIVE]
    if live:
        return _shown(workflow_id, name, len(live), max(live, key=lambda run: run.launch_seq), LIVE)
    finalised = [run for run in own if run.phase is not Phase.CREATED and run.outcome is not None]
    last = newest_end(finalised)
    if last is not None:
        return _shown(workflow_id, name, 0, last, ENDED)
    return WorkflowStatus(workflow_id, name, 0, None, NEVER_RUN, None, 0, None)


def project_all(
    runs: Sequence[RunSummary], closed: Sequence[RunSummary], named: Mapping[WorkflowId, str]
) -> tuple[WorkflowStatus, ...]:
    """One status for each workflow of these names, which stand, and of these runs. runs: newest launch first."""
    names = {line.workflow_id: line.workflow_name for line in (*closed, *reversed(runs))} | dict(named)
    known = (*runs, *closed)
    return tuple(project(workflow, name, known) for workflow, name in names.items())


def newest_end(finalised: Collection[RunSummary]) -> RunSummary | None:
    """The run that was finalised last (OWN1); None where there is none."""
    return max(finalised, key=functools.partial(_order, finalised), default=None)


def _order(finalised: Iterable[RunSummary], run: RunSummary) -> tuple[int, bool, int]:
    """By end_seq. A run without one, whose end is not in its damaged journal, ended after all that were launched before it,
    as far as anybody knows.
    """
    if run.end_seq is not None:
        return run.end_seq, False, run.launch_seq
    before = (one.end_seq or 0 for one in finalised if one.launch_seq < run.launch_seq)
    return max(before, default=0), True, run.launch_seq


def _shown(workflow_id: WorkflowId, name: str, live: int, run: RunSummary, state: str) -> WorkflowStatus:
    outcome = run.outcome if state == ENDED else None
    closed = run.reason if run.phase is Phase.CLOSED else ""
    return WorkflowStatus(
        workflow_id,
        name,
        live,
        run.run_id,
        state,
        outcome,
        run.turns,
        run.cost_usd,
        run.cost_is_complete,
        closed,
        run.cost_source,
    )
