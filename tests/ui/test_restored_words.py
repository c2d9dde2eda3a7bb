"""Restored things are records: no view of them says that something goes on, nothing turns, nothing can be stopped (REC6, REC11)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QWidget

from quarterdeck.domain.ids import SlotId
from quarterdeck.ui.tokens import LIGHT, Family
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import Desk, desk_over, has_colour, until
from tests.ui.seen_texts import seen
from tests.ui.test_recovery_dialog import prompted
from tests.ui.test_translation import accessible_nodes

GOES_ON = re.compile(r"\b(running|continues|resuming)\b", re.IGNORECASE)


def said(part: QWidget) -> dict[str, str]:
    """{where: text} of everything below a part, its menus aside: they name commands, not what is."""
    return {where: text for where, text in seen(part) if not where.startswith(("action ", "QMenu"))}


def lies(texts: dict[str, str]) -> dict[str, str]:
    return {where: text for where, text in texts.items() if GOES_ON.search(text)}


async def looked_through(desk: Desk) -> dict[str, str]:
    """Every view of the restored runs, one after the other."""
    w, found = desk.window, {}
    for run, slots in ((left.FIRST, ("web", "repo", None)), (left.SECOND, ("planner", None))):
        w.watching.choose_run(run)
        for slot in slots:
            w.watching.choose_slot(run, SlotId(slot) if slot else None)  # type: ignore[arg-type]
            for tab in range(w.inspector.tabs.count()):
                w.inspector.tabs.setCurrentIndex(tab)
                await asyncio.sleep(0.03)
                found |= lies(said(w))
        for tab in range(w.bottom.tabs.count()):
            w.bottom.tabs.setCurrentIndex(tab)
            await asyncio.sleep(0.05)
            found |= lies(said(w))
        found |= {node: node for node in accessible_nodes(w.view) if GOES_ON.search(node)}
    w.actions_["go_timeline"].trigger()
    await asyncio.sleep(0.1)
    return found | lies(said(w))


@pytest.mark.qt_loop
async def test_no_word_of_a_restored_view_says_that_it_goes_on() -> None:
    """REC11, with the prompt open and after it."""
    async with prompted(left.door_over(left.owed_two())) as (desk, dialog):
        assert lies(said(dialog)) == {}
        for card in dialog.cards.values():
            card.more.setChecked(True)
            for row in card.rows:
                row.look.click()
        await asyncio.sleep(0.2)
        assert lies(said(dialog)) == {}
        dialog.put_away()
        assert await looked_through(desk) == {}


@pytest.mark.qt_loop
async def test_the_lint_sees_a_word_that_lies() -> None:
    """Its own oracle: the same views of a live run are full of it."""
    door = left.door_over(left.owed_two())
    view = door.views[left.FIRST]
    live = made.run_view(9, {"web": "Running"}, run_id=left.FIRST)
    door.put(replace(live, unanswered=view.unanswered))
    async with desk_over(door) as desk:
        assert await looked_through(desk)


@pytest.mark.qt_loop
async def test_restored_agents_look_finished_and_nothing_of_them_can_be_stopped() -> None:
    """REC6, REC12: frozen, purple and hatched, with the unplug icon; not counted as live."""
    door = left.door_over(left.owed_two())
    async with desk_over(door) as desk:
        w = desk.window
        await until(lambda: w.after_crash.dialog is not None)
        w.after_crash.close()
        w.watching.choose_run(left.FIRST)
        w.watching.choose_slot(left.FIRST, SlotId("web"))
        await until(lambda: w.inspector.resume.isVisible())
        facts = w.conduct._shown.facts
        assert facts.live == ()
        assert not w.top.stop.isEnabled()
        assert not w.inspector.stop.isVisible()
        assert not w.watching._tick.isActive()
        rows = [row for face in facts.faces for row in face.rows]
        assert {row.badge.icon for row in rows} == {"unplug", "circle-dashed"}
        assert not any(row.badge.is_turning for row in rows)
        w.view.zoom_full()
        await asyncio.sleep(0.2)
        assert has_colour(desk.picture(), LIGHT.tones[Family.INTERRUPTED].tint)
        before = desk.shown()
        desk.clock.seconds += 3600
        w.watching.refresh()
        assert desk.shown() == before
