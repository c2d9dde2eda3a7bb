"""JNL8: while nothing can be recorded, whatever starts a run or an attempt is off and says why; it comes back by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMenu

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.states import Outcome
from quarterdeck.ui.dialogs.run_dialog import RunDialog
from quarterdeck.ui.palette.dialog import PaletteDialog
from quarterdeck.ui.recovery.start_dialog import StartDialog
from quarterdeck.ui.tips import tip
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_resume_one import REASON, door_two, second_step

pytestmark = pytest.mark.qt_loop

WHY = "The data folder /data cannot be written: Read-only file system."
SENTENCE = f"Nothing can be recorded, so no run can be started; what was recorded is shown. {WHY} It is tried again by itself."


def door_with_a_stopped_agent() -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    door.put(made.ended(made.run_view(1, {"planner": "Done", "web": "Stopped"}), Outcome.STOPPED))
    return door


def says_why(button: QAbstractButton, why: str) -> bool:
    """Off, and why, for the eye and the ear."""
    return (button.isEnabled(), button.toolTip(), button.accessibleDescription()) == (False, tip(why), why)


async def looked_at_stopped(desk: Desk) -> None:
    await until(lambda: desk.window.runs.model.rows, "a run")
    desk.window.watching.choose_slot(made.run_view(1).run_id, SlotId("web"))
    await until(desk.window.actions_["resume_agent"].isEnabled, "an agent that can be resumed")


async def test_run_and_resume_are_off_with_the_banners_sentence_and_come_back_by_themselves() -> None:
    async with desk_over(door_with_a_stopped_agent()) as desk:
        w = desk.window
        await looked_at_stopped(desk)
        buttons = (w.top.run, w.inspector.resume)
        before = [(b.toolTip(), b.accessibleDescription()) for b in buttons]
        w.records.say_opened(WHY)
        await until(lambda: not w.actions_["run"].isEnabled(), "what is known of the disk")
        assert w.not_recording.words == SENTENCE, "one sentence, wherever it stands"
        assert [says_why(button, SENTENCE) for button in buttons] == [True, True]
        assert w.actions_["resume_agent"].toolTip() == w.actions_["run"].toolTip() == tip(SENTENCE)
        assert "starts one" not in w.agents.empty.text() + w.runs.empty.text()
        w.records.say_opened("")
        await until(lambda: all(button.isEnabled() for button in buttons), "that they come back")
        assert [(b.toolTip(), b.accessibleDescription()) for b in buttons] == before
        assert "Ctrl+" in w.actions_["run"].toolTip()


async def test_menus_and_palette_say_why_a_run_or_an_attempt_cannot_be_started() -> None:
    async with desk_over(door_with_a_stopped_agent()) as desk:
        w = desk.window
        await looked_at_stopped(desk)
        w.records.say_opened(WHY)
        await until(lambda: not w.actions_["run"].isEnabled())
        menus = [m for m in w.findChildren(QMenu) if w.actions_["run"] in m.actions()]
        assert menus
        assert all(menu.toolTipsVisible() for menu in menus), "Qt shows none in a menu else"
        place = w.agents.table.visualRect(w.agents.model.index(1, 0)).center()
        w.agents.table.customContextMenuRequested.emit(QPoint(place))
        menu = w.context_menus.menu
        assert menu is not None
        assert w.actions_["resume_agent"] in menu.actions()
        assert menu.toolTipsVisible()
        menu.close()
        w.actions_["palette"].trigger()
        palette = desk.dialog()
        assert isinstance(palette, PaletteDialog)

        def found(action: str) -> QModelIndex:
            palette.field.setText(w.actions_[action].text())
            rows = [row.target for row in palette.model.rows]
            return palette.model.index(rows.index(action), 0)

        for action in ("run", "resume_agent"):
            index = found(action)
            assert index.data(Qt.ItemDataRole.AccessibleTextRole).endswith(SENTENCE)
            assert index.data(Qt.ItemDataRole.ToolTipRole) == tip(SENTENCE)
        stop = found("stop").data(Qt.ItemDataRole.AccessibleTextRole)
        assert "Nothing can be recorded" not in stop, "what does not apply is no matter of the disk"
        palette.reject()
        w.records.say_opened("")
        await until(w.actions_["run"].isEnabled)
        assert not any(menu.toolTipsVisible() for menu in menus)


async def test_an_open_run_dialog_keeps_what_was_typed_and_starts_nothing_until_records_can_be_written() -> (
    None
):
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        w = desk.window
        await until(w.actions_["run"].isEnabled)
        w.actions_["run"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, RunDialog)
        line = dialog.fields["repo"]._line
        assert line is not None
        QTest.keyClicks(line, "/projects")
        await until(dialog.start.isEnabled, "the check")
        usual = dialog.start.toolTip()
        w.records.say_opened(WHY)
        await until(lambda: says_why(dialog.start, SENTENCE), "why it cannot be started")
        QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert (door.launches, line.text()) == ([], "/projects")
        w.records.say_opened("")
        await until(dialog.start.isEnabled, "that it comes back")
        assert (dialog.start.toolTip(), dialog.start.accessibleDescription()) == (usual, "")


async def test_the_second_step_of_resume_keeps_its_reason_and_starts_nothing_until_records_can_be_written() -> (
    None
):
    async with second_step(door_two()) as (desk, dialog):
        w = desk.window
        await until(dialog.start.isEnabled, "what is to be known")
        dialog.choices.reason.setText(REASON)
        w.records.say_opened(WHY)
        await until(lambda: says_why(dialog.start, SENTENCE), "why it cannot be started")
        assert dialog.choices.reason.text() == REASON
        w.records.say_opened("")
        await until(dialog.start.isEnabled, "that it comes back")
        assert dialog.start.toolTip() == ""


async def test_where_recording_stopped_under_a_run_no_other_is_offered_until_it_works_again() -> None:
    door = door_with_a_stopped_agent()
    live = made.run_view(2, {"planner": "Running"})
    door.put(live)
    async with desk_over(door) as desk:
        w = desk.window
        await until(w.actions_["run"].isEnabled)
        door.put(replace(live, recording=False))
        await until(lambda: not w.top.run.isEnabled(), "what is known of the disk")
        assert w.top.run.accessibleDescription() == w.not_recording.words
        assert w.not_recording.words.startswith("Recording stopped: ")
        assert w.top.stop.isEnabled(), "a stop works without a disk"
        door.put(live)
        await until(w.top.run.isEnabled, "that it comes back")
        assert not w.top.run.accessibleDescription()


async def test_a_run_button_that_is_off_is_heard_with_why() -> None:
    """What a screen reader is given, not only what was set."""
    async with desk_over(FakeDoor((made.loaded(),))) as desk:
        w = desk.window
        await until(w.actions_["run"].isEnabled)
        w.records.say_opened(WHY)
        await until(lambda: not w.top.run.isEnabled())
        heard = QAccessible.queryAccessibleInterface(w.top.run)
        assert heard.text(QAccessible.Text.Description) == SENTENCE
        assert heard.state().disabled


def test_a_start_that_is_asked_says_why_it_cannot_be(qtbot: object) -> None:
    dialog = StartDialog("Drafter")
    dialog.show_no_start(SENTENCE)
    assert says_why(dialog.start, SENTENCE)
    dialog.show_no_start("")
    assert dialog.start.isEnabled()
    dialog.deleteLater()
