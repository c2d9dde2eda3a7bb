"""The inspector's pages: any attempt is addressable, its files are checked, what it was told stands beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtTest import QTest

from quarterdeck.domain.ids import AttemptId, Revision, SlotId
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import ArtifactView, ErrorView, RunView
from quarterdeck.engine.attempt_details import KeptState, LaunchWords, PinnedFile
from quarterdeck.ui.inspector import FILES, PROMPT, TRANSCRIPT
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
FIRST, SECOND = AttemptId("a-1"), AttemptId("a-2")


def retried(*, files: tuple[ArtifactView, ...] = (), **changes: Any) -> RunView:
    """A run whose repository check failed once and runs again."""
    view = made.run_view(1, {"repo": "Running"})
    failed = made.attempt(
        1, AttemptStatus.FAILED, 0, 240, pid=41, exit_code=1, errors=(ErrorView("other", "first error"),)
    )
    heard = {"last_output_at_ms": made.at(250).boot_ms, **changes}
    again = made.attempt(2, AttemptStatus.RUNNING, 250, pid=42, artifacts=files, **heard)
    slots = tuple(replace(s, attempts=(failed, again)) if s.slot_id == "repo" else s for s in view.slots)
    return replace(view, slots=slots)


def door_of(view: RunView) -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    door.put(view)
    door.transcripts[FIRST] = b"words of the first\n"
    door.transcripts[SECOND] = b"words of the second\n"
    return door


async def choose(desk: Desk, view: RunView) -> None:
    await until(lambda: "1 live" in desk.window.windowTitle())
    desk.window.watching.choose_slot(view.run_id, SlotId("repo"))


def facts_of(desk: Desk) -> dict[str, str]:
    shown = desk.window.inspector._facts
    assert shown is not None
    return {fact.name: fact.value for fact in shown.facts}


async def test_an_earlier_attempt_is_chosen_shown_whole_and_left_again() -> None:
    """SLT2: the predecessor stays addressable; its transcript, facts and error are its own."""
    view = retried()
    async with desk_over(door_of(view)) as desk:
        await choose(desk, view)
        inspector = desk.window.inspector
        attempts = inspector.overview.attempts
        assert [row.key for row in attempts.rows.rows] == [FIRST, SECOND]
        assert attempts.currentIndex().row() == 1
        QTest.keyClick(attempts, Qt.Key.Key_Up)
        assert facts_of(desk)["Attempt"] == "1 of 2"
        assert facts_of(desk)["Process"] == "pid 41 · ended"
        assert facts_of(desk)["Ended with"] == "exit 1"
        assert inspector.overview.error.text.toPlainText() == "other: first error"
        assert inspector.attempt.words == "Showing attempt 1 of 2"
        inspector.open_transcript()
        await until(lambda: "words of the first" in inspector.transcript.text.toPlainText())
        desk.window.watching.refresh()
        assert facts_of(desk)["Attempt"] == "1 of 2", "news of the run do not lead away from what is read"
        inspector.newest_attempt.click()
        await until(lambda: "words of the second" in inspector.transcript.text.toPlainText())
        assert facts_of(desk)["Process"] == "pid 42 · alive, no output for 12 min"


async def test_another_agent_is_shown_with_its_newest_attempt() -> None:
    view = retried()
    async with desk_over(door_of(view)) as desk:
        await choose(desk, view)
        desk.window.inspector.choose_attempt(FIRST)
        desk.window.watching.choose_slot(view.run_id, SlotId("planner"))
        desk.window.watching.choose_slot(view.run_id, SlotId("repo"))
        assert facts_of(desk)["Attempt"] == "2 of 2"


@pytest.mark.parametrize(
    ("source", "amount", "name", "value"),
    [
        ("reported", "1.61", "Cost (reported)", "$1.61"),
        ("estimated", "1.61", "Cost (estimated)", "$1.61"),
        ("unknown", None, "Cost (unknown)", "unknown"),
    ],
)
async def test_the_source_of_a_cost_is_said(source: str, amount: str | None, name: str, value: str) -> None:
    figures = replace(made.figures(amount), cost_source=source)
    view = retried(figures=figures)
    async with desk_over(door_of(view)) as desk:
        await choose(desk, view)
        assert facts_of(desk)[name] == value


async def test_many_attempts_are_all_in_the_list() -> None:
    view = made.run_view(1, {"repo": "Running"})
    attempts = tuple(made.attempt(n, AttemptStatus.FAILED, n, n + 1) for n in range(1, 121))
    view = replace(
        view, slots=tuple(replace(s, attempts=attempts) if s.slot_id == "repo" else s for s in view.slots)
    )
    async with desk_over(door_of(view)) as desk:
        await choose(desk, view)
        desk.window.inspector.choose_attempt(AttemptId("a-3"))
        assert len(desk.window.inspector.overview.attempts.rows.rows) == 120
        assert facts_of(desk)["Attempt"] == "3 of 120"


FILE_LIST = (
    ArtifactView("changes.md", "9f86d081" + "0" * 56, 18_204, "out/changes.md", "0001.md"),
    ArtifactView("lint.json", "ab12cd34" + "0" * 56, 2_812, None, "0002.json"),
    ArtifactView("film.webm", "0c0c0c0c" + "0" * 56, 412_000_000, "out/film.webm", None),
)


async def test_files_are_listed_checked_and_their_folder_is_opened_by_the_desktop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view = retried(files=FILE_LIST)
    door = door_of(view)
    door.details.states = {"lint.json": KeptState.DAMAGED}
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    async with desk_over(door) as desk:
        await choose(desk, view)
        inspector = desk.window.inspector
        assert inspector.tabs.tabText(FILES) == "Files  3"
        inspector.tabs.setCurrentIndex(FILES)
        page = inspector.files
        await until(lambda: page.model.rows[0].badge.word == "Kept")
        assert [(r.name, r.size, r.digest, r.badge.word) for r in page.model.rows] == [
            ("changes.md", "18.2 kB", "9f86d081", "Kept"),
            ("lint.json", "2.8 kB", "ab12cd34", "Damaged"),
            ("film.webm", "412 MB", "0c0c0c0c", "Hash only"),
        ]
        page.copy_path.click()
        assert QGuiApplication.clipboard().text() == "/data/artifacts/0001.md"
        page.open_folder.click()
        assert opened == ["/data/artifacts"]
        inspector.choose_attempt(FIRST)
        assert inspector.tabs.tabText(FILES) == "Files"
        assert page._stack.currentWidget() is page._empty


async def test_the_prompt_is_shown_as_it_was_told_and_secrets_by_name_only() -> None:
    view = retried()
    door = door_of(view)
    words = LaunchWords(
        agent="check",
        kind="codex",
        model="opus-5",
        spec=Revision("4f1c9b20a3d7" + "0" * 52),
        prompt="Read {{ not a template any more }} <b>now</b>.",
        is_rendered=True,
        argv=("codex", "exec", "two words"),
        cwd="/projects/digest",
        attachments=(PinnedFile("skills/review.md", "skills", "ab" * 32, 4210),),
        secret_names=("OPENAI_API_KEY",),
    )
    door.details.words = {SECOND: words, FIRST: replace(words, prompt="The first prompt.")}
    async with desk_over(door) as desk:
        await choose(desk, view)
        inspector = desk.window.inspector
        inspector.tabs.setCurrentIndex(PROMPT)
        await until(lambda: "not a template" in inspector.prompt.text.toPlainText())
        assert inspector.prompt.text.toPlainText() == words.prompt
        assert inspector.prompt._heading.text() == "As told to attempt 2"
        said = {v.accessibleName() for _, v in inspector.prompt.grid._lines}
        assert "Command: codex exec 'two words'" in said
        assert "Secrets, by name: OPENAI_API_KEY" in said
        assert "Skill: skills/review.md · 4.2 kB · abababab" in said
        inspector.choose_attempt(FIRST)
        await until(lambda: inspector.prompt.text.toPlainText() == "The first prompt.")


async def test_a_missing_pin_is_said_and_nothing_stands_in_its_place() -> None:
    """PIN5."""
    view = retried()
    door = door_of(view)
    door.details.words[SECOND] = LaunchWords(problem="The pinned package is missing. (E_PIN_MISSING)")
    async with desk_over(door) as desk:
        await choose(desk, view)
        inspector = desk.window.inspector
        inspector.tabs.setCurrentIndex(PROMPT)
        await until(lambda: "E_PIN_MISSING" in inspector.prompt.problem.text().replace("\u200b", ""))
        assert inspector.prompt.text.toPlainText() == ""
        assert not inspector.prompt.text.isVisible()
        assert inspector.prompt._heading.text() == "What attempt 2 was told is not known"


async def test_ctrl_f_in_the_inspector_finds_in_the_transcript() -> None:
    view = retried()
    async with desk_over(door_of(view)) as desk:
        await choose(desk, view)
        desk.window.inspector.tabs.tabBar().setFocus()
        desk.window.inspector.find_here()
        assert desk.window.inspector.tabs.currentIndex() == TRANSCRIPT
        assert desk.window.inspector.transcript.find_bar.isVisible()


async def test_a_run_has_facts_and_no_pages_of_an_attempt() -> None:
    view = retried()
    async with desk_over(door_of(view)) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_run(view.run_id)
        tabs = desk.window.inspector.tabs
        assert [tabs.isTabEnabled(place) for place in range(4)] == [True, False, False, False]
