"""Several workflows and several runs at once: which one runs is said, and nothing of one reaches another (cases 1–11)."""

from __future__ import annotations

import functools
import random
from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.ids import NodeId
from quarterdeck.domain.states import Outcome
from quarterdeck.domain.views import RunView
from quarterdeck.domain.workflow import Node, Workflow
from quarterdeck.engine.door import LaunchRequest
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.engine.reading import workflows_of
from quarterdeck.ui.dialogs.run_dialog import RunDialog
from quarterdeck.ui.present import Known
from quarterdeck.ui.tokens import LIGHT, Family
from tests.e2e.seen import marked
from tests.engine.works import python, shell, write
from tests.ui import made
from tests.ui.desk import Desk, desk_over, has_colour, until
from tests.ui.fake_door import FakeDoor
from tests.ui.real_desk import real_desk

pytestmark = pytest.mark.qt_loop

ORIGINAL = made.loaded(made.workflow("Digest", workflow_id="w-1"), "/folder/a.workflow.json")
COPY = made.loaded(made.workflow("Digest", workflow_id="w-2"), "/folder/b.workflow.json")
OTHER = made.loaded(made.workflow("Nightly", workflow_id="w-3"), "/folder/c.workflow.json")


def is_lit(desk: Desk) -> bool:
    """Whether anything of the shown workflow says that it runs: by words, by pixels, or by what can be done."""
    shown = desk.shown()
    words = (shown["title"], shown["badge"], shown["badge_name"], shown["canvas"])
    return (
        any("running" in w.lower() for w in words)
        or shown["live"] != "0 live"
        or shown["stop"] == "True"
        or has_colour(desk.picture(), LIGHT.tones[Family.RUNNING].border)
    )


async def test_a_copy_of_a_workflow_stays_dark_while_the_original_runs() -> None:
    """Case 1: same name, same node ids, another file; only the owner lights, and the copy says that something runs."""
    door = FakeDoor((ORIGINAL, COPY))
    door.put(made.run_view(1, {"web": "Running"}, ORIGINAL.workflow))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        assert is_lit(desk)
        for _ in range(3):
            desk.window.watching.choose_file(COPY.path)
            assert not is_lit(desk)
            assert desk.window.top.elsewhere.text() == "+1 live in other workflows"
            desk.window.watching.choose_file(ORIGINAL.path)
            assert is_lit(desk)
        desk.window.watching.choose_file(COPY.path)
        door.put(made.run_view(1, {"web": "Done", "drafter": "Running"}, ORIGINAL.workflow))
        await until(lambda: desk.window.watching._known.views[next(iter(door.views))].slots[3].attempts)
        assert not is_lit(desk)


def test_files_that_share_one_id_say_so(tmp_path: Path) -> None:
    """Case 1: a copied file keeps its id, so that a run of one lights both; each names the other, all else is kept."""
    path = write(tmp_path, {"a": shell("true")})
    (tmp_path / "copy.workflow.json").write_bytes(path.read_bytes())
    copy, original = workflows_of(tmp_path)
    assert isinstance(copy, LoadedWorkflow)
    assert isinstance(original, LoadedWorkflow)
    (warned,) = copy.warnings
    assert (warned.place, warned.warning) == ("$.id", True)
    assert "work.workflow.json" in warned.message
    assert "copy.workflow.json" in original.warnings[0].message
    (tmp_path / "copy.workflow.json").unlink()
    (alone,) = workflows_of(tmp_path)
    assert isinstance(alone, LoadedWorkflow)
    assert alone.warnings == ()


