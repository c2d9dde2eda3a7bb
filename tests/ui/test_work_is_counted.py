"""How much is done for how little, by counts and never by seconds: rows made, items painted, files opened (cases 91–98)."""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.events import RunLaunched
from quarterdeck.domain.ids import NodeId, RunId
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunSummary, RunView
from quarterdeck.engine.app_log import FILE_BYTES_MAX, FILES_KEPT, AppLog, log_folder
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.store.data_folder import Store
from quarterdeck.ui import present_board, present_runs
from quarterdeck.ui.canvas.node_item import NodeItem
from quarterdeck.ui.canvas.scene import Drawing
from quarterdeck.ui.canvas.view import CanvasView
from quarterdeck.ui.link import pause_after
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.present import Known, Looking, present
from quarterdeck.ui.present_board import Board
from quarterdeck.ui.present_nodes import node_face
from quarterdeck.ui.present_wires import Passed
from quarterdeck.ui.theme import Scheme, Theme
from tests.engine.works import shell, write
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk, real_engine

# ------------------------------------------------------------------------------------------- at the start

HUGE = 7 * 1024**3
RUNS = 150


class Opened:
    """Paths that this process opened while the block ran, as the interpreter's own audit tells them."""

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.is_on = False
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, args: tuple[Any, ...]) -> None:
        if self.is_on and event == "open":
            self.paths.append(os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else str(args[0]))

    @contextmanager
    def watched(self) -> Iterator[list[str]]:
        self.paths, self.is_on = [], True
        try:
            yield self.paths
        finally:
            self.is_on = False


OPENED = Opened()


def bytes_read() -> int:
    """Bytes that this process has read so far."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["rchar"])


async def many_runs(data: Path, path: Path) -> None:
    """Copies of one real run, each with a transcript of gigabytes that no disk has to hold."""
    async with real_engine(data / "one") as engine:
        run = await engine.launch(LaunchRequest(path))
        assert isinstance(run, str)
        await engine.wait_ended(run)
    one = Store.open(data / "one")
    record = one.records.read(run)
    assert record is not None
    store = Store.open(data / "many")
    for number in range(1, RUNS + 1):
        run_id = RunId(f"r-{number:032x}")
        seq = {"run_id": run_id, "launch_seq": number, "end_seq": number}
        header = one.runs.read(run).entries[0]
        assert isinstance(header.event, RunLaunched)
        event = replace(header.event, run_id=run_id, launch_seq=number)
        journal = store.runs.create(run_id, replace(header, event=event))
        journal.close()
        store.records.publish(run_id, {**record, **seq, "covers_seq": 1})
        store.index.append({**record, **seq, "covers_seq": 1})
        attempt = store.runs.folder(run_id) / "attempts" / "a-1"
        attempt.mkdir(parents=True)
        with open(attempt / "transcript", "wb") as transcript:
            os.truncate(transcript.fileno(), HUGE)
    one.close()
    store.close()


@pytest.mark.qt_loop
async def test_a_window_over_terabytes_of_history_opens_the_list_and_one_run(tmp_path: Path) -> None:
    """Case 92: 150 runs with 7 GB each; of their files only those of the run that is shown are opened, and few bytes read."""
    path = write(tmp_path / "ws", {"a": shell("true")})
    await many_runs(tmp_path, path)
    async with real_desk(tmp_path / "warm", path):
        pass  # modules, fonts and icons are read once; they are no history
    before = bytes_read()
    with OPENED.watched() as paths:
        async with real_desk(tmp_path / "many", path) as (desk, _, _):
            await until(lambda: desk.window.runs.model.rowCount() == RUNS + 1)
            await until(lambda: "past run" in desk.shown()["canvas"])
    inside = [p for p in paths if "/many/runs/" in p]
    touched = {p.split("/many/runs/")[1].split("/")[0] for p in inside}
    assert touched <= {f"r-{RUNS:032x}"}, "the one run whose end is shown"
    assert not any(p.endswith("transcript") for p in inside)
    assert bytes_read() - before < 32 * 1024**2


# ------------------------------------------------------------------------------------------- the list


def summaries(count: int) -> tuple[RunSummary, ...]:
    """Ended runs of one workflow, newest launch first."""
    one = made.summary(made.ended(made.run_view(1)))
    return tuple(
        replace(one, run_id=RunId(f"r-{n:032x}"), launch_seq=n, end_seq=n) for n in range(count, 0, -1)
    )


def test_of_twenty_thousand_runs_only_those_that_moved_are_made_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Case 94: each row is made once; afterwards one for the run that moved, and one a second for each live run."""
    made_rows: list[str] = []
    real = present_runs._row

    def counted(run: Any, *rest: Any) -> Any:
        made_rows.append(run.run_id)
        return real(run, *rest)

    monkeypatch.setattr(present_runs, "_row", counted)
    flow, memo = made.workflow(), Memo()
    history = summaries(20_000)
    live = made.run_view(200_000, {"web": "Running"}, flow)
    runs, looking = (made.summary(live), *history), Looking(flow, None, {live.run_id: "A"})

    def shown(run: RunView, second: float) -> int:
        made_rows.clear()
        facts = present(
            Known((made.summary(run), *runs[1:]), {run.run_id: run}), looking, made.at(second), memo=memo
        )
        memo.forget_unused()
        assert sum(row.run_id is not None for row in facts.run_rows) == 20_001
        return len(made_rows)

    assert shown(live, 1) == 20_001
    assert shown(live, 1) == 0
    assert shown(live, 2) == 1
    assert shown(made.run_view(200_000, {"web": "Done"}, flow), 2) == 1
    assert shown(made.ended(live, Outcome.COMPLETED, 3), 3) == 1


