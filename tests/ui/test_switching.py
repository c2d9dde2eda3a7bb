"""Switch agent…: offered where a slot waits and has another pinned agent, asked once, and sent as one command."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QRadioButton

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.views import RunView
from quarterdeck.ui.dialogs.switch_dialog import SwitchDialog
from quarterdeck.ui.present_agent import agent_facts
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

REPO = SlotId("repo")


def waiting(state: str = "Waiting", alternatives: tuple[str, ...] = ("codex", "second")) -> RunView:
    view = made.run_view(1, {"repo": state})
    slots = tuple(
        replace(slot, alternatives=alternatives, attempts=() if state == "Waiting" else slot.attempts)
        if slot.slot_id == REPO
        else slot
        for slot in view.slots
    )
    return replace(view, slots=slots)


@pytest.mark.parametrize(
    ("state", "alternatives", "can"),
    [
        ("Waiting", ("codex",), True),
        ("Retrying", ("codex",), True),
        ("Waiting", (), False),
        ("Running", ("codex",), False),
        ("Done", ("codex",), False),
    ],
)
def test_only_what_waits_and_has_another_agent_can_be_switched(
    state: str, alternatives: tuple[str, ...], can: bool
) -> None:
    view = waiting(state, alternatives)
    slot = next(one for one in view.slots if one.slot_id == REPO)
    assert agent_facts(view, slot, "A", made.at(10)).can_switch is can


@pytest.mark.qt_loop
async def test_the_agent_that_is_chosen_is_asked_for_by_one_command_and_cancel_by_none() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(waiting())
    async with desk_over(door) as desk:
        window = desk.window
        await until(lambda: "1 live" in window.windowTitle())
        window.watching.choose_slot(waiting().run_id, REPO)
        await until(lambda: window.inspector.feet.switch.isVisible(), "the button")
        window.inspector.feet.switch.click()
        dialog = desk.dialog()
        assert isinstance(dialog, SwitchDialog)
        assert dialog.cancel.isDefault()
        assert [one.text() for one in dialog.findChildren(QRadioButton)] == ["codex", "second"]
        dialog.cancel.click()
        assert not [one for one in door.commands if one[0] == "switch_agent"]
        window.actions_["switch_agent"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, SwitchDialog)
        dialog.findChildren(QRadioButton)[1].click()
        dialog.accept_.click()
        await until(
            lambda: ("switch_agent", waiting().run_id, REPO, "second") in door.commands, "the command"
        )
