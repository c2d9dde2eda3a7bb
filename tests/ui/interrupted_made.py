"""Builders of what a crash left, for the window's tests and pictures: the run of the dialog's picture, and crowds."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from quarterdeck.domain.ids import AttemptId, NodeId, Revision, RunId, SlotId, WorkflowId
from quarterdeck.domain.pins import Pins
from quarterdeck.domain.states import AttemptStatus, EffectState, Outcome
from quarterdeck.domain.views import EffectView, RunView
from quarterdeck.engine.recovery import (
    AgentEvidence,
    ChangedFile,
    Commit,
    FolderEvidence,
    InterruptedAgent,
    InterruptedRun,
    OtherAgent,
    Outside,
    Owed,
    ProgramFile,
    RepeatStep,
    ResumeChoice,
    ResumePreview,
    Survivor,
    UnreadableRun,
)
from tests.ui import made
from tests.ui.fake_door import FakeDoor

PUSH = EffectView("push-1", EffectState.UNKNOWN, "git push", "origin digest", "sent, never answered")
FIRST, SECOND = RunId("r-7f3c" + "a1" * 14), RunId("r-9b21" + "c2" * 14)


def agent(slot: str, title: str, number: int = 1, turns: int = 31, **changes: Any) -> InterruptedAgent:
    whole = InterruptedAgent(
        slot_id=SlotId(slot),
        node_id=NodeId(slot),
        title=title,
        agent="researcher",
        agent_kind="claude-code",
        is_practice=False,
        attempt_id=AttemptId(f"a-{slot}-{number}"),
        attempt_number=number,
        display="Stopped",
        reason="app closed",
        turns=turns,
        cost_usd=Decimal("1.20"),
        cost_is_complete=True,
        last_known="after the saved step: outline",
        last_line="",
        was_paused=False,
        outside=Outside.NONE,
        effects=(),
        survivors=(),
        end_first=False,
        still_ending=False,
        evidence="no trace found",
        can_continue_session=True,
    )
    return replace(whole, **changes)


def survivor_agent() -> InterruptedAgent:
    return agent(
        "repo",
        "Repo researcher",
        2,
        38,
        last_known="in git push: origin digest",
        outside=Outside.TO_CHECK,
        effects=(PUSH,),
        survivors=(Survivor(48213, 991, "codex exec --json", "carries the agent's mark"),),
        end_first=True,
        evidence="",
        display="Still alive",
    )


def run(
    run_id: RunId, start: float, ran: float, agents: tuple[InterruptedAgent, ...], **changes: Any
) -> InterruptedRun:
    whole = InterruptedRun(
        run_id=run_id,
        workflow_id=WorkflowId("w-1"),
        workflow_name="Ship weekly digest",
        workflow_folder="/folder",
        started_at=made.at(start),
        ended_at=made.at(start + ran),
        last_record_at=made.at(start + ran),
        ran_for_ms=round(ran * 1000),
        ran_at_least=False,
        turns=sum(a.turns for a in agents),
        cost_usd=Decimal("3.41"),
        cost_is_complete=True,
        torn=False,
        agents=agents,
        rest=(),
    )
    return replace(whole, **changes)


def owed_two() -> Owed:
    """The picture's: two runs of one workflow, a process that lives on, an effect to check."""
    rest = (
        OtherAgent("Planner", "Done"),
        OtherAgent("Drafter", "Not started"),
        OtherAgent("Reviewer", "Not started"),
    )
    later = tuple(
        OtherAgent(t, "Not started") for t in ("Web researcher", "Repo researcher", "Drafter", "Reviewer")
    )
    web = agent("web", "Web researcher", 1, 31, outside=Outside.NOT_TOLD, last_known="in a turn")
    return Owed(
        (
            run(SECOND, 960, 13, (agent("planner", "Planner", 1, 1),), cost_usd=Decimal("0.04"), rest=later),
            run(FIRST, 0, 1024, (survivor_agent(), web), turns=82, rest=rest),
        )
    )


def owed_one() -> Owed:
    return Owed(
        (run(FIRST, 0, 95, (agent("planner", "Planner", 1, 4),), cost_usd=None, cost_is_complete=False),)
    )


def owed_crowd(count: int = 20, named: str = "") -> Owed:
    """Many runs, some torn, some unknown, with names as people and attackers write them."""
    names = (
        "Ship weekly digest",
        "Nightly checks",
        "<b>bold</b> & \u202eevil\u202c",
        "W" * 10_000,
        "Größe prüfen 你好",
    )
    runs = []
    for n in range(count):
        agents = tuple(
            agent(
                f"n{i}",
                named or f"{('Planner', 'Writer', 'Checker')[i % 3]} {names[3][: 900 * (n == 3)]}",
                1 + n % 3,
                n * 3 + i,
            )
            for i in range(1 + n % 4)
        )
        runs.append(
            run(
                RunId(f"r-{n + 16:02x}{n * 7919 % 65536:04x}" + "0" * 26),
                -n * 4_000,
                900 + n,
                agents,
                workflow_id=WorkflowId(f"w-{n % 5}"),
                workflow_name=names[n % 5],
                torn=n % 6 == 5,
                cost_usd=None if n % 7 == 6 else Decimal(n) / 8,
                cost_is_complete=n % 6 != 5,
                rest=tuple(OtherAgent(f"Helper {i}", ("Done", "Not started")[i % 2]) for i in range(n % 8)),
            )
        )
    bad = UnreadableRun(
        RunId("r-dead" + "0" * 28), Path("/data/runs/r-dead"), "its journal has no readable header"
    )
    return Owed(tuple(runs), (bad,))