@pytest.mark.qt_loop
async def test_the_list_paints_what_is_seen_of_its_runs() -> None:
    """Case 94: 5,000 past runs; the table asks for the texts of the rows that are on the screen, not of all."""
    door = FakeDoor((made.loaded(),))
    for number, run in enumerate(summaries(5_000)):
        door.views[run.run_id] = made.ended(made.run_view(5_000 - number, run_id=run.run_id))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.runs.model.rowCount() == 5_001)
        asked: set[int] = set()
        model = desk.window.runs.model
        real = model.data

        def watched(index: Any, role: int = 0) -> Any:
            asked.add(index.row())
            return real(index, role)

        model.data = watched  # type: ignore[method-assign]
        desk.window.runs.grab()
        assert 0 < len(asked) < 100


def test_the_apps_own_log_is_bounded_in_bytes() -> None:
    """Case 94: whatever is said how often; a hundred times what it may keep."""
    log = AppLog.start()
    try:
        logger = logging.getLogger("quarterdeck.engine.faults")
        for _ in range(60):
            logger.warning("%s", "x" * 100_000)
    finally:
        log.stop()
    sizes = {file.name: file.stat().st_size for file in log_folder().iterdir()}
    assert sizes.pop("quarterdeck.log.lock", 0) == 0, "who rotates holds it, and nothing is written to it"
    assert len(sizes) <= FILES_KEPT + 1
    assert max(sizes.values()) <= FILE_BYTES_MAX
    assert all(json.loads(line) for line in (log_folder() / "quarterdeck.log").read_text().splitlines())


def test_a_look_that_took_long_leaves_most_of_the_loop_to_the_person() -> None:
    """Case 95: at most thirty looks a second; under a flood a quarter of the time, and never less than five a second."""
    assert pause_after(0.001) == pytest.approx(0.033)
    assert pause_after(0.030) == pytest.approx(0.090)
    assert pause_after(9.0) == pytest.approx(0.2)


# ------------------------------------------------------------------------------------------- the canvas

NODES = 500


