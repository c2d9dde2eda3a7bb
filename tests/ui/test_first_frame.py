"""The window is painted before its parts are loaded, and becomes the whole one in its place (P8, ADR 0061)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QSettings, QSize, Qt
from PySide6.QtWidgets import QApplication, QLabel

from quarterdeck.ui.first_frame import FirstFrame, wait_painted
from quarterdeck.ui.link import Link
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.tokens import CONTRAST, DARK, LIGHT
from quarterdeck.ui.window import Window
from tests.ui.desk import Clock, close_all, until

LOADED_LATE = (
    "asyncio",
    "qasync",
    "pydantic",
    "dataclasses",
    "tomllib",
    "ctypes",
    "decimal",
    "importlib.resources",
    "PySide6.QtSvg",
    "quarterdeck.ui.window",
    "quarterdeck.engine.service",
)
FIRST = """
import os, sys
from quarterdeck import bootstrap
def told(*_):
    print(*[name for name in sys.argv[1:] if name in sys.modules])
    print(*{"Qt"} & set(vars(sys.modules["PySide6.QtCore"])))  # the namespace: Qt's binding loads it once it is named
    sys.stdout.flush()
    os._exit(0)
bootstrap._run_loop = told
bootstrap.run_window(None)
"""


def test_the_first_paint_waits_for_nothing_that_the_frame_does_not_need() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FIRST, *LOADED_LATE],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ran.stdout.split() == []


def test_colours_that_are_guessed_before_the_first_paint_are_those_that_the_system_then_says(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """High contrast is known only after it: Fusion's palette says dark or light and no more."""
    guessed = Theme(qapp, Scheme.SYSTEM, asks_system=False)
    assert guessed.tokens is LIGHT
    heard: list[object] = []
    guessed.theme_changed.connect(heard.append)
    guessed.ask_system()
    assert (guessed.tokens, heard) == (LIGHT, [])
    monkeypatch.setattr("quarterdeck.ui.theme._wants_contrast", lambda _app: True)
    late = Theme(qapp, Scheme.SYSTEM, asks_system=False)
    late.theme_changed.connect(heard.append)
    assert late.tokens is LIGHT
    late.ask_system()
    assert (late.tokens, heard) == (CONTRAST, [CONTRAST])
    chosen = Theme(qapp, Scheme.DARK, asks_system=False)
    assert chosen.tokens is DARK, "what a person chose is no guess"
    for theme in (guessed, late, chosen):
        theme.deleteLater()


@pytest.mark.qt_loop
async def test_the_painted_frame_becomes_the_window_in_its_place() -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme, link, frame = Theme(app, Scheme.LIGHT), Link(), FirstFrame()
    frame.say_opening()
    frame.put_in_place(None)
    frame.show()
    assert [part.text() for part in frame.findChildren(QLabel)] == ["Reading records…"]
    frame.close()
    assert frame.isVisible(), "what closing means is asked when it can be"
    frame.resize(QSize(901, 603))
    window = Window.of(frame, theme, link, Clock(), None)
    assert not frame.isVisible()
    assert window.is_close_asked
    assert window.size() == QSize(901, 603), "it stays where the person has it"
    await until(lambda: window.runs_dock.isVisible() and window.top.isVisible() and window.empty.isVisible())
    words = [part.text() for part in window.findChildren(QLabel) if part.isVisible()]
    assert "Reading records…" not in words
    assert not any("No run" in said for said in words)
    window.resize(QSize(1300, 700))
    await until(lambda: window.width() == 1300)
    await link.stop()
    close_all(window)
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_waiting_for_the_paint_ends_with_it_or_with_its_time(qapp: QApplication) -> None:
    assert qapp is not None
    frame = FirstFrame()
    frame.show()
    wait_painted(frame, 60_000)
    hidden = FirstFrame()
    wait_painted(hidden, 10)
    for one in (frame, hidden):
        one.hide()
        one.deleteLater()


@pytest.mark.qt_loop
async def test_docks_have_the_sizes_that_they_were_left_with_at_every_start(tmp_path: Path) -> None:
    """As the program makes its window: of a frame that is painted already, with the settings of the person."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    theme = Theme(app, Scheme.LIGHT)
    sizes = []
    for _ in range(3):
        settings = QSettings(str(tmp_path / "window.ini"), QSettings.Format.IniFormat)
        link, frame = Link(), FirstFrame()
        frame.say_opening()
        frame.put_in_place(settings)
        frame.resize(1440, 900)  # the screen of the tests is smaller
        frame.show()
        wait_painted(frame, 2_000)
        window = Window.of(frame, theme, link, Clock(), settings)
        await until(lambda window=window: window.agents_dock.isVisible())
        await _settled(window)
        sizes.append((window.agents_dock.height(), window.runs_dock.width(), window.inspector_dock.width()))
        if len(sizes) == 1:
            window.resizeDocks([window.agents_dock], [300], Qt.Orientation.Vertical)
            window.resizeDocks(
                [window.runs_dock, window.inspector_dock], [330, 410], Qt.Orientation.Horizontal
            )
            await _settled(window)
            sizes[0] = (window.agents_dock.height(), window.runs_dock.width(), window.inspector_dock.width())
            assert sizes[0] == (300, 330, 410)
        await link.stop()
        close_all(window)
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert sizes == [(300, 330, 410)] * 3


async def _settled(window: Window) -> None:
    for _ in range(20):
        await asyncio.sleep(0.01)
    assert window.isVisible()
