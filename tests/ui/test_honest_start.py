"""What the window says before, and without, an engine; and where a chosen run leads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QLabel

from quarterdeck.domain.ids import SlotId
from quarterdeck.ui.dialogs.quit_dialog import Held, QuitDialog
from quarterdeck.ui.link import Link
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.window import Window
from quarterdeck.ui.words import NOT_KNOWN, UNREADABLE
from tests.ui import made
from tests.ui.desk import Clock, close_all, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop


async def test_without_an_engine_nothing_is_claimed_and_nothing_can_be_done() -> None:
    qapp = QApplication.instance()
    assert isinstance(qapp, QApplication)
    theme = Theme(qapp, Scheme.LIGHT)
    link = Link()
    window = Window(theme, link, Clock())
    window.show()
    said = [window.runs.empty, window.agents.empty, window.foot.recording]
    assert {part.text() for part in said} == {NOT_KNOWN}
    for can in (window.top.run, window.top.stop, window.actions_["run"], window.actions_["stop"]):
        assert not can.isEnabled()
    window.watching.refresh()
    assert {part.text() for part in said} == {NOT_KNOWN}
    window.records.say_unreadable("The disk has gone.")
    window.watching.refresh()
    assert {part.text() for part in said} == {UNREADABLE}
    assert not window.top.run.isEnabled()
    assert not window.top.stop.isEnabled()
    words = " ".join(part.text() for part in window.findChildren(QLabel) if part.isVisible())
    assert "The disk has gone." in words
    assert "No run" not in words
    assert "Recording" not in words
    await link.stop()
    close_all(window)
    theme.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


async def test_records_that_can_only_be_read_are_shown_with_the_reason_and_a_way_to_try_again() -> None:
    """JNL8: history is there, recording is not claimed, and what takes the place of a reading engine is heard at once."""
    full, first, second = (
        "The data folder /d cannot be written: No space left",
        made.run_view(1),
        made.run_view(2),
    )
    reading, whole = FakeDoor((made.loaded(),)), FakeDoor((made.loaded(),))
    reading.put(made.ended(first))
    whole.put(made.ended(first), second)
    async with desk_over(reading) as desk:
        window, asked = desk.window, []
        window.records.retry_asked.connect(lambda: asked.append(1))
        await until(lambda: len(window.runs.model.rows) == 2)
        window.records.say_opened(full)
        assert full in window.not_recording.words
        assert window.foot.recording.text() == "Recording stopped"
        window.not_recording.act.click()
        assert asked == [1]
        desk.link.bind(whole)
        window.records.say_opened("")
        assert window.not_recording.isHidden()
        assert window.foot.recording.text() == "Recording"
        await until(lambda: "1 live" in window.windowTitle())


async def test_what_takes_the_place_of_a_reading_engine_is_asked_anew_for_all_that_was_said() -> None:
    """JNL8: what could not be settled was, so neither the banner nor what the inspector shows stays as it was."""
    left = made.ended(made.run_view(1))
    reading, whole = FakeDoor((made.loaded(),)), FakeDoor((made.loaded(),))
    reading.put(replace(left, cost_is_complete=False))
    reading.keeping.read_only = "What a crash left could not be settled."
    whole.put(left)
    async with desk_over(reading) as desk:
        window = desk.window
        await until(lambda: window.read_only.isVisible())
        await until(lambda: reading.keeping.looked_at == {left.run_id})
        await until(lambda: left.run_id in window.watching._known.views)
        assert not window.watching._known.views[left.run_id].cost_is_complete
        desk.link.bind(whole)
        window.records.say_opened("")
        await until(lambda: window.read_only.isHidden())
        await until(lambda: window.watching._known.views[left.run_id].cost_is_complete)
        await until(lambda: whole.keeping.looked_at == {left.run_id})


async def test_a_store_that_another_settles_is_said_to_be_so() -> None:
    """The engine that only reads stays; its list tells that the end is journaled now."""
    door = FakeDoor((made.loaded(),))
    left = made.ended(made.run_view(1))
    door.put(replace(left, end_seq=None))
    door.keeping.read_only = "What a crash left could not be settled."
    async with desk_over(door) as desk:
        await until(lambda: desk.window.read_only.isVisible())
        door.keeping.read_only = ""
        door.put(left)
        await until(lambda: desk.window.read_only.isHidden())


async def test_how_to_start_a_run_is_said_only_where_one_can_be_started() -> None:
    async with desk_over(FakeDoor((made.loaded(),))) as desk:
        await until(
            lambda: (
                "Ctrl+Enter starts one" in desk.window.runs.empty.text()
                or "Return" in desk.window.runs.empty.text()
            )
        )
        assert desk.window.top.run.isEnabled()
        assert desk.window.foot.recording.text() == "Recording"
    async with desk_over(FakeDoor(())) as desk:
        await until(lambda: desk.window.runs.empty.text() == "No runs yet.")
        assert not desk.window.top.run.isEnabled()
        assert "starts one" not in desk.window.agents.empty.text()


async def test_a_chosen_run_that_needs_the_person_leads_to_its_question() -> None:
    run = made.run_view(1, {"planner": "Running", "repo": "Needs you"})
    slots = tuple(
        replace(s, approvals=(made.question(run.run_id),)) if s.slot_id == "repo" else s for s in run.slots
    )
    door = FakeDoor((made.loaded(),))
    door.put(replace(run, slots=slots))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.runs.run_chosen.emit(run.run_id)
        shown = desk.window.conduct._shown
        assert shown is not None
        assert (shown.run, shown.slot) == (run.run_id, "repo")
        desk.window.runs.run_chosen.emit(run.run_id)
        shown = desk.window.conduct._shown
        assert shown is not None
        assert shown.slot is None, "the run itself can be looked at as well"


async def test_quitting_says_what_cannot_finish_without_the_person() -> None:
    run = made.run_view(1, {"planner": "Paused", "web": "Paused", "repo": "Needs you"})
    slots = tuple(
        replace(s, approvals=(made.question(run.run_id),)) if s.slot_id == "repo" else s for s in run.slots
    )
    door = FakeDoor((made.loaded(),))
    door.put(replace(run, slots=slots))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.close()
        dialog = desk.dialog()
        assert isinstance(dialog, QuitDialog)
        assert "2 paused agents and 1 open question cannot finish without you" in dialog.held.text()
    assert Held().words() == ""


async def test_quitting_says_that_runs_of_other_processes_go_on() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(
        made.run_view(1, {"planner": "Running"}), replace(made.run_view(2, {"web": "Running"}), foreign=True)
    )
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        desk.window.close()
        dialog = desk.dialog()
        assert isinstance(dialog, QuitDialog)
        assert dialog.held.text() == "1 run of another Quarterdeck process, such as a terminal, goes on."


async def test_a_pause_says_that_a_request_already_sent_may_be_billed_until_the_agent_goes_on() -> None:
    run = made.run_view(1, {"planner": "Running"})
    door = FakeDoor((made.loaded(),))
    door.put(run)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link.pause(run.run_id, SlotId("planner"))
        await until(lambda: "may still be billed" in desk.window.notice.words)
        desk.link.continue_(run.run_id, SlotId("planner"))
        await until(lambda: desk.window.notice.words == "")
