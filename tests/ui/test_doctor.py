"""The page *Doctor*: nothing is looked at before a press, everything that was found is shown, told and copied."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from quarterdeck.engine.doctor.findings import Examination, Finding, Health, Part
from quarterdeck.ui.doctor.present import STATES, rows_of, summary
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = [pytest.mark.qt_loop, pytest.mark.window]

HOSTILE = "<b>bold</b>\n\u202eevil"
COMPUTER = Examination(
    "1.0",
    (
        Finding("disk", "Disk", Health.FINE, "70.0 GB are free."),
        Finding("clock", "Clock", Health.NOTE, "The clock may be off.", "timedatectl set-ntp true"),
        Finding(
            "display", "Display libraries", Health.BROKEN, "Missing: libxcb-cursor.so.0.", "apt-get install x"
        ),
        Finding("keyring", "Keyring", Health.UNCHECKED, HOSTILE),
    ),
)
PROMISES = Examination(
    "1.0", (Finding("trust.twin-runs", "Twin runs", Health.FINE, "They were told apart."),)
)


def door_that_found(**found: Any) -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    door.household.examinations = {Part.MACHINE: COMPUTER, Part.TRUST: PROMISES, **found}
    return door


def texts(desk: Desk) -> list[str]:
    return [one.text() for one in desk.window.doctor.page.findChildren(QLabel) if one.isVisible()]


async def test_opening_the_page_looks_at_nothing() -> None:
    """Ruling 25: no view starts anything."""
    door = door_that_found()
    async with desk_over(door) as desk:
        desk.window.actions_["doctor"].trigger()
        assert desk.window.doctor.page.isVisible()
        await asyncio.sleep(0)
        assert door.household.examined == []
        assert not desk.window.actions_["copy_findings"].isEnabled()


async def test_a_press_looks_once_and_shows_state_words_and_what_to_do() -> None:
    door = door_that_found()
    async with desk_over(door) as desk:
        page = desk.window.doctor.page
        desk.window.actions_["doctor"].trigger()
        page.machine.begin.click()
        assert not page.machine.begin.isEnabled()
        desk.window.actions_["check_computer"].trigger()
        await until(lambda: len(page.machine.rows) == len(COMPUTER.findings))
        assert door.household.examined == [Part.MACHINE]
        assert page.machine.begin.isEnabled()
        said = texts(desk)
        for words in (
            "fine",
            "to know",
            "broken",
            "not checked",
            "timedatectl set-ntp true",
            "1 thing is broken.",
        ):
            assert words in said
        spoken = [one.accessibleName() for one in page.findChildren(QLabel)]
        assert "Display libraries. broken. Missing: libxcb-cursor.so.0. apt-get install x" in spoken


async def test_foreign_words_stay_plain() -> None:
    async with desk_over(door_that_found()) as desk:
        desk.window.actions_["check_computer"].trigger()
        await until(lambda: desk.window.doctor.page.rows)
        labels = desk.window.doctor.page.findChildren(QLabel)
        assert any("<b>bold</b>" in one.text() for one in labels)
        assert not any("\u202e" in one.text() or "\n" in one.text() for one in labels)


async def test_the_promises_are_tried_by_themselves_and_all_is_copied() -> None:
    door = door_that_found()
    async with desk_over(door) as desk:
        page = desk.window.doctor.page
        for name, count in (("check_computer", 4), ("try_promises", 5)):
            desk.window.actions_[name].trigger()
            await until(lambda count=count: len(page.rows) == count)
        assert door.household.examined == [Part.MACHINE, Part.TRUST]
        assert "All three promises hold on this computer." in texts(desk)
        page.copy.click()
        copied = QGuiApplication.clipboard().text().splitlines()
        assert len(copied) == 5
        assert copied[-1] == "Twin runs. fine. They were told apart"


async def test_where_nothing_could_be_found_it_says_why_and_can_be_asked_again() -> None:
    door = door_that_found()
    door.household.examinations[Part.TRUST] = "The examination did not come to its end within 90 s."  # type: ignore[assignment]
    async with desk_over(door) as desk:
        desk.window.actions_["try_promises"].trigger()
        await until(lambda: "The examination did not come to its end within 90 s." in texts(desk))
        assert desk.window.actions_["try_promises"].isEnabled()


async def test_a_fault_of_ours_does_not_leave_it_looking_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    door = door_that_found()

    async def fails(part: Part) -> Examination:
        raise RuntimeError("no such thing")

    door.household.examine = fails  # type: ignore[method-assign]
    async with desk_over(door) as desk:
        desk.window.actions_["check_computer"].trigger()
        await until(lambda: desk.window.actions_["check_computer"].isEnabled())
        assert "RuntimeError: no such thing" in texts(desk)
    caplog.clear()


async def test_the_page_gives_way_to_the_canvas_and_to_the_other_page() -> None:
    async with desk_over(door_that_found()) as desk:
        window = desk.window
        docks = [window.runs_dock.isVisible(), window.inspector_dock.isVisible()]
        window.actions_["doctor"].trigger()
        assert not window.runs_dock.isVisible()
        window.actions_["go_timeline"].trigger()
        assert window.looking_back.page.isVisible()
        assert not window.doctor.page.isVisible()
        window.actions_["doctor"].trigger()
        window.doctor.page.back.click()
        assert window.middle.isVisible()
        assert [window.runs_dock.isVisible(), window.inspector_dock.isVisible()] == docks


def test_every_state_has_a_word_and_a_sign_of_its_own() -> None:
    assert set(STATES) == set(Health)
    assert len({word for word, _, _ in STATES.values()}) == len({sign for _, sign, _ in STATES.values()}) == 4
    assert [row.state for row in rows_of(COMPUTER)] == ["fine", "to know", "broken", "not checked"]


def test_what_was_not_checked_is_not_called_a_promise_that_holds() -> None:
    unchecked = Examination("1.0", (Finding("x", "X", Health.UNCHECKED, "Not built."),))
    assert summary(Part.TRUST, unchecked) == "Nothing is broken."
    assert summary(Part.MACHINE, COMPUTER) == "1 thing is broken."
