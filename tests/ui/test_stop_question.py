"""The open question *Stop…* says what is true while it stands: figures, counts, and what of it has ended meanwhile."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from PySide6.QtWidgets import QRadioButton

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.states import Outcome
from quarterdeck.ui.dialogs.crash_dialog import CrashDialog
from quarterdeck.ui.dialogs.quit_dialog import QuitDialog
from quarterdeck.ui.dialogs.stop_dialog import StopDialog
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_simulated_crash import practice, practising

pytestmark = pytest.mark.qt_loop
A, B = (made.run_view(number, {"repo": "Running"}) for number in (1, 2))
C = made.run_view(3, {"repo": "Running"})


def door_of() -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    door.put(A, B)
    return door


async def asked(desk: Desk, action: str = "stop") -> StopDialog:
    await until(lambda: "2 live" in desk.window.windowTitle())
    desk.window.actions_[action].trigger()
    dialog = desk.dialog()
    assert isinstance(dialog, StopDialog)
    return dialog


def offered(dialog: StopDialog) -> dict[str, bool]:
    """{words up to the first dot: whether it is chosen}, as the radio buttons say it."""
    radios = [one for one in dialog.findChildren(QRadioButton) if not one.isHidden()]
    assert [one.text() for one in radios] == [one.accessibleName() for one in radios]
    return {one.text().split(" · ")[0]: one.isChecked() for one in radios}


def choose(dialog: StopDialog, words: str) -> None:
    next(one for one in dialog.findChildren(QRadioButton) if one.text().startswith(words)).setChecked(True)


def stopped(door: FakeDoor) -> set[RunId]:
    return {command[1] for command in door.commands if command[0] == "stop_run"}


async def test_its_times_and_costs_are_those_of_the_window() -> None:
    """Issue 3: what any part of the window says is true at every moment."""
    door = door_of()
    async with desk_over(door) as desk:
        dialog = await asked(desk)
        desk.clock.seconds += 38
        door.put(replace(A, cost_usd=Decimal("8.38")))
        await until(lambda: "$8.38" in dialog.choices[0].words, "the cost of now")
        desk.window.watching.refresh()
        assert desk.window.conduct.shown is not None
        live = desk.window.conduct.shown.facts.live
        for run, choice in zip(live, dialog.choices, strict=False):
            assert run.elapsed in choice.words
            assert run.spend in choice.words
        texts = [one.text() for one in dialog.findChildren(QRadioButton)]
        assert texts == [choice.words for choice in dialog.choices]
        dialog.reject()


async def test_a_run_that_ended_leaves_it_and_no_other_is_chosen_in_its_place() -> None:
    door = door_of()
    async with desk_over(door) as desk:
        dialog = await asked(desk)
        choose(dialog, "Run B")
        door.put(made.ended(B, Outcome.COMPLETED))
        await until(lambda: len(offered(dialog)) == 1, "only A")
        assert offered(dialog) == {"Run A": False}
        assert "has ended meanwhile" in dialog.said
        assert not dialog.stop.isEnabled()
        choose(dialog, "Run A")
        dialog.stop.click()
        await until(lambda: stopped(door) == {A.run_id})


async def test_all_counts_what_is_live_now_and_stops_just_that() -> None:
    door = door_of()
    async with desk_over(door) as desk:
        dialog = await asked(desk)
        choose(dialog, "All 2")
        door.put(C)
        await until(lambda: len(offered(dialog)) == 4, "C as well")
        assert offered(dialog)["All 3 live runs of this workflow"]
        assert "3 live" in desk.window.windowTitle()
        door.put(made.ended(A, Outcome.COMPLETED))
        await until(lambda: "All 2 live runs of this workflow" in offered(dialog))
        door.put(made.ended(B, Outcome.COMPLETED))
        await until(lambda: len(offered(dialog)) == 1, "only C")
        assert list(offered(dialog).values()) == [True], "of all, the last one is still meant"
        dialog.stop.click()
        await until(lambda: stopped(door) == {C.run_id})


@pytest.mark.parametrize("action", ["stop_run", "stop_agent"])
async def test_where_nothing_is_left_to_stop_it_says_so(action: str) -> None:
    door = door_of()
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(A.run_id, SlotId("repo"))
        await until(lambda: desk.window.actions_[action].isEnabled())
        dialog = await asked(desk, action)
        assert dialog.stop.isEnabled()
        door.put(made.ended(A, Outcome.COMPLETED))
        await until(lambda: not offered(dialog), "nothing")
        assert "there is nothing to stop" in dialog.said
        assert not dialog.stop.isEnabled()
        assert dialog.isVisible(), "a person reads it and closes it"
        dialog.reject()
    assert not stopped(door)


async def test_the_question_of_a_quit_counts_what_is_live_and_held_now() -> None:
    """REC16."""
    door = door_of()
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        desk.window.actions_["quit"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, QuitDialog)
        assert (dialog.title.text(), dialog.held.isHidden()) == ("2 runs are live", True)
        door.put(made.ended(A, Outcome.COMPLETED), made.run_view(2, {"repo": "Paused"}))
        await until(lambda: dialog.title.text() == "1 run is live", "the count of now")
        assert "1 paused agent cannot finish without you" in dialog.held.text()
        dialog.reject()


async def test_the_question_of_a_simulated_crash_counts_what_it_would_interrupt_now() -> None:
    door = FakeDoor((made.loaded(practice()),))
    door.put(practising(1), practising(2))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.actions_["simulate_crash"].isEnabled())
        desk.window.actions_["simulate_crash"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, CrashDialog)
        for left, said in ((2, "with 1 practice run live?"), (1, "with 0 practice runs live?")):
            door.put(made.ended(practising(left), Outcome.COMPLETED))
            await until(lambda said=said: said in dialog.title.text(), said)
        assert not dialog.crash.isEnabled(), "nothing is left to interrupt"
        dialog.reject()
