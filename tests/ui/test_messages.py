"""A person's message to an agent at work: its field, what became of it, and its place in the transcript."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from quarterdeck.domain.ids import MessageId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.views import MessageView, RunView
from quarterdeck.engine.door import LaunchRequest
from tests.engine.works import python, write
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk
from tests.ui.test_transcript import reader, said

pytestmark = pytest.mark.qt_loop


def listening(view: RunView, *slots: str) -> RunView:
    """The run; the agents of these slots take messages."""
    return replace(
        view,
        slots=tuple(
            replace(s, attempts=tuple(replace(a, takes_messages=True) for a in s.attempts))
            if s.slot_id in slots
            else s
            for s in view.slots
        ),
    )


def door_with(*slots: str) -> tuple[FakeDoor, RunView]:
    door = FakeDoor((made.loaded(),))
    view = listening(made.run_view(1, {"repo": "Running", "web": "Running", "planner": "Done"}), *slots)
    door.put(view)
    return door, view


def plain(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


async def looked_at(desk: Desk, view: RunView, slot: str) -> None:
    desk.window.watching.choose_slot(view.run_id, SlotId(slot))
    await until(
        lambda: desk.window.inspector._facts is not None and desk.window.inspector._facts.slot_id == slot
    )


async def test_only_an_agent_at_work_that_takes_messages_has_a_field_for_them() -> None:
    door, view = door_with("repo", "planner")
    async with desk_over(door) as desk:
        row, action = desk.window.inspector.message, desk.window.actions_["say_agent"]
        for slot, can in (("repo", True), ("web", False), ("planner", False)):
            await looked_at(desk, view, slot)
            await until(lambda can=can: row.isVisible() is can and action.isEnabled() is can)


async def test_what_was_typed_for_one_agent_is_never_sent_to_another() -> None:
    door, view = door_with("repo", "web")
    async with desk_over(door) as desk:
        row = desk.window.inspector.message
        await looked_at(desk, view, "repo")
        await until(row.isVisible)
        QTest.keyClicks(row.field, "Push to main")
        await looked_at(desk, view, "web")
        assert row.field.text() == ""
        assert not row.send.isEnabled()
        QTest.keyClick(row.field, Qt.Key.Key_Return)
        assert door.commands == []
        await looked_at(desk, view, "repo")
        assert row.field.text() == "Push to main"
        QTest.mouseClick(row.send, Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands == [("say", view.run_id, SlotId("repo"), "Push to main")]
        await until(lambda: row.field.text() == "")


async def test_a_message_that_was_not_taken_stays_in_its_field_and_the_reason_is_said() -> None:
    door, view = door_with("repo")
    door.refusal = Refusal(
        Code.E_ATTEMPT_STATE, "Repo researcher is paused; only an agent at work takes a message."
    )
    async with desk_over(door) as desk:
        row = desk.window.inspector.message
        await looked_at(desk, view, "repo")
        await until(row.isVisible)
        QTest.keyClicks(row.field, "Hello")
        QTest.keyClick(row.field, Qt.Key.Key_Return)
        await until(lambda: "takes a message" in desk.window.notice.words)
        await until(row.send.isEnabled)
        assert row.field.text() == "Hello"


async def test_a_persons_turn_stands_at_its_place_in_the_transcript_once_whatever_comes_after() -> None:
    first, second, third = (said(type="text", text=words) for words in ("one", "two", "three"))
    sent = MessageView(MessageId("m-1"), "Look into docs/ too.", "ana", made.at(5), True, len(first))
    late = MessageView(MessageId("m-2"), "And tests/.", "ana", made.at(6), False, len(first + second))
    shown = ["Agent", "one", "You", "Look into docs/ too.", "Agent", "two"]
    unheard = ["You", "And tests/.", "The agent's program did not take it."]
    async with reader() as held:
        await held.show(first + second, is_live=True, is_protocol=True)
        held.panel.show_messages((sent,))
        await until(lambda: plain(held.text) == shown)
        held.panel.show_messages((sent, late))
        await until(lambda: plain(held.text) == shown + unheard)
        await held.show(first + second + third, is_live=True, is_protocol=True)
        await until(lambda: plain(held.text) == [*shown, *unheard, "Agent", "three"])


async def test_a_message_reaches_a_real_agent_and_stands_between_its_words(tmp_path: Path) -> None:
    source = (
        "say('session', id='s', resumable=False, messages=True)\nsay('text', text='before')\n"
        "heard = told()\nsay('text', text='after ' + heard['text'])\n"
        "say('approval', id='q', question='Done?', options=['yes'])\ntold()"
    )
    path = write(tmp_path / "ws", {"a": python(source)})
    async with real_desk(tmp_path / "data", path) as (desk, engine, _):
        run = await engine.launch(LaunchRequest(path))
        assert isinstance(run, str)
        inspector = desk.window.inspector
        await until(lambda: desk.window.agents.model.rows)
        desk.window.watching.choose_slot(run, SlotId("a"))
        await until(inspector.message.isVisible)
        inspector.open_transcript()
        await until(lambda: "before" in inspector.transcript.text.toPlainText())
        QTest.keyClicks(inspector.message.field, "look here")
        QTest.keyClick(inspector.message.field, Qt.Key.Key_Return)
        await until(lambda: "after look here" in inspector.transcript.text.toPlainText())

        def lines() -> list[str]:
            return plain(inspector.transcript.text.toPlainText())

        await until(lambda: "You" in lines())
        assert lines().index("before") < lines().index("look here") < lines().index("after look here")
        assert lines().count("look here") == 1
        view = engine.live_run(run)
        assert view is not None
        (message,) = view.slots[0].attempts[-1].messages
        assert (message.text, message.delivered) == ("look here", True)
        assert view.turns == 0, "a person's turn is none of the agent's"
