"""What a question's card says of where, network and writes: what is known, and that the rest is not told (ux, Approval)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.states import EffectState
from quarterdeck.domain.views import EffectView, RunView
from quarterdeck.ui.present_questions import asked_facts
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor


def asking(**changes: object) -> RunView:
    view = made.run_view(1, {"repo": "Needs you"})
    slots = [
        replace(
            slot,
            approvals=(made.question(view.run_id),),
            attempts=tuple(replace(a, **changes) for a in slot.attempts),  # type: ignore[arg-type]
        )
        if slot.slot_id == "repo"
        else slot
        for slot in view.slots
    ]
    return replace(view, slots=tuple(slots))


def told(view: RunView) -> dict[str, str]:
    slot = next(slot for slot in view.slots if slot.slot_id == "repo")
    (facts,) = asked_facts(slot).values()
    return {fact.name: fact.value for fact in facts}


def test_what_the_view_knows_is_said_and_the_rest_is_said_to_be_untold() -> None:
    assert told(asking()) == {
        "Where": "/projects/digest",
        "Network": "not told by the agent",
        "Writes": "not told by the agent",
    }
    assert told(asking(cwd=None))["Where"] == "not told by the agent"


def test_an_effect_that_it_announced_stands_beside_its_question() -> None:
    effects = (
        EffectView("1", EffectState.CONFIRMED, "mail", "ana", ""),
        EffectView("2", EffectState.INTENDED, "git_push", "origin main", ""),
    )
    assert told(asking(effects=effects))["Announced outside"] == "git_push origin main"


def test_foreign_text_is_harmless() -> None:
    assert told(asking(cwd="/a\u202eb"))["Where"] == "/a\\u202eb"


def test_a_question_of_the_workflow_itself_acts_nowhere() -> None:
    view = made.run_view(1, {})
    slot = replace(view.slots[0], approvals=(made.question(view.run_id, attempt_id=None),))
    (facts,) = asked_facts(slot).values()
    assert [fact.name for fact in facts] == ["Does"]


@pytest.mark.qt_loop
async def test_the_card_says_it_and_the_keyboard_goes_there_and_to_no_button() -> None:
    door = FakeDoor((made.loaded(),))
    view = asking()
    door.put(view)
    async with desk_over(door) as desk:
        window = desk.window
        await until(lambda: "1 live" in window.windowTitle())
        window.activateWindow()
        await until(window.isActiveWindow)
        window.watching.choose_slot(view.run_id, SlotId("repo"))
        await until(
            lambda: window.inspector.questions.cards and not window.inspector.questions.cards[0].is_quiet
        )
        (card,) = window.inspector.questions.cards
        names = [part.accessibleName() for part in card.findChildren(QLabel)]
        assert "Network: not told by the agent" in names
        assert "Where: /projects/digest" in names
        window.view.setFocus(Qt.FocusReason.OtherFocusReason)
        window.actions_["go_answer"].trigger()
        assert card.isAncestorOf(window.focusWidget())
        assert window.focusWidget() not in card.option_buttons
        door.put(replace(view, slots=tuple(replace(s, approvals=()) for s in view.slots)))
        await until(lambda: not window.actions_["go_answer"].isEnabled())
