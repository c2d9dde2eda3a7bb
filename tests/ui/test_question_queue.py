"""The one queue of open questions: of every run, oldest first, answered where it stands, by nothing but a press on a button."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quarterdeck.domain.ids import RequestId, RunId
from quarterdeck.domain.permissions import ALLOW_FOR_RUN
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import RunView
from quarterdeck.ui.questions import QUIET_MS, QuestionCard
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop


def asking(view: RunView, slot: str, text: str, at: float, **changes: object) -> RunView:
    """The run, one slot of which asks this."""
    request = RequestId(f"{view.run_id}:{slot}:{text}")
    one = replace(made.question(view.run_id, slot, text), request_id=request, asked_at=made.at(at))
    one = replace(one, **changes)  # type: ignore[arg-type]
    slots = tuple(
        replace(s, approvals=(one,), display="Needs you") if s.slot_id == slot else s for s in view.slots
    )
    return replace(view, slots=slots)


def nobody_asks(view: RunView) -> RunView:
    return replace(view, slots=tuple(replace(s, approvals=(), display="Running") for s in view.slots))


def cards(desk: Desk) -> tuple[QuestionCard, ...]:
    return desk.window.bottom.questions.cards.cards


def two_runs() -> tuple[FakeDoor, RunView, RunView]:
    """Runs of two workflows; the newer one asked first."""
    digest = made.loaded()
    nightly = made.loaded(made.workflow("Nightly", workflow_id="w-2"), "/folder/nightly.workflow.json")
    door = FakeDoor((digest, nightly))
    one = asking(made.run_view(1, {"repo": "Running"}), "repo", "git push", 950)
    two = asking(made.run_view(2, {"web": "Running"}, nightly.workflow), "web", "curl example.org", 900)
    door.put(one, two)
    return door, one, two


async def ready(desk: Desk, count: int) -> tuple[QuestionCard, ...]:
    """The cards of the queue, seen and past their quiet half second."""
    await until(lambda: len(cards(desk)) == count)
    desk.window.actions_["go_questions"].trigger()
    await until(lambda: not any(card.is_quiet for card in cards(desk)))
    return cards(desk)


async def test_questions_of_all_runs_stand_in_one_queue_oldest_first_with_who_asks() -> None:
    door, one, two = two_runs()
    async with desk_over(door) as desk:
        shown = await ready(desk, 2)
        assert [card.question.question for card in shown] == ["curl example.org", "git push"]
        assert "(Nightly, run " in shown[0].asker
        assert shown[1].asker.startswith("Repo researcher (")
        tabs = desk.window.bottom.tabs
        assert tabs.tabText(tabs.currentIndex()) == "Questions 2"
        QTest.mouseClick(shown[1].option_buttons[0], Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands == [("answer", one.run_id, shown[1].question.request_id, "Deny")]
        door.put(nobody_asks(one), nobody_asks(two))
        await until(lambda: cards(desk) == ())
        assert tabs.tabText(tabs.currentIndex()) == "Questions"


async def test_the_queue_opens_at_the_head_of_its_oldest_question() -> None:
    """Also where a card is higher than the panel, and where the person had scrolled on before."""
    door, *_ = two_runs()
    async with desk_over(door) as desk:
        await ready(desk, 2)
        bar = desk.window.bottom.questions.cards.verticalScrollBar()
        await until(lambda: bar.maximum() > 0)
        assert bar.value() == 0
        bar.setValue(bar.maximum())
        desk.window.actions_["go_questions"].trigger()
        assert bar.value() == 0


async def test_a_question_is_answered_for_the_run_that_asked_whatever_is_looked_at() -> None:
    door, one, two = two_runs()
    async with desk_over(door) as desk:
        shown = await ready(desk, 2)
        desk.window.watching.choose_run(one.run_id)
        QTest.mouseClick(shown[0].option_buttons[1], Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands[0][1] == two.run_id


async def test_two_nodes_of_two_runs_that_ask_under_one_id_are_two_questions() -> None:
    door = FakeDoor((made.loaded(),))
    named = {"request_id": RequestId("gate:approval"), "attempt_id": None, "options": ("Approve", "Reject")}
    runs = [asking(made.run_view(n, {"web": "Running"}), "web", "Go on?", 900 + n, **named) for n in (1, 2)]
    door.put(*runs)
    async with desk_over(door) as desk:
        shown = await ready(desk, 2)
        QTest.mouseClick(shown[1].option_buttons[0], Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands == [("answer", runs[1].run_id, RequestId("gate:approval"), "Approve")]


async def test_closing_the_view_answers_nothing_and_what_comes_back_takes_no_click_at_first() -> None:
    door, _, _ = two_runs()
    async with desk_over(door) as desk:
        before = await ready(desk, 2)
        desk.window.actions_["toggle_bottom"].trigger()
        assert not desk.window.bottom.isVisible()
        desk.window.actions_["go_questions"].trigger()
        assert cards(desk) == before
        assert all(card.is_quiet for card in before)
        QTest.mouseClick(before[0].option_buttons[0], Qt.MouseButton.LeftButton)
        assert door.commands == []
        await until(lambda: not any(card.is_quiet for card in before))
        assert QUIET_MS == 500


async def test_neither_enter_nor_space_nor_time_answers_anything_of_the_queue() -> None:
    door, _, _ = two_runs()
    async with desk_over(door) as desk:
        desk.window.activateWindow()
        await until(desk.window.isActiveWindow)
        shown = await ready(desk, 2)
        focused = desk.window.focusWidget()
        assert focused is not None
        assert not any(focused is button for card in shown for button in card.option_buttons)
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Escape):
            QTest.keyClick(focused, key)
        begun_s = asyncio.get_running_loop().time()
        await until(lambda: asyncio.get_running_loop().time() - begun_s > 2 * QUIET_MS / 1000)
        assert door.commands == []
        assert len(cards(desk)) == 2


async def test_enter_on_a_button_that_has_the_keyboard_answers_nothing() -> None:
    door, _, _ = two_runs()
    async with desk_over(door) as desk:
        desk.window.activateWindow()
        await until(desk.window.isActiveWindow)
        (card, _) = await ready(desk, 2)
        card.option_buttons[1].setFocus()
        for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            QTest.keyClick(card.option_buttons[1], key)
        assert door.commands == []


async def test_who_can_allow_once_can_allow_for_this_run_and_the_agents_own_words_stay() -> None:
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"repo": "Running"})
    door.put(asking(run, "repo", "git push", 900, options=("Deny", "Allow once")))
    async with desk_over(door) as desk:
        (card,) = await ready(desk, 1)
        assert [button.text() for button in card.option_buttons] == ["Deny", "Allow once", ALLOW_FOR_RUN]
        assert "same to the byte" in card.option_buttons[2].toolTip()
        QTest.mouseClick(card.option_buttons[2], Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands[0][-1] == ALLOW_FOR_RUN


async def test_the_exact_action_where_network_and_writes_stand_on_the_card_as_they_were_told() -> None:
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"repo": "Running"})
    action = '{"command":"rm -rf \u202e/"}'
    told = {"tool": "Bash", "action": action, "where": "/srv", "network": "none", "writes": "/srv/build"}
    door.put(asking(run, "repo", "Run a command?", 900, **told))
    async with desk_over(door) as desk:
        (card,) = await ready(desk, 1)
        assert card.title.text() == "Run a command?"
        assert card._exact.toPlainText() == '{"command":"rm -rf \\u202e/"}'
        assert not card.other.isVisible(), "the title is all of its words"
        assert {fact.name: fact.value for fact in card.facts} == {
            "With": "Bash",
            "Where": "/srv",
            "Network": "none",
            "Writes": "/srv/build",
        }
        assert all(fact.is_known for fact in card.facts)


async def test_what_would_be_done_is_shown_once_by_its_bytes_and_in_words_where_one_asks() -> None:
    """ux, Approval: exact, never shortened; the same is not said twice. Words of more than a line can be read in its place."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"repo": "Running"})
    words, action = "Write: /srv/notes.txt\ncontent: one\ntwo", '{"input":{"content":"one\\ntwo"}}'
    door.put(asking(run, "repo", words, 900, action=action, options=("Deny", "Allow once")))
    async with desk_over(door) as desk:
        (card,) = await ready(desk, 1)
        shown = (card.title.text().replace("\u200b", ""), card._exact.toPlainText())
        assert shown == ("Write: /srv/notes.txt", action)
        QTest.mouseClick(card.other, Qt.MouseButton.LeftButton)
        assert card._exact.toPlainText() == words
        assert card.is_quiet, "the buttons may have moved"
        QTest.mouseClick(card.option_buttons[1], Qt.MouseButton.LeftButton)
        QTest.mouseClick(card.other, Qt.MouseButton.LeftButton)
        assert card._exact.toPlainText() == action
        assert door.commands == []


