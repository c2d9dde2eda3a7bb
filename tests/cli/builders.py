"""Views for the terminal's tests, with defaults for all that a test is not about."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.ids import AttemptId, NodeId, RequestId, Revision, RunId, SlotId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.states import AttemptStatus, LeaseStatus, Outcome, Phase, SlotState
from quarterdeck.domain.views import ApprovalView, AttemptView, RunSummary, RunView, SittingView, SlotView

RUN = RunId("r-" + "1" * 32)
START_MS = 1_000_000
WALL_MS = 1_790_000_000_000


def moment(after_s: float = 0) -> Moment:
    """So many seconds after the launch."""
    return Moment("boot", START_MS + int(after_s * 1000), WALL_MS + int(after_s * 1000))


def figures(
    turns: int = 0, cost: str | None = "0", *, is_complete: bool = True, source: str = "reported"
) -> FiguresTotals:
    """Totals of an attempt."""
    return FiguresTotals(turns, TokenCounts(), None if cost is None else Decimal(cost), is_complete, source)


def attempt(number: int = 1, status: AttemptStatus = AttemptStatus.RUNNING, **changes: Any) -> AttemptView:
    """The n-th attempt of a slot."""
    is_over = status in (AttemptStatus.SUCCEEDED, AttemptStatus.FAILED, AttemptStatus.STOPPED)
    view = AttemptView(
        attempt_id=AttemptId("a-" + str(number) * 32),
        epoch=number,
        agent="worker",
        agent_kind="command",
        worker_class="command",
        status=status,
        lease=LeaseStatus.RELEASED if is_over else LeaseStatus.GRANTED,
        reason="",
        started_at=moment(1),
        ended_at=moment(4) if is_over else None,
        evidence="exit_file" if is_over else None,
        figures=figures(),
    )
    return replace(view, **changes)


def slot(node: str, display: str = "Not started", *attempts: AttemptView, **changes: Any) -> SlotView:
    """A slot in the state that its word says."""
    states = {"Not started": SlotState.PENDING, "Done": SlotState.DONE, "Failed": SlotState.RETRY_WAIT}
    view = SlotView(
        slot_id=SlotId(node),
        node_id=NodeId(node),
        title=node.capitalize(),
        state=states.get(display, SlotState.ACTIVE),
        display=display,
        reason="",
        agent="worker",
        agent_kind="command",
        prior_attempt=None,
        reopened=None,
        attempts=attempts,
        turns=sum(one.figures.turns for one in attempts),
        cost_usd=Decimal(0),
    )
    return replace(view, **changes)


def question(node: str, text: str, *options: str, number: int = 1, run: RunId = RUN) -> ApprovalView:
    """An open question of a slot's first attempt."""
    asker = AttemptId("a-" + "1" * 32)
    return ApprovalView(
        RequestId(f"{asker}:q{number}"), run, SlotId(node), asker, 1, text, options, moment(2)
    )


def run_view(*slots: SlotView, **changes: Any) -> RunView:
    """A live run."""
    view = RunView(
        run_id=RUN,
        workflow_id=WorkflowId("w-1"),
        workflow_name="Repository check",
        launch_seq=7,
        end_seq=None,
        phase=Phase.LIVE,
        outcome=None,
        reason="",
        exit_code=None,
        started_at=moment(),
        ended_at=None,
        sittings=(SittingView(moment(), None, "you"),),
        pins=Pins(Revision("a" * 64), Revision("b" * 64), Revision("c" * 64)),
        turns=sum(one.turns for one in slots),
        tokens=TokenCounts(),
        cost_usd=Decimal("0.42"),
        cost_is_complete=True,
        budget_usd=None,
        accepted_by="you",
        accepted_at=moment(),
        outcome_asked="A report",
        slots=slots,
    )
    return replace(view, **changes)


def ended(
    view: RunView, outcome: Outcome = Outcome.COMPLETED, exit_code: int | None = 0, **changes: Any
) -> RunView:
    """The same run, ended."""
    return replace(
        view,
        phase=Phase.ENDED,
        outcome=outcome,
        exit_code=exit_code,
        ended_at=moment(65),
        end_seq=1,
        **changes,
    )


def summary(view: RunView) -> RunSummary:
    """A line of the run list."""
    names = list(RunSummary.__dataclass_fields__)
    return RunSummary(**{name: getattr(view, name) for name in names})
