"""The foot and the inspector say how many processes were counted, and claim none that were not (cases 52, 139)."""

from __future__ import annotations

import pytest

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.household import ProcessCount
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor

MB = 1_000_000


@pytest.mark.qt_loop
async def test_case_139_the_foot_says_agents_and_processes_each_by_its_own_name() -> None:
    """Processes of one run beside those of another, and those that outlived a run that has ended."""
    door = FakeDoor((made.loaded(),))
    first, second = (
        made.run_view(1, {"web": "Running", "repo": "Running"}),
        made.run_view(2, {"web": "Running"}),
    )
    past = made.ended(made.run_view(3), Outcome.INTERRUPTED)
    door.put(first, second, past)
    door.household.counts = {
        first.run_id: ProcessCount(447, 4_200 * MB),
        second.run_id: ProcessCount(1, 9 * MB),
        past.run_id: ProcessCount(2, MB),
        RunId("r-of-another-data-folder"): ProcessCount(50, MB),
    }
    async with desk_over(door) as desk:
        foot = desk.window.foot.processes
        await until(lambda: "processes" in foot.text())
        assert foot.text() == "3 agents alive · 448 processes, 4.2 GB · 2 processes of ended runs"
        assert foot.accessibleName() == foot.text()
        lines = foot.accessibleDescription().split("; ")
        assert len(lines) == 3
        assert any("447 processes, 4.2 GB" in line for line in lines)
        desk.window.watching.choose_run(first.run_id)
        facts = {fact.name: fact.value for fact in desk.window.conduct._shown.agent.facts}  # type: ignore[union-attr]
        assert facts["Processes"] == "447 · 4.2 GB"
        assert not desk.window.top.busy.isVisible()


@pytest.mark.qt_loop
async def test_what_was_not_counted_is_not_said_and_nothing_is_counted_where_nothing_can_be() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(made.ended(made.run_view(1)))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.foot.processes.text())
        assert desk.window.foot.processes.text() == "0 agents alive"
        assert not desk.window.process_watch._timer.isActive()
        door.put(made.run_view(2, {"web": "Running"}))
        await until(lambda: desk.window.foot.processes.text() == "1 agent alive")
