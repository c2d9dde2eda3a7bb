"""Pictures of the canvas alone, near and far: python -m tests.ui.canvas_pictures [FOLDER]. Not a test.

Scale by QT_SCALE_FACTOR; its value is part of each picture's name.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from quarterdeck.domain.workflow import Frame, Note
from quarterdeck.ui.theme import Scheme
from tests.ui import made
from tests.ui.fake_door import FakeDoor
from tests.ui.picture_command import folder_asked, run_pictures
from tests.ui.take_pictures import Camera

WORDS = ("Done", "Done", "Running", "Waiting", "Waiting", "Needs you", "Failed", "Retrying", "Skipped")


def framed_door() -> FakeDoor:
    """Two live runs of the workflow of the pictures, with a frame and a note."""
    flow = made.workflow()
    frame = Frame("Research · in parallel", (flow.nodes[1].id, flow.nodes[2].id))
    note = Note(
        "Draft starts when both researchers are done. Max spend per run: $6.00", (600, -10), (250, 66)
    )
    flow = replace(flow, frames=(frame,), notes=(note,))
    door = FakeDoor((made.loaded(flow),))
    door.put(made.run_view(8, {"planner": "Done", "web": "Running", "repo": "Needs you"}, flow))
    door.put(made.run_view(9, {"planner": "Running"}, flow, start=1011))
    return door


def big_door(count: int, *, is_placed: bool) -> FakeDoor:
    """Many nodes in two live runs; without places they are laid out."""
    flow = made.workflow("Big", count)
    if not is_placed:
        wires = tuple(
            made.Edge(flow.nodes[max(0, i - 1 - (i * 7) % 11)].id, flow.nodes[i].id) for i in range(1, count)
        )
        flow = replace(flow, nodes=tuple(replace(n, position=None) for n in flow.nodes), edges=wires)
    door = FakeDoor((made.loaded(flow),))
    for number in (1, 2):
        shown = {n.id: WORDS[(i * 5 + number * 3 + i // 7) % len(WORDS)] for i, n in enumerate(flow.nodes)}
        door.put(made.run_view(number, shown, flow, start=number * 100))
    return door


async def take(app: QApplication, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    camera, scale = Camera(app, folder), os.environ.get("QT_SCALE_FACTOR", "1")
    for name, door in (
        ("framed", framed_door()),
        ("laid-out-40", big_door(40, is_placed=False)),
        ("many-1000", big_door(1000, is_placed=True)),
    ):
        window, link, serving = await camera.window(door, (1440, 900))
        window.agents_dock.hide()
        await camera.settle()
        for zoom in (None, 1.0, 0.5, 0.2):
            if zoom is None:
                window.view.fit()
            else:
                window.view.set_zoom(zoom)
            if zoom == 1.0:
                window.view.choose(
                    window.view.canvas.order[min(2, len(window.view.canvas.order) - 1)], is_opened=False
                )
                window.view.setFocus()
            for scheme in (Scheme.LIGHT, Scheme.DARK):
                camera.theme.choose(scheme)
                await camera.settle()
                await camera.snap(window, f"canvas-{name}-{zoom or 'fit'}-x{scale}")
        await camera.close(window, link, serving)


def main() -> None:
    run_pictures(lambda app: take(app, folder_asked()))


if __name__ == "__main__":
    main()
