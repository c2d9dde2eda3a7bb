"""The canvas by itself: frames and notes, the small map, motion that stops, keys, far zoom, interfaces for screen readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import RunView
from quarterdeck.domain.workflow import Frame, Note, Workflow
from quarterdeck.ui.announce import news_of, sentence
from quarterdeck.ui.canvas.minimap import Minimap
from quarterdeck.ui.canvas.scene import Drawing
from quarterdeck.ui.canvas.view import CanvasView, NodeChosen
from quarterdeck.ui.present_board import Board
from quarterdeck.ui.theme import Scheme, Theme
from tests.ui import made


class Easel:
    """A shown canvas and what was chosen on it."""

    def __init__(self, view: CanvasView, flow: Workflow) -> None:
        self.view, self.flow, self.board = view, flow, Board()
        self.chosen: list[NodeChosen] = []
        view.node_chosen.connect(self.chosen.append)

    def show(self, **displays: str) -> None:
        self.show_run(made.run_view(1, displays, self.flow))

    def show_run(self, run: RunView) -> None:
        shown = self.board.show(self.flow, (run,), {run.run_id: "A"}, made.at(1024))
        drawing = Drawing(self.flow.edges, self.flow.frames, self.flow.notes)
        self.view.show_faces(shown.faces, drawing, shown.passed)


@pytest.fixture
def easel(qtbot: QtBot, qapp: QApplication) -> Iterator[Easel]:
    flow = made.workflow()
    frame = Frame("Research", (flow.nodes[1].id, flow.nodes[2].id))
    flow = replace(flow, frames=(frame,), notes=(Note("Words", (600, -10)),))
    theme = Theme(qapp, Scheme.LIGHT)
    view = CanvasView(theme)
    qtbot.addWidget(view)
    view.resize(1200, 700)
    view.show()
    yield Easel(view, flow)
    view.close()
    theme.deleteLater()


def test_a_frame_lies_around_its_nodes_and_follows_their_height(easel: Easel) -> None:
    easel.show(planner="Done")
    scene = easel.view.canvas
    frame = scene.frames[0].sceneBoundingRect()
    for node in easel.flow.frames[0].nodes:
        item = scene.nodes[node]
        assert frame.contains(item.card_rect().translated(item.pos()))
    assert scene.content_rect().contains(scene.notes[0].sceneBoundingRect())


def test_motion_runs_only_while_something_moves_and_can_be_seen(easel: Easel) -> None:
    motion = easel.view._motion
    easel.show(planner="Done")
    assert not motion.is_running
    easel.show(planner="Done", web="Running")
    assert motion.is_running
    easel.view.hide()
    assert not motion.is_running
    easel.view.show()
    assert motion.is_running
    easel.view.set_zoom(0.3)
    assert not motion.is_running


def test_dots_run_along_a_wire_that_data_has_just_passed_and_then_end(easel: Easel, qtbot: QtBot) -> None:
    easel.show(planner="Running")
    easel.view.set_zoom(1.0)
    easel.show(planner="Done", web="Failed")
    motion = easel.view._motion
    assert len(motion._flows) == 1
    qtbot.waitUntil(lambda: not motion.is_running, timeout=5000)
    assert not motion._flows


def test_dots_run_along_a_wire_that_one_run_passed_and_another_has_yet_to_come_to(easel: Easel) -> None:
    """Data did pass; green, which is done, the wire is not (OWN3)."""
    easel.view.set_zoom(1.0)
    drawing = Drawing(easel.flow.edges, easel.flow.frames, easel.flow.notes)
    for ahead in ({"planner": "Running"}, {"planner": "Done", "web": "Failed"}):
        runs = made.run_view(1, ahead, easel.flow), made.run_view(2, {"planner": "Paused"}, easel.flow)
        letters = {run.run_id: letter for run, letter in zip(runs, "AB", strict=True)}
        shown = easel.board.show(easel.flow, runs, letters, made.at(1024))
        easel.view.show_faces(shown.faces, drawing, shown.passed)
    assert len(easel.view._motion._flows) == 1
    assert not any(wire.is_green for wire in easel.view.canvas.edges)


def test_dragging_in_the_small_map_moves_the_canvas(easel: Easel, qtbot: QtBot) -> None:
    easel.show()
    easel.view.set_zoom(2.0)
    small = Minimap(easel.view._theme, easel.view, easel.view)
    small.show()
    small.grab()
    before = small.seen().center()
    QTest.mousePress(small, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    QTest.mouseMove(small, QPoint(30, 30))
    QTest.mouseRelease(small, Qt.MouseButton.LeftButton, pos=QPoint(30, 30))
    after = small.seen().center()
    assert after.x() < before.x()


def shows_runs(easel: Easel) -> Callable[[int], None]:
    """Shows so many of two runs, which work."""
    runs = tuple(made.run_view(n, {"planner": "Running"}, easel.flow) for n in (1, 2))
    drawing = Drawing(easel.flow.edges, easel.flow.frames, easel.flow.notes)

    def show(count: int) -> None:
        letters = {run.run_id: "AB"[n] for n, run in enumerate(runs[:count])}
        shown = easel.board.show(easel.flow, runs[:count], letters, made.at(1024))
        easel.view.show_faces(shown.faces, drawing, shown.passed)

    return show


def test_the_small_map_keeps_no_paint_of_what_was_larger(easel: Easel) -> None:
    show = shows_runs(easel)
    show(2)
    small = Minimap(easel.view._theme, easel.view, easel.view)
    before = small.grab().toImage()
    show(1)
    fresh = Minimap(easel.view._theme, easel.view, easel.view)
    assert small.grab().toImage() == fresh.grab().toImage()
    assert small.grab().toImage() != before


def test_escape_lets_go_of_the_node_and_then_of_the_canvas(easel: Easel) -> None:
    easel.show()
    easel.view.show_chosen(easel.flow.nodes[0].id, None)
    QTest.keyClick(easel.view, Qt.Key.Key_Escape)
    assert easel.chosen[-1].node is None
    easel.view.show_chosen(None, None)
    count = len(easel.chosen)
    QTest.keyClick(easel.view, Qt.Key.Key_Escape)
    assert len(easel.chosen) == count


def test_fitting_the_chosen_node_brings_it_to_the_middle(easel: Easel) -> None:
    easel.show()
    easel.view.set_zoom(0.3)
    node = easel.flow.nodes[4].id
    easel.view.show_chosen(node, None)
    easel.view.fit_chosen()
    item = easel.view.canvas.nodes[node]
    middle = easel.view.mapFromScene(item.mapToScene(item.card_rect().center()))
    assert (middle - easel.view.viewport().rect().center()).manhattanLength() < 8
    assert easel.view.zoom == pytest.approx(1.0)


def test_everything_is_fitted_between_what_floats_above_and_below_also_in_a_new_size(easel: Easel) -> None:
    """Until somebody moves the view by hand."""

    def edges() -> tuple[int, int, int, int]:
        seen = easel.view.mapFromScene(easel.view.canvas.content_rect()).boundingRect()
        return seen.left(), seen.top(), seen.right(), seen.bottom()

    easel.show()
    easel.view.fit()
    for width, height in ((700, 330), (520, 700), (300, 260)):
        easel.view.keep_free((QRect(0, 0, width, 60), QRect(0, height - 110, width, 110)))
        easel.view.resize(width, height)
        left, top, right, bottom = edges()
        assert left >= 0
        assert top >= 60
        assert right <= easel.view.viewport().width()
        assert bottom <= easel.view.viewport().height() - 110
    easel.view.set_zoom(0.7)
    easel.view.resize(900, 600)
    assert easel.view.zoom == pytest.approx(0.7)


FLOATS = {"switcher": (0, 0, 1, 50), "map": (-194, -124, 180, 110), "zoom bar": (14, -50, 148, 36)}


def _places(width: int, height: int) -> dict[str, QRect]:
    """The parts that float over a canvas of this size, as the page puts them."""
    at = {
        name: (x if x >= 0 else width + x, y if y >= 0 else height + y)
        for name, (x, y, _, _) in FLOATS.items()
    }
    return {
        name: QRect(*at[name], width if wide == 1 else wide, high)
        for name, (_, _, wide, high) in FLOATS.items()
    }


@pytest.mark.parametrize("size", [(720, 518), (900, 420), (560, 700), (1400, 900), (480, 300)])
def test_no_node_lies_below_switcher_map_or_zoom_bar_once_everything_is_fitted(
    easel: Easel, size: tuple[int, int]
) -> None:
    easel.view.resize(*size)
    easel.show(web="Running")
    places = _places(*size)
    easel.view.keep_free(tuple(places.values()))
    easel.view.fit()
    for item in easel.view.canvas.nodes.values():
        card = easel.view.mapFromScene(item.card_rect().translated(item.pos())).boundingRect()
        assert easel.view.viewport().rect().contains(card)
        assert not [name for name, place in places.items() if place.intersects(card)], item.face.title


def test_a_fitted_workflow_is_fitted_again_when_its_nodes_grow_until_it_is_moved_by_hand(
    easel: Easel,
) -> None:
    show = shows_runs(easel)
    show(1)
    easel.view.resize(700, 240)
    easel.view.fit()
    before = easel.view.zoom
    show(2)
    assert easel.view.zoom < before
    easel.view.set_zoom(0.7)
    show(1)
    assert easel.view.zoom == pytest.approx(0.7)


FAMILIES = ("Not started", "Running", "Needs you", "Done", "Failed", "Interrupted")


def test_far_away_each_family_of_states_has_a_shape_of_its_own_and_never_a_colour_alone(easel: Easel) -> None:
    """12 % and less: there is no room for an icon; on a picture without colours the shapes still differ."""
    easel.view.resize(700, 420)
    seen: dict[str, bytes] = {}
    for display in FAMILIES:
        _show_web(easel, display)
        easel.view.set_zoom(0.11)
        item = easel.view.canvas.nodes[easel.flow.nodes[1].id]
        card = easel.view.mapFromScene(item.card_rect().translated(item.pos())).boundingRect()
        drawn = easel.view.grab(card.adjusted(2, 2, -3, -3)).toImage()
        seen[display] = _strokes(drawn)
    assert len(set(seen.values())) == len(seen), list(seen)
    assert not any(seen["Not started"]), "where nothing happens there is nothing"


def test_in_the_small_map_each_family_of_states_has_its_shape_too(easel: Easel) -> None:
    seen: dict[str, bytes] = {}
    for display in FAMILIES:
        _show_web(easel, display)
        small = Minimap(easel.view._theme, easel.view, easel.view)
        small.grab()
        assert small._map is not None
        item = easel.view.canvas.nodes[easel.flow.nodes[1].id]
        card = small._to_map.mapRect(item.card_rect().translated(item.pos())).toAlignedRect()
        seen[display] = _strokes(small._map.copy(card.adjusted(1, 1, -1, -1)).toImage())
    assert len(set(seen.values())) == len(seen), list(seen)


def _show_web(easel: Easel, display: str) -> None:
    if display == "Interrupted":
        easel.show_run(_cut_off(made.run_view(1, {"web": "Stopped"}, easel.flow)))
    else:
        easel.show(web=display)


def _cut_off(run: RunView) -> RunView:
    slots = (
        replace(s, attempts=tuple(replace(a, status=AttemptStatus.INTERRUPTED) for a in s.attempts))
        for s in run.slots
    )
    return replace(run, slots=tuple(slots))


def _strokes(drawn: QImage) -> bytes:
    """Which points differ from the card's own fill, the commonest colour: shapes alone, whatever they are painted in."""
    points = [drawn.pixel(x, y) for y in range(drawn.height()) for x in range(drawn.width())]
    fill = Counter(points).most_common(1)[0][0]
    return bytes(point != fill for point in points)


