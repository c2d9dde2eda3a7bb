"""The window says what the views say, in every place at once (OWN1–OWN6, OWN8 in small, JNL8)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.errors import StoreUnusable
from quarterdeck.ui.asked import RequestFailed
from quarterdeck.ui.theme import Scheme
from quarterdeck.ui.tokens import DARK, LIGHT, Family
from tests.ui import made
from tests.ui.desk import desk_over, has_colour, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop


async def test_the_short_run_ends_and_no_sample_is_dark() -> None:
    """OWN8 in small: two runs, the newer one ends at once; canvas, badge, list, title and Stop stay with the survivor."""
    door = FakeDoor((made.loaded(),))
    long_run = made.run_view(1, {"planner": "Done", "web": "Running"})
    short_run = made.run_view(2, {"planner": "Running"}, start=1011)
    door.put(long_run, short_run)
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        running = LIGHT.tones[Family.RUNNING].text
        assert has_colour(desk.picture(), running)
        door.put(made.ended(short_run, Outcome.COMPLETED, 1024, 1))
        samples: list[dict[str, str]] = []
        await until(lambda: samples.append(desk.shown()) or "1 live" in desk.window.windowTitle())
        for shown in [*samples, desk.shown()]:
            assert "Running" in shown["title"]
            assert "Running" in shown["badge"]
            assert "running" in shown["canvas"]
            assert shown["stop"] == "True"
        assert desk.shown()["title"].endswith("Running, run A r-17f3, 1 live")
        assert desk.shown()["badge_name"].endswith("Running, run A r-17f3, 1 live")
        assert has_colour(desk.picture(), running)


async def test_the_last_end_shows_its_outcome_and_its_rows_as_past() -> None:
    """OWN5: the finished run is named with its launch time; its rows stay on the canvas, marked as past."""
    door = FakeDoor((made.loaded(),))
    view = made.run_view(1, {n.id: "Done" for n in made.workflow().nodes})
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        samples: list[str] = []
        door.put(made.ended(view))
        await until(
            lambda: (
                samples.append(desk.window.view.accessibleDescription())
                or "none live" in desk.window.windowTitle()
            )
        )
        assert "Done, run r-17f3 of" in desk.window.windowTitle()
        assert not desk.window.top.stop.isEnabled()
        assert "past run r-17f3 done" in desk.window.view.accessibleDescription()
        assert "Last run r-17f3 · Done" in desk.window.canvas_page.switcher._past.text()
        assert not any("not started" in s for s in samples), (
            "the canvas went blank between the end and the past view"
        )


async def test_the_other_runs_numbers_keep_moving_after_its_sibling_ended() -> None:
    """ID6: the survivor's cost label changes after the sibling's end."""
    door = FakeDoor((made.loaded(),))
    first, second = made.run_view(1, {"web": "Running"}), made.run_view(2, {"planner": "Running"})
    door.put(first, second)
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        door.put(made.ended(second, Outcome.FAILED, 30, 1))
        await until(lambda: "1 live" in desk.window.windowTitle())
        door.put(made.run_view(1, {"web": "Running"}, cost_usd=Decimal("7.77")))
        await until(lambda: "$7.77" in desk.shown()["list"])


async def test_all_places_agree_at_every_step_of_a_scripted_night() -> None:
    """OWN3: after every event, one number live and one state word, wherever they are said."""
    door = FakeDoor((made.loaded(),))
    flow = made.workflow()
    a, b, c = (made.run_view(n, {"planner": "Running"}, flow) for n in (1, 2, 3))
    steps = [
        (a, 1, "Running"),
        (b, 2, "Running"),
        (made.run_view(2, {"planner": "Paused"}, flow), 2, "Paused"),
        (c, 3, "Running"),
        (made.ended(c, Outcome.FAILED, 5, 1), 2, "Paused"),
        (made.run_view(1, {"planner": "Done", "web": "Needs you"}, flow), 2, "Paused"),
        (made.ended(b, Outcome.STOPPED, 6, 2), 1, "Needs you"),
        (made.ended(a, Outcome.INTERRUPTED, 7, 3), 0, "Stopped"),
    ]
    async with desk_over(door) as desk:
        for view, live, word in steps:
            door.put(view)
            said = f"{live} live" if live else "none live"
            await until(
                lambda said=said, word=word: (
                    said in desk.window.windowTitle() and word in desk.window.windowTitle()
                )
            )
            shown = desk.shown()
            assert word in shown["badge"]
            assert said in shown["badge_name"]
            assert shown["live"] == f"{live} live"
            assert shown["stop"] == str(live > 0)
            assert said in shown["canvas"]


@pytest.mark.parametrize(("scheme", "tokens"), [(Scheme.LIGHT, LIGHT), (Scheme.DARK, DARK)])
async def test_running_is_painted_in_the_running_colour(scheme: Scheme, tokens: object) -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door, scheme) as desk:
        colour = tokens.tones[Family.RUNNING].border  # type: ignore[attr-defined]
        await until(lambda: desk.window.middle.currentWidget() is desk.window.canvas_page)
        assert not has_colour(desk.picture(), colour)
        door.put(made.run_view(1, {"web": "Running"}))
        await until(lambda: "1 live" in desk.window.windowTitle())
        assert has_colour(desk.picture(), colour)


async def test_recording_that_stopped_is_said_above_the_canvas_and_in_the_status_bar() -> None:
    """JNL8."""
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"web": "Running"}, recording=False))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.not_recording.isVisible())
        assert desk.window.foot.recording.text() == "Recording stopped"
        door.put(made.run_view(1, {"web": "Running"}))
        await until(lambda: not desk.window.not_recording.isVisible())


async def test_a_past_run_takes_the_canvas_and_gives_it_back() -> None:
    door = FakeDoor((made.loaded(),))
    past = made.ended(
        made.run_view(1, {"planner": "Failed"}), Outcome.FAILED, 60, 1, reason="Planner, exit 1"
    )
    live = made.run_view(2, {"planner": "Running"})
    door.put(past, live)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_run(past.run_id)
        await until(lambda: "past run r-17f3 failed" in desk.window.view.accessibleDescription())
        assert "Running" in desk.window.windowTitle(), (
            "the status stays the projection, whatever is looked at"
        )
        desk.window.watching.choose_run(live.run_id)
        await until(lambda: "run A running" in desk.window.view.accessibleDescription())


async def test_the_run_to_which_the_canvas_was_narrowed_ends_and_the_canvas_shows_the_others() -> None:
    door = FakeDoor((made.loaded(),))
    a, b = made.run_view(1, {"web": "Running"}), made.run_view(2, {"planner": "Running"})
    door.put(a, b)
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        desk.window.watching.pick(b.run_id)
        await until(lambda: "run A" not in desk.window.view.accessibleDescription())
        door.put(made.ended(b))
        await until(lambda: "Web researcher, run A running" in desk.window.view.accessibleDescription())


class _DoorWithABadSector(FakeDoor):
    """A door over a disk on which the files of one past run cannot be read."""

    bad: RunId | None = None

    async def run(self, run: RunId) -> RunView | None:
        if run == self.bad:
            raise StoreUnusable(f"Run {run} cannot be read: Input/output error")
        return await super().run(run)

    def live_run(self, run: RunId) -> RunView | None:
        return None if run == self.bad else super().live_run(run)


async def test_a_past_run_that_cannot_be_read_is_told_once_and_ends_neither_window_nor_live_runs() -> None:
    """Cases 32 and 35: one unreadable file never hides the rest."""
    door = _DoorWithABadSector((made.loaded(),))
    past = made.ended(made.run_view(1, {n.id: "Done" for n in made.workflow().nodes}))
    live = made.run_view(2, {"planner": "Running"}, start=1011)
    door.put(past, live)
    door.bad = past.run_id
    async with desk_over(door) as desk:
        told: list[RequestFailed] = []
        desk.link.request_failed.connect(told.append)
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link.watch(made.workflow().id, [past.run_id])
        await until(lambda: bool(told))
        door.put(made.run_view(2, {"planner": "Done", "web": "Running"}, start=1011))
        await until(lambda: "web" in desk.shown()["canvas"].lower())
        assert [failed.what for failed in told] == [f"Reading run {past.run_id}"]
        assert "Running" in desk.window.windowTitle()
