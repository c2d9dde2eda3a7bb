"""The open prompt follows what is discarded or answered elsewhere: nothing is offered of a run that is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QDialog, QPushButton

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Outcome
from quarterdeck.ui.recovery.dialog import RecoveryDialog
from quarterdeck.ui.recovery.discard_dialog import DiscardDialog
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_recovery_dialog import acted, named, named_or_none, prompted, words
from tests.ui.test_resume_one import REASON, door_two, second_step

pytestmark = pytest.mark.qt_loop


def discarded_elsewhere(door: FakeDoor, run: RunId) -> None:
    """As a terminal does it: the run is in the store no more, and owes nothing."""
    door.views.pop(run, None)
    door.recovery.waiting = replace(
        door.recovery.waiting, runs=tuple(r for r in door.recovery.waiting.runs if r.run_id != run)
    )
    door.tell(run)


def answered_elsewhere(door: FakeDoor, run: RunId) -> None:
    """Kept as stopped by a terminal: the run is in the list, and owes nothing."""
    door.recovery.waiting = replace(
        door.recovery.waiting, runs=tuple(r for r in door.recovery.waiting.runs if r.run_id != run)
    )
    door.put(replace(door.views[run], unanswered=False))


def taken_up(door: FakeDoor, outcome: Outcome | None = None) -> None:
    """The web agent of the first run has a second attempt; outcome: and the run ended with it."""
    view = door.views[left.FIRST]
    slots = tuple(
        replace(s, attempts=(*s.attempts[:1], made.attempt(2)), reopened=None)
        if s.slot_id == SlotId("web")
        else s
        for s in view.slots
    )
    live = replace(made.run_view(1, {}, run_id=left.FIRST), slots=slots)
    door.put(made.ended(live, outcome) if outcome is not None else live)


def discards(prompt: QDialog) -> list[DiscardDialog]:
    return [one for one in prompt.findChildren(DiscardDialog) if one.isVisible()]


def prompt_of(desk: object) -> RecoveryDialog:
    prompt = desk.window.after_crash.dialog  # type: ignore[attr-defined]
    assert isinstance(prompt, RecoveryDialog)
    return prompt


async def test_a_run_that_was_taken_up_here_and_discarded_elsewhere_leaves_the_prompt() -> None:
    """Its card does not go back to what it was before it was resumed, and the totals are of what is left."""
    door = door_two()
    async with second_step(door) as (desk, dialog):
        prompt = prompt_of(desk)
        dialog.choices.reason.setText(REASON)
        dialog.start.click()
        await until(lambda: desk.window.after_crash.acts.resuming is None, "the end of the second step")
        door.recovery.waiting = replace(left.owed_two(), runs=left.owed_two().runs[1:])
        taken_up(door)
        await until(lambda: "Attempt 2: " in words(prompt), "how it goes on")
        taken_up(door, Outcome.COMPLETED)
        discarded_elsewhere(door, left.FIRST)
        await until(lambda: set(prompt.cards) == {left.SECOND}, "the run that is left")
        assert named_or_none(prompt, "Resume Web researcher") is None
        assert "Quarterdeck closed while 2 runs were live" in words(prompt), "so many were"
        assert "was discarded elsewhere" in words(prompt)


async def test_a_run_that_was_taken_up_stays_so_when_it_has_ended_and_is_not_looked_at() -> None:
    """The link lets go of its view; the card keeps what it was told last."""
    door = door_two()
    async with prompted(door) as (desk, prompt):
        desk.window.after_crash._taken_up.add(left.FIRST)
        taken_up(door)
        await until(lambda: "Attempt 2: " in words(prompt), "how it goes on")
        door.put(made.ended(made.run_view(9, {}, start=9_000)))  # this one speaks for the workflow now
        desk.window.watching.choose_run(left.SECOND)
        taken_up(door, Outcome.COMPLETED)
        views = desk.window.conduct

        def is_let_go() -> bool:
            door.tell(left.SECOND)  # it is shown once more, and then no more
            return views.shown is not None and left.FIRST not in views.shown.known.views

        await until(is_let_go, "no view")
        assert "Attempt 2: " in words(prompt)
        assert named_or_none(prompt, "Resume Web researcher") is None


async def test_where_all_were_discarded_elsewhere_the_prompt_closes_and_that_is_said() -> None:
    door = left.door_over(left.owed_one())
    async with prompted(door) as (desk, _):
        discarded_elsewhere(door, left.FIRST)
        await until(lambda: desk.window.after_crash.dialog is None, "the end of the prompt")
        assert "was discarded elsewhere" in desk.window.notice.words
        assert not [c for c in door.recovery.commands if c[0] == "keep"]


async def test_a_prompt_that_was_answered_elsewhere_says_only_that_nothing_waits_and_closes_unanswered() -> (
    None
):
    """REC3: no figures of nothing, nothing to keep."""
    door = left.door_over(left.owed_one())
    async with prompted(door) as (_, prompt):
        high = prompt.height()
        assert len(prompt.cards) == 1
        answered_elsewhere(door, left.FIRST)
        await until(lambda: prompt.facts.is_empty, "the answer from elsewhere")
        assert words(prompt).strip() == "Nothing waits for an answer"
        shown = [b.text() for b in prompt.findChildren(QPushButton) if b.isVisibleTo(prompt)]
        assert shown == ["Close"]
        assert prompt.height() < high / 2
        prompt.keep.click()
        assert not prompt.isVisible()
    assert acted(door) == []


async def test_what_left_elsewhere_is_told_as_news_and_not_as_a_failure_below_the_title_of_the_start() -> (
    None
):
    door = door_two()
    async with prompted(door) as (desk, prompt):
        assert "Quarterdeck closed while 2 runs were live" in words(prompt)
        discarded_elsewhere(door, left.SECOND)
        await until(lambda: set(prompt.cards) == {left.FIRST}, "the run that is left")
        assert "Quarterdeck closed while 2 runs were live" in words(prompt), "what was does not change"
        assert "is not kept any more: it was discarded elsewhere" in prompt._said.text()
        assert prompt._said.property("look") == "told"
        desk.window.after_crash.say("It cannot be written.")
        assert prompt._said.property("look") == "problem", "a refusal is red as before"
        rows = prompt.cards[left.FIRST].rows
        assert prompt._totals[0][0].text() == str(len(rows)), "figures are of what waits"


async def test_the_question_of_a_discard_is_put_anew_for_what_is_left() -> None:
    door = door_two()
    async with prompted(door) as (desk, prompt):
        prompt.discard.click()
        await until(lambda: discards(prompt), "the question")
        assert "Discard the records of 2 runs?" in words(discards(prompt)[0])
        discarded_elsewhere(door, left.SECOND)
        await until(
            lambda: any("of 1 run?" in words(one) for one in discards(prompt)), "the question for one"
        )
        assert len(discards(prompt)) == 1
        discarded_elsewhere(door, left.FIRST)
        await until(lambda: desk.window.after_crash.dialog is None, "no question and no prompt")


async def test_a_refused_discard_is_said_in_the_prompt_that_stands_before_the_window() -> None:
    door = door_two()
    door.keeping.refusal = Refusal(Code.E_ATTEMPT_STATE, "Its process may still be alive.")
    async with prompted(door) as (desk, prompt):
        prompt.discard.click()
        await until(lambda: discards(prompt), "the question")
        named(discards(prompt)[0], "Discard 2 records").click()
        await until(lambda: "was not discarded: Its process may still be alive." in words(prompt))
        assert not desk.window.notice.isVisible()


async def test_the_second_step_of_a_run_that_was_discarded_elsewhere_says_so() -> None:
    door = door_two()
    async with second_step(door) as (_, dialog):
        dialog.choices.reason.setText(REASON)
        discarded_elsewhere(door, left.FIRST)
        await until(lambda: "was discarded meanwhile" in words(dialog), "the news")
        assert not dialog.start.isEnabled()
        assert dialog.cancel.isEnabled()
        assert dialog.choices.reason.text() == REASON
        dialog.reject()
    assert door.commands == []


async def test_what_is_discarded_here_is_not_told_as_news_of_elsewhere() -> None:
    door = door_two()
    async with prompted(door) as (desk, prompt):
        prompt.discard.click()
        await until(lambda: discards(prompt), "the question")
        named(discards(prompt)[0], "Discard 2 records").click()
        await until(lambda: desk.window.after_crash.dialog is None)
        assert "elsewhere" not in desk.window.notice.words
