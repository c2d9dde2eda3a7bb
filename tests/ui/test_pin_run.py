"""*Pin run* and *Unpin run*: at the row, in its menu, by the registry; what is refused is said, and Discard says what it takes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.pinned_runs import unpin_run
from quarterdeck.ui.memo import Memo
from quarterdeck.ui.palette.entries import action_entries
from quarterdeck.ui.present import Known, Looking, WindowFacts, present
from quarterdeck.ui.recovery.discard_dialog import DiscardDialog, Going, pinned_words
from quarterdeck.ui.runs_dock import RunsModel
from tests.engine.kept import end_run, open_with_list
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk
from tests.ui.test_context_menus import ask_at, ids, menu_of

OLD = made.ended(made.run_view(1))
NEWER = made.ended(made.run_view(2))
LIVE = made.run_view(3, {"planner": "Running"})
FLOW = made.workflow()


def facts(*pinned: RunId, memo: Memo | None = None) -> WindowFacts:
    views = (LIVE, NEWER, OLD)
    known = Known(tuple(map(made.summary, views)), {LIVE.run_id: LIVE}, (), {}, frozenset(pinned))
    return present(known, Looking(FLOW), made.at(900), UTC, memo)


def rows(told: WindowFacts) -> list[str]:
    return [row.heading or str(row.run_id) for row in told.run_rows]


@asynccontextmanager
async def past_desk() -> AsyncIterator[tuple[Desk, FakeDoor]]:
    """A window with two runs that have ended; the older one is looked at."""
    door = FakeDoor((made.loaded(),))
    door.put(OLD, NEWER)
    async with desk_over(door) as desk:
        await choose(desk, OLD.run_id)
        yield desk, door
        if (menu := desk.window.context_menus.menu) is not None:
            menu.close()


async def choose(desk: Desk, run: RunId) -> None:
    desk.window.watching.choose_run(run)
    await until(lambda: desk.window.conduct.shown is not None and desk.window.conduct.shown.run == run)


def can(desk: Desk) -> tuple[bool, bool]:
    return tuple(desk.window.actions_[name].isEnabled() for name in ("pin_run", "unpin_run"))  # type: ignore[return-value]


def spoken(desk: Desk, run: RunId) -> str:
    return next(row.spoken for row in desk.window.runs.model.rows if row.run_id == run)


def test_pinned_runs_that_ended_stand_before_the_earlier_ones_and_say_so() -> None:
    told = facts(OLD.run_id)
    assert rows(told) == ["Live", LIVE.run_id, "Pinned", OLD.run_id, "Earlier", NEWER.run_id]
    row = told.run_rows[3]
    assert row.is_pinned
    assert row.spoken.endswith(", pinned")
    assert "Pinned" in RunsModel().cell(row, 0, Qt.ItemDataRole.ToolTipRole)
    assert rows(facts(OLD.run_id, NEWER.run_id))[2:] == ["Pinned", NEWER.run_id, OLD.run_id]
    assert rows(facts()) == ["Live", LIVE.run_id, "Earlier", NEWER.run_id, OLD.run_id]


def test_a_live_run_stays_among_the_live_ones_and_says_that_it_is_pinned() -> None:
    told = facts(LIVE.run_id)
    assert rows(told)[:3] == ["Live", LIVE.run_id, "Earlier"]
    assert told.run_rows[1].spoken.endswith(", pinned")


def test_what_is_kept_of_the_list_is_what_would_be_made_anew() -> None:
    memo = Memo()
    for pinned in ((), (OLD.run_id,), (OLD.run_id, LIVE.run_id), (NEWER.run_id,), ()):
        assert facts(*pinned, memo=memo).run_rows == facts(*pinned).run_rows
        memo.forget_unused()


def test_a_run_that_left_the_list_leaves_no_section_of_its_pin() -> None:
    assert "Pinned" not in rows(facts(RunId("r-gone")))


@pytest.mark.qt_loop
async def test_the_action_follows_the_run_looked_at_and_the_row_shows_it() -> None:
    async with past_desk() as (desk, door):
        assert can(desk) == (True, False)
        desk.window.actions_["pin_run"].trigger()
        await until(lambda: can(desk) == (False, True), "the pin")
        assert door.keeping.pins == {OLD.run_id}
        assert [row.heading for row in desk.window.runs.model.rows if row.run_id is None] == [
            "Pinned · 1",
            "Earlier · 1",
        ]
        assert spoken(desk, OLD.run_id).endswith(", pinned")
        await choose(desk, NEWER.run_id)
        await until(lambda: can(desk) == (True, False))
        await choose(desk, OLD.run_id)
        await until(lambda: can(desk) == (False, True))
        desk.window.actions_["unpin_run"].trigger()
        await until(lambda: can(desk) == (True, False), "the unpin")
        assert door.keeping.pins == set()
        assert not spoken(desk, OLD.run_id).endswith(", pinned")
        assert not desk.window.notice.isVisible()


@pytest.mark.qt_loop
async def test_the_menu_of_a_row_the_menu_of_the_list_and_the_palette_have_the_one_that_applies() -> None:
    async with past_desk() as (desk, door):
        table = desk.window.runs.table
        place = desk.window.runs.model.row_of_key(NEWER.run_id)
        at: QPoint = table.visualRect(desk.window.runs.model.index(place, 0)).center()
        ask_at(table.viewport(), at)
        menu = menu_of(desk)
        assert "pin_run" in ids(menu)
        assert "unpin_run" not in ids(menu)
        next(action for action in menu.actions() if action.objectName() == "pin_run").trigger()
        await until(lambda: door.keeping.pins == {NEWER.run_id})
        menu.close()
        await until(lambda: can(desk) == (False, True))
        actions = desk.window.actions_
        entries = action_entries(lambda name: actions[name].isEnabled(), actions.key_text, lambda _: "")
        assert {(entry.title, entry.can) for entry in entries if "pin run" in entry.title.lower()} == {
            ("Pin run", False),
            ("Unpin run", True),
        }
        listed = [action.objectName() for action in desk.window.runs.head.more.menu().actions()]
        assert {"pin_run", "unpin_run"} <= set(listed)


@pytest.mark.qt_loop
@pytest.mark.parametrize("name", ["pin_run", "unpin_run"])
async def test_what_is_refused_is_said_with_its_reason(name: str) -> None:
    """JNL8, JNL9."""
    async with past_desk() as (desk, door):
        if name == "unpin_run":
            door.keeping.pins.add(OLD.run_id)
            door.put(OLD)
            await until(lambda: can(desk) == (False, True))
        before = set(door.keeping.pins)
        door.keeping.pin_refusal = Refusal(Code.E_STORE, "The store cannot be written: the disk is full")
        desk.window.actions_[name].trigger()
        await until(lambda: desk.window.notice.isVisible(), "the notice")
        told = " ".join(part.text() for part in desk.window.notice.findChildren(QLabel))
        assert f"was not {name.removesuffix('_run')}ned" in told
        assert "the disk is full" in told
        assert door.keeping.pins == before


@pytest.mark.qt_loop
async def test_discard_of_a_pinned_run_says_that_the_pin_does_not_hold_it() -> None:
    async with past_desk() as (desk, door):
        door.keeping.pins.add(OLD.run_id)
        door.put(OLD)
        await until(lambda: can(desk) == (False, True))
        desk.window.actions_["discard_run"].trigger()
        await until(lambda: isinstance(desk.dialog(), DiscardDialog), "the question")
        dialog = desk.dialog()
        assert isinstance(dialog, DiscardDialog)
        told = [part.text() for part in dialog.findChildren(QLabel)]
        assert any("You pinned this run." in words for words in told)
        dialog.discard.click()
        await until(lambda: OLD.run_id in door.keeping.aside)
        await asyncio.sleep(0)


def test_of_several_runs_it_is_said_how_many_are_pinned() -> None:
    three = [Going(RunId(f"r-{n}"), "w", n < 2) for n in range(3)]
    assert pinned_words(three).startswith("You pinned 2 of these runs.")


@pytest.mark.qt_loop
async def test_over_a_real_store_the_pin_is_on_disk_and_what_another_process_does_is_seen(
    tmp_path: Path,
) -> None:
    """OWN1: window and terminal say one thing."""
    store = open_with_list(tmp_path / "data")
    run = end_run(store, 1)
    async with real_desk(tmp_path / "data", tmp_path / "none.workflow.json") as (desk, engine, _):
        await choose(desk, run)
        desk.window.actions_["pin_run"].trigger()
        await until(lambda: can(desk) == (False, True), "the pin")
        assert store.pinned.load() == engine.pinned() == {run}
        assert unpin_run(store, run, "the terminal") == run
        await until(lambda: can(desk) == (True, False), "the unpin of another process")
        assert not spoken(desk, run).endswith(", pinned")
    store.close()
