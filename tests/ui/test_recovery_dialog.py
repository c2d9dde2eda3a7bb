"""The prompt after a crash in the window, over a fake door: what it says, what it never does, what each button asks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QWidget

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.engine.recovery import Owed, ProcessEnd
from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.parts import ElidedLabel
from quarterdeck.ui.present_recovery import SENTENCE
from quarterdeck.ui.recovery.dialog import RecoveryDialog
from quarterdeck.ui.recovery.run_card import RunCardView
from quarterdeck.ui.runs_filter import StateChoice
from quarterdeck.ui.words import short_id
from tests.ui import interrupted_made as left
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

WEB, REPO, PLANNER = SlotId("web"), SlotId("repo"), SlotId("planner")


@asynccontextmanager
async def prompted(door: FakeDoor) -> AsyncIterator[tuple[Desk, RecoveryDialog]]:
    """A window whose prompt is open and takes answers."""
    async with desk_over(door) as desk:
        await until(lambda: desk.window.after_crash.dialog is not None, "the prompt")
        dialog = desk.window.after_crash.dialog
        assert dialog is not None
        await until(lambda: not dialog.is_quiet, "the end of the quiet moment")
        yield desk, dialog


def named(where: QWidget, name: str) -> QPushButton:
    found = [
        b for b in where.findChildren(QPushButton) if b.accessibleName() == name and b.isVisibleTo(where)
    ]
    assert len(found) == 1, (name, [b.accessibleName() for b in where.findChildren(QPushButton)])
    return found[0]


def words(where: QWidget) -> str:
    return "\n".join(part.text() for part in where.findChildren(QLabel) if part.isVisibleTo(where))


def acted(door: FakeDoor) -> list[tuple[object, ...]]:
    """Everything that was asked of the engine to change something."""
    return [*door.commands, *(c for c in door.recovery.commands if c[0] not in {"evidence", "before_resume"})]


@pytest.mark.qt_loop
async def test_the_prompt_comes_once_beside_a_window_that_can_be_used() -> None:
    """REC3, REC5: not modal, nothing asked of the engine but what is owed."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (desk, dialog):
        assert not dialog.isModal()
        assert dialog.windowTitle() == "Interrupted runs"
        assert SENTENCE in words(dialog)
        assert acted(door) == []
        assert not [c for c in door.recovery.commands if c[0] == "evidence"]
        desk.window.watching.choose_run(left.FIRST)
        assert desk.window.watching._run == left.FIRST
        dialog.put_away()
        door.put(*door.views.values())
        await asyncio.sleep(0.2)
        assert desk.window.after_crash.dialog is None


@pytest.mark.qt_loop
async def test_nothing_is_raised_where_nothing_is_owed() -> None:
    door = left.door_over(left.owed_two())
    door.recovery.waiting = Owed(())
    for view in list(door.views.values()):
        door.put(replace(view, unanswered=False))
    async with desk_over(door) as desk:
        await asyncio.sleep(0.2)
        assert desk.window.after_crash.dialog is None
        assert not desk.window.runs.owed.isVisible()
        assert not desk.window.actions_["interrupted"].isEnabled()


def press(key: Qt.Key) -> Callable[[RecoveryDialog], None]:
    def do(dialog: RecoveryDialog) -> None:
        target = dialog.focusWidget() or dialog
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QApplication.sendEvent(target, QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier))

    return do


def focus_resume_and_enter(dialog: RecoveryDialog) -> None:
    named(dialog, "Resume Web researcher").setFocus()
    press(Qt.Key.Key_Return)(dialog)


