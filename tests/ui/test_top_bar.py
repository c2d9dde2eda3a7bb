"""The top bar shares out its room: the name of the workflow yields first."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop


@pytest.mark.parametrize("width", [1180, 1280])
async def test_a_long_name_is_cut_before_the_keys_of_the_search(width: int) -> None:
    flow = replace(made.workflow(), name="A workflow whose name goes on and on " * 4)
    door = FakeDoor((made.loaded(flow),))
    door.put(made.run_view(1, {"web": "Needs you"}, flow))
    async with desk_over(door) as desk:
        desk.window.resize(width, 800)
        await until(lambda: "1 live" in desk.window.windowTitle())
        top = desk.window.top
        await until(lambda: top.width() == width and top.picker.width() < top.picker.sizeHint().width())
        assert "Ctrl+K" in top.search.text()
        assert top.search.width() >= top.search.sizeHint().width()
        assert top.run.geometry().right() <= top.width()
