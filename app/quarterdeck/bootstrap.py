"""Composition root of the window. The order matters, and is told here.

0. The place of the one window is taken, or the request is handed to the window that has it (JNL10).
1. The fork server starts, before any thread exists and before Qt (design §4).
2. QApplication, theme and the bare window: the first paint comes before anything heavy is imported (performance 11), asyncio
   among it. It says that records are read, and no more.
3. The loop: qasync on Qt's own, under `asyncio.Runner`. The window's parts are imported in a worker thread, while the
   window answers, and furnish it.
4. The engine opens its store, settles what dead sessions left, and is bound to the link; the folder is read. Where the
   store takes nothing it is opened for reading, and tried again until it does.
5. The window serves until the person quits, or SIGTERM, SIGHUP or SIGINT arrives.
6. Shutdown: the engine ends or waits for what is live, proves it and closes; then the link, the window, the fork server.

SIGTERM and SIGHUP end the agents and leave their runs interrupted; Ctrl+C and Quit leave them stopped (ruling 20).
No rules live here; it only joins the rooms.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtCore import QSettings
    from PySide6.QtWidgets import QApplication

    from quarterdeck.domain.looks import Looks
    from quarterdeck.engine.one_window import WindowAsked
    from quarterdeck.engine.patience import PatientOpening
    from quarterdeck.engine.service import Engine
    from quarterdeck.shim.client import ForkServer
    from quarterdeck.ui.collecting import MainThreadCollector
    from quarterdeck.ui.first_frame import FirstFrame
    from quarterdeck.ui.link import Link
    from quarterdeck.ui.theme import Theme
    from quarterdeck.ui.window import Window

log = logging.getLogger(__name__)
FIRST_PAINT_MS = 2000
"""A window that is not painted by then (minimised, another desktop) does not hold the rest up."""
REFUSED = 5
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


def run_window(path: Path | None) -> int:
    """Open the window on a workspace or workflow file, or on nothing; returns the exit code once it has closed.

    Where another window has this data folder it is shown, with the path, and 0 is returned at once.
    """
    from quarterdeck.engine.one_window import data_folder, take_place

    gc.disable()  # what is made at the start is kept; the collector of Qt's thread takes over
    path = path.resolve() if path is not None else None
    place = take_place(data_folder(), path)
    if place.is_handed:
        return 0
    if place.silent:
        sys.stderr.write(f"{place.silent}\n")
        return REFUSED
    try:
        return _run_here(path)
    finally:
        if place.lock is not None:
            place.lock.release()


def _run_here(path: Path | None) -> int:
    from quarterdeck.engine.app_log import AppLog

    app_log = AppLog.start()
    fork_server = _start_fork_server()
    try:
        return _run_application(path, fork_server)
    finally:
        app_log.stop()
        if fork_server is not None:
            fork_server.close()


def _start_fork_server() -> ForkServer | None:
    from quarterdeck.shim.client import ForkServer
    from quarterdeck.shim.errors import ForkServerFailed

    try:
        return ForkServer.start()
    except ForkServerFailed:
        log.exception("no fork server: the window opens for looking, agents cannot be started")
        return None


def _run_application(path: Path | None, fork_server: ForkServer | None) -> int:
    os.environ.setdefault("QT_API", "pyside6")
    from PySide6.QtWidgets import QApplication

    from quarterdeck.store.settings_glance import glance
    from quarterdeck.store.settings_part import FILE_NAME, config_folder
    from quarterdeck.ui.collecting import MainThreadCollector
    from quarterdeck.ui.translators import install

    looks = glance(config_folder() / FILE_NAME)
    with _scaled(looks.scale_percent):
        app = QApplication.instance() or QApplication(["quarterdeck"])
    assert isinstance(app, QApplication)
    app.setApplicationName("quarterdeck")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("quarterdeck")
    app.setQuitOnLastWindowClosed(False)
    install(app, looks.language)
    collector = MainThreadCollector(app)
    try:
        theme, frame = _first_painted(app, looks)
        return _run_loop(app, partial(_live, collector, theme, frame, path, fork_server))
    finally:
        collector.stop()


def _first_painted(app: QApplication, looks: Looks) -> tuple[Theme, FirstFrame]:
    """The bare window, painted in the person's colours, at the place where it was left."""
    from quarterdeck.ui.first_frame import FirstFrame, wait_painted
    from quarterdeck.ui.theme import Theme

    theme = Theme(app, looks.scheme, asks_system=False)
    theme.is_motion_reduced = looks.reduce_motion
    frame = FirstFrame()
    frame.say_opening()
    frame.put_in_place(_layout())
    frame.show()
    wait_painted(frame, FIRST_PAINT_MS)
    return theme, frame


def _run_loop(app: QApplication, live: Callable[[], Coroutine[Any, Any, int]]) -> int:
    import asyncio

    from quarterdeck.ui.loop import new_loop

    with asyncio.Runner(loop_factory=lambda: new_loop(app)) as runner:
        return runner.run(live())


def _load_parts() -> None:
    """What a whole window needs: half a second of reading modules, in a worker thread."""
    import quarterdeck.engine.patience
    import quarterdeck.ui.window  # noqa: F401


async def _live(
    collector: MainThreadCollector,
    theme: Theme,
    frame: FirstFrame,
    path: Path | None,
    fork_server: ForkServer | None,
) -> int:
    import asyncio

    theme.ask_system()
    await asyncio.to_thread(_load_parts)
    from quarterdeck.store.machine import now
    from quarterdeck.ui.link import Link
    from quarterdeck.ui.window import Window

    link = Link()
    window = Window.of(frame, theme, link, now, _layout())
    collector.keep()
    if window.is_close_asked:
        window.conduct.ask_quit()
    with _signals_end(link) as reason:
        code = await _serve(window, link, path, fork_server, reason)
    window.close_for_good()
    window.deleteLater()
    return code


