"""P13, P14, P18: the canvas of 1,000 and 5,000 nodes, and the layered layout; painted offscreen by the raster engine.

Peers come with the extra `bench-window`; each is measured in a process of its own (canvas_peers), beside ours, React Flow in
Chromium (react_flow). `dot` is graphviz's, from the system; the bench alone uses it.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from tests.bench.react_flow import react_flow
from tests.bench.row import BenchRow

PEERS = {
    "NodeGraphQt": "NodeGraphQt",
    "qtpynodeeditor": "qtpynodeeditor",
    "orange-canvas-core": "orangecanvas",
}
GOALS = {
    "build_s": ("build and first paint", 20.0),
    "fit_s": ("fit repaint", 5.0),
    "update_s": ("update of 40 nodes", 5.0),
}
FRAME_MS_MAX = 16.0
COUNT = 1_000


# ------------------------------------------------------------------------------------------- P13


def p13() -> list[BenchRow]:
    """1,000 nodes: build, repaint of everything, 40 changed nodes; against each peer."""
    ours = _measured("ours")
    assert ours is not None
    rows = [row for name, module in PEERS.items() for row in _rows_against(name, _measured(module), ours)]
    in_browser = react_flow(COUNT)
    if isinstance(in_browser, str):
        return rows + _rows_against("React Flow", None, ours, in_browser)
    return rows + _rows_against("React Flow", in_browser, ours)


def _rows_against(
    peer: str, theirs: dict[str, float] | None, ours: dict[str, float], why: str = ""
) -> list[BenchRow]:
    return [
        BenchRow(
            f"P13 {peer}, {what}",
            f"canvas of 1,000 nodes, {what}: time of {peer} by ours",
            theirs[key] / ours[key] if theirs else None,
            goal,
            "at least",
            {"ours_ms": ours[key] * 1e3, "peer_ms": theirs[key] * 1e3 if theirs else "not measured"},
            "" if theirs else why or f"{peer} does not run here (extra bench-window)",
        )
        for key, (what, goal) in GOALS.items()
    ]


def _measured(which: str) -> dict[str, float] | None:
    """Build, fit repaint and update, medians in seconds, in a process of its own; None where it cannot run."""
    ran = subprocess.run(
        [sys.executable, "-m", "tests.bench.canvas_peers", which],
        env={
            **os.environ,
            "QT_QPA_PLATFORM": "offscreen",
            "QT_API": "pyqt6" if which == "orangecanvas" else "pyside6",
            "QT_PREFERRED_BINDING": "PySide6",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    found: dict[str, float] | None = json.loads(ran.stdout.splitlines()[-1]) if ran.returncode == 0 else None
    return found


# ------------------------------------------------------------------------------------------- P14


def p14() -> list[BenchRow]:
    """5,000 nodes, 40 of them change 30 times a second while the view is panned: every frame's work, 99th percentile."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtWidgets import QApplication

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    return [
        _pan_row(app, name, zoom)
        for name, zoom in (("near", 1.0), ("half", 0.5), ("far", 0.2), ("whole", None))
    ]


def _pan_row(app: Any, name: str, zoom: float | None) -> BenchRow:
    from quarterdeck.ui.theme import Scheme, Theme

    drawn = _shown_runs(5_000)
    faces, (view, show) = drawn.faces, _canvas(Theme(app, Scheme.LIGHT), drawn)
    view.show()
    app.processEvents()
    if zoom is None:
        view.fit()
    else:
        view.set_zoom(zoom)
    app.processEvents()
    times: list[float] = []
    cpu: list[float] = []
    """What a frame takes of a processor, whatever else the machine does."""
    across, down = view.horizontalScrollBar(), view.verticalScrollBar()
    for frame in range(240):
        if frame % 2 == 0:  # 60 frames a second, 30 changes
            faces = _changed(faces, frame)
        begun, worked = time.perf_counter(), time.process_time()
        if frame % 2 == 0:
            show(faces)
        across.setValue(across.value() + (7 if frame % 120 < 60 else -7))
        down.setValue(down.value() + (5 if frame % 80 < 40 else -5))
        app.processEvents()
        times.append((time.perf_counter() - begun) * 1e3)
        cpu.append((time.process_time() - worked) * 1e3)
    view.close()
    view.deleteLater()
    worst, cpu_worst = (sorted(took)[math.ceil(len(took) * 0.99) - 1] for took in (times, cpu))
    return BenchRow(
        f"P14 {name}",
        f"5,000 nodes, 40 changing 30/s while panning ({name}): p99 of a frame by 16 ms",
        worst / FRAME_MS_MAX,
        1.0,
        "at most",
        {
            "p50_ms": statistics.median(times),
            "p99_ms": worst,
            "max_ms": max(times),
            "cpu_p99_ms": cpu_worst,
            "zoom": round(zoom or 0, 2),
        },
    )


def _shown_runs(count: int) -> Any:
    """Two live runs on a board, and the edges that it is drawn with."""
    from quarterdeck.ui.present_board import Board
    from tests.ui import made

    flow = made.workflow("Big", count)
    words = ("Done", "Running", "Needs you", "Waiting", "Failed")
    runs = tuple(
        made.run_view(k, {n.id: words[(i + k) % 5] for i, n in enumerate(flow.nodes)}, flow) for k in (1, 2)
    )
    board = Board().show(flow, runs, {r.run_id: "AB"[i] for i, r in enumerate(runs)}, made.at(1000))
    return SimpleNamespace(faces=board.faces, passed=board.passed, edges=flow.edges)


