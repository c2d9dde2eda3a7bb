"""Builders of views for the window's tests and pictures. They say what an engine would say, no more."""

from __future__ import annotations

import zlib
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.figures import FiguresTotals, TokenCounts
from quarterdeck.domain.ids import AttemptId, NodeId, RequestId, Revision, RunId, SlotId, WorkflowId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.states import AttemptStatus, LeaseStatus, Outcome, Phase, SlotState
from quarterdeck.domain.views import ApprovalView, AttemptView, ReopenedView, RunSummary, RunView, SlotView
from quarterdeck.domain.workflow import AgentSpec, Edge, InputSpec, InputType, Node, Workflow
from quarterdeck.engine.planned import LoadedWorkflow

BOOT = "boot-1"
START_MS = 1_764_421_320_000  # 29 Nov 2025, 13:02 UTC


def at(seconds: float) -> Moment:
    """A moment, `seconds` after the tests' beginning."""
    ms = round(seconds * 1000)
    return Moment(BOOT, 1_000_000 + ms, START_MS + ms)


def workflow(
    name: str = "Ship weekly digest", nodes: int = 5, workflow_id: str = "w-1", **changes: Any
) -> Workflow:
    """Planner → two researchers → drafter → reviewer; other sizes are a grid of chains."""
    agents = {
        "plan": AgentSpec("plan", "claude-code", model="opus-5"),
        "check": AgentSpec("check", "command", argv=("ruff", "check", ".")),
        "practice": AgentSpec("practice", "practice"),
    }
    if nodes == 5:
        placed = (
            ("planner", "Planner", "plan", (0, 130)),
            ("web", "Web researcher", "practice", (300, 0)),
            ("repo", "Repo researcher", "check", (300, 260)),
            ("drafter", "Drafter", "plan", (600, 130)),
            ("reviewer", "Reviewer", "plan", (900, 130)),
        )
        made = tuple(Node(NodeId(i), t, agent=a, position=p) for i, t, a, p in placed)
        wires = (
            ("planner", "web"),
            ("planner", "repo"),
            ("web", "drafter"),
            ("repo", "drafter"),
            ("drafter", "reviewer"),
        )
        edges = tuple(Edge(NodeId(a), NodeId(b)) for a, b in wires)
    else:
        across = max(1, round(nodes**0.5))
        made = tuple(
            Node(
                NodeId(f"n{i}"),
                f"Agent {i}",
                agent="check",
                position=(300.0 * (i % across), 190.0 * (i // across)),
            )
            for i in range(nodes)
        )
        edges = tuple(
            Edge(NodeId(f"n{i}"), NodeId(f"n{i + 1}")) for i in range(nodes - 1) if (i + 1) % across
        )
    whole = Workflow(
        WorkflowId(workflow_id),
        name,
        "A digest of the week",
        (
            InputSpec("repo", InputType.FOLDER, required=True, label="Repository"),
            InputSpec("weeks", InputType.NUMBER, default=1, label="Weeks"),
            InputSpec("tone", InputType.CHOICE, options=("plain", "cheerful"), default="plain", label="Tone"),
            InputSpec("send", InputType.BOOLEAN, default=False, label="Send it when done"),
        ),
        agents,
        made,
        edges,
    )
    return replace(whole, **changes)


PINNED: dict[Revision, Workflow] = {}
"""What runs were made of, by revision: a FakeDoor reads it back."""


def pin(flow: Workflow) -> Revision:
    """The revision of a workflow, kept in PINNED; the same for the same content."""
    revision = Revision("b" * 56 + f"{zlib.crc32(repr(flow).encode()):08x}")
    return PINNED.setdefault(revision, flow) and revision


def loaded(made: Workflow | None = None, path: str = "/folder/digest.workflow.json") -> LoadedWorkflow:
    return LoadedWorkflow(Path(path), made or workflow())


def figures(cost: str | None = "0.21", turns: int = 4, complete: bool = True) -> FiguresTotals:
    amount = Decimal(cost) if cost is not None else None
    return FiguresTotals(
        turns, TokenCounts(41_200, 3_100), amount, complete, "reported" if amount is not None else "unknown"
    )


def attempt(
    number: int = 1,
    status: AttemptStatus = AttemptStatus.RUNNING,
    start: float = 0,
    end: float | None = None,
    **changes: Any,
) -> AttemptView:
    made = AttemptView(
        attempt_id=AttemptId(f"a-{number}"),
        epoch=number,
        agent="check",
        agent_kind="command",
        worker_class="command",
        status=status,
        lease=LeaseStatus.GRANTED if end is None else LeaseStatus.RELEASED,
        reason="",
        started_at=at(start),
        ended_at=at(end) if end is not None else None,
        evidence=None if end is None else "exit_file",
        figures=figures(),
        pid=48000 + number,
        containment="pid_namespace",
        cwd="/projects/digest",
    )
    return replace(made, **changes)


_STATES = {
    "Not started": SlotState.PENDING,
    "Waiting": SlotState.PENDING,
    "Starting": SlotState.CLAIMED,
    "Running": SlotState.ACTIVE,
    "Paused": SlotState.HELD,
    "Needs you": SlotState.HELD,
    "Retrying": SlotState.RETRY_WAIT,
    "Stopping": SlotState.ACTIVE,
    "Done": SlotState.DONE,
    "Failed": SlotState.RETRY_WAIT,
    "Stopped": SlotState.RETRY_WAIT,
    "Skipped": SlotState.CANCELLED,
}
_ATTEMPTS = {
    "Starting": AttemptStatus.STARTING,
    "Running": AttemptStatus.RUNNING,
    "Paused": AttemptStatus.PAUSED,
    "Needs you": AttemptStatus.RUNNING,
    "Stopping": AttemptStatus.STOPPING,
    "Done": AttemptStatus.SUCCEEDED,
    "Failed": AttemptStatus.FAILED,
    "Stopped": AttemptStatus.STOPPED,
}


def slot(
    node: Node, display: str = "Waiting", start: float = 0, end: float | None = None, **changes: Any
) -> SlotView:
    """A slot that shows `display`, with one fitting attempt where it has begun."""
    attempts: tuple[AttemptView, ...] = ()
    if display in _ATTEMPTS:
        ended = end if end is not None else (start + 60 if display in {"Done", "Failed", "Stopped"} else None)
        attempts = (attempt(1, _ATTEMPTS[display], start, ended),)
    begun = bool(attempts)
    made = SlotView(
        slot_id=SlotId(node.id),
        node_id=node.id,
        title=node.title,
        state=_STATES[display],
        display=display,
        reason="",
        agent=node.agent or "",
        agent_kind={"plan": "claude-code", "check": "command", "practice": "practice"}.get(
            node.agent or "", "command"
        ),
        prior_attempt=None,
        reopened=None,
        attempts=attempts,
        turns=4 if begun else 0,
        cost_usd=Decimal("0.21") if begun else None,
        cost_is_complete=True,
        is_practice=node.agent == "practice",
    )
    return replace(made, **changes)


def question(
    run: RunId, slot_id: str = "repo", text: str = "git fetch upstream --tags", **changes: Any
) -> ApprovalView:
    made = ApprovalView(
        RequestId(f"a-1:{slot_id}"),
        run,
        SlotId(slot_id),
        AttemptId("a-1"),
        1,
        text,
        ("Deny", "Allow once", "Allow for run"),
        at(980),
    )
    return replace(made, **changes)


def run_view(
    number: int = 1,
    displays: dict[str, str] | None = None,
    made: Workflow | None = None,
    start: float = 0,
    **changes: Any,
) -> RunView:
    """A live run whose nodes show `displays` (default: Waiting); `number` gives id and launch order."""
    flow = made or workflow()
    shown = displays or {}
    run_id = RunId(changes.pop("run_id", f"r-{number:x}{'7f3c9b21' * 4}"[:34]))
    view = RunView(
        run_id=run_id,
        workflow_id=flow.id,
        workflow_name=flow.name,
        launch_seq=number,
        end_seq=None,
        phase=Phase.LIVE,
        outcome=None,
        reason="",
        exit_code=None,
        started_at=at(start),
        ended_at=None,
        sittings=(),
        pins=Pins(Revision("a" * 64), pin(flow), Revision("c" * 64)),
        turns=8,
        tokens=TokenCounts(412_000, 31_000),
        cost_usd=Decimal("3.21"),
        cost_is_complete=True,
        budget_usd=None,
        accepted_by="ana",
        accepted_at=at(start),
        outcome_asked="A digest of the week",
        slots=tuple(slot(n, shown.get(n.id, "Waiting"), start) for n in flow.nodes),
    )
    return replace(view, slots=tuple(_asked(s, run_id) for s in view.slots), **changes)


def _asked(slot: SlotView, run: RunId) -> SlotView:
    """Whoever needs a person has a question."""
    if slot.display != "Needs you" or slot.approvals:
        return slot
    return replace(slot, approvals=(question(run, slot.slot_id),))


def ended(
    view: RunView,
    outcome: Outcome = Outcome.COMPLETED,
    end: float = 60,
    end_seq: int | None = None,
    **changes: Any,
) -> RunView:
    """The same run after its end: what had not begun never did, and what was at work was stopped or interrupted (REC6)."""
    return replace(
        view,
        slots=tuple(_at_rest(s, outcome, end) for s in changes.pop("slots", view.slots)),
        phase=Phase.ENDED,
        outcome=outcome,
        ended_at=at(end),
        end_seq=end_seq or view.launch_seq,
        **changes,
    )


_AT_WORK = frozenset({"Starting", "Running", "Paused", "Needs you", "Stopping", "Retrying"})


def _at_rest(slot: SlotView, outcome: Outcome, end: float) -> SlotView:
    """How the engine shows a slot of a run that has ended."""
    if slot.display == "Waiting":
        return replace(slot, display="Not started")
    if slot.display not in _AT_WORK:
        return slot
    if slot.attempts and slot.attempts[-1].status is AttemptStatus.LOST:
        return replace(slot, display="Still alive")
    was_lost = outcome is Outcome.INTERRUPTED
    status = AttemptStatus.INTERRUPTED if was_lost else AttemptStatus.STOPPED
    reason = "app closed" if was_lost else "stopped by you"
    attempts = tuple(
        a if a.ended_at is not None else replace(a, status=status, ended_at=at(end), reason=reason, tail="")
        for a in slot.attempts
    )
    stopped = replace(slot, display="Stopped", state=SlotState.RETRY_WAIT, attempts=attempts, approvals=())
    return replace(stopped, retry_at_ms=None, reason=reason)


def summary(view: RunView) -> RunSummary:
    return RunSummary(
        view.run_id,
        view.workflow_id,
        view.workflow_name,
        view.launch_seq,
        view.end_seq,
        view.phase,
        view.outcome,
        view.reason,
        view.started_at,
        view.ended_at,
        view.turns,
        view.tokens,
        view.cost_usd,
        view.cost_is_complete,
        view.foreign,
        sittings=view.sittings,
        accepted_at=view.accepted_at,
        practice=view.practice,
        owner=view.owner,
        unanswered=view.unanswered,
    )


def reopened(view: RunView, slot_id: SlotId, reason: str) -> RunView:
    """The same run with one slot re-opened and waiting to start (SLT16)."""

    def moved(one: SlotView) -> SlotView:
        if one.slot_id != slot_id:
            return one
        token = ReopenedView(reason, "ana", at(1024), one.agent, "coding")
        return replace(one, display="Re-opened, waiting to start", reopened=token)

    return replace(view, slots=tuple(map(moved, view.slots)))
