"""`python -m tests.bench.canvas_peers NAME`: one canvas of 1,000 nodes in this process, as one line of JSON, seconds.

Each does the same: a grid of nodes with one wire between neighbours, built and shown; everything fitted and repainted; forty
nodes changed and painted, ten times. A program that is not installed ends this with an error.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

COUNT, ACROSS, SHOWN = 1_000, 32, (1400, 800)
Change = Callable[[int], object]


def place(number: int) -> tuple[float, float]:
    return 300.0 * (number % ACROSS), 190.0 * (number // ACROSS)


def ours(app: Any) -> tuple[Any, Change]:
    from tests.bench.canvas_bench import _canvas, _changed

    view, faces, show = _canvas(app, COUNT)
    state = [faces]

    def change(step: int) -> None:
        state[0] = _changed(state[0], step)
        show(state[0])

    return view, change


def node_graph_qt(app: Any) -> tuple[Any, Change]:
    from NodeGraphQt import BaseNode, NodeGraph

    class Agent(BaseNode):  # type: ignore[misc]
        __identifier__ = "bench"
        NODE_NAME = "Agent"

        def __init__(self) -> None:
            super().__init__()
            self.add_input("in", multi_input=True)
            self.add_output("out")

    graph = NodeGraph()
    graph.register_node(Agent)
    nodes = [
        graph.create_node("bench.Agent", name=f"Agent {i}", pos=place(i), selected=False, push_undo=False)
        for i in range(COUNT)
    ]
    for a, b in pairwise(nodes):
        a.output(0).connect_to(b.input(0), push_undo=False)

    def change(step: int) -> None:
        for node in nodes[step * 40 : step * 40 + 40]:
            node.set_property("color", (10 + step, 20, 30, 255), push_undo=False)

    view = graph.viewer()
    view._kept = graph
    return view, change


def qtpynodeeditor(app: Any) -> tuple[Any, Change]:
    import qtpynodeeditor as editor
    from qtpy.QtCore import QPointF

    class Agent(editor.NodeDataModel):  # type: ignore[misc]
        name = caption = "Agent"
        num_ports = {"input": 1, "output": 1}  # noqa: RUF012
        all_data_types = editor.NodeDataType("data", "data")

        def out_data(self, port: int) -> None:
            return None

        def set_in_data(self, data: object, port: object) -> None:
            """Nothing goes through."""

    registry = editor.DataModelRegistry()
    registry.register_model(Agent)
    scene = editor.FlowScene(registry=registry)
    view = editor.FlowView(scene)
    nodes = [scene.create_node(Agent) for _ in range(COUNT)]
    for number, node in enumerate(nodes):
        node.position = QPointF(*place(number))
    for a, b in pairwise(nodes):
        scene.create_connection(a["output"][0], b["input"][0])

    def change(step: int) -> None:
        for node in nodes[step * 40 : step * 40 + 40]:
            node.graphics_object.update()

    return view, change


def orangecanvas(app: Any) -> tuple[Any, Change]:
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
        "Agent", "bench.agent", "bench", qualified_name="bench.Agent",
        inputs=[InputSignal("in", "builtins.object", "take")], outputs=[OutputSignal("out", "builtins.object")],
    )  # fmt: skip
    registry.register_widget(kind)
    scheme, scene = Scheme(), CanvasScene()
    view = CanvasView(scene)
    scene.set_registry(registry)
    scene.set_scheme(scheme)
    nodes = [scheme.new_node(kind, title=f"Agent {i}", position=place(i)) for i in range(COUNT)]
    for a, b in pairwise(nodes):
        scheme.new_link(a, "out", b, "in")

    def change(step: int) -> None:
        for node in nodes[step * 40 : step * 40 + 40]:
            node.progress = 7.0 * step + 1

    view._kept = scheme
    return view, change


def main(which: str) -> None:
    from PySide6.QtWidgets import QApplication

    make: Any = {
        "ours": ours, "NodeGraphQt": node_graph_qt, "qtpynodeeditor": qtpynodeeditor, "orangecanvas": orangecanvas,
    }[which]  # fmt: skip
    app = QApplication([])
    if which == "ours":
        make(app)[0].close()  # fonts, icons and imports are not what is measured, here and below
    elif which != "orangecanvas":
        __import__(which)
    begun = time.perf_counter()
    view, change = make(app)
    view.resize(*SHOWN)
    view.show()
    app.processEvents()
    build_s = time.perf_counter() - begun
    if which == "ours":
        view.fit()
    else:
        view.fitInView(view.scene().itemsBoundingRect())
    app.processEvents()
    fits, updates = [], []
    for step in range(10):
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
    import os

    os._exit(0)  # some of these do not survive their own end
