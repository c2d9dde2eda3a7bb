"""Import of MCP servers in the window: exactly what would be written is shown, and written on a press."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quarterdeck.domain.workflow import AgentSpec
from quarterdeck.engine.mcp_import import ImportedServer, ImportPlan
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.ui.dialogs.import_dialog import ImportDialog
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = [pytest.mark.qt_loop, pytest.mark.window]

FILE = made.loaded()
PLAN = ImportPlan(
    FILE.path,
    "writer",
    Path("/folder/.mcp.json"),
    (
        ImportedServer(
            "files", "npx files\u202e", replaces=True, notes=("The value of KEY is not taken over.",)
        ),
        ImportedServer("web", "https://web", replaces=False),
    ),
    ("“odd” is left out: it is no object.",),
    ("KEY",),
    b"",
    b"",
)


def door(plan: ImportPlan | str = PLAN, *kinds: str) -> FakeDoor:
    agents = {f"writer{n or ''}": AgentSpec(f"writer{n or ''}", kind) for n, kind in enumerate(kinds)}
    others = {name: replace(agent, kind="practice") for name, agent in FILE.workflow.agents.items()}
    workflow = replace(FILE.workflow, agents={**others, **agents})
    found = FakeDoor((LoadedWorkflow(FILE.path, workflow),))
    found.household.plan = plan
    return found


async def opened(desk: Desk) -> ImportDialog:
    await until(lambda: desk.window.actions_["import_mcp"].isEnabled())
    desk.window.actions_["import_mcp"].trigger()
    dialog = desk.window.findChild(ImportDialog)
    assert isinstance(dialog, ImportDialog)
    return dialog


async def test_it_is_offered_only_where_an_agent_takes_servers() -> None:
    async with desk_over(door()) as desk:
        await until(lambda: desk.window.actions_["run"].isEnabled())
        assert not desk.window.actions_["import_mcp"].isEnabled()


async def test_everything_that_would_be_written_is_shown_and_a_press_writes_it() -> None:
    there = door(PLAN, "claude-code", "gemini")
    async with desk_over(there) as desk:
        dialog = await opened(desk)
        await until(dialog.take.isEnabled)
        shown = dialog.shown.toPlainText().splitlines()
        assert shown[0].startswith("files (replaces the one that is there): npx files")
        assert "\u202e" not in shown[0]
        assert shown[1:] == [
            "    The value of KEY is not taken over.",
            "web: https://web",
            "“odd” is left out: it is no object.",
            "Let through to the agent: KEY",
        ]
        assert there.household.imports == [(FILE.path, "writer", None)]
        dialog.take.click()
        await until(lambda: there.household.imports[-1] is PLAN)
        await until(lambda: "2 MCP servers of writer" in desk.window.notice.words)


async def test_another_file_and_another_agent_are_asked_for_anew() -> None:
    there = door(PLAN, "claude-code", "gemini")
    async with desk_over(there) as desk:
        dialog = await opened(desk)
        await until(dialog.take.isEnabled)
        dialog.read_from("/elsewhere/mcp.json")
        dialog.agent.setCurrentIndex(1)
        dialog.agent.activated.emit(1)
        await until(lambda: len(there.household.imports) == 3)
        assert there.household.imports[1:] == [
            (FILE.path, "writer", Path("/elsewhere/mcp.json")),
            (FILE.path, "writer1", Path("/elsewhere/mcp.json")),
        ]
        dialog.reject()


async def test_why_nothing_can_be_taken_over_is_said_and_nothing_can_be_pressed() -> None:
    async with desk_over(door("There is no such file.", "codex")) as desk:
        dialog = await opened(desk)
        await until(dialog.said.isVisible)
        assert dialog.said.text() == "There is no such file."
        assert not dialog.take.isEnabled()
        dialog.reject()


async def test_a_write_that_failed_is_told() -> None:
    there = door(PLAN, "acp")
    async with desk_over(there) as desk:
        dialog = await opened(desk)
        await until(dialog.take.isEnabled)
        there.household.fault = "The file was changed meanwhile."
        dialog.take.click()
        await until(lambda: desk.window.notice.words == "The file was changed meanwhile.")