async def test_a_question_of_the_agents_own_is_its_words_and_what_was_sent_can_be_asked_for() -> None:
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"repo": "Running"})
    action = '{"tool":"AskUserQuestion"}'
    door.put(asking(run, "repo", "Which one?\nA: the first", 900, action=action, options=("A", "B")))
    async with desk_over(door) as desk:
        (card,) = await ready(desk, 1)
        assert (card.title.isVisible(), card._exact.toPlainText()) == (False, "Which one?\nA: the first")
        QTest.mouseClick(card.other, Qt.MouseButton.LeftButton)
        assert card._exact.toPlainText() == action


async def test_an_answer_that_came_too_late_is_explained_though_its_card_is_gone() -> None:
    door, one, _ = two_runs()
    async with desk_over(door) as desk:
        shown = await ready(desk, 2)
        door.refusal = Refusal(Code.E_REQUEST, "That question was answered “Deny” by ana already.")
        QTest.mouseClick(shown[1].option_buttons[1], Qt.MouseButton.LeftButton)
        door.put(nobody_asks(one))
        await until(lambda: "by ana already" in desk.window.notice.words)
        await until(lambda: len(cards(desk)) == 1)
        assert isinstance(cards(desk)[0].question.run_id, str)
        assert cards(desk)[0].question.run_id != RunId(one.run_id)