@pytest.mark.parametrize(
    "leave",
    [press(Qt.Key.Key_Return), press(Qt.Key.Key_Escape), QDialog.close, focus_resume_and_enter],
    ids=["Enter", "Esc", "the close button", "Enter on Resume"],
)
@pytest.mark.qt_loop
async def test_every_way_out_keeps_the_runs_as_stopped(leave: Callable[[RecoveryDialog], object]) -> None:
    """REC8: none of them resumes."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (desk, dialog):
        leave(dialog)
        await until(lambda: desk.window.after_crash.dialog is None)
        await until(lambda: len(door.recovery.commands) >= 2)
        assert sorted(acted(door)) == sorted([("keep", left.FIRST), ("keep", left.SECOND)])


@pytest.mark.qt_loop
async def test_a_key_that_was_meant_for_something_else_is_no_answer() -> None:
    door = left.door_over(left.owed_two())
    async with desk_over(door) as desk:
        await until(lambda: desk.window.after_crash.dialog is not None)
        dialog = desk.window.after_crash.dialog
        assert dialog is not None
        assert dialog.is_quiet
        press(Qt.Key.Key_Return)(dialog)
        press(Qt.Key.Key_Escape)(dialog)
        await asyncio.sleep(0.1)
        assert desk.window.after_crash.dialog is dialog
        assert acted(door) == []


@pytest.mark.qt_loop
async def test_no_button_resumes_more_than_one_agent_and_the_default_keeps() -> None:
    """REC8, ruling 28: fixed names, once each."""
    async with prompted(left.door_over(left.owed_two())) as (_, dialog):
        for name in (
            "Discard these records",
            "Review runs",
            "Keep as stopped",
            "End process 48213",
            "Resume Web researcher",
            "Resume Planner",
        ):
            assert named(dialog, name)
        names = [b.accessibleName() for b in dialog.findChildren(QPushButton)]
        assert not [n for n in names if "all" in n.lower().split()]
        assert [b.accessibleName() for b in dialog.findChildren(QPushButton) if b.isDefault()] == [
            "Keep as stopped"
        ]
        assert dialog.focusWidget() is dialog.keep
        assert not named_or_none(dialog, "Resume Repo researcher")  # its process lives


def named_or_none(where: QWidget, name: str) -> QPushButton | None:
    return next(
        (b for b in where.findChildren(QPushButton) if b.accessibleName() == name and b.isVisibleTo(where)),
        None,
    )


@pytest.mark.qt_loop
async def test_leaving_the_program_answers_nothing() -> None:
    """REC3: asked again if the app goes while the prompt is open."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (desk, _):
        desk.link.quit(QuitAsked(Quit.STOP))
        await asyncio.sleep(0.1)
        assert desk.window.after_crash.dialog is None
    assert acted(door) == []


@pytest.mark.qt_loop
async def test_review_runs_answers_nothing_and_leads_to_them() -> None:
    """REC3: later keeps it reachable; the mark opens it again."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (desk, dialog):
        named(dialog, "Review runs").click()
        await until(lambda: desk.window.after_crash.dialog is None)
        assert acted(door) == []
        assert desk.window.runs.head.wanted().state is StateChoice.INTERRUPTED
        assert desk.window.runs.owed.text() == "2 interrupted runs, not answered"
        desk.window.runs.owed.click()
        await until(lambda: desk.window.after_crash.dialog is not None)


@pytest.mark.qt_loop
async def test_ending_a_process_names_exactly_it_and_its_agent_can_be_resumed_then() -> None:
    """REC9."""
    door = left.door_over(left.owed_two())
    door.recovery.end = ProcessEnd("killed", "It did not end by itself and was killed.", ())
    async with prompted(door) as (_, dialog):
        later = left.owed_two()
        repo = replace(
            left.survivor_agent(), survivors=(), end_first=False, evidence="no trace found", display="Stopped"
        )
        first = replace(later.runs[1], agents=(repo, later.runs[1].agents[1]))
        door.recovery.waiting = replace(later, runs=(later.runs[0], first))
        named(dialog, "End process 48213").click()
        await until(
            lambda: named_or_none(dialog, "Resume Repo researcher") is not None, "the way to resume it"
        )
        assert ("end_process", left.FIRST, "a-repo-2", 48213, 991) in door.recovery.commands
        assert "killed" in words(dialog)
        assert "no trace of the 3 agent processes" in words(dialog)


@pytest.mark.qt_loop
@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("Process 48213 did not end when asked and was killed.", "Process 48213 did not end when asked and was killed."),
        ("No such run.", "Process 48213: No such run."),
    ],
)  # fmt: skip
async def test_what_became_of_a_process_names_it_once(end: str, said: str) -> None:
    door = left.door_over(left.owed_two())
    door.recovery.end = ProcessEnd("killed", end, ())
    async with prompted(door) as (_, dialog):
        named(dialog, "End process 48213").click()
        await until(lambda: said in words(dialog).split("\n"), "what became of it")


@pytest.mark.qt_loop
async def test_evidence_is_gathered_only_for_the_agent_that_was_asked_about() -> None:
    """Ruling 25."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (_, dialog):
        row = next(r for c in dialog.cards.values() for r in c.rows if r.key == (left.FIRST, WEB))
        row.look.click()
        await until(lambda: "drafts/week-48.md" in words(dialog).replace("\u200b", ""), "what was found")
        assert [c for c in door.recovery.commands if c[0] == "evidence"] == [("evidence", left.FIRST, WEB)]
        assert acted(door) == []


