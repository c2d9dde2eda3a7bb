"""Dialogs on a small screen, or at a large scale: nothing that is pressed falls off its edge."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QPushButton, QScrollArea

from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import desk_over, until
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