def test_a_workflow_opens_with_words_that_can_be_read_also_where_not_all_of_it_has_room(easel: Easel) -> None:
    easel.view.resize(420, 330)
    easel.show()
    content = easel.view.canvas.content_rect()
    easel.view.fit()
    assert easel.view.zoom < 0.6
    easel.view.open()
    assert easel.view.zoom > 0.6
    begin = easel.view.mapFromScene(content.topLeft()).x()
    assert 0 <= begin <= 40
    easel.view.resize(1800, 1400)
    assert easel.view.zoom == pytest.approx(1.0)


@pytest.mark.parametrize("zoom", [0.1, 0.2, 0.5, 1.0, 2.0])
def test_a_click_finds_the_node_at_every_zoom(easel: Easel, zoom: float) -> None:
    easel.show(web="Running")
    easel.view.set_zoom(zoom)
    item = easel.view.canvas.nodes[easel.flow.nodes[1].id]
    easel.view.look_at(item.pos())
    at = easel.view.mapFromScene(item.mapToScene(item.card_rect().center()))
    QTest.mouseClick(easel.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert easel.chosen[-1].node == "web"
    easel.view.viewport().grab()


def test_every_node_is_a_child_of_the_canvas_with_name_role_state_and_place(easel: Easel) -> None:
    easel.show(planner="Done", repo="Needs you")
    canvas = QAccessible.queryAccessibleInterface(easel.view)
    assert canvas.childCount() == 5
    names = [canvas.child(i).text(QAccessible.Text.Name) for i in range(5)]
    assert names[0] == "Planner, run A done, 1 minute, 21 cents"
    assert names[2].startswith("Repo researcher, run A needs you, 17 minutes")
    node = canvas.child(2)
    assert node.role() == QAccessible.Role.ListItem
    assert not node.state().selected
    easel.view.show_chosen(easel.flow.nodes[2].id, None)
    assert node.state().selected
    assert node.rect().width() > 20
    assert canvas.indexOfChild(node) == 2


def test_what_a_person_must_hear_is_said_once_and_in_one_sentence() -> None:
    """ux.md: an agent needs a person, fails, ends. What was not seen before is no news."""
    flow, board = made.workflow(), Board()

    def rows(**displays: str) -> tuple[object, ...]:
        run = made.run_view(1, displays, flow)
        return board.show(flow, (run,), {run.run_id: "A"}, made.at(1024)).agents

    first = rows(planner="Running", web="Running")
    assert news_of({}, first) == []  # type: ignore[arg-type]
    before = {row.key: row.badge.word for row in first}  # type: ignore[attr-defined]
    news = news_of(before, rows(planner="Done", web="Needs you", repo="Running"))  # type: ignore[arg-type]
    assert sentence(news) == "Planner, run A, done. Web researcher, run A, needs you."