async def test_the_list_names_every_live_run_with_its_workflow_whichever_is_shown() -> None:
    """Case 2."""
    door = FakeDoor((ORIGINAL, COPY, OTHER))
    door.put(
        made.run_view(1, {"web": "Running"}, COPY.workflow),
        made.run_view(2, {"web": "Paused"}, OTHER.workflow),
        made.ended(made.run_view(3, {"web": "Done"}, ORIGINAL.workflow)),
    )
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.elsewhere.text() == "+2 live in other workflows")
        for file, here in ((ORIGINAL, 0), (COPY, 1), (OTHER, 1)):
            desk.window.watching.choose_file(file.path)
            rows = desk.window.runs.model.rows
            live = [row for row in rows if row.run_id and row.is_live]
            assert [row.heading for row in rows if not row.run_id] == ["Live · 2", "Earlier · 1"]
            assert {(row.workflow_name, row.badge.word) for row in live if row.badge} == {
                ("Digest", "Running"),
                ("Nightly", "Paused"),
            }
            assert sum("Digest ·" in r.spoken or "Nightly ·" in r.spoken for r in live) == 2 - here
            assert desk.shown()["live"] == f"{here} live"
            assert desk.window.top.elsewhere.text() == f"+{2 - here} live in other workflows"


async def test_the_workflow_that_was_shown_at_the_click_is_launched_whatever_is_chosen_meanwhile() -> None:
    """Case 4: path and exact bytes are bound when the dialog opens, not when it is accepted."""
    plain = replace(ORIGINAL, workflow=replace(ORIGINAL.workflow, inputs=()))
    door = FakeDoor((plain, COPY))
    door.launched = made.run_view(7, {"web": "Starting"}, plain.workflow)
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.run.isEnabled())
        desk.window.actions_["run"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, RunDialog)
        await until(dialog.start.isEnabled)
        desk.window.watching.choose_file(COPY.path)
        dialog.start.click()
        await until(lambda: door.launches)
        assert [(r.path, r.content) for r in door.launches] == [(plain.path, b"{}")]
        await until(lambda: desk.window.top.elsewhere.text() == "+1 live in other workflows")
        assert not is_lit(desk), "the workflow that is looked at now was not launched"


@pytest.mark.parametrize("first", [1, 2])
async def test_a_second_run_never_overwrites_the_first_runs_nodes(first: int) -> None:
    """Case 5: states are keyed by run and node; whichever ends first, the other's node stays and none runs for ever."""
    door = FakeDoor((ORIGINAL,))
    runs = {n: made.run_view(n, {"web": "Running"}, ORIGINAL.workflow) for n in (1, 2)}
    door.put(*runs.values())

    def web() -> dict[str, str]:
        item = desk.window.view.canvas.nodes[NodeId("web")]
        return {str(row.run_id): row.badge.word for row in item.face.rows}

    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        done = made.run_view(first, {"web": "Done"}, ORIGINAL.workflow)
        other = runs[3 - first]
        door.put(done)
        await until(lambda: web() == {done.run_id: "Done", other.run_id: "Running"})
        door.put(made.ended(done))
        await until(lambda: web() == {other.run_id: "Running"})
        door.put(
            made.ended(made.run_view(3 - first, {"web": "Failed"}, ORIGINAL.workflow), Outcome.FAILED, 90, 9)
        )
        await until(lambda: web() == {other.run_id: "Failed"})
        assert not is_lit(desk)


STILL_WRITES = """
say('progress', done=8, total=8, label='complete')
say('output', value='finished')
while not os.path.exists({gate!r}):
    say('text', text='one more line'); time.sleep(0.02)
"""


