"""What a start opens, the card of the first one, and what is remembered for the next (ux First run, rulings 19 and 25)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from quarterdeck.domain.ids import WorkflowId
from quarterdeck.domain.states import Outcome
from quarterdeck.engine.household import AgentProgram
from quarterdeck.engine.planned import LoadedWorkflow
from quarterdeck.ui.remembered import Remembered
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

CLAUDE = AgentProgram("claude", "/usr/bin/claude", "2.1")
NVM = "/home/ada/.nvm/versions/node/v22/bin"
GEMINI = AgentProgram("gemini", f"{NVM}/gemini", "0.9.1", only_in_login=True)


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Where `window.ini` of an empty profile will lie."""
    return tmp_path / "window.ini"


def kept(profile: Path) -> QSettings:
    """As a process that starts reads it."""
    return QSettings(str(profile), QSettings.Format.IniFormat)


def night() -> LoadedWorkflow:
    """A workflow of practice agents alone."""
    flow = made.workflow("Practice night")
    return made.loaded(
        replace(flow, agents={name: replace(agent, kind="practice") for name, agent in flow.agents.items()})
    )


class Folders(FakeDoor):
    """Practice night in the data folder, another workflow everywhere else, and folders that have gone."""

    def __init__(self) -> None:
        super().__init__((night(),))
        self.gone: set[Path] = set()
        self.opened: list[Path] = []
        self.names: tuple[str, ...] = ("one",)

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow, ...]:
        self.opened.append(folder)
        if folder in self.gone:
            raise FileNotFoundError(2, "No such file or directory", str(folder))
        own = night() if folder == Path("/data/examples") else made.loaded()
        return tuple(replace(own, path=folder / f"{name}.workflow.json") for name in self.names)


@pytest.mark.qt_loop
async def test_an_empty_profile_opens_practice_night_and_starts_no_program(profile: Path) -> None:
    """M9, ruling 25: no wizard; the card offers to look, and nothing is asked of any program before the click."""
    door = Folders()
    door.household.programs = (CLAUDE, AgentProgram("codex"))
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        card = desk.window.first_card
        await until(lambda: "Practice night is open" in card.title.text())
        assert door.opened == [Path("/data/examples")]
        assert card.isVisible()
        assert desk.dialog() is None
        assert (door.household.looked, door.household.started) == (0, [])
        card.look.click()
        assert not card.look.isEnabled()
        await until(lambda: card.rows)
        assert [part.text() for part in card.rows] == ["claude", "2.1", "/usr/bin/claude"]
        assert card.said.text() == "Not found: codex."
        assert door.household.looked == 1


@pytest.mark.qt_loop
async def test_a_first_start_on_a_folder_opens_it_and_shows_the_card_too(profile: Path) -> None:
    """M9: `packaging/start` names a folder; the card does not hang on that."""
    door = Folders()
    async with desk_over(door, path="/project", settings=kept(profile)) as desk:
        card = desk.window.first_card
        assert door.opened == [Path("/project")]
        assert card.isVisible()
        await until(lambda: "Practice night, in the menu" in card.title.text())


@pytest.mark.qt_loop
@pytest.mark.parametrize("answer", ["look", "close"])
async def test_the_card_comes_until_it_is_answered_and_is_found_again_in_the_menu(
    profile: Path, answer: str
) -> None:
    door = Folders()
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        assert desk.window.first_card.isVisible()  # and nobody answers
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        card = desk.window.first_card
        assert card.isVisible()
        (card.look if answer == "look" else card._shut).click()
    assert Remembered(kept(profile)).is_welcomed
    door.household.programs = (CLAUDE,)
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        card, before = desk.window.first_card, door.household.looked
        assert not card.isVisible()
        assert door.household.looked == before
        desk.window.actions_["look_agents"].trigger()
        await until(lambda: card.rows)
        assert card.isVisible()
        assert card.title.text() == "Agent programs on this computer"
        assert door.household.looked == before + 1


@pytest.mark.qt_loop
async def test_what_only_the_login_shell_finds_is_named_and_can_be_taken_into_use(profile: Path) -> None:
    """Case 131: shown where it was found; one press makes it count for launches, which the next look shows."""
    door = Folders()
    door.household.programs = (CLAUDE, GEMINI)
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        card = desk.window.first_card
        card.look.click()
        await until(lambda: len(card.rows) == 6)
        assert "Only your login shell finds gemini" in card.said.text()
        assert card.use.isVisible()
        door.household.programs = (CLAUDE, replace(GEMINI, only_in_login=False))
        card.use.click()
        await until(lambda: door.household.looked == 2 and not card.use.isVisible())
        assert door.household.kept.program_folders == (NVM,)
        assert card.rows[5].text() == f"{NVM}/gemini"


