"""The program's own end: a close that was taken back is no end, and the next quit is."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from quarterdeck.bootstrap import _wait_closed
from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.link import Link
from tests.ui import made
from tests.ui.fake_door import FakeDoor


class Finishing(FakeDoor):
    """A close with time waits until it is taken back; one without time is a whole one."""

    def __init__(self) -> None:
        super().__init__((made.loaded(),))
        self.is_closed = False
        self._back = asyncio.Event()
        self.waits = asyncio.Event()

    async def close(self, *, reason: str = "app_closed", finish_within_s: float = 0.0) -> None:
        await super().close(reason=reason, finish_within_s=finish_within_s)
        if finish_within_s > 0:
            self.waits.set()
            await self._back.wait()
        else:
            self.is_closed = True

    def keep_open(self) -> bool:
        self._back.set()
        return super().keep_open()


@pytest.mark.qt_loop
async def test_the_program_goes_on_after_a_quit_that_was_taken_back_and_ends_with_the_next() -> None:
    """REC16."""
    door, link = Finishing(), Link()
    link.bind(door)
    keeping = asyncio.ensure_future(asyncio.sleep(0))
    opening = cast(Any, SimpleNamespace(engine=door))
    ending = asyncio.ensure_future(_wait_closed(link, opening, keeping, []))
    back: list[bool] = []
    link.quit_taken_back.connect(lambda: back.append(True))
    link.take_back_quit()
    assert back == [], "nothing was asked"
    link.quit(QuitAsked(Quit.FINISH, 60.0))
    await asyncio.wait_for(door.waits.wait(), 8)
    link.take_back_quit()
    assert back == [True]
    done, _ = await asyncio.wait([ending], timeout=0.2)
    assert not done
    link.quit(QuitAsked(Quit.STOP))
    await asyncio.wait_for(ending, 8)
    closes = [command for command in door.commands if command[0] == "close"]
    assert closes == [("close", "person", 60.0), ("close", "person", 0.0)]
    await link.stop()
