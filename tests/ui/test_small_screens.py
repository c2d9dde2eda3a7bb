"""Window and dialogs on a small screen, or at a large scale: nothing that is pressed falls off its edge."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QScrollArea, QWidget

from quarterdeck.engine.planned import BrokenWorkflow, Problem
from quarterdeck.engine.recovery import Owed
from quarterdeck.ui.banners import LEAST_H
from quarterdeck.ui.first_frame import FRAME, FirstFrame
from quarterdeck.ui.link import Link
from quarterdeck.ui.middle import LEAST
from quarterdeck.ui.parts import ElidedLabel
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.window import Window
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import Clock, close_all, desk_over, until
from tests.ui.fake_door import FakeDoor

ROOM = QRect(0, 0, 960, 500)
"""1080p at 200 %, less a panel."""


@pytest.mark.qt_loop
@pytest.mark.parametrize("action", ["run", "keys", "settings", "about", "discarded_runs"])
async def test_a_dialog_fits_a_small_screen_with_all_its_buttons(
    action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _: ROOM)
    door = FakeDoor((made.loaded(),))
    door.put(made.ended(made.run_view(1, {}, run_id=left.FIRST)))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.actions_["run"].isEnabled())
        desk.window.actions_[action].trigger()
        await until(lambda: desk.dialog() is not None, "the dialog")
        dialog = desk.dialog()
        assert dialog is not None
        assert dialog.width() <= ROOM.width()
        assert dialog.height() <= ROOM.height()
        scrolled = {
            part for area in dialog.findChildren(QScrollArea) for part in area.findChildren(QPushButton)
        }
        for made_button in dialog.findChildren(QPushButton):
            if made_button.isVisible() and made_button not in scrolled:
                corner = made_button.mapTo(dialog, QPoint(0, made_button.height()))
                assert corner.y() <= dialog.height(), made_button.accessibleName()


FREE = QSize(800, 500) - FRAME
"""What is free on a screen of 1600×1000 pixels at 200 %."""
LONG = (
    "What a crash left could not be settled, because its folder can only be read: Read-only file system. " * 2
)


def hanging_out(window: Window) -> list[str]:
    """Parts of the window that lie beyond its edge or beyond the screen, or that are cut by what they stand in."""
    room = QRect(QPoint(0, 0), FREE)
    parts: tuple[QWidget, ...] = (window.foot, window.top.run, window.top.menu, window.rail, window.middle)
    docked = (window.runs_dock, window.agents_dock, window.banners)
    found = [part for part in (window, *parts, *docked) if part.isVisible()]
    places = {part: QRect(part.mapTo(window, QPoint(0, 0)), part.size()) for part in found}
    return [part.accessibleName() or str(part) for part, place in places.items() if not room.contains(place)]


async def first_start(door: FakeDoor) -> tuple[Window, asyncio.Task[None]]:
    """As the program makes it: the frame is seen first, and the whole window takes its place."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    frame, link = FirstFrame(), Link()
    frame.say_opening()
    frame.resize(FREE)
    frame.show()
    await until(lambda: frame._was_painted, "the first frame")
    link.bind(door)
    window = Window.of(frame, Theme(app, Scheme.LIGHT), link, Clock(), None)
    serving = asyncio.ensure_future(link.serve())
    window.open_path(Path("/folder"))
    await until(lambda: window.conduct._shown is not None and window.watching.files, "the folder")
    return window, serving


@pytest.mark.qt_loop
@pytest.mark.parametrize("is_broken", [False, True])
async def test_a_first_start_at_200_percent_lies_on_the_screen_with_banners_and_the_card(
    is_broken: bool,
) -> None:
    file = BrokenWorkflow(Path("/folder/a.workflow.json"), (Problem("nodes", 3, "is not there"),))
    window, serving = await first_start(FakeDoor((file if is_broken else made.loaded(),)))
    card, bars = window.first_card, window.banners
    try:
        card.welcome()
        await until(lambda: card.isVisible() and bars.height() >= LEAST_H, "the card")
        assert not hanging_out(window)
        whole = bars.height()
        window.read_only.say(LONG)
        window.notice.offer(LONG, "Look")
        await until(lambda: bars.verticalScrollBar().maximum() > 0, "banners that scroll")
        assert bars.focusPolicy() & Qt.FocusPolicy.TabFocus
        assert bars.height() >= min(whole, LEAST_H)
        assert not hanging_out(window)
        window.reset_layout()
        window.resize(FREE)
        await until(lambda: window.size() == FREE, "the size of the screen")
        assert not hanging_out(window)
        assert window.middle.height() >= LEAST.height()
        for part in (card, window.read_only, window.notice):
            part.hide()
        await until(lambda: not bars.isVisible(), "no empty strip")
    finally:
        await window.link.stop()
        await serving
        theme = window.theme
        close_all(window)
        theme.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.mark.qt_loop
async def test_banners_are_as_high_as_their_words_where_there_is_room() -> None:
    async with desk_over(FakeDoor((made.loaded(),))) as desk:
        bars, card = desk.window.banners, desk.window.first_card
        card.welcome()
        desk.window.read_only.say(LONG)
        await until(lambda: card.isVisible() and bars.height() > card.height())
        await until(lambda: bars.verticalScrollBar().maximum() == 0, "no scroll bar")
        assert bars.height() == card.height() + desk.window.read_only.height()
        assert bars.focusPolicy() == Qt.FocusPolicy.NoFocus


@pytest.mark.qt_loop
async def test_the_prompt_on_a_small_screen_cuts_no_figure_of_an_agent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """REC4: attempt and turns wrap where a line has no room for them."""
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _: QRect(0, 0, 800, 500))
    (run,) = left.owed_one().runs
    agents = tuple(replace(one, attempt_number=2, turns=1_011, was_paused=True) for one in run.agents)
    door = left.door_over(Owed((replace(run, agents=agents),)))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.after_crash.dialog is not None, "the prompt")
        dialog = desk.window.after_crash.dialog
        assert dialog is not None
        told = [one for one in dialog.findChildren(QLabel) if "1,011 turns in all" in one.text()]
        assert told
        for one in told:
            assert not isinstance(one, ElidedLabel)
            assert one.height() >= one.heightForWidth(one.width()), "all of its lines are in sight"
