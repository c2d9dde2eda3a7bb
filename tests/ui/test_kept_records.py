"""Discard and its undo, and what the window says of its store: read-only, files that cannot be read, how much is kept."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel

from quarterdeck.domain.join import summary
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import Phase
from quarterdeck.engine.keeping import UnknownEffect, Unreadable
from quarterdeck.ui import kept_records
from quarterdeck.ui.recovery.discard_dialog import DiscardDialog
from quarterdeck.ui.recovery.discarded_dialog import DiscardedDialog
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_recovery_dialog import named, prompted, words

PUSH = UnknownEffect("repo", "a-2", "push-1", "git push", "origin digest")


@asynccontextmanager
async def past_desk(door: FakeDoor | None = None) -> AsyncIterator[tuple[Desk, FakeDoor]]:
    """A window with one run that ended well, which is looked at."""
    door = door or FakeDoor((made.loaded(),))
    view = made.ended(made.run_view(1, {}, run_id=left.FIRST))
    door.put(view)
    async with desk_over(door) as desk:
        desk.window.watching.choose_run(left.FIRST)
        await until(lambda: desk.window.actions_["discard_run"].isEnabled())
        yield desk, door


async def discard_dialog(desk: Desk) -> DiscardDialog:
    await until(lambda: isinstance(desk.dialog(), DiscardDialog), "the question")
    dialog = desk.dialog()
    assert isinstance(dialog, DiscardDialog)
    return dialog


@pytest.mark.qt_loop
async def test_discard_says_what_is_not_known_first_then_what_goes_and_what_stays() -> None:
    """REC13."""
    async with past_desk() as (desk, door):
        door.keeping.effects = (PUSH,)
        desk.window.actions_["discard_run"].trigger()
        dialog = await discard_dialog(desk)
        told = [part.text().replace("\u200b", "") for part in dialog.findChildren(QLabel)]
        whole = "\n".join(told)
        assert whole.index("repo#push-1") < whole.index("Deletes transcripts and details of 1 run.")
        assert (
            "Totals (turns, time, $3.21) stay in Timeline. Files your agents wrote are not touched." in whole
        )
        assert "For 7 days" in whole
        assert dialog.cancel.isDefault()
        dialog.reject()
        await asyncio.sleep(0.1)
        assert left.FIRST in door.views


@pytest.mark.qt_loop
async def test_a_discarded_run_comes_back_by_the_notice_or_from_the_list() -> None:
    """REC13: undo for a stated time."""
    async with past_desk() as (desk, door):
        w = desk.window
        w.actions_["discard_run"].trigger()
        (await discard_dialog(desk)).discard.click()
        await until(lambda: w.discarded.isVisible())
        assert left.FIRST not in door.views
        assert "1 run was discarded. It can be brought back until" in w.discarded.words
        w.discarded.act.click()
        await until(lambda: left.FIRST in door.views, "the run")
        assert not w.discarded.isVisible()
        door.put(door.views[left.FIRST])
        w.watching.choose_run(left.FIRST)
        await until(lambda: w.actions_["discard_run"].isEnabled())
        w.actions_["discard_run"].trigger()
        (await discard_dialog(desk)).discard.click()
        await until(lambda: left.FIRST not in door.views)
        w.actions_["discarded_runs"].trigger()
        await until(lambda: isinstance(desk.dialog(), DiscardedDialog))
        listed = desk.dialog()
        assert isinstance(listed, DiscardedDialog)
        await until(lambda: listed.buttons)
        assert "Ship weekly digest" in words(listed)
        listed.buttons[left.FIRST].click()
        await until(lambda: left.FIRST in door.views)
        await until(lambda: "No run was discarded" in words(listed))


@pytest.mark.qt_loop
async def test_no_undo_is_offered_any_more_for_a_run_that_was_brought_back_elsewhere() -> None:
    """Its notice and its action go; and where nothing is kept, that there was something is not forgotten."""
    async with past_desk() as (desk, door):
        w = desk.window
        view = door.views[left.FIRST]
        door.closed_runs = (replace(summary(view), phase=Phase.CLOSED),)
        w.actions_["discard_run"].trigger()
        (await discard_dialog(desk)).discard.click()
        await until(lambda: w.discarded.isVisible() and w.actions_["undo_discard"].isEnabled())
        door.tell(left.FIRST)
        await until(lambda: w.runs.empty.text().startswith("No run is kept."), "what the list says")
        door.keeping.aside.clear()
        door.put(view)
        await until(lambda: not w.discarded.isVisible(), "the notice is gone")
        assert not w.actions_["undo_discard"].isEnabled()


@pytest.mark.qt_loop
async def test_a_refused_discard_changes_nothing_and_says_why() -> None:
    """REC13: refused while a process lives."""
    async with past_desk() as (desk, door):
        door.keeping.refusal = Refusal(
            Code.E_SURVIVOR, "An agent of this run may still be alive; end its processes first."
        )
        desk.window.actions_["discard_run"].trigger()
        (await discard_dialog(desk)).discard.click()
        await until(lambda: "may still be alive" in desk.window.notice.words)
        assert left.FIRST in door.views
        assert not desk.window.discarded.isVisible()


@pytest.mark.qt_loop
async def test_the_prompt_discards_what_it_shows_and_closes_when_nothing_is_left() -> None:
    door = left.door_over(left.owed_two())
    async with prompted(door) as (desk, prompt):
        prompt.discard.click()
        await until(lambda: prompt.findChildren(DiscardDialog), "the question")
        dialog = prompt.findChildren(DiscardDialog)[0]
        assert "Discard the records of 2 runs?" in words(dialog)
        named(dialog, "Discard 2 records").click()
        await until(lambda: desk.window.after_crash.dialog is None)
        assert set(door.keeping.aside) == {left.FIRST, left.SECOND}
        assert not [c for c in door.recovery.commands if c[0] == "keep"]


@pytest.mark.qt_loop
async def test_a_live_run_cannot_be_discarded() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"planner": "Running"}))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.watching._known.runs)
        assert not desk.window.actions_["discard_run"].isEnabled()


@pytest.mark.qt_loop
async def test_a_store_that_is_only_read_says_so_for_as_long_as_it_is() -> None:
    """JNL9."""
    door = FakeDoor((made.loaded(),))
    door.keeping.read_only = "/data was written by a newer Quarterdeck (format 9, this version knows 1). Update Quarterdeck to open it; nothing was changed."
    async with desk_over(door) as desk:
        await until(lambda: desk.window.read_only.isVisible())
        assert "written by a newer Quarterdeck" in desk.window.read_only.words


@pytest.mark.qt_loop
async def test_what_cannot_be_read_stands_among_the_problems_and_shows_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """STO8: one bad file is named and hides nothing."""
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    door = FakeDoor((made.loaded(),))
    door.keeping.damaged = (
        Unreadable(Path("/data/runs/r-dead"), "its journal has no readable header", "r-dead"),
        Unreadable(
            Path("/data/damaged/index.jsonl"), "it could not be read and was set aside; nothing uses it"
        ),
    )
    async with past_desk(door) as (desk, _):
        problems = desk.window.bottom.problems
        await until(lambda: len(problems.model.rows) == 2)
        assert [(r.where, r.words) for r in problems.model.rows] == [
            ("run r-dead", "Cannot be read: its journal has no readable header"),
            ("index.jsonl", "Cannot be read: it could not be read and was set aside; nothing uses it"),
        ]
        for place in range(2):
            problems._on_activated(problems.model.index(place, 0, QModelIndex()))
    assert opened == ["/data/runs/r-dead", "/data/damaged"]


@pytest.mark.qt_loop
async def test_what_is_kept_is_measured_again_when_a_run_has_ended() -> None:
    """Its number stays, its files have grown: the foot never stays at what it was at the launch."""
    door = FakeDoor((made.loaded(),))
    door.keeping.size_bytes = 295_000
    door.put(made.run_view())
    async with desk_over(door) as desk:
        foot = desk.window.runs.kept
        await until(lambda: foot.text() == "Kept on this computer only: 1 run, 295 kB")
        door.keeping.size_bytes = 441_000
        door.put(made.ended(made.run_view()))
        await until(lambda: foot.text() == "Kept on this computer only: 1 run, 441 kB")


@pytest.mark.qt_loop
async def test_what_is_kept_grows_in_the_foot_while_a_run_is_live(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its transcript grows; nothing is measured any more once nothing is live."""
    monkeypatch.setattr(kept_records, "MEASURED_LIVE_MS", 20)
    door = FakeDoor((made.loaded(),))
    door.keeping.size_bytes = 295_000
    door.put(made.run_view())
    async with desk_over(door) as desk:
        foot, growing = desk.window.runs.kept, desk.window.kept_records._growing
        await until(lambda: foot.text() == "Kept on this computer only: 1 run, 295 kB")
        door.keeping.size_bytes = 441_000
        await until(lambda: foot.text() == "Kept on this computer only: 1 run, 441 kB")
        door.put(made.ended(made.run_view()))
        await until(lambda: not growing.isActive(), "the end of it")


@pytest.mark.qt_loop
async def test_the_foot_says_how_much_is_kept_and_the_engine_which_runs_are_seen() -> None:
    """Ruling 16: an open view is not evicted."""
    async with past_desk() as (desk, door):
        await until(lambda: desk.window.runs.kept.text() == "Kept on this computer only: 1 run, 41.0 MB")
        await until(lambda: door.keeping.looked_at == {left.FIRST})