@pytest.mark.qt_loop
async def test_an_agent_that_is_still_ending_is_looked_at_again() -> None:
    owed = left.owed_two()
    ending = left.agent("planner", "Planner", 1, 1, still_ending=True, end_first=True, evidence="")
    door = left.door_over(replace(owed, runs=(replace(owed.runs[0], agents=(ending,)),)))
    async with prompted(door) as (_, dialog):
        assert "still ending" in words(dialog)
        assert named_or_none(dialog, "Resume Planner") is None
        door.recovery.waiting = replace(owed, runs=owed.runs[:1])
        await until(lambda: named_or_none(dialog, "Resume Planner") is not None, "the end")


@pytest.mark.qt_loop
async def test_twenty_runs_with_hostile_names_stay_readable() -> None:
    """REC4: plain text, bounded width, reached by scrolling; the unreadable record is named with its folder."""
    door = left.door_over(left.owed_crowd())
    async with prompted(door) as (_, dialog):
        assert len(dialog.cards) == 20
        assert dialog.minimumSizeHint().width() < 900
        assert all(p.textFormat() is Qt.TextFormat.PlainText for p in dialog.findChildren(QLabel) if p.text())
        assert "\u202e" not in words(dialog)
        assert "1 record could not be read" in words(dialog)
        assert dialog.area.verticalScrollBar().maximum() > 0
        names = [
            b.accessibleName()
            for b in dialog.findChildren(QPushButton)
            if b.accessibleName().startswith("Resume ")
        ]
        assert len(names) == len(set(names)) == 50


@pytest.mark.qt_loop
async def test_record_files_are_shown_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url.toLocalFile())
        return True

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    async with prompted(left.door_over(left.owed_crowd(2))) as (desk, dialog):
        await until(lambda: desk.window.shell.data_folder)
        dialog.files.click()
        named(dialog, "Show file of r-dead" + "0" * 28).click()
    assert opened == ["/data/runs", str(Path("/data/runs/r-dead"))]


@pytest.mark.qt_loop
async def test_the_other_agents_are_folded_and_can_be_unfolded() -> None:
    async with prompted(left.door_over(left.owed_two())) as (_, dialog):
        card = dialog.cards[left.FIRST]
        assert "Planner: done" not in words(dialog)
        QTest.mouseClick(card.more, Qt.MouseButton.LeftButton)
        assert "Planner: done" in words(dialog)


@pytest.mark.qt_loop
async def test_a_refused_answer_is_said_in_words() -> None:
    door = left.door_over(left.owed_one())
    door.recovery.refusal = Refusal(Code.E_ACTOR, "This run belongs to bob; only they can do that.")
    async with prompted(door) as (desk, dialog):
        dialog.keep.click()
        await until(lambda: "belongs to bob" in desk.window.notice.words)


@pytest.mark.qt_loop
async def test_what_was_not_kept_is_said_with_run_and_reason_until_the_records_can_be_written() -> None:
    """JNL8: which run, which act, why; and no word of it once it is over."""
    door = left.door_over(left.owed_one())
    door.recovery.refusal = Refusal(Code.E_STORE, "What a crash left could not be settled: no space.")
    async with prompted(door) as (desk, dialog):
        window = desk.window
        dialog.keep.click()
        await until(lambda: "was not kept as stopped" in window.notice.words)
        window.records.say_opened("/data cannot be written")
        await until(lambda: window.after_crash._not_kept._was_unwritable, "it is seen")
        assert short_id(left.FIRST) in window.notice.words
        assert "no space" in window.notice.words
        window.records.say_opened("")
        await until(lambda: window.notice.words == "")


@pytest.mark.qt_loop
async def test_what_was_not_kept_is_withdrawn_once_the_run_waits_no_more() -> None:
    door = left.door_over(left.owed_one())
    door.recovery.refusal = Refusal(Code.E_OWNER, "what it left is not settled yet")
    async with prompted(door) as (desk, dialog):
        dialog.keep.click()
        await until(lambda: "was not kept as stopped" in desk.window.notice.words)
        door.put(replace(left.view_of(left.owed_one().runs[0]), unanswered=False))
        await until(lambda: desk.window.notice.words == "")


@pytest.mark.qt_loop
async def test_a_run_that_is_interrupted_elsewhere_later_is_marked_and_does_not_interrupt_the_person() -> (
    None
):
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        await asyncio.sleep(0.1)
        told = left.owed_one()
        door.recovery.waiting = told
        door.put(left.view_of(told.runs[0]))
        await until(lambda: desk.window.runs.owed.isVisible(), "the mark")
        assert desk.window.after_crash.dialog is None
        desk.window.actions_["interrupted"].trigger()
        await until(lambda: desk.window.after_crash.dialog is not None)


