"""Where workflows are listed, each says how it stands without being opened, by the values of the badge (OWN3, REC1, case 2)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.states import Outcome, Phase
from quarterdeck.domain.views import RunView
from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow, Problem
from quarterdeck.ui.palette.dialog import PaletteDialog
from quarterdeck.ui.palette.entries import Kind
from quarterdeck.ui.present import FileState, Known, Looking, WindowFacts, present
from quarterdeck.ui.workflow_picker import LISTED_ROLE
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

DIGEST, NIGHT, NEVER = made.workflow(), made.workflow("Night", 4, "w-2"), made.workflow("Never", 4, "w-3")
FILES = (
    made.loaded(DIGEST, "/folder/a.workflow.json"),
    made.loaded(NIGHT, "/folder/b.workflow.json"),
    made.loaded(NEVER, "/folder/c.workflow.json"),
)


def listed(desk: Desk) -> dict[str, str]:
    """Each entry of the picker as a screen reader gets it."""
    picker = desk.window.top.picker
    return {
        picker.itemText(n): picker.itemData(n, Qt.ItemDataRole.AccessibleTextRole)
        for n in range(picker.count())
    }


@pytest.mark.qt_loop
async def test_case_2_the_picker_and_the_search_say_how_each_workflow_stands_without_opening_it() -> None:
    """Case 2, OWN3: Digest is shown; Night is live twice and needs somebody in the newer run."""
    door = FakeDoor(FILES)
    runs = [made.run_view(1, {"n0": "Running"}, NIGHT), made.run_view(2, {"n0": "Needs you"}, NIGHT)]
    door.put(*runs, made.ended(made.run_view(3, {}, DIGEST), Outcome.FAILED))
    async with desk_over(door) as desk:
        await until(lambda: "Needs you" in listed(desk)["Night"])
        assert listed(desk) == {
            "Ship weekly digest": "Ship weekly digest, Failed",
            "Night": "Night, Needs you · 2 live",
            "Never": "Never, Not started",
        }
        assert desk.window.top.badge.text.startswith("Failed")
        status = desk.window.top.picker.itemData(1, LISTED_ROLE)
        assert (status.badge.icon, status.badge.family.value) == ("hand", "needs")
        desk.window.actions_["palette"].trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, PaletteDialog)
        dialog.field.setText("night")
        entry = next(row for row in dialog.model.rows if row.kind is Kind.WORKFLOW)
        assert (entry.detail, entry.icon) == ("Needs you · 2 live · b.workflow.json", "hand")
        dialog.reject()
        door.put(made.ended(runs[1]))
        await until(lambda: listed(desk)["Night"] == "Night, Running · 1 live")
        door.put(made.ended(runs[0], Outcome.STOPPED, end_seq=9))
        await until(lambda: listed(desk)["Night"] == "Night, Stopped")


@pytest.mark.qt_loop
async def test_a_file_that_breaks_keeps_its_status_in_the_list_and_its_errors_are_said() -> None:
    door = FakeDoor(FILES)
    door.put(made.run_view(1, {"n0": "Running"}, NIGHT))
    async with desk_over(door) as desk:
        await until(lambda: "Running" in listed(desk)["Night"])
        broken = BrokenWorkflow(Path("/folder/b.workflow.json"), (Problem("$", 3, "This is no JSON."),))
        door.files = (FILES[0], broken)
        desk.window.actions_["reload"].trigger()
        name = "b.workflow.json – does not load"
        await until(lambda: name in listed(desk))
        assert listed(desk)[name] == f"{name}, Running · 1 live"
        assert desk.window.top.badge.text.startswith("Not started")
        desk.window.watching.choose_file(broken.path)
        assert desk.window.top.stop.isEnabled()
        assert "Running" in desk.window.windowTitle()


@pytest.mark.qt_loop
async def test_the_list_opens_wide_enough_for_name_and_status() -> None:
    door = FakeDoor(FILES)
    door.put(made.run_view(1, {"n0": "Running"}, NIGHT))
    async with desk_over(door) as desk:
        await until(lambda: "Running" in listed(desk)["Night"])
        picker = desk.window.top.picker
        picker.showPopup()
        assert picker.view().minimumWidth() >= picker.width()
        assert picker.view().minimumWidth() > 200
        picker.hidePopup()


def facts_of(
    *views: RunView, shown: LoadedWorkflow = FILES[0], closed: tuple[RunView, ...] = ()
) -> WindowFacts:
    runs = tuple(sorted(map(made.summary, views), key=lambda r: -r.launch_seq))
    gone = tuple(replace(made.summary(v), phase=Phase.CLOSED, reason="discarded") for v in closed)
    known = Known(runs, {v.run_id: v for v in views}, gone)
    ids = tuple(file.workflow.id for file in FILES)
    return present(known, Looking(shown.workflow, None, {}, FileState.OPEN, ids), made.at(2000))


def test_the_status_of_the_list_is_the_badge_that_the_workflow_has_when_it_is_shown() -> None:
    """One place makes both: for live, ended, discarded runs and none, whichever workflow is shown."""
    views = (
        made.run_view(1, {"web": "Paused"}, DIGEST),
        made.ended(made.run_view(2, {}, NIGHT), Outcome.INTERRUPTED, end_seq=4),
    )
    gone = made.ended(made.run_view(3, {}, NEVER), end_seq=5)
    for shown in FILES:
        facts = facts_of(*views, shown=shown, closed=(gone,))
        status = facts.listed[shown.workflow.id]
        assert (status.badge, status.live) == (facts.badge, len(facts.live))
    assert facts.listed[WorkflowId("w-3")].words == "Done, discarded"
    assert facts.listed[WorkflowId("w-2")].words == "Stopped"
    assert facts.listed[WorkflowId("w-1")].words == "Paused · 1 live"
