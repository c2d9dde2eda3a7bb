"""What was allowed for the run is listed in the Overview, and a button takes it back by one command."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quarterdeck.domain.allowed import AllowedView
from quarterdeck.domain.ids import RequestId, SlotId
from quarterdeck.domain.views import RunView
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
REPO = SlotId("repo")


def allowing(*questions: str) -> RunView:
    view = made.run_view(1, {"repo": "Running"})
    allowed = tuple(
        AllowedView(RequestId(f"a-1:q{n}"), words, "Allow for this run", "ana", made.at(n), "ab" * 32)
        for n, words in enumerate(questions)
    )
    slots = tuple(replace(one, allowed=allowed) if one.slot_id == REPO else one for one in view.slots)
    return replace(view, slots=slots)


async def test_each_permission_is_listed_with_its_words_and_withdrawn_by_its_button() -> None:
    door = FakeDoor((made.loaded(),))
    view = allowing("git push origin", "rm -r build")
    door.put(view)
    async with desk_over(door) as desk:
        window, listed = desk.window, desk.window.inspector.overview.allowed
        await until(lambda: "1 live" in window.windowTitle())
        window.watching.choose_slot(view.run_id, REPO)
        await until(lambda: len(listed.buttons) == 2, "the list")
        assert [one.accessibleName() for one in listed.buttons] == [
            "Withdraw: git push origin",
            "Withdraw: rm -r build",
        ]
        listed.buttons[1].click()
        await until(lambda: ("withdraw_allowed", view.run_id, "a-1:q1") in door.commands, "the command")
        door.put(allowing("git push origin"))
        await until(lambda: len(listed.buttons) == 1, "what is left")
        door.put(allowing())
        await until(lambda: not listed.isVisible(), "nothing stands")
