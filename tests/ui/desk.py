"""One window over a fake door, on Qt's loop, for a test: made, moved, asked, and closed again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QSettings, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from quarterdeck.domain.moment import Moment
from quarterdeck.engine.door import Door
from quarterdeck.ui.first_frame import FIRST_SIZE
from quarterdeck.ui.link import Link
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.window import Window
from tests.ui import made

DEADLINE_S = 8.0


async def until(condition: Callable[[], object], what: str = "the condition") -> None:
    """Returns once the condition holds; fails after a deadline."""
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, f"{what} did not come true"
        await asyncio.sleep(0.01)


class Clock:
    """The window's clock, moved by hand."""

    def __init__(self) -> None:
        self.seconds = 1024.0

    def __call__(self) -> Moment:
        return made.at(self.seconds)


class Desk:
    """What a test holds in hand."""

    def __init__(self, window: Window, link: Link, clock: Clock) -> None:
        self.window, self.link, self.clock = window, link, clock

    def shown(self) -> dict[str, str]:
        """Every visual that says the workflow's state, as a person or a screen reader gets it."""
        w = self.window
        return {
            "title": w.windowTitle(),
            "badge": w.top.badge.text,
            "badge_name": w.top.badge.accessibleName(),
            "live": w.top.live.text,
            "stop": str(w.top.stop.isEnabled()),
            "canvas": w.view.accessibleDescription(),
            "list": "; ".join(r.spoken for r in w.runs.model.rows),
        }

    def dialog(self) -> QDialog | None:
        """The open dialog."""
        return self.window.conduct._open

    def picture(self) -> QImage:
        """The canvas as painted."""
        return self.window.view.viewport().grab().toImage()

    def click_node(self, node: str) -> None:
        """A real click on a node's header."""
        item = self.window.view.canvas.nodes[node]  # type: ignore[index]
        at = self.window.view.mapFromScene(item.pos() + QPoint(90, 12))
        QTest.mouseClick(self.window.view.viewport(), Qt.MouseButton.LeftButton, pos=at)


def has_colour(image: QImage, colour: str) -> bool:
    """True where any pixel has exactly this colour."""
    wanted = QColor(colour).rgb()
    return any(image.pixel(x, y) == wanted for y in range(image.height()) for x in range(image.width()))


@asynccontextmanager
async def desk_over(
    door: Door,
    scheme: Scheme = Scheme.LIGHT,
    path: str | None = "/folder",
    settings: QSettings | None = None,
) -> AsyncIterator[Desk]:
    """A shown window over a door, with its folder opened; everything is ended afterwards. path None: as a bare start."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme = Theme(app, scheme)
    theme.is_motion_reduced = True
    link, clock = Link(), Clock()
    link.bind(door)
    window = Window(theme, link, clock, settings)
    window.resize(FIRST_SIZE)  # the screen that the tests have is smaller
    window.show()
    opened: list[object] = []
    link.workspace_loaded.connect(opened.append)
    serving = asyncio.ensure_future(link.serve())
    window.open_path(Path(path) if path is not None else None)
    try:
        await until(lambda: opened and window.conduct._shown is not None, "the window's folder")
        yield Desk(window, link, clock)
    finally:
        await link.stop()
        await serving
        close_all(window)
        theme.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def close_all(window: QWidget) -> None:
    """Close the window and its dialogs."""
    for dialog in window.findChildren(QDialog):
        dialog.done(0)
        dialog.deleteLater()
    assert isinstance(window, Window)
    window.close_for_good()
    window.deleteLater()
