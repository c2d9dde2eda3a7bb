"""The board keeps what did not move, and shows what a fresh one would show."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from random import Random
from typing import Any

import pytest

from quarterdeck.domain.ids import NodeId, SlotId
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import RunView
from quarterdeck.domain.workflow import Workflow
from quarterdeck.ui import present_graph
from quarterdeck.ui.heard import heard_duration, heard_money
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.present import Known, Looking, WindowFacts, present
from quarterdeck.ui.present_agent import agent_facts
from quarterdeck.ui.present_board import Board
from quarterdeck.ui.present_graph import places_of
from tests.ui import made

WORDS = ("Waiting", "Running", "Done", "Needs you", "Failed", "Retrying", "Skipped")


def test_a_board_that_was_moved_equals_a_fresh_one(sweep: int) -> None:
    """Random steps: slots move alone, runs come, end and go, seconds pass, the workflow is exchanged."""
    for seed in range(60 * sweep):
        random = Random(seed)
        flows = [made.workflow(), made.workflow("Other", 7)]
        flow, board, views, seconds = flows[0], Board(), {}, 1000.0
        for _ in range(25):
            step = random.randrange(8)
            if step == 0 or not views:
                number = random.randrange(1, 4)
                views[number] = made.run_view(number, {n.id: random.choice(WORDS) for n in flow.nodes}, flow)
            elif step == 1:
                views.pop(random.choice(list(views)))
            elif step == 2:
                flow = random.choice(flows)
            elif step == 3:
                seconds += random.choice([0.2, 1, 70])
            else:
                number = random.choice(list(views))
                views[number] = moved(views[number], random)
            shown = tuple(views[n] for n in sorted(views))
            letters = {v.run_id: "ABC"[n] for n, v in enumerate(shown)}
            asked = (flow, shown, letters, made.at(seconds))
            assert board.show(*asked) == Board().show(*asked), f"seed {seed}"


def moved(view: RunView, random: Random) -> RunView:
    """One slot in another state; all others the same objects."""
    at = random.randrange(len(view.slots))
    flow = made.workflow(nodes=len(view.slots))
    node = next((n for n in flow.nodes if n.id == view.slots[at].node_id), flow.nodes[0])
    fresh = made.slot(node, random.choice(WORDS), random.randrange(900))
    fresh = replace(fresh, slot_id=view.slots[at].slot_id, node_id=view.slots[at].node_id)
    return replace(view, slots=(*view.slots[:at], fresh, *view.slots[at + 1 :]))


def test_what_did_not_move_is_the_same_object() -> None:
    flow = made.workflow()
    first = made.run_view(1, {"planner": "Done", "web": "Done"}, flow)
    slots = tuple(made.slot(flow.nodes[1], "Failed") if s.slot_id == "web" else s for s in first.slots)
    memo, letters = Memo(), {first.run_id: "A"}

    def facts(view: RunView) -> WindowFacts:
        known = Known((made.summary(view),), {view.run_id: view})
        return present(known, Looking(flow, None, letters), made.at(500), memo=memo)

    before, after = facts(first), facts(replace(first, slots=slots))
    changed = [a.node_id for a, b in zip(before.faces, after.faces, strict=True) if a is not b]
    assert changed == ["web"]
    assert after.agent_rows[0] is before.agent_rows[0]


def test_a_node_is_heard_with_run_state_time_and_cost() -> None:
    """The accessible name of ux.md."""
    flow = made.workflow()
    first = made.run_view(1, {"repo": "Needs you"}, flow, start=100)
    second = made.run_view(2, {}, flow)
    shown = Board().show(flow, (first, second), {first.run_id: "A", second.run_id: "B"}, made.at(1031))
    face = next(f for f in shown.faces if f.node_id == SlotId("repo"))
    assert face.heard == "Repo researcher, run A needs you, 15 minutes, 21 cents; run B waiting"


@pytest.mark.parametrize(
    ("changes", "is_least"),
    [
        ({"status": AttemptStatus.INTERRUPTED, "end": 57, "ended_at_least": True}, True),
        ({"status": AttemptStatus.LOST, "lost_at": made.at(57)}, True),
        ({"status": AttemptStatus.INTERRUPTED, "end": 57}, False),
    ],
    ids=["nobody saw its end", "out of contact", "its keeper saw its end"],
)
def test_a_node_row_and_the_outline_keep_that_a_time_is_at_least(
    changes: dict[str, Any], is_least: bool
) -> None:
    """REC6."""
    flow = made.workflow()
    began = made.run_view(1, {"web": "Stopped"}, flow)
    cut = tuple(
        replace(s, attempts=(made.attempt(1, **changes),)) if s.slot_id == "web" else s for s in began.slots
    )
    view = replace(began, slots=cut)
    shown = Board().show(flow, (view,), {view.run_id: "A"}, made.at(4_000))
    row = next(face for face in shown.faces if face.node_id == "web").rows[0]
    agent = next(one for one in shown.agents if one.node_id == "web")
    wanted = "≥ 0:57" if is_least else "0:57"
    assert (row.elapsed, agent.elapsed) == (wanted, wanted)
    assert ("at least 57 seconds" in row.heard) == is_least
    slot = next(s for s in view.slots if s.slot_id == "web")
    said = {f.name: f.value for f in agent_facts(view, slot, "A", made.at(4_000)).facts}
    assert said["Took"] == ("at least 0m 57s" if is_least else "0m 57s")


def test_times_and_money_in_words() -> None:
    assert heard_duration(57_000, is_least=True) == "at least 57 seconds"
    assert heard_money(Decimal("1.92")) == "1 dollar 92"
    assert heard_money(Decimal("12")) == "12 dollars"
    assert heard_money(Decimal("3.05"), False) == "at least 3 dollars 05"
    assert heard_money(Decimal("0.0001")) == "less than a cent"
    assert heard_money(None) == "cost unknown"
    assert heard_duration(13_400) == "13 seconds"
    assert heard_duration(7_500_000) == "2 hours 5 minutes"
    assert heard_duration(60_000) == "1 minute"
    assert heard_duration(273_600_000) == "3 days 4 hours"


def test_nodes_without_a_place_stand_beside_those_that_have_one() -> None:
    flow = made.workflow()
    placed = {n.id: n.position for n in flow.nodes}
    loose = replace(
        flow, nodes=tuple(replace(n, position=None) if n.id in {"web", "repo"} else n for n in flow.nodes)
    )
    places = places_of(loose)
    assert all(places[n] == placed[n] for n in ("planner", "drafter", "reviewer"))
    assert len({places[n] for n in places}) == 5


def test_nodes_are_laid_out_once_while_runs_come_and_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laying out a thousand nodes takes a second; a launch from an unchanged file, or an end, must not cost it again."""
    flow = made.workflow()
    launched = replace(flow)  # read back from its pin: equal, another object
    laid_out: list[object] = []

    def counted(workflow: Workflow) -> dict[NodeId, tuple[float, float]]:
        laid_out.append(workflow)
        return places_of(workflow)

    monkeypatch.setattr(present_graph, "places_of", counted)
    board, views = Board(), [made.run_view(n, {"web": "Running"}, flow) for n in (1, 2, 3)]
    graphs = {views[0].pins.workflow: launched}
    for shown in ((), views[:1], views, (made.ended(views[0]),)):
        board.show(flow, tuple(shown), {}, made.at(5), graphs)
    assert len(laid_out) == 1