@pytest.mark.qt_loop
async def test_a_bare_start_opens_the_folder_that_was_open_last_and_starts_no_run(profile: Path) -> None:
    door = Folders()
    async with desk_over(door, path="/project", settings=kept(profile)):
        pass
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        assert door.opened == [Path("/project"), Path("/project")]
        assert desk.window.watching.file is not None
        assert desk.window.watching.file.path == Path("/project/one.workflow.json")
        assert (door.views, door.commands) == ({}, [])


@pytest.mark.qt_loop
async def test_a_bare_start_shows_the_workflow_that_was_shown_last_while_its_file_is_there(
    profile: Path,
) -> None:
    door = Folders()
    door.names = ("one", "two")
    async with desk_over(door, path="/project", settings=kept(profile)) as desk:
        desk.window.watching.choose_file(Path("/project/two.workflow.json"))
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        assert desk.window.watching.file is not None
        assert desk.window.watching.file.path == Path("/project/two.workflow.json")
    door.names = ("one",)
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        assert desk.window.watching.file is not None
        assert desk.window.watching.file.path == Path("/project/one.workflow.json")


class Mixed(Folders):
    """Each file of a folder is a workflow of its own."""

    async def workspace(self, folder: Path) -> tuple[LoadedWorkflow, ...]:
        files = await super().workspace(folder)
        return tuple(
            replace(one, workflow=replace(one.workflow, id=WorkflowId(f"w-{name}"), name=name))
            for one, name in zip(files, self.names, strict=True)
        )


@pytest.mark.qt_loop
async def test_a_folder_opens_on_the_workflow_that_was_interrupted_and_waits_for_an_answer(
    profile: Path,
) -> None:
    """REC3: the newest of them, before what was shown last; once it is answered, and by its file's name, another."""
    door = Mixed()
    door.names = ("all", "base", "crash", "done")
    runs = [
        made.ended(
            made.run_view(n, {}, made.workflow(name, workflow_id=f"w-{name}")),
            Outcome.COMPLETED if name == "done" else Outcome.INTERRUPTED,
            unanswered=name != "done",
        )
        for n, name in enumerate(("base", "crash", "done"), 1)
    ]
    door.put(*runs)

    def is_shown(desk: Desk, name: str) -> bool:
        file = desk.window.watching.file
        return file is not None and file.path == Path(f"/project/{name}.workflow.json")

    async with desk_over(door, path="/project", settings=kept(profile)) as desk:
        await until(lambda: is_shown(desk, "crash"), "the newest interrupted one")
        desk.window.watching.choose_file(Path("/project/all.workflow.json"))
        desk.window.conduct.reload()
        await until(lambda: len(door.opened) == 2)
        await asyncio.sleep(0.05)
        assert is_shown(desk, "all"), "what a person chose stays chosen"
        desk.window.watching.choose_file(Path("/project/base.workflow.json"))
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        await until(lambda: is_shown(desk, "base"), "the last one, as it was interrupted as well")
    async with desk_over(door, path="/project/done.workflow.json", settings=kept(profile)) as desk:
        await asyncio.sleep(0.05)
        assert is_shown(desk, "done"), "what was named"
    door.put(*(replace(run, unanswered=False) for run in runs))
    async with desk_over(door, path="/project", settings=kept(profile)) as desk:
        await until(lambda: is_shown(desk, "all"))
        await asyncio.sleep(0.05)
        assert is_shown(desk, "all")


@pytest.mark.qt_loop
async def test_a_remembered_folder_that_is_gone_is_said_and_not_forgotten(profile: Path) -> None:
    """Practice night is open instead; a drive that is plugged in again is found at the next start."""
    door = Folders()
    async with desk_over(door, path="/drive/project", settings=kept(profile)):
        pass
    door.gone = {Path("/drive/project")}
    async with desk_over(door, path=None, settings=kept(profile)) as desk:
        await until(lambda: desk.window.watching.files)
        assert door.opened[-1] == Path("/data/examples")
        assert "/drive/project cannot be read: No such file or directory" in desk.window.notice.words
        assert "Practice night is open" in desk.window.notice.words
    door.gone = set()
    async with desk_over(door, path=None, settings=kept(profile)):
        assert door.opened[-1] == Path("/drive/project")


@pytest.mark.qt_loop
async def test_practice_night_is_remembered_where_the_person_asked_for_it(profile: Path) -> None:
    door = Folders()
    async with desk_over(door, path="/project", settings=kept(profile)) as desk:
        desk.window.actions_["open_practice"].trigger()
        await until(lambda: door.opened[-1] == Path("/data/examples") and desk.window.watching.files)
        await until(lambda: Remembered(kept(profile)).folder == Path("/data/examples"))


@pytest.mark.qt_loop
async def test_a_folder_that_cannot_be_opened_is_not_remembered(profile: Path) -> None:
    door = Folders()
    async with desk_over(door, path="/project", settings=kept(profile)) as desk:
        door.gone = {Path("/nowhere")}
        desk.window.open_path(Path("/nowhere"))
        await until(lambda: door.opened[-1] == Path("/nowhere"))
    assert Remembered(kept(profile)).folder == Path("/project")
