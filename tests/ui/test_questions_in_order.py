"""Questions of agents: each is answered as itself, none is lost, and each run is told about once (cases 122–127)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from quarterdeck.domain.ids import RequestId, SlotId
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.ui.news import NewsKind
from quarterdeck.ui.questions import QuestionCard
from tests.engine.works import ASKS, python, write
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk, real_engine
from tests.ui.test_news import watched

pytestmark = pytest.mark.qt_loop


def asking(view: RunView, slot: str, *texts: str) -> RunView:
    """The run, one slot of which asks these questions, oldest first."""
    asked = tuple(
        replace(
            made.question(view.run_id, slot, text),
            request_id=RequestId(f"{view.run_id}:{slot}:{text}"),
            asked_at=made.at(900 + place),
        )
        for place, text in enumerate(texts)
    )
    slots = tuple(
        replace(s, approvals=asked, display="Needs you" if asked else "Running") if s.slot_id == slot else s
        for s in view.slots
    )
    return replace(view, slots=slots)


def cards(desk: Desk) -> tuple[QuestionCard, ...]:
    return desk.window.inspector.questions.cards


def questions(desk: Desk) -> list[str]:
    return [card.question.question for card in cards(desk)]


async def test_a_newer_question_comes_below_and_never_under_the_pointer() -> None:
    """Case 122: the card under the pointer stays where it is and keeps its question; a click answers that one, by its id."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"repo": "Running"})
    door.put(asking(run, "repo", "ls"))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.waiting.isVisible())
        desk.window.top.waiting.click()
        await until(lambda: len(cards(desk)) == 1 and not cards(desk)[0].is_quiet)
        first = cards(desk)[0]
        allow = first.option_buttons[1]
        at = allow.mapTo(desk.window, QPoint(5, 5))
        door.put(asking(run, "repo", "ls", "rm -rf /"))
        await until(lambda: questions(desk) == ["ls", "rm -rf /"])
        assert cards(desk)[0] is first
        QTest.mouseClick(desk.window, Qt.MouseButton.LeftButton, pos=at)
        assert door.commands == [], "what moves takes no click for a moment"
        await until(lambda: not any(card.is_quiet for card in cards(desk)))
        QTest.mouseClick(allow, Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands == [("answer", run.run_id, first.question.request_id, "Allow once")]


async def test_a_question_that_takes_the_place_of_another_takes_no_click_at_first() -> None:
    """Case 122: the first was answered elsewhere; the second moves up, under the pointer, and hears nothing for a moment."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"repo": "Running"})
    door.put(asking(run, "repo", "ls", "rm -rf /"))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.waiting.isVisible())
        desk.window.top.waiting.click()
        await until(lambda: len(cards(desk)) == 2 and not any(c.is_quiet for c in cards(desk)))
        at = cards(desk)[0].option_buttons[1].mapTo(desk.window, QPoint(5, 5))
        door.put(asking(run, "repo", "rm -rf /"))
        await until(lambda: questions(desk) == ["rm -rf /"])
        assert cards(desk)[0].is_quiet
        QTest.mouseClick(desk.window, Qt.MouseButton.LeftButton, pos=at)
        QTest.mouseClick(cards(desk)[0].option_buttons[1], Qt.MouseButton.LeftButton)
        assert door.commands == []


async def test_open_questions_outlive_every_change_of_what_is_looked_at() -> None:
    """Case 124: two runs of two workflows ask; chosen, left, and come back to, each question is there, oldest run first."""
    digest = made.loaded()
    nightly = made.loaded(made.workflow("Nightly", workflow_id="w-2"), "/folder/nightly.workflow.json")
    door = FakeDoor((digest, nightly))
    one = asking(made.run_view(1, {"repo": "Running"}), "repo", "push?", "tag?")
    two = asking(made.run_view(2, {"web": "Running"}, nightly.workflow), "web", "fetch?")
    door.put(one, two)
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.waiting.accessibleName() == "3 questions for you")
        assert desk.window.top.waiting.text() == "2 need you", "two agents, whatever they ask"
        for _ in range(3):
            for file in (nightly, digest):
                desk.window.watching.choose_file(file.path)
                assert desk.window.top.waiting.text() == "2 need you"
            desk.window.watching.choose_slot(one.run_id, SlotId("repo"))
            assert questions(desk) == ["push?", "tag?"]
            desk.window.watching.choose_slot(one.run_id, SlotId("planner"))
            assert questions(desk) == []
            desk.window.watching.choose_run(two.run_id)
            assert questions(desk) == ["fetch?"]
            desk.window.watching.choose_run(one.run_id)
        door.put(asking(made.run_view(1, {"repo": "Running"}), "repo", "tag?"))
        await until(lambda: desk.window.top.waiting.accessibleName() == "2 questions for you")
        desk.window.watching.choose_slot(one.run_id, SlotId("repo"))
        assert questions(desk) == ["tag?"]


async def test_a_question_is_there_in_the_next_window_and_answered_once(tmp_path: Path) -> None:
    """Case 124: the window is closed and another one opens over a living run; the question is asked on, and answered once."""
    path = write(tmp_path / "ws", {"a": python(ASKS)})
    async with real_engine(tmp_path / "data") as engine:
        run = await engine.launch(LaunchRequest(path))
        assert isinstance(run, str)
        for _ in range(2):
            async with real_desk(tmp_path / "data", path, engine) as (desk, _, _):
                await until(lambda: desk.window.top.waiting.text() == "1 needs you")
                desk.window.top.waiting.click()
                await until(lambda: questions(desk) == ["Go?"])
        async with real_desk(tmp_path / "data", path, engine) as (desk, _, _):
            await until(lambda: desk.window.top.waiting.isVisible())
            desk.window.top.waiting.click()
            await until(lambda: cards(desk) and not cards(desk)[0].is_quiet)
            cards(desk)[0].option_buttons[0].click()
            await until(lambda: "Done" in desk.window.windowTitle())
            assert not desk.window.top.waiting.isVisible()
        view = await engine.run(run)
        assert view is not None
        assert view.slots[0].attempts[-1].output == "yes"


async def test_forty_agents_that_ask_at_once_are_one_notice_a_run() -> None:
    """Case 125: not one for each agent."""
    flow = made.workflow("Wide", 40)
    door = FakeDoor((made.loaded(flow),))
    run = made.run_view(1, {n.id: "Running" for n in flow.nodes}, flow)
    door.put(run)
    async with watched(door, in_front=False) as (desk, notifier):
        for number in range(40):
            run = asking(run, f"n{number}", "Go?")
            door.put(run)
        await until(lambda: desk.window.top.waiting.text() == "40 need you")
        await until(lambda: notifier.shown and not desk.window.shell.notices._held)
        assert [n.kind for n in notifier.shown] == [NewsKind.NEEDS]
        assert notifier.shown[0].title == "Wide, run A needs you"


async def test_the_end_is_told_once_and_only_after_its_record() -> None:
    """Case 127: every agent is done, the run is not ended yet: nothing. Then once, and not again for what comes late."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"web": "Running"})
    door.put(run)
    async with watched(door, in_front=False) as (desk, notifier):
        done = made.run_view(1, {n.id: "Done" for n in made.workflow().nodes})
        door.put(done)
        await until(lambda: {r.badge.word for r in desk.window.agents.model.rows} == {"Done"})
        assert desk.window.shell.notices._held == []
        door.put(made.ended(done, Outcome.COMPLETED))
        await until(lambda: notifier.shown)
        door.put(replace(made.ended(done, Outcome.COMPLETED), cost_usd=Decimal("4.21")))
        await until(lambda: "$4.21" in desk.shown()["list"])
        assert desk.window.shell.notices._held == []
        assert [n.kind for n in notifier.shown] == [NewsKind.ENDED]


async def test_thirty_questions_leave_the_window_its_size_and_each_can_be_reached() -> None:
    """Case 122, ux: a window stays within its screen, whatever an agent asks; the cards are scrolled instead."""
    view = made.run_view()
    door = FakeDoor((made.loaded(),))
    door.put(asking(view, "repo", *(f"Question {number}?" for number in range(30))))
    async with desk_over(door) as desk:
        window = desk.window
        window.resize(1280, 800)
        window.watching.choose_slot(view.run_id, SlotId("repo"))
        await until(lambda: len(cards(desk)) == 30)
        area = window.inspector.questions
        await until(lambda: area.verticalScrollBar().maximum() > 0)
        assert window.height() == 800
        assert window.inspector.minimumSizeHint().height() < 700
        assert window.inspector.tabs.isVisible()
        last = cards(desk)[-1]

        def is_reached() -> bool:
            area.ensureWidgetVisible(last)
            return not last.visibleRegion().isEmpty()

        await until(is_reached)
        area.take_focus()
        await until(lambda: not cards(desk)[0].visibleRegion().isEmpty())
        door.put(asking(view, "repo"))
        await until(lambda: not area.isVisible())
        assert window.height() == 800


async def test_a_question_is_shown_to_its_last_character_though_escapes_make_it_longer() -> None:
    """ux: a command is never shortened; what is shown of it decides its height, not what was sent."""
    view = made.run_view()
    door = FakeDoor((made.loaded(),))
    door.put(asking(view, "repo", "rm -rf /tmp/" + "\u202e" * 9 + "0"))
    async with desk_over(door) as desk:
        desk.window.watching.choose_slot(view.run_id, SlotId("repo"))
        await until(lambda: cards(desk))
        text = cards(desk)[0]._exact
        await until(lambda: text.verticalScrollBar().maximum() == 0 and text.document().size().height() > 1)
