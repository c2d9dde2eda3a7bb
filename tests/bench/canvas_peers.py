"""`python -m tests.bench.canvas_peers NAME`: one canvas of 1,000 nodes in this process, as one line of JSON, seconds.

Each does the same: a grid of nodes with one wire between neighbours, built and shown; everything fitted and repainted; forty
nodes changed and painted, ten times. A program that is not installed ends this with an error.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

COUNT, ACROSS, SHOWN = 1_000, 32, (1400, 800)
STEPS = 10
Change = Callable[[int], object]
Build = Callable[[], tuple[Any, Change]]
"""Makes the canvas; imports and data were made before."""


def rows_of(nodes: list[Any]) -> list[tuple[Any, Any]]:
    """Neighbours in one row of the grid."""
    return [pair for at, pair in enumerate(pairwise(nodes)) if (at + 1) % ACROSS]


def place(number: int) -> tuple[float, float]:
    return 300.0 * (number % ACROSS), 190.0 * (number // ACROSS)


def ours(app: Any) -> Build:
    import quarterdeck.ui.canvas.view  # noqa: F401 - imports are not what is measured, here and below
    from quarterdeck.ui.theme import Scheme, Theme
    from tests.bench.canvas_bench import _canvas, _changed, _shown_runs

    drawn, theme = _shown_runs(COUNT), Theme(app, Scheme.LIGHT)
    steps = [drawn.faces]
    for step in range(STEPS):  # what is shown is made elsewhere; here it is drawn
        steps.append(_changed(steps[-1], step))

    def build() -> tuple[Any, Change]:
        view, show = _canvas(theme, drawn)
        return view, lambda step: show(steps[step + 1])

    return build


def node_graph_qt(app: Any) -> Build:
    from NodeGraphQt import BaseNode, NodeGraph

    class Agent(BaseNode):  # type: ignore[misc]
        __identifier__ = "bench"
        NODE_NAME = "Agent"

        def __init__(self) -> None:
            super().__init__()
            self.add_input("in", multi_input=True)
            self.add_output("out")

    def build() -> tuple[Any, Change]:
        graph = NodeGraph()
        graph.register_node(Agent)
        nodes = [
            graph.create_node("bench.Agent", name=f"Agent {i}", pos=place(i), selected=False, push_undo=False)
            for i in range(COUNT)
        ]
        for a, b in rows_of(nodes):
            a.output(0).connect_to(b.input(0), push_undo=False)

        def change(step: int) -> None:
            for node in nodes[step * 40 : step * 40 + 40]:
                node.set_property("color", (10 + step, 20, 30, 255), push_undo=False)

        view = graph.viewer()
        view._kept = graph
        return view, change

    return build


def qtpynodeeditor(app: Any) -> Build:
    import qtpynodeeditor as editor
    from qtpy.QtCore import QPointF

    class Agent(editor.NodeDataModel):  # type: ignore[misc]
        name = caption = "Agent"
        num_ports = {"input": 1, "output": 1}  # noqa: RUF012
        data_type = all_data_types = editor.NodeDataType("data", "data")

        def out_data(self, port: int) -> None:
            return None

        def set_in_data(self, data: object, port: object) -> None:
            """Nothing goes through."""

    registry = editor.DataModelRegistry()
    registry.register_model(Agent)

    def build() -> tuple[Any, Change]:
        scene = editor.FlowScene(registry=registry)
        view = editor.FlowView(scene)
        nodes = [scene.create_node(Agent) for _ in range(COUNT)]
        for number, node in enumerate(nodes):
            node.position = QPointF(*place(number))
        for a, b in rows_of(nodes):
            scene.create_connection(a["output"][0], b["input"][0])

        def change(step: int) -> None:
            for node in nodes[step * 40 : step * 40 + 40]:
                node.graphics_object.update()

        return view, change

    return build


def orangecanvas(app: Any) -> Build:
    from orangecanvas.canvas.scene import CanvasScene
    from orangecanvas.canvas.view import CanvasView
    from orangecanvas.registry import (
        CategoryDescription,
        InputSignal,
        OutputSignal,
        WidgetDescription,
        WidgetRegistry,
    )
    from orangecanvas.scheme import Scheme

    registry = WidgetRegistry()
    registry.register_category(CategoryDescription("bench"))
    kind = WidgetDescription(
        "Agent", "bench.agent", "bench", qualified_name="orangecanvas.canvas.Agent", package="orangecanvas",
        inputs=[InputSignal("in", "builtins.object", "take")], outputs=[OutputSignal("out", "builtins.object")],
    )  # fmt: skip
    registry.register_widget(kind)

    def build() -> tuple[Any, Change]:
        scheme, scene = Scheme(), CanvasScene()
        view = CanvasView(scene)
        scene.set_registry(registry)
        scene.set_scheme(scheme)
        nodes = [scheme.new_node(kind, title=f"Agent {i}", position=place(i)) for i in range(COUNT)]
        for a, b in rows_of(nodes):
            scheme.new_link(a, "out", b, "in")

        def change(step: int) -> None:
            for node in nodes[step * 40 : step * 40 + 40]:
                node.progress = 7.0 * step + 1

        view._kept = scheme
        return view, change

    return build


def main(which: str) -> None:
    make: Callable[[Any], Build] = {
        "ours": ours, "NodeGraphQt": node_graph_qt, "qtpynodeeditor": qtpynodeeditor, "orangecanvas": orangecanvas,
    }[which]  # fmt: skip
    binding = "PyQt6" if which == "orangecanvas" else "PySide6"  # what it can be used with
    app = importlib.import_module(f"{binding}.QtWidgets").QApplication([])
    build = make(app)
    begun = time.perf_counter()
    view, change = build()
    view.resize(*SHOWN)
    view.show()
    app.processEvents()
    build_s = time.perf_counter() - begun
    if which == "ours":
        view.fit()
    else:
        scene = view.scene() if callable(view.scene) else view.scene
        view.fitInView(scene.itemsBoundingRect())
    app.processEvents()
    fits, updates = [], []
    for step in range(STEPS):
        begun = time.perf_counter()
        view.viewport().repaint()
        fits.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        change(step)
        app.processEvents()
        updates.append(time.perf_counter() - begun)
    found = {"build_s": build_s, "fit_s": statistics.median(fits), "update_s": statistics.median(updates)}
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
    sys.stdout.flush()
    os._exit(0)  # some of these do not survive their own end
