"""The kept layout in a window of another size or scale than the one it was kept in, made the way the program makes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtWidgets import QApplication, QDockWidget

from quarterdeck.ui.first_frame import FirstFrame
from quarterdeck.ui.link import Link
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.window import BOTTOM_H, INSPECTOR_W, LAYOUT_VERSION, RUNS_W, Window
from tests.ui.desk import Clock, close_all, until

pytestmark = pytest.mark.qt_loop
NEAR = 12
"""Docks share out what the separators take."""


async def opened(kept: Path, width: int, height: int) -> Window:
    """A frame that is seen first and then furnished, as at a start."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    settings = QSettings(str(kept), QSettings.Format.IniFormat)
    frame = FirstFrame()
    frame.say_opening()
    frame.put_in_place(settings)
    frame.resize(width, height)
    frame.show()
    await until(lambda: frame._was_painted, "the first frame")
    return Window.of(frame, Theme(app, Scheme.LIGHT), Link(), Clock(), settings)


async def closed(window: Window) -> None:
    """With all that was made for it."""
    theme = window.theme
    await window.link.stop()
    close_all(window)
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def tabbed(window: Window) -> list[QDockWidget]:
    return window.tabifiedDockWidgets(window.runs_dock)


def is_first(window: Window) -> bool:
    """Every dock has about its first size."""
    sizes = (
        (window.runs_dock.width(), RUNS_W),
        (window.inspector_dock.width(), INSPECTOR_W),
        (window.agents_dock.height(), BOTTOM_H),
    )
    return not tabbed(window) and all(abs(size - first) <= NEAR for size, first in sizes)


async def test_a_layout_that_was_kept_in_a_narrow_window_opens_in_a_wide_one_with_docks_of_their_first_sizes(
    tmp_path: Path,
) -> None:
    """Closed at 200 %, opened at 100 %: run list and inspector do not swell until the canvas is at its least."""
    narrow = await opened(tmp_path / "window.ini", 900, 500)
    await until(lambda: tabbed(narrow), "the tabs of a narrow window")
    await closed(narrow)
    for _ in range(2):
        wide = await opened(tmp_path / "window.ini", 1440, 900)
        await until(lambda w=wide: is_first(w), "first sizes")
        await closed(wide)


async def test_a_size_that_a_person_gave_is_kept_before_the_window_is_closed(tmp_path: Path) -> None:
    """A kill runs no last words: another reader of the file finds window and docks as they stand."""
    window = await opened(tmp_path / "window.ini", 1440, 900)
    await until(lambda: is_first(window), "first sizes")

    def kept(name: str) -> object:
        return QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat).value(name)

    window.resize(1300, 820)
    await until(lambda: kept("geometry") == window.saveGeometry(), "the size in the file")
    window.resizeDocks([window.runs_dock], [400], Qt.Orientation.Horizontal)
    await until(lambda: window.runs_dock.width() > 380, "a wide run list")
    await until(lambda: kept("layout") == window.saveState(LAYOUT_VERSION), "the docks in the file")
    await closed(window)


async def test_sizes_that_would_leave_the_canvas_no_room_are_not_taken_over(tmp_path: Path) -> None:
    large = await opened(tmp_path / "window.ini", 2400, 1500)
    await until(lambda: is_first(large), "first sizes")
    large.resizeDocks([large.runs_dock, large.inspector_dock], [900, 900], Qt.Orientation.Horizontal)
    await until(lambda: large.runs_dock.width() > 800, "wide docks")
    await closed(large)
    small = await opened(tmp_path / "window.ini", 1440, 900)
    await until(lambda: small.runs_dock.width() <= RUNS_W + NEAR, "a bounded run list")
    await until(lambda: small.centralWidget().width() >= 600, "room for the canvas")
    await closed(small)
