"""Every command that a person gives from the window says on whose behalf (C7)."""

from __future__ import annotations

import inspect

import pytest

from quarterdeck.domain.ids import CommandId, SlotId
from quarterdeck.engine.door import Door
from quarterdeck.ui.link import Link
from quarterdeck.ui.recovery_asked import ResumeIds, ResumeOrder
from tests.ui import made
from tests.ui.desk import until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
IDS = ResumeIds(CommandId("c-1"), CommandId("c-2"), CommandId("c-3"), CommandId("c-4"))


async def test_an_agent_is_re_opened_and_claimed_on_behalf_of_who_asked() -> None:
    """C7: both steps of Resume carry the actor that the other verbs carry."""
    door = FakeDoor()
    view = made.ended(made.run_view(1, {"planner": "Stopped"}))
    door.put(view)
    link = Link("ana")
    link.bind(door)
    answers: list[object] = []
    link.recovery.resumed.connect(answers.append)
    link.recovery.resume(ResumeOrder(view.run_id, SlotId("planner"), "again", IDS))
    await until(lambda: answers, "the answer")
    await link.stop()
    assert [command[0] for command in door.commands] == ["reassign", "claim"]
    assert door.actors == ["ana", "ana"]


async def test_the_door_takes_an_actor_with_every_command() -> None:
    """C7: a verb that a person gives and that has no place for a person would be given by nobody."""
    commands = ("pause", "continue_", "stop_slot", "stop_run", "answer", "raise_budget", "reassign", "claim")
    assert [
        name for name in commands if "actor" not in inspect.signature(getattr(Door, name)).parameters
    ] == []