async def _serve(
    window: Window, link: Link, path: Path | None, fork_server: ForkServer | None, reason: list[str]
) -> int:
    import asyncio

    from quarterdeck.engine.patience import PatientOpening

    opening = PatientOpening(fork_server)
    window.records.retry_asked.connect(opening.try_again)
    await opening.open()
    if fork_server is None:
        window.say_cannot_start()
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(link.serve(), name="link")
            keeping = group.create_task(_keep_open(window, link, path, opening), name="records")
            await _wait_closed(link, opening, keeping, reason)
            await link.stop()
    finally:
        if opening.engine is not None:
            await opening.engine.close()  # the link failed, which is our bug: no agent outlives it
        await link.stop()
    return 6 if opening.engine is None else 0


async def _wait_closed(
    link: Link, opening: PatientOpening, keeping: asyncio.Task[None], reason: list[str]
) -> None:
    """Until the person has quit for good: while runs are let finish, it can be taken back."""
    import asyncio

    while True:
        asked = await link.wait_quit()
        keeping.cancel()
        await asyncio.wait([keeping])
        if opening.engine is None:
            return
        why = reason[0] if reason else "person"
        await opening.engine.close(reason=why, finish_within_s=asked.finish_within_s)
        if opening.engine.is_closed:
            return


def _on_window_asked(window: Window, asked: WindowAsked) -> None:
    """A second window was started: this one comes to the front, and opens what the other was to open (JNL10)."""
    if asked.activation:  # read by Qt when the window asks the desktop for the front
        os.environ["XDG_ACTIVATION_TOKEN"] = asked.activation
    window.showNormal() if window.isMinimized() else window.show()
    window.raise_()
    window.activateWindow()
    if asked.path is not None:
        window.open_path(asked.path)


async def _keep_open(window: Window, link: Link, path: Path | None, opening: PatientOpening) -> None:
    """Give the window what is open; where it is not the whole, go on trying until it is. A second start finds it meanwhile."""
    from quarterdeck.engine.one_window import WindowAsked, data_folder
    from quarterdeck.engine.window_door import WindowDoor

    def show(asked: WindowAsked) -> None:
        is_open = opening.engine is not None
        _on_window_asked(window, asked if is_open else WindowAsked(None, asked.activation))

    door = WindowDoor(data_folder(), show)
    if opening.why_not:
        await door.start()
    try:
        await _open_whole(window, link, path, opening)
    finally:
        await door.close()


async def _open_whole(window: Window, link: Link, path: Path | None, opening: PatientOpening) -> None:
    is_first = True
    while True:
        if opening.engine is None:
            log.error("the engine did not open: %s", opening.why_not)
            window.records.say_unreadable(opening.why_not)
        else:
            link.bind(opening.engine)
            opening.engine.window_asked = partial(_on_window_asked, window)
            window.records.say_opened(opening.why_not)
            if is_first:
                link.house.read_preferences()
            await _open_workspace(window, opening.engine, path, is_first)
            is_first = False
        if not opening.why_not:
            return
        before = await opening.wait_change()
        if before is not None:
            if opening.engine is not None:
                link.bind(opening.engine)
            await before.close()


async def _open_workspace(window: Window, engine: Engine, path: Path | None, is_first: bool) -> None:
    """What the person asked for; nothing after a row of crashes (ruling 19)."""
    import asyncio

    if not is_first and window.watching.files:
        return
    if await asyncio.to_thread(lambda: engine.recovery.opens_records_only):
        window.say_records_only()
    else:
        window.open_path(path)  # the example is copied into the data folder


def _layout() -> QSettings:
    """Geometry and docks only. They lie beside the settings."""
    from PySide6.QtCore import QSettings

    from quarterdeck.store.settings_part import config_folder

    return QSettings(str(config_folder() / "window.ini"), QSettings.Format.IniFormat)


@contextmanager
def _scaled(percent: int) -> Iterator[None]:
    """Qt reads its scale once, from the environment; a factor that is set there already is the person's own."""
    if percent == 100 or "QT_SCALE_FACTOR" in os.environ:
        yield
        return
    os.environ["QT_SCALE_FACTOR"] = str(percent / 100)
    try:
        yield
    finally:
        del os.environ["QT_SCALE_FACTOR"]


@contextmanager
def _signals_end(link: Link) -> Iterator[list[str]]:
    """SIGTERM, SIGHUP and SIGINT ask the link to quit; yields a list that then holds the reason for the engine.

    Python runs a handler only between its own instructions, and Qt's loop runs none while it waits: the wake-up
    descriptor makes the loop read, and so wakes Python.
    """
    import asyncio

    from quarterdeck.ui.asked import Quit, QuitAsked

    reason: list[str] = []
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        end.setblocking(False)

    def on_woken() -> None:
        for number in ours.recv(64):
            if number in ENDING_SIGNALS:
                reason.append("person" if number == signal.SIGINT else "app_closed")
                link.quit(QuitAsked(Quit.STOP))

    before = {number: signal.signal(number, _noted) for number in ENDING_SIGNALS}
    wakeup = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    loop.add_reader(ours.fileno(), on_woken)
    try:
        yield reason
    finally:
        loop.remove_reader(ours.fileno())
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        ours.close()
        theirs.close()


def _noted(_number: int, _frame: object) -> None:
    """The wake-up descriptor carries the signal; without a handler the process would just die."""
