"""What seems to run for ever, or seems stopped and is not, in the window (cases 14, 16, 17, 20, 22, 25)."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from quarterdeck.domain.ids import NodeId, SlotId
from quarterdeck.domain.states import AttemptStatus, LeaseStatus, Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.ui.dialogs.stop_dialog import StopDialog
from quarterdeck.ui.tray import tray_facts
from tests.engine.works import FOREVER, python, shell, write
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk, real_engine

pytestmark = pytest.mark.qt_loop


def facts_of(desk: Desk) -> dict[str, str]:
    """The inspector's facts by name."""
    shown = desk.window.conduct._shown
    assert shown is not None
    assert shown.agent is not None
    return {fact.name: fact.value for fact in shown.agent.facts}


def with_attempt(view: RunView, slot: str, **changes: object) -> RunView:
    """The run, its slot's last attempt changed."""
    return replace(
        view,
        slots=tuple(
            replace(s, attempts=(*s.attempts[:-1], replace(s.attempts[-1], **changes)))  # type: ignore[arg-type]
            if s.slot_id == slot
            else s
            for s in view.slots
        ),
    )


async def test_stop_is_offered_and_given_while_nothing_can_be_recorded() -> None:
    """Case 14."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"web": "Running"}, recording=False)
    door.put(run)
    async with desk_over(door) as desk:
        await until(lambda: desk.window.not_recording.isVisible())
        assert desk.window.top.stop.isEnabled()
        desk.window.actions_["stop"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, StopDialog)
        dialog.stop.click()
        await until(lambda: door.commands == [("stop_run", run.run_id)])


async def test_an_agent_from_which_nothing_comes_is_told_as_alive_and_silent_for_so_long() -> None:
    """Case 16: a turn without an end is no proof of work; it is still running, and can be stopped. New output ends it."""
    door = FakeDoor((made.loaded(),))
    run = with_attempt(made.run_view(1, {"web": "Running"}), "web", last_output_at_ms=made.at(0).boot_ms)
    door.put(run)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(run.run_id, SlotId("web"))
        for minutes in (1, 12, 61, 3 * 24 * 60):
            desk.clock.seconds = minutes * 60.0
            desk.window.watching.refresh()
            assert f"alive, no output for {minutes} min" in facts_of(desk)["Process"]
            face = desk.window.view.canvas.nodes[NodeId("web")].face
            row = next(r for r in desk.window.agents.model.rows if r.key[1] == "web")
            assert face.rows[0].badge.word == row.badge.word == f"Silent {minutes:,} min"
            assert not face.rows[0].badge.is_turning, "no spinner that means nothing"
            assert "running without output" in face.heard
            assert desk.window.inspector._chip.accessibleName().endswith(f"Silent {minutes:,} min")
            silent = f"Silent {minutes:,} min"
            assert desk.window.windowTitle().endswith(": Silent, run A r-17f3, 1 live"), (
                "in a title it does not tick"
            )
            (listed,) = (r for r in desk.window.runs.model.rows if r.badge is not None)
            assert (listed.badge.word, listed.badge.is_turning) == (silent, False)
            whole = desk.window.conduct._shown
            assert whole is not None
            assert whole.facts.badge.word == whole.facts.live[0].badge.word == silent
            assert silent in tray_facts(whole.facts).words
            assert desk.window.inspector.stop.isVisible()
        door.put(with_attempt(run, "web", last_output_at_ms=made.at(desk.clock.seconds - 1).boot_ms))
        await until(lambda: "no output" not in facts_of(desk)["Process"])
        assert desk.window.view.canvas.nodes[NodeId("web")].face.rows[0].badge.word == "Running"


async def test_a_stopped_slot_is_shown_as_stopped_and_offers_no_stop() -> None:
    """Case 17: nothing of the window brings it back, however often it is refreshed or looked at."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {"web": "Stopped", "repo": "Running"})
    door.put(run)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(run.run_id, SlotId("web"))
        for _ in range(20):
            desk.clock.seconds += 10
            desk.window.watching.refresh()
            row = next(r for r in desk.window.agents.model.rows if r.node_id == "web")
            assert row.badge.word == "Stopped"
            assert not desk.window.inspector.stop.isVisible()
            assert door.commands == []