def without_its_process(owed: Owed) -> Owed:
    """The same, after the process that lived on has ended by itself."""
    repo = replace(left.survivor_agent(), survivors=(), end_first=False, evidence="no trace found", display="Stopped")  # fmt: skip
    return replace(owed, runs=(owed.runs[0], replace(owed.runs[1], agents=(repo, owed.runs[1].agents[1]))))


@pytest.mark.qt_loop
async def test_a_process_that_ended_by_itself_leaves_the_prompt_while_it_is_seen() -> None:
    """REC9: nobody pressed anything, and no run moved."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (_, dialog):
        assert named(dialog, "End process 48213")
        door.recovery.waiting = without_its_process(left.owed_two())
        await until(lambda: named_or_none(dialog, "End process 48213") is None, "the end of the line")
        assert named(dialog, "Resume Repo researcher")
        assert acted(door) == []


@pytest.mark.qt_loop
async def test_a_run_that_was_answered_elsewhere_leaves_the_prompt_that_is_open() -> None:
    """Its view moved: what is owed is read anew, also where no process lives."""
    owed = without_its_process(left.owed_two())
    door = left.door_over(owed)
    async with prompted(door) as (_, dialog):
        assert set(dialog.cards) == {left.FIRST, left.SECOND}
        door.recovery.waiting = replace(owed, runs=owed.runs[1:])
        door.put(replace(door.views[left.SECOND], unanswered=False))
        await until(lambda: set(dialog.cards) == {left.FIRST}, "the run that is left")
        assert acted(door) == []


@pytest.mark.qt_loop
async def test_keeping_what_was_resumed_elsewhere_asks_nothing_of_it_and_says_nothing() -> None:
    """The list knows that it is answered, before what is owed is read anew."""
    door = left.door_over(left.owed_two())
    async with prompted(door) as (desk, dialog):
        door.put(replace(door.views[left.SECOND], unanswered=False))
        await until(lambda: desk.window.runs.owed.text().startswith("1 "), "the news")
        dialog.keep.click()
        await until(lambda: acted(door) == [("keep", left.FIRST)], "the answer for the other")


@pytest.mark.qt_loop
async def test_a_run_that_was_resumed_in_the_same_moment_is_no_trouble() -> None:
    door = left.door_over(left.owed_one())
    door.recovery.refusal = Refusal(Code.E_ATTEMPT_STATE, "The run is live; there is nothing to be answered.")
    async with prompted(door) as (desk, dialog):
        dialog.keep.click()
        await until(lambda: acted(door) == [("keep", left.FIRST)], "the answer")
        await asyncio.sleep(0.1)
        assert not desk.window.notice.words


@pytest.mark.qt_loop
async def test_the_mark_of_a_run_follows_it_while_the_prompt_is_open() -> None:
    owed = left.owed_two()
    door = left.door_over(owed)
    async with prompted(door) as (_, dialog):
        chip = dialog.cards[left.SECOND].chip
        assert chip.text == "Stopped, restored"
        door.put(made.run_view(1, {}, made.workflow(), run_id=left.SECOND))
        await until(lambda: chip.text == "Running", "how it stands now")


@pytest.mark.qt_loop
async def test_what_was_spent_is_seen_beside_a_workflow_name_of_any_length() -> None:
    """REC4, REC5: where room is short the name is cut, then the middle of the line, and never its end."""
    (run,) = left.owed_one().runs
    long = replace(run, workflow_name="A night of many reports, " * 40, turns=1_027, ran_at_least=True)
    spent = replace(long, cost_usd=Decimal("63.41"), cost_is_complete=False, torn=True)
    async with prompted(left.door_over(Owed((spent,)))) as (_, dialog):
        (card,) = dialog.findChildren(RunCardView)
        (line,) = [one for one in card.findChildren(ElidedLabel) if "63.41" in one.text()]
        assert line.shown_text().endswith("at least $63.41"), line.shown_text()
        dialog.resize(1_100, dialog.height())
        await until(lambda: line.shown_text() == line.text(), "the whole line where there is room")
        assert dialog.area.horizontalScrollBar().maximum() == 0


@pytest.mark.qt_loop
async def test_where_only_practice_agents_were_cut_off_the_prompt_says_nothing_of_money() -> None:
    practice = left.agent("planner", "Planner", is_practice=True)
    for agents, is_said in (((practice,), False), ((practice, left.agent("web", "Web")), True)):
        async with prompted(left.door_over(Owed((left.run(left.FIRST, 0, 60, agents),)))) as (_, dialog):
            assert ("may cost money" in words(dialog)) is is_said
            assert ("Practice agents cost nothing." in words(dialog)) is not is_said