async def test_an_agent_that_says_complete_and_still_writes_is_running_until_it_ends(tmp_path: Path) -> None:
    """Case 8: neither its progress of 8 of 8 nor its result ends it; after the end its transcript grows no more."""
    gate = tmp_path / "gate"
    path = write(tmp_path / "ws", {"a": python(STILL_WRITES.format(gate=str(gate)))})
    async with real_desk(tmp_path / "data", path) as (desk, engine, _):
        desk.link.launch(LaunchRequest(path))
        await until(lambda: "1 live" in desk.window.windowTitle())
        (run,) = engine.runs()

        def attempt() -> tuple[float, int]:
            view = engine.live_run(run.run_id)
            assert view is not None
            (last,) = view.slots[0].attempts[-1:] or (made.attempt(),)
            return (last.progress or (0.0,))[0], last.last_output_at_ms or 0

        def has_printed_since(before: int) -> bool:
            return attempt()[1] > before

        await until(lambda: attempt()[0] == 8.0)
        for _ in range(3):
            await until(functools.partial(has_printed_since, attempt()[1]))
            assert is_lit(desk)
            assert desk.window.agents.model.rows[0].badge.word == "Running"
        gate.touch()
        await until(lambda: "none live" in desk.window.windowTitle())
        assert desk.window.agents.model.rows[0].badge.word == "Done"
        (transcript,) = (tmp_path / "data").glob("runs/*/attempts/*/transcript")
        size = transcript.stat().st_size
        assert not marked(str(tmp_path).encode() + b"/"), "nobody is left who could write"
        assert transcript.stat().st_size == size


async def test_what_an_agent_left_in_the_background_keeps_nothing_busy_and_writes_nothing_after_the_end(
    tmp_path: Path,
) -> None:
    """Cases 8 and 10: shells in the background are no activity; the leader's end is the end, and takes them along."""
    left = "for i in 1 2 3; do (while :; do echo still here; sleep 0.02; done) & done; sleep 0.3; exit 0"
    path = write(tmp_path / "ws", {"a": shell(left)})
    async with real_desk(tmp_path / "data", path) as (desk, _, _):
        desk.link.launch(LaunchRequest(path))
        await until(lambda: "1 live" in desk.window.windowTitle())
        await until(lambda: "none live" in desk.window.windowTitle())
        assert "Done" in desk.window.windowTitle()
        assert desk.window.foot.processes.text() == "0 agents alive"
        assert not is_lit(desk)
        (transcript,) = (tmp_path / "data").glob("runs/*/attempts/*/transcript")
        size = transcript.stat().st_size
        assert size > 0
        assert not marked(str(tmp_path).encode() + b"/")
        assert transcript.stat().st_size == size


TWINS = 6
WORDS = ("Waiting", "Running", "Paused", "Needs you", "Done", "Failed")


def twins() -> Workflow:
    """Siblings that only their ids tell apart: one title, one agent, one column."""
    nodes = tuple(
        Node(NodeId(f"t{i}"), "Researcher", agent="check", position=(0, 190 * i)) for i in range(TWINS)
    )
    return replace(made.workflow(), nodes=nodes, edges=())


async def test_siblings_of_one_name_never_swap_their_dots() -> None:
    """Case 11, a soak of three days: at each of 400 steps every dot is that of its own slot, and who is done stays done."""
    flow, chance = twins(), random.Random(11)
    shown: dict[tuple[int, str], str] = {(run, n.id): "Waiting" for run in (1, 2) for n in flow.nodes}

    def views() -> tuple[RunView, ...]:
        return tuple(made.run_view(run, {n.id: shown[run, n.id] for n in flow.nodes}, flow) for run in (1, 2))

    door = FakeDoor((made.loaded(flow),))
    door.put(*views())
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        for _ in range(400):
            desk.clock.seconds += chance.choice((1, 60, 1300))
            for key in chance.sample(list(shown), chance.randint(0, 3)):
                shown[key] = shown[key] if shown[key] == "Done" else chance.choice(WORDS)
            now = views()
            runs = tuple(made.summary(v) for v in reversed(now))
            desk.link.runs_changed.emit(Known(runs, {v.run_id: v for v in now}))
            number = {v.run_id: n for n, v in enumerate(now, 1)}
            said = {(number[r.key[0]], str(r.key[1])): r.badge.word for r in desk.window.agents.model.rows}
            assert said == shown
            drawn = {
                (number[row.run_id], str(node)): row.badge.word
                for node, item in desk.window.view.canvas.nodes.items()
                for row in item.face.rows
            }
            assert drawn == shown
        assert desk.clock.seconds > 2 * 86_400
