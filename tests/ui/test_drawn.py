"""The canvas draws what runs began with (PIN4, REC2, OWN8), says where the file has moved on, and lets any node be looked at."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quarterdeck.domain.ids import NodeId
from quarterdeck.domain.layout import CARD_H, CARD_W
from quarterdeck.domain.states import AttemptStatus, SlotState
from quarterdeck.domain.workflow import Edge, Workflow
from quarterdeck.engine.planned import BrokenWorkflow, Problem
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
OLD = "The file has changed since this run began."


def edited(flow: Workflow) -> Workflow:
    """`web` has another id, `planner` another title and agent, `repo` is gone."""

    def moved(node: str) -> NodeId:
        return NodeId("online") if node == "web" else NodeId(node)

    nodes = tuple(
        replace(n, id=moved(n.id), title="Online researcher")
        if n.id == "web"
        else replace(n, title="Chief planner", agent="practice")
        if n.id == "planner"
        else n
        for n in flow.nodes
        if n.id != "repo"
    )
    edges = tuple(
        Edge(moved(e.source), moved(e.target)) for e in flow.edges if "repo" not in (e.source, e.target)
    )
    return replace(flow, nodes=nodes, edges=edges)


def words(desk: Desk) -> dict[str, set[str]]:
    """{title of a node: the words of its rows} on the canvas."""
    items = desk.window.view.canvas.nodes.values()
    return {i.face.title: {row.badge.word for row in i.face.rows} for i in items}


def outline(desk: Desk) -> dict[str, set[str]]:
    """The same, by the rows of the outline."""
    told: dict[str, set[str]] = {}
    for row in desk.window.agents.model.rows:
        told.setdefault(row.title, set()).add(row.badge.word)
    return told


async def reload(desk: Desk, door: FakeDoor, *files: object) -> None:
    door.files = tuple(files)  # type: ignore[assignment]
    heard: list[object] = []
    desk.link.workspace_loaded.connect(heard.append)
    desk.window.conduct.reload()
    await until(lambda: heard, "the folder read again")


async def test_a_live_run_keeps_its_nodes_when_the_file_is_edited() -> None:
    """OWN3, OWN8: canvas and outline agree, no running node is missing, and the canvas says why it is not the file."""
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    door.put(made.run_view(1, {"planner": "Done", "web": "Running"}, flow))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        note = desk.window.canvas_page.drawn_note
        assert (note.words, note.isVisible()) == ("", False)
        before = {i.face.title: i.face for i in desk.window.view.canvas.nodes.values()}
        await reload(desk, door, made.loaded(edited(flow)))
        after = {i.face.title: i.face for i in desk.window.view.canvas.nodes.values()}
        assert after == before
        assert words(desk) == outline(desk)
        assert "Running" in words(desk)["Web researcher"]
        assert (note.words, note.isVisible()) == (OLD, True)
        assert OLD in desk.window.view.accessibleDescription()
        await reload(desk, door, made.loaded(flow))
        assert (note.words, note.isVisible()) == ("", False)


async def test_a_past_run_is_drawn_as_it_was_and_the_file_where_no_run_is() -> None:
    """PIN4, REC2: a past instance never changes."""
    flow, other = made.workflow(), made.workflow("Other", 3, "w-2")
    door = FakeDoor((made.loaded(edited(flow)), made.loaded(other, "/folder/other.workflow.json")))
    door.put(made.ended(made.run_view(1, {n.id: "Done" for n in flow.nodes}, flow)))
    async with desk_over(door) as desk:
        await until(lambda: "none live" in desk.window.windowTitle() and outline(desk))
        assert set(words(desk)) == {n.title for n in flow.nodes}
        assert len(desk.window.view.canvas.edges) == len(flow.edges)
        assert desk.window.canvas_page.drawn_note.words == OLD
        desk.window.watching.choose_file(Path("/folder/other.workflow.json"))
        assert set(words(desk)) == {n.title for n in other.nodes}
        assert desk.window.canvas_page.drawn_note.words == ""


async def test_runs_of_several_revisions_have_all_their_nodes_each_in_a_place_of_its_own() -> None:
    """No node with a state is missing, and none lies on another."""
    flow = made.workflow()
    newer = edited(flow)
    door = FakeDoor((made.loaded(newer),))
    door.put(made.run_view(1, {"web": "Running", "repo": "Running"}, flow))
    door.put(made.run_view(2, {"online": "Running"}, newer))
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle() and len(outline(desk)) > 5)
        nodes = desk.window.view.canvas.nodes
        assert set(nodes) == {"planner", "online", "drafter", "reviewer", "web", "repo"}
        places = [(item.pos().x(), item.pos().y()) for item in nodes.values()]
        assert all(
            abs(a[0] - b[0]) >= CARD_W or abs(a[1] - b[1]) >= CARD_H
            for at, a in enumerate(places)
            for b in places[:at]
        )
        assert nodes[NodeId("planner")].face.title == "Chief planner"
        assert len(nodes[NodeId("planner")].face.rows) == 2
        wires = {(e.edge.source, e.edge.target) for e in desk.window.view.canvas.edges}
        assert {("planner", "repo"), ("planner", "online"), ("web", "drafter")} <= wires
        note = desk.window.canvas_page.drawn_note.words
        assert note.startswith("The file has changed since run A began. Drawn is what run B began with")
        order = [row.node_id for row in desk.window.agents.model.rows]
        assert order == sorted(order, key=list(nodes).index), "the outline mirrors the canvas"


async def test_what_a_run_began_with_is_read_once() -> None:
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    views = [made.run_view(n, {"web": "Running"}, flow) for n in (1, 2)]
    door.put(*views)
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        door.put(replace(views[0], turns=9))
        door.put(made.run_view(3, {}, flow))
        await until(lambda: "3 live" in desk.window.windowTitle())
        assert door.graphs_read == [views[0].pins.workflow]


async def test_a_pinned_workflow_that_is_lost_hides_no_node() -> None:
    """PIN5: what is gone is said, and never passed off as what the file says now."""
    flow = made.workflow()
    door = FakeDoor((made.loaded(edited(flow)),))
    view = made.run_view(1, {"web": "Running"}, flow)
    door.lost_pins.add(view.pins.workflow)
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle() and outline(desk))
        assert "Running" in words(desk)["Web researcher"]
        assert "What was launched as A cannot be read any more." in desk.window.canvas_page.drawn_note.words


async def test_a_past_run_of_another_folder_is_drawn_once_its_view_is_there() -> None:
    """REC2: nodes, wires and places, though the file is not in the open folder."""
    door = FakeDoor((made.loaded(),))
    other = made.workflow("Elsewhere", 4, "w-9")
    past = made.ended(made.run_view(1, {"n0": "Done", "n1": "Done"}, other))
    door.put(past)
    async with desk_over(door) as desk:
        await until(lambda: any(r.run_id for r in desk.window.runs.model.rows))
        desk.window.watching.choose_run(past.run_id)
        await until(lambda: "Elsewhere" in desk.window.windowTitle() and outline(desk))
        canvas = desk.window.view.canvas
        assert set(canvas.nodes) == {slot.node_id for slot in past.slots}
        assert len(canvas.edges) == len(other.edges)
        assert [n.face.position for n in canvas.nodes.values()] == [n.position for n in other.nodes]
        assert desk.window.canvas_page.drawn_note.words == ""


async def test_a_folder_that_is_read_again_takes_the_place_of_a_run_from_elsewhere_whole() -> None:
    """Canvas, inspector and list look at the same thing: the file, with its problems."""
    door = FakeDoor((made.loaded(),))
    past = made.ended(made.run_view(1, {"n0": "Done"}, made.workflow("Elsewhere", 4, "w-9")))
    door.put(past)
    async with desk_over(door) as desk:
        await until(lambda: any(r.run_id for r in desk.window.runs.model.rows))
        desk.window.watching.choose_run(past.run_id)
        await until(lambda: len(desk.window.view.canvas.nodes) == 4)
        await reload(desk, door, broken())
        assert desk.window.middle.currentWidget() is desk.window.problems
        shown = desk.window.conduct._shown
        assert (shown.run, shown.picked, shown.agent) == (None, None, None)


async def test_the_same_run_without_its_pin_is_drawn_by_its_slots() -> None:
    door = FakeDoor((made.loaded(),))
    past = made.ended(made.run_view(1, {"n0": "Done"}, made.workflow("Elsewhere", 4, "w-9")))
    door.lost_pins.add(past.pins.workflow)
    door.put(past)
    async with desk_over(door) as desk:
        await until(lambda: any(r.run_id for r in desk.window.runs.model.rows))
        desk.window.watching.choose_run(past.run_id)
        await until(lambda: len(desk.window.view.canvas.nodes) == 4)
        assert "cannot be read any more" in desk.window.canvas_page.drawn_note.words


# ------------------------------------------------------------------ a workflow that was never run


def prompted() -> Workflow:
    flow = made.workflow()
    nodes = tuple(replace(n, prompt="Look at {{ inputs.repo }}") if n.id == "web" else n for n in flow.nodes)
    edges = (*flow.edges, Edge(NodeId("repo"), NodeId("web"), "failure"))
    return replace(flow, nodes=nodes, edges=edges)


async def test_nodes_of_a_workflow_that_never_ran_are_chosen_by_key_and_click() -> None:
    """The whole window by keyboard alone, before the first run too."""
    door = FakeDoor((made.loaded(prompted()),))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.conduct._shown.has_heard)
        view, inspector = desk.window.view, desk.window.inspector
        view.setFocus()
        chosen = []
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Left):
            QTest.keyClick(view, key)
            chosen.append(view.chosen)
        assert chosen[0] == "planner"
        assert len(set(chosen)) >= 3, chosen
        desk.click_node("web")
        assert view.chosen == "web"
        facts = {f.name: f.value for f in inspector._facts.facts}
        assert inspector._facts.title == "Web researcher"
        assert inspector._facts.badge.word == "Not started"
        assert facts["Prompt"] == "Look at {{ inputs.repo }}"
        assert facts["Agent"] == facts["Kind"] == "practice"
        assert facts["Comes after"] == "Planner, Repo researcher (on failure)"
        QTest.keyClick(view, Qt.Key.Key_Return)
        assert desk.window.inspector_dock.isVisible()
        assert inspector._body.isVisible()
        buttons = (inspector.stop, inspector.pause, inspector.resume)
        assert not any(button.isVisible() for button in buttons)
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert view.chosen is None


async def test_a_chosen_node_becomes_its_agent_once_a_run_has_it() -> None:
    """What is said of it is never older than the run that is shown."""
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.conduct._shown.has_heard)
        desk.click_node("web")
        door.put(made.run_view(1, {"web": "Running"}, flow))
        await until(lambda: desk.window.inspector._facts.run_id is not None)
        assert desk.window.inspector._facts.slot_id == "web"
        assert desk.window.inspector._facts.badge.word == "Running"
        assert desk.window.view.chosen == "web"


# ------------------------------------------------------------------ wires


async def test_a_wire_is_green_where_its_condition_was_met_and_its_target_began() -> None:
    flow = made.workflow()
    edges = (
        Edge(NodeId("planner"), NodeId("web")),
        Edge(NodeId("planner"), NodeId("drafter"), "failure"),
        Edge(NodeId("web"), NodeId("drafter"), "output.ok"),
        Edge(NodeId("repo"), NodeId("reviewer"), "failure"),
        Edge(NodeId("repo"), NodeId("drafter"), "always"),
        Edge(NodeId("drafter"), NodeId("reviewer")),
    )
    flow = replace(flow, edges=edges)
    displays = {"planner": "Done", "web": "Done", "drafter": "Running", "reviewer": "Running"}
    view = made.run_view(1, displays, flow)
    failed = made.attempt(1, AttemptStatus.FAILED, 0, 10)
    slots = tuple(
        replace(s, state=SlotState.FAILED, display="Failed", attempts=(failed,)) if s.slot_id == "repo" else s
        for s in view.slots
    )
    door = FakeDoor((made.loaded(flow),))
    door.put(replace(view, slots=slots))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        green = {(e.edge.source, e.edge.target) for e in desk.window.view.canvas.edges if e.is_green}
        followed = {("planner", "web"), ("web", "drafter"), ("repo", "reviewer"), ("repo", "drafter")}
        assert green == followed


# ------------------------------------------------------------------ a file that breaks


def broken() -> BrokenWorkflow:
    return BrokenWorkflow(Path("/folder/digest.workflow.json"), (Problem("$", 3, "This is no JSON."),))


async def test_a_file_that_breaks_under_a_live_run_keeps_its_drawing_and_its_stop() -> None:
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    view = made.run_view(1, {"web": "Running"}, flow)
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        before, title = words(desk), desk.window.windowTitle()
        await reload(desk, door, broken())
        assert (words(desk), desk.window.windowTitle()) == (before, title)
        assert desk.window.middle.currentWidget() is desk.window.canvas_page
        assert desk.window.top.stop.isEnabled()
        assert not desk.window.top.run.isEnabled()
        assert "cannot be read any more: see Problems" in desk.window.canvas_page.drawn_note.words
        door.put(made.ended(view))
        await until(lambda: "none live" in desk.window.windowTitle())
        assert desk.window.middle.currentWidget() is desk.window.problems, "now the file is what matters"


async def test_a_file_that_was_never_read_shows_its_problems() -> None:
    door = FakeDoor((broken(),))
    async with desk_over(door) as desk:
        assert desk.window.middle.currentWidget() is desk.window.problems
        assert desk.window.windowTitle() == "Quarterdeck"
