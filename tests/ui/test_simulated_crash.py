"""*Simulate a crash*: offered for practice alone, said before it is done, and then a real one (ux, First run; Practice night)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel

from quarterdeck.domain.views import RunView
from quarterdeck.domain.workflow import AgentSpec, Workflow
from quarterdeck.engine.local_household import NOT_PRACTICE, NOTHING_LIVE, LocalHousehold, bundled_examples
from quarterdeck.ui.crash_acts import interrupted_by_crash
from quarterdeck.ui.dialogs.crash_dialog import CrashDialog
from quarterdeck.ui.present import Known
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor
from tests.ui.test_real_engine import workspace
from tests.ui.test_recovery_dialog import words
from tests.ui.test_recovery_real import SCRIPT, next_window

pytestmark = pytest.mark.qt_loop
WITHIN_S = 120


def practice() -> Workflow:
    flow = made.workflow()
    nodes = tuple(replace(node, agent="practice") for node in flow.nodes)
    return replace(flow, nodes=nodes, agents={"practice": AgentSpec("practice", "practice")})


def practising(number: int = 1) -> RunView:
    view = made.run_view(number, {"planner": "Running"}, practice())
    slots = [
        replace(slot, attempts=tuple(replace(a, agent_kind="practice") for a in slot.attempts))
        for slot in view.slots
    ]
    return replace(view, slots=tuple(slots))


def known(*views: RunView) -> Known:
    return Known(tuple(map(made.summary, views)), {view.run_id: view for view in views})


async def test_it_is_offered_only_while_nothing_but_practice_is_at_work_here() -> None:
    assert interrupted_by_crash(known(practising())) == (practising(),)
    assert interrupted_by_crash(known()) == ()
    assert interrupted_by_crash(known(made.ended(practising()))) == ()
    assert interrupted_by_crash(known(practising(), made.run_view(2, {"planner": "Running"}))) == ()
    assert interrupted_by_crash(known(replace(practising(), foreign=True))) == ()
    unread = replace(known(practising()), views={})
    assert interrupted_by_crash(unread) == (), "what is not known whole may be more than practice"


async def test_it_says_what_will_happen_and_nothing_happens_by_a_slip() -> None:
    door = FakeDoor((made.loaded(practice()),))
    door.put(practising())
    async with desk_over(door) as desk:
        action = desk.window.actions_["simulate_crash"]
        await until(action.isEnabled)
        action.trigger()
        dialog = desk.dialog()
        assert isinstance(dialog, CrashDialog)
        said = " ".join(part.text() for part in dialog.findChildren(QLabel))
        for told in (
            "1 practice run live",
            "SIGKILL",
            "nothing is saved first",
            "restarts nothing",
            "resume",
        ):
            assert told in said
        assert dialog.focusWidget() is dialog.cancel
        dialog.cancel.click()
        assert door.household.crashed == 0
        action.trigger()
        again = desk.dialog()
        assert isinstance(again, CrashDialog)
        again.crash.click()
        await until(lambda: door.household.crashed == 1)
        door.put(made.run_view(2, {"planner": "Running"}))
        await until(lambda: not action.isEnabled(), "another agent is at work")


async def test_the_engine_judges_once_more(tmp_path: Path) -> None:
    """Between the look and the word another agent may have begun: it is not killed with the window."""
    for live, why in (
        ((), NOTHING_LIVE),
        ((practising(), made.run_view(2, {"planner": "Running"})), NOT_PRACTICE),
    ):
        house = LocalHousehold(tmp_path, bundled_examples(), tmp_path, live=lambda live=live: live)  # type: ignore[misc]
        assert await house.simulate_crash() == why


def crash_by_hand(data: Path, path: Path) -> int:
    """A real window in a process of its own, whose finger launches and then simulates a crash; gives how it ended."""
    env = {
        **os.environ,
        "QUARTERDECK_DATA_DIR": str(data),
        "QUARTERDECK_CONFIG_DIR": str(data.parent / "config"),
    }
    command = [sys.executable, "-m", "tests.e2e.pressed_window", "crash", str(path)]
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as window:
        try:
            _, said = window.communicate(timeout=WITHIN_S)
        except subprocess.TimeoutExpired:
            window.kill()
            raise
    assert window.returncode == -signal.SIGKILL, said.decode(errors="replace")[-2000:]
    return window.returncode


def attempts_in(data: Path) -> list[Path]:
    """Of the one run there is: one, or none where the crash came before the agent."""
    found = list(data.glob("runs/*/attempts/*/launch.json"))
    assert len(found) <= 1
    return found


async def test_the_process_is_really_killed_and_the_next_start_prompts(tmp_path: Path) -> None:
    """With the real process: by SIGKILL, and the next window tells what was interrupted; it starts nothing."""
    path, data = workspace(tmp_path / "ws", SCRIPT), tmp_path / "data"
    await asyncio.to_thread(crash_by_hand, data, path)
    launched = attempts_in(data)
    async with next_window(data, path.parent) as (desk, engine):
        await until(lambda: desk.window.after_crash.dialog is not None, "the prompt")
        prompt = desk.window.after_crash.dialog
        assert prompt is not None
        assert "Quarterdeck closed while 1 run was live" in words(prompt).replace("\u200b", "")
        assert engine.runs()[0].unanswered
        assert attempts_in(data) == launched
        prompt.put_away()