async def test_a_run_whose_body_is_missing_is_not_live_and_hinders_no_other(tmp_path: Path) -> None:
    """Case 20: months ago, its data gone; nothing runs, nothing can be stopped, and the next run starts."""
    path = write(tmp_path / "ws", {"a": shell("true")})
    async with real_desk(tmp_path / "data", path) as (desk, engine, _):
        desk.link.launch(LaunchRequest(path))
        await until(lambda: "Done" in desk.window.windowTitle())
        (lost,) = engine.runs()
    folder = tmp_path / "data" / "runs" / lost.run_id
    for name in ("journal.jsonl", "record.json"):
        (folder / name).write_bytes(b"")
    async with real_desk(tmp_path / "data", path) as (desk, engine, _):
        await until(lambda: "Not started" in desk.window.windowTitle())
        assert not desk.window.top.stop.isEnabled()
        assert desk.shown()["live"] == "0 live"
        assert lost.run_id in engine.unreadable()
        desk.link.launch(LaunchRequest(path))
        await until(lambda: "Done" in desk.window.windowTitle())


async def test_late_facts_of_an_ended_run_change_no_state() -> None:
    """Case 22: a late heartbeat adds money and nothing else."""
    door = FakeDoor((made.loaded(),))
    run = made.run_view(1, {n.id: "Done" for n in made.workflow().nodes})
    done = made.ended(run)
    door.put(done)
    async with desk_over(door) as desk:
        await until(lambda: "none live" in desk.window.windowTitle())
        await until(lambda: "past run r-17f3 done" in desk.shown()["canvas"])
        before = desk.shown()
        late = with_attempt(done, "web", late=made.figures("0.40"), last_output_at_ms=made.at(9_000).boot_ms)
        door.put(replace(late, cost_usd=Decimal("4.21")))
        await until(lambda: "$4.21" in desk.shown()["list"])
        after = desk.shown()
        assert {k: v for k, v in after.items() if k != "list"} == {
            k: v for k, v in before.items() if k != "list"
        }
        assert {row.badge.word for row in desk.window.agents.model.rows} == {"Done"}


async def test_an_agent_out_of_contact_is_not_called_stopped() -> None:
    """Case 25: its shim is gone, its end is not proved; the run stays live and can be stopped."""
    door = FakeDoor((made.loaded(),))
    run = with_attempt(
        made.run_view(1, {"web": "Running"}),
        "web",
        status=AttemptStatus.LOST,
        lease=LeaseStatus.SUSPECT,
        lost_at=made.at(90),
    )
    slots = tuple(replace(s, display="Still alive") if s.slot_id == "web" else s for s in run.slots)
    door.put(replace(run, slots=slots))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(run.run_id, SlotId("web"))
        shown = desk.shown()
        assert "Stopped" not in "".join(shown.values())
        assert "Still alive" in {r.badge.word for r in desk.window.agents.model.rows}
        assert "contact lost" in facts_of(desk)["Process"]
        assert facts_of(desk)["Took"] == "at least 1m 30s"
        desk.clock.seconds += 500
        desk.window.watching.refresh()
        assert facts_of(desk)["Took"] == "at least 1m 30s", "its clock stands still (REC6)"
        assert next(r for r in desk.window.agents.model.rows if r.node_id == "web").elapsed == "≥ 1:30"
        assert desk.window.top.stop.isEnabled()


async def test_a_run_whose_owner_cannot_be_reached_goes_on_in_the_window(tmp_path: Path) -> None:
    """Case 25 for a run of another process: its socket is gone, its agent runs; the window says so, and why Stop failed."""
    path = write(tmp_path / "ws", {"a": python(FOREVER)})
    async with real_engine(tmp_path / "data") as owner, real_desk(tmp_path / "data", path) as (desk, _, _):
        run = await owner.launch(LaunchRequest(path))
        assert isinstance(run, str)
        await until(lambda: "Running" in desk.window.windowTitle())
        assert "another window" in desk.shown()["list"]
        owner._opened.session.socket_path.unlink()  # type: ignore[union-attr]
        desk.link.stop_run(run)
        await until(lambda: desk.window.notice.words)
        assert "Running" in desk.window.windowTitle()
        assert desk.window.top.stop.isEnabled()
        assert "Running" in desk.shown()["list"]
        await owner.stop_run(run)
        view = await owner.wait_ended(run)
        assert view.outcome is Outcome.STOPPED
        await until(lambda: "none live" in desk.window.windowTitle())
