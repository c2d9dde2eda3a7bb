"""Pictures of the window: python -m tests.ui.take_pictures --into FOLDER takes every screen, state and theme. Not a test.

Without an argument the stored ones in tests/pictures/ are made anew; with a FOLDER alone, those of the main window are taken. `tests/ui/stored_pictures.py`
says which are stored; `test_pictures.py` compares them. Look at what has changed before it is committed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QProgressBar, QWidget

from quarterdeck.domain.ids import AttemptId, NodeId, RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.states import AttemptStatus, Outcome
from quarterdeck.domain.views import ArtifactView, ErrorView
from quarterdeck.engine.planned import BrokenWorkflow, Problem
from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.dialogs.quit_dialog import ClosingDialog
from quarterdeck.ui.link import Link
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.window import Window
from tests.ui import made
from tests.ui import stored_pictures as stored
from tests.ui.fake_door import FakeDoor
from tests.ui.picture_command import run_pictures

NOW = made.at(1024)
IS_BRIEF = os.environ.get("QT_SCALE_FACTOR") == "2"
"""At twice the size one screen is enough."""
STILL_S, STILL_WITHIN_S = 0.12, 6.0
SCHEMES = (Scheme.LIGHT, Scheme.DARK) if IS_BRIEF else (Scheme.LIGHT, Scheme.DARK, Scheme.CONTRAST)
"""Every screen is taken in each."""


def clock() -> Moment:
    return NOW


def busy_door() -> FakeDoor:
    flow = made.workflow()
    other = made.workflow("Practice night", 12, "w-2")
    broken = BrokenWorkflow(
        Path("/folder/broken.workflow.json"),
        (
            Problem("$.nodes[2].agent", 41, "There is no agent named “writr”; did you mean “writer”?"),
            Problem(
                "$.edges[0]", 58, "The edges a → b → a make a circle; only an edge with `loop` may go back."
            ),
            Problem("$.nodes[3].prompt", 47, "“{{ nodes.lnt.output }}” names a node that does not exist."),
            Problem("$.limits.max_paralel", 0, "Unknown key; did you mean “max_parallel”?", warning=True),
        ),
    )
    door = FakeDoor((made.loaded(flow), made.loaded(other, "/folder/night.workflow.json"), broken))
    first = made.run_view(8, {"planner": "Done", "web": "Running", "repo": "Needs you"}, flow, start=0)
    attempts = (
        made.attempt(1, AttemptStatus.FAILED, 100, 340, reason="exit 1", exit_code=1),
        made.attempt(
            2,
            AttemptStatus.RUNNING,
            345,
            figures=made.figures("1.61", 29),
            tail="I have the merged pull requests since the last digest. Two of them are only on the upstream remote, so I need to fetch its tags before I can list them.\n",
        ),
    )
    slots = tuple(
        replace(
            s, attempts=attempts, turns=38, cost_usd=Decimal("1.92"), approvals=(made.question(first.run_id),)
        )
        if s.slot_id == "repo"
        else s
        for s in first.slots
    )
    second = made.run_view(9, {"planner": "Running"}, flow, start=1011, cost_usd=Decimal("0.04"))
    door.put(replace(first, slots=slots), second)
    endings = (
        (7, Outcome.COMPLETED, "", "4.02"),
        (6, Outcome.INTERRUPTED, "app closed", "2.37"),
        (5, Outcome.FAILED, "Reviewer, exit 1", "3.90"),
        (4, Outcome.STOPPED, "stopped by you", "0.66"),
        (3, Outcome.COMPLETED, "", "3.71"),
        (2, Outcome.FAILED, "sign-in expired", "0"),
    )
    for number, outcome, reason, cost in endings:
        begun = -(9 - number) * 40_000
        view = made.run_view(
            number, {n.id: "Done" for n in flow.nodes}, flow, start=begun, cost_usd=Decimal(cost)
        )
        view = replace(view, run_id=RunId(f"r-{number * 7919:04x}{'0' * 28}"))
        door.put(made.ended(view, outcome, begun + 1361, number, reason=reason))
    door.saved_ms = NOW.boot_ms - 1_000
    for key in ("a-1", "a-2"):
        door.transcripts[AttemptId(key)] = b"".join(
            b"line %d of the transcript: checking files\n" % i for i in range(400)
        )
    return door


def past_door() -> FakeDoor:
    flow = made.workflow()
    door = FakeDoor((made.loaded(flow),))
    view = made.run_view(3, {"planner": "Done", "web": "Done", "repo": "Failed"}, flow)
    bad = made.attempt(
        1,
        AttemptStatus.FAILED,
        100,
        340,
        reason="exit 1",
        exit_code=1,
        errors=(
            ErrorView("other", "ruff ended with exit code 1: pyproject.toml: unknown rule selector “XYZ”"),
        ),
        artifacts=(ArtifactView("lint.json", "0" * 64, 18_204, "out/lint.json", "1"),),
    )
    slots = tuple(
        replace(s, attempts=(bad,), reason="exit 1 after 4 turns") if s.slot_id == "repo" else s
        for s in view.slots
    )
    door.put(
        made.ended(
            replace(view, slots=slots),
            Outcome.FAILED,
            400,
            1,
            reason="Repo researcher, exit 1",
            cost_is_complete=False,
        )
    )
    return door


def crowded_door() -> FakeDoor:
    flow = made.workflow("W" * 3000 + " <b>bold</b> \u202eevil\u202c " + "x" * 7000, 60)
    nodes = tuple(replace(n, title=f"<img src=x> {n.title} \u202eabc " + "long " * 2000) for n in flow.nodes)
    flow = replace(flow, nodes=nodes)
    door = FakeDoor((made.loaded(flow),))
    words = (
        "Done",
        "Running",
        "Needs you",
        "Paused",
        "Failed",
        "Retrying",
        "Waiting",
        "Skipped",
        "Stopping",
        "Stopped",
    )
    for number in range(1, 13):
        door.put(
            made.run_view(
                number,
                {n.id: words[(i + number) % len(words)] for i, n in enumerate(nodes)},
                flow,
                start=number * 30,
            )
        )
    return door


async def save_still(widget: QWidget, path: Path) -> None:
    """Save what a widget shows once it shows the same twice in a row."""
    before, end = None, time.monotonic() + STILL_WITHIN_S
    while (now := widget.grab().toImage()) != before and time.monotonic() < end:
        before = now
        await asyncio.sleep(STILL_S)
    now.save(str(path))


class Camera:
    def __init__(self, app: QApplication, folder: Path) -> None:
        self.app, self.folder = app, folder
        self.theme = Theme(app, Scheme.LIGHT)
        self.theme.is_motion_reduced = True
        app.setCursorFlashTime(0)

    async def settle(self) -> None:
        for _ in range(8):
            await asyncio.sleep(0.03)

    async def snap(self, widget: QWidget, name: str) -> None:
        await save_still(widget, self.folder / f"{name}-{self.theme.tokens.name}.png")

    async def window(
        self, door: FakeDoor, size: tuple[int, int]
    ) -> tuple[Window, Link, asyncio.Future[None]]:
        link = Link()
        link.bind(door)
        window = Window(self.theme, link, clock)
        window.resize(*size)
        window.show()
        serving = asyncio.ensure_future(link.serve())
        window.open_path(Path("/folder"))
        await self.settle()
        return window, link, serving

    async def close(self, window: Window, link: Link, serving: asyncio.Future[None]) -> None:
        await link.stop()
        await serving
        window.close_for_good()
        window.deleteLater()

    async def main_pictures(self) -> None:
        door = busy_door()
        w, link, serving = await self.window(door, (1600, 960))
        run = next(v.run_id for v in door.views.values() if v.launch_seq == 8)
        w.watching.choose_slot(run, SlotId("repo"))
        await self.settle()
        await asyncio.sleep(0.6)
        for scheme in SCHEMES:
            self.theme.choose(scheme)
            await self.settle()
            await self.snap(w, "main")
            if IS_BRIEF:
                continue
            w.inspector.open_transcript()
            await self.settle()
            await self.snap(w, "transcript")
            w.inspector.tabs.setCurrentIndex(0)
            for name, ask in (
                ("run", w.conduct.ask_run),
                ("stop", w.conduct.ask_stop),
                ("quit", w.conduct.ask_quit),
            ):
                ask()
                await self.settle()
                dialog = w.conduct._open
                assert dialog is not None
                if name == "run":
                    dialog.fields["repo"]._line.setText("/projects/digest")
                    dialog._on_edited()
                    await asyncio.sleep(0.5)
                await self.snap(dialog, f"dialog-{name}")
                dialog.reject()
                await self.settle()
            await self.closing(w)
            w.watching.choose_file(Path("/folder/broken.workflow.json"))
            await self.settle()
            await self.snap(w, "problems")
            w.watching.choose_file(Path("/folder/digest.workflow.json"))
            w.watching.choose_slot(run, SlotId("repo"))
        self.theme.choose(Scheme.LIGHT)
        if IS_BRIEF:
            await self.close(w, link, serving)
            return
        w.resize(1000, 640)
        await self.settle()
        await self.snap(w, "small")
        await self.close(w, link, serving)

    async def closing(self, window: Window) -> None:
        """While the program closes; its bar stands still."""
        dialog = ClosingDialog(QuitAsked(Quit.FINISH, 300.5), window)
        for bar in dialog.findChildren(QProgressBar):
            bar.setRange(0, 100)
        dialog.show_live(2)
        dialog._tick.stop()
        dialog.show()
        await self.settle()
        await self.snap(dialog, "dialog-closing")
        dialog.done(0)

    async def other_pictures(self) -> None:
        for name, door in (
            ("past", past_door()),
            ("empty", FakeDoor((made.loaded(),))),
            ("nothing", FakeDoor()),
            ("crowded", crowded_door()),
        ):
            w, link, serving = await self.window(door, (1440, 900))
            if name == "past":
                w.watching.choose_slot(next(iter(door.views)), SlotId("repo"))
            if name == "crowded":
                w.watching.choose_slot(
                    max(door.views.values(), key=lambda v: v.launch_seq).run_id, SlotId(NodeId("n1"))
                )
            await self.settle()
            for scheme in SCHEMES:
                self.theme.choose(scheme)
                await self.settle()
                await self.snap(w, name)
            if name == "crowded":
                w.view.zoom_full()
                await self.settle()
                await self.snap(w, "crowded-near")
            self.theme.choose(Scheme.LIGHT)
            await self.close(w, link, serving)


async def take(app: QApplication, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    camera = Camera(app, folder)
    await camera.main_pictures()
    if not IS_BRIEF:
        await camera.other_pictures()


def store() -> None:
    """Take all anew and store what is further from the stored one than a test allows."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        stored.take_all(folder)
        taken = stored.names(folder)
        for gone in sorted(set(stored.names(stored.FOLDER)) - set(taken)):
            (stored.FOLDER / f"{gone}.png").unlink()
            print("gone", gone)
        for name in taken:
            known = QImage(str(stored.FOLDER / f"{name}.png"))
            if stored.distance(QImage(str(folder / f"{name}.png")), known).share > stored.SHARE_MAX:
                stored.keep(folder, name)
                print("stored", name)


def main() -> None:
    asked = argparse.ArgumentParser(description="Pictures of every screen, state and theme.")
    asked.add_argument("--into", type=Path, metavar="FOLDER", help="take all into this folder; store none")
    asked.add_argument(
        "part", type=Path, nargs="?", help="take those of the main window alone, into this folder"
    )
    wanted = asked.parse_args()
    if wanted.into is not None:
        stored.take_all(wanted.into)
        print(f"{len(stored.names(wanted.into))} pictures in {wanted.into}")
    elif wanted.part is not None:
        run_pictures(lambda app: take(app, wanted.part))
    else:
        store()


if __name__ == "__main__":
    main()