class Painted:
    """Nodes that were painted, each time that one was."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.nodes: list[NodeId] = []
        real = NodeItem.paint

        def paint(item: NodeItem, *rest: Any) -> None:
            self.nodes.append(item.face.node_id)
            real(item, *rest)

        monkeypatch.setattr(NodeItem, "paint", paint)

    def taken(self) -> list[NodeId]:
        taken, self.nodes = self.nodes, []
        return taken


def test_one_agent_that_moves_among_five_hundred_makes_one_face(monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 95: what did not move is the same object as before."""
    made_faces: list[str] = []
    real = node_face

    def counted(workflow: Any, node: Any, *rest: Any) -> Any:
        made_faces.append(node.id)
        return real(workflow, node, *rest)

    monkeypatch.setattr(present_board, "node_face", counted)
    flow, board = made.workflow("Big", NODES), Board()
    words = {n.id: "Done" for n in flow.nodes} | {"n7": "Running"}
    view = made.run_view(1, words, flow)
    first = board.show(flow, (view,), {view.run_id: "A"}, made.at(5))
    assert len(made_faces) == NODES
    for second in (6, 7, 8):
        made_faces.clear()
        slots = tuple(replace(s, turns=second) if s.slot_id == "n9" else s for s in view.slots)
        view = replace(view, slots=slots)
        now = board.show(flow, (view,), {view.run_id: "A"}, made.at(second))
        assert sorted(made_faces) == ["n7", "n9"], "what moved, and whose time grows"
        assert sum(a is not b for a, b in zip(first.faces, now.faces, strict=True)) <= 2


def test_what_an_agent_prints_makes_no_face_anew_until_it_falls_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Case 95: forty agents in a flood; what is only seen in a transcript is no work for the canvas, and silence still shows."""
    made_faces: list[str] = []
    real = node_face

    def counted(workflow: Any, node: Any, *rest: Any) -> Any:
        made_faces.append(node.id)
        return real(workflow, node, *rest)

    flow, board = made.workflow("Big", 40), Board()
    view = made.run_view(1, {n.id: "Running" for n in flow.nodes}, flow)

    def printed(at_s: float, words: str) -> RunView:
        slots = tuple(
            replace(
                s,
                attempts=(
                    *s.attempts[:-1],
                    replace(s.attempts[-1], tail=words, last_output_at_ms=made.at(at_s).boot_ms),
                ),
            )
            for s in view.slots
        )
        return replace(view, slots=slots)

    board.show(flow, (printed(5, "one"),), {view.run_id: "A"}, made.at(5))
    monkeypatch.setattr(present_board, "node_face", counted)
    for words in ("two", "three", "four"):
        board.show(flow, (printed(5, words),), {view.run_id: "A"}, made.at(5))
    assert made_faces == []
    silent = board.show(flow, (printed(5, "five"),), {view.run_id: "A"}, made.at(200))
    assert {face.rows[0].badge.silent_min for face in silent.faces} == {3}
    now = board.show(flow, (printed(200, "six"),), {view.run_id: "A"}, made.at(200))
    assert {face.rows[0].badge.silent_min for face in now.faces} == {0}


def test_panning_five_hundred_nodes_under_live_updates_paints_few_of_them(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 95: a pan paints what is on the screen and never the rest, a change its node, an empty frame nothing."""
    painted = Painted(monkeypatch)
    theme = Theme(qapp, Scheme.LIGHT)
    theme.is_motion_reduced = True
    flow = made.workflow("Big", NODES)
    view, drawing = CanvasView(theme), Drawing(flow.edges)
    view.resize(1400, 800)
    words: dict[str, str] = {n.id: "Done" for n in flow.nodes}

    def show(**changed: str) -> None:
        words.update(changed)
        run = made.run_view(1, words, flow)
        faces = board.show(flow, (run,), {run.run_id: "A"}, made.at(5)).faces
        view.show_faces(faces, drawing, Passed())
        qapp.processEvents()

    board = Board()
    view.show()
    show()
    view.set_zoom(1.0)
    view.centerOn(view.canvas.nodes[NodeId("n250")])
    qapp.processEvents()
    on_screen = len(set(painted.taken()))
    assert 0 < on_screen < 60
    qapp.processEvents()
    assert painted.taken() == []
    show(n250="Running")
    assert set(painted.taken()) <= {"n250", *_around(view, "n250")}
    show(n0="Running")
    assert painted.taken() == [], "a node that is not on the screen"
    across = view.horizontalScrollBar()
    for _ in range(60):
        across.setValue(across.value() + 7)
        qapp.processEvents()
        assert len(painted.taken()) <= on_screen + 8
    view.close()
    view.deleteLater()
    theme.deleteLater()


def _around(view: CanvasView, node: str) -> set[NodeId]:
    """Nodes whose painted place touches that of another."""
    here = view.canvas.nodes[NodeId(node)].sceneBoundingRect().adjusted(-8, -8, 8, 8)
    return {other for other, item in view.canvas.nodes.items() if item.sceneBoundingRect().intersects(here)}