def view_of(told: InterruptedRun, number: int = 1) -> RunView:
    """The run of a prompt as the run list has it."""
    flow = made.workflow()
    view = made.run_view(
        number, {}, flow, run_id=told.run_id, start=(told.started_at.wall_ms - made.START_MS) / 1000
    )
    by_slot = {a.slot_id: a for a in told.agents}
    slots = []
    for one in view.slots:
        cut = by_slot.get(one.slot_id)
        if cut is None:
            slots.append(replace(one, display="Not started"))
            continue
        last = made.attempt(
            cut.attempt_number, AttemptStatus.INTERRUPTED, 0, 900, attempt_id=cut.attempt_id, reason="app closed",
            effects=cut.effects, evidence="no_trace", pid=None,
        )  # fmt: skip
        stopped = made.slot(made.workflow().nodes[0], "Stopped")
        slots.append(
            replace(
                one,
                display="Stopped",
                state=stopped.state,
                reason="app closed",
                attempts=(last,),
                turns=cut.turns,
            )
        )
    ended = made.ended(view, Outcome.INTERRUPTED, 1024, number, reason="app closed", slots=tuple(slots))
    return replace(ended, unanswered=True, turns=told.turns, cost_usd=told.cost_usd, workflow_id=told.workflow_id,
                   workflow_name=told.workflow_name)  # fmt: skip


def preview(run_id: RunId = FIRST, slot: str = "web", **changes: Any) -> ResumePreview:
    whole = ResumePreview(
        run_id=run_id,
        slot_id=SlotId(slot),
        title={"web": "Web researcher", "planner": "Planner", "repo": "Repo researcher"}.get(slot, slot),
        workflow_name="Ship weekly digest",
        pins=Pins(Revision("a" * 64), Revision("b" * 64), Revision("c" * 64)),
        next_attempt=2,
        choices=(
            ResumeChoice(
                "researcher", "claude-code", "coding", "opus-5", True, True, Decimal("2.00"),
                (ProgramFile("/usr/local/bin/claude", True, "another version than at the last start: 18,204 bytes then, 19,022 now"),),
            ),
            ResumeChoice("researcher-codex", "codex", "coding", "gpt-6", False, True, Decimal("2.00")),
        ),
        effects=(PUSH,),
        outside=Outside.TO_CHECK,
        kept_steps=("sources read", "outline"),
        repeat=(RepeatStep("draft", "its saved file is damaged"),),
        saved=(),
        session_id="s-4711",
        can_continue_session=True,
        limit_usd=Decimal("2.00"),
        run_left_usd=Decimal("1.59"),
        reopened=False,
        refusal=None,
    )  # fmt: skip
    return replace(whole, **changes)


def evidence(slot: str = "web", **changes: Any) -> AgentEvidence:
    whole = AgentEvidence(
        slot_id=SlotId(slot),
        attempt_id=AttemptId(f"a-{slot}-1"),
        last_known="in a turn",
        last_lines=("Reading upstream tags", "git push origin digest"),
        in_flight=("git push origin digest: unknown",),
        effects=(PUSH,),
        saved=(),
        folder=FolderEvidence(
            "/projects/digest",
            True,
            (
                ChangedFile("drafts/week-48.md", "changed", made.at(500).wall_ms, True),
                ChangedFile("notes/links.md", "added", made.at(700).wall_ms, True),
                ChangedFile("README.md", "changed", made.at(-900).wall_ms, False),
            ),
            (Commit("4f1c2a9d77", made.at(640).wall_ms, "Add the week's links"),),
        ),
        process="no trace found",
        survivors=(),
    )
    return replace(whole, **changes)


def door_over(owed: Owed) -> FakeDoor:
    """A door whose list holds the runs of a prompt, with a second step and evidence for each agent."""
    door = FakeDoor((made.loaded(),))
    door.recovery.waiting = owed
    for number, told in enumerate(sorted(owed.runs, key=lambda r: r.started_at.wall_ms), 1):
        door.put(view_of(told, number))
        for one in told.agents:
            key = (told.run_id, one.slot_id)
            door.recovery.previews[key] = preview(
                told.run_id, one.slot_id, title=one.title, next_attempt=one.attempt_number + 1
            )
            door.recovery.seen[key] = evidence(one.slot_id)
    return door