def _canvas(theme: Any, drawn: Any) -> Any:
    """The canvas with its first content, and what shows it others."""
    from quarterdeck.ui.canvas.scene import Drawing
    from quarterdeck.ui.canvas.view import CanvasView

    view, drawing = CanvasView(theme), Drawing(drawn.edges)
    view.resize(1400, 800)

    def show(faces: Any) -> None:
        view.show_faces(faces, drawing, drawn.passed)

    show(drawn.faces)
    return view, show


def _changed(faces: tuple[Any, ...], step: int) -> tuple[Any, ...]:
    """Forty nodes with another time, cost and, some of them, state."""
    from quarterdeck.ui.badges import badge_of_word

    words = ("Done", "Running", "Needs you", "Failed")
    changed = list(faces)
    for k in range(40):
        at = (step * 40 + k * 131) % len(faces)
        face = faces[at]
        badge = badge_of_word(words[(step + k) % 4])
        row = replace(face.rows[0], elapsed=f"{step}:{k:02d}", cost=f"${step}.{k:02d}", badge=badge)
        changed[at] = replace(face, rows=(row, *face.rows[1:]), loudest=badge)
    return tuple(changed)


# ------------------------------------------------------------------------------------------- P18


def p18() -> list[BenchRow]:
    """1,000 nodes laid out: time, crossings of straight wires and their length, by those of dot."""
    if shutil.which("dot") is None:
        return [
            BenchRow(
                "P18", "layered layout against dot", None, 0.5, "at most", {}, "graphviz is not installed"
            )
        ]
    from quarterdeck.domain.layout import arrange

    found: dict[str, list[tuple[float, float]]] = {"time": [], "crossings": [], "length": []}
    for seed in (1, 2, 3):
        nodes, edges = _graph(1_000, seed)
        begun = time.perf_counter()
        ours = arrange(nodes, edges)
        took = time.perf_counter() - begun
        theirs, dot_took = _dot(nodes, edges)
        found["time"].append((took * 1e3, dot_took * 1e3))
        found["crossings"].append((_crossings(ours, edges), _crossings(theirs, edges)))
        found["length"].append((_length(ours, edges), _length(theirs, edges)))
    goals = {"time": 0.5, "crossings": 1.15, "length": 1.15}
    return [
        BenchRow(
            f"P18 {name}",
            f"layered layout of 1,000 nodes: {name} by that of dot",
            sum(a for a, _ in pairs) / sum(b for _, b in pairs),
            goals[name],
            "at most",
            {"ours_mean": sum(a for a, _ in pairs) / 3, "dot_mean": sum(b for _, b in pairs) / 3},
        )
        for name, pairs in found.items()
    ]


def _graph(count: int, seed: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Every node follows one or two of the forty before it."""
    chance, edges = random.Random(seed), set()
    for node in range(1, count):
        for _ in range(chance.choice((1, 1, 2))):
            edges.add((chance.randrange(max(0, node - 40), node), node))
    return list(range(count)), sorted(edges)


def _dot(nodes: list[int], edges: list[tuple[int, int]]) -> tuple[dict[int, tuple[float, float]], float]:
    """Places by dot with our sizes and distances, and the seconds it took."""
    from quarterdeck.domain.layout import CARD_H, CARD_W, COLUMN_W, ROW_H

    head = (
        f"rankdir=LR;nodesep={(ROW_H - CARD_H) / 72};ranksep={(COLUMN_W - CARD_W) / 72};"
        f'node[shape=box,fixedsize=true,width={CARD_W / 72},height={CARD_H / 72},label=""];'
    )
    text = f"digraph{{{head}{';'.join(map(str, nodes))};{';'.join(f'{a}->{b}' for a, b in edges)}}}"
    begun = time.perf_counter()
    done = subprocess.run(["dot", "-Tplain"], input=text, text=True, capture_output=True, check=True)
    took = time.perf_counter() - begun
    lines = (line.split() for line in done.stdout.splitlines() if line.startswith("node "))
    return {int(f[1]): (float(f[2]) * 72, float(f[3]) * 72) for f in lines}, took


def _length(places: dict[int, tuple[float, float]], edges: list[tuple[int, int]]) -> float:
    return statistics.fmean(math.dist(places[a], places[b]) for a, b in edges)


def _crossings(places: dict[int, tuple[float, float]], edges: list[tuple[int, int]]) -> float:
    """Pairs of straight wires that cross."""

    def side(p: Any, q: Any, r: Any) -> float:
        return float((q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]))

    wires = sorted((sorted((places[a], places[b])) for a, b in edges), key=lambda w: w[0])
    count = 0
    for at, (p, q) in enumerate(wires):
        for r, s in wires[at + 1 :]:
            if r[0] > q[0]:
                break
            if p in (r, s) or q in (r, s):
                continue
            count += side(p, q, r) * side(p, q, s) < 0 and side(r, s, p) * side(r, s, q) < 0
    return float(count)
