"""JNL9, JNL8: where records are only read, the window says so in every part, and offers nothing that would have to be written."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QPushButton

from quarterdeck.domain.ids import SlotId
from quarterdeck.ui.recovery.dialog import RecoveryDialog
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_recovery_dialog import prompted, words

pytestmark = pytest.mark.qt_loop

NEWER = "/data was written by a newer Quarterdeck (format 9, this version knows 1). Update Quarterdeck to open it; nothing was changed."


def read_only_door() -> FakeDoor:
    door = left.door_over(left.owed_two())
    door.keeping.read_only = NEWER
    return door


def resumes(dialog: RecoveryDialog) -> list[QPushButton]:
    return [
        button
        for button in dialog.findChildren(QPushButton)
        if button.accessibleName().startswith("Resume ") and button.isVisibleTo(dialog)
    ]


async def test_the_status_bar_says_read_only_and_nothing_can_be_run() -> None:
    """It was never recording: no green sign for what cannot be written."""
    door = FakeDoor((made.loaded(),))
    door.keeping.read_only = NEWER
    door.put(made.ended(made.run_view()))
    async with desk_over(door) as desk:
        window = desk.window
        await until(lambda: window.foot.recording.text() == "Read only")
        assert window.foot.recording.accessibleName() == "Read only"
        assert not window.top.run.isEnabled()
        assert not window.actions_["run"].isEnabled()
        door.keeping.read_only = ""
        door.put(made.ended(made.run_view(2)))
        await until(lambda: window.foot.recording.text() == "Recording")
        await until(window.top.run.isEnabled)


async def test_the_prompt_of_a_newer_store_offers_no_resume_says_why_and_stays_owed() -> None:
    """What can only be looked at can still be looked at; closing it answers nothing."""
    door = read_only_door()
    async with prompted(door) as (desk, dialog):
        await until(lambda: dialog.keep.text() == "Close")
        assert resumes(dialog) == []
        assert "written by a newer Quarterdeck" in words(dialog)
        assert "Read only" in words(dialog)
        assert not dialog.discard.isEnabled()
        assert not [row.check for card in dialog.cards.values() for row in card.rows if row.check.isVisible()]
        dialog.keep.click()
        await until(lambda: desk.window.after_crash.dialog is None)
        assert door.recovery.commands == []


async def test_an_agent_of_a_newer_store_cannot_be_resumed_from_the_inspector_until_the_store_can_be_written() -> (
    None
):
    door = read_only_door()
    async with prompted(door) as (desk, dialog):
        await until(lambda: dialog.keep.text() == "Close")
        can: Callable[[], bool] = desk.window.actions_["resume_agent"].isEnabled
        desk.window.watching.choose_slot(left.FIRST, SlotId("web"))
        await until(lambda: desk.window.inspector.overview.isVisible())
        assert not can()
        desk.window.records.say_read_only("")
        await until(can)
        await until(lambda: resumes(dialog) != [])
        assert dialog.keep.text() == "Keep as stopped"
