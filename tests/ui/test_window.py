"""Dialogs, questions, problems, keys, names, and text that wants to do harm."""

from __future__ import annotations

import asyncio
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from quarterdeck.domain.ids import RequestId, SlotId
from quarterdeck.domain.refusal import Code, Refusal
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import ErrorView
from quarterdeck.engine.planned import BrokenWorkflow, PlannedCommand, Problem
from quarterdeck.ui.asked import Quit, QuitAsked
from quarterdeck.ui.dialogs.quit_dialog import ClosingDialog, QuitDialog
from quarterdeck.ui.dialogs.run_dialog import RunDialog
from quarterdeck.ui.dialogs.stop_dialog import StopDialog
from quarterdeck.ui.exact_text import goes_on
from quarterdeck.ui.focus import holds_focus
from quarterdeck.ui.window import INSPECTOR_W
from tests.ui import made
from tests.ui.desk import Desk, desk_over, until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
PATH = Path("/folder/digest.workflow.json")


def live_door(word: str = "Running") -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"planner": "Done", "repo": word}))
    return door


def asking_door(text: str = "git fetch upstream --tags") -> FakeDoor:
    door = FakeDoor((made.loaded(),))
    view = made.run_view(1, {"repo": "Needs you"})
    asked = (made.question(view.run_id, text=text),)
    slots = tuple(replace(s, approvals=asked) if s.slot_id == "repo" else s for s in view.slots)
    door.put(replace(view, slots=slots))
    return door


async def run_dialog(desk: Desk) -> RunDialog:
    desk.window.actions_["run"].trigger()
    await until(lambda: desk.dialog() is not None)
    dialog = desk.dialog()
    assert isinstance(dialog, RunDialog)
    return dialog


# ------------------------------------------------------------------------------------------- run


async def test_the_run_dialog_lists_every_command_and_where_it_starts_before_anything_starts() -> None:
    """Ruling 26."""
    door = FakeDoor((made.loaded(),))
    door.launched = made.run_view(1, {"planner": "Running"})
    async with desk_over(door) as desk:
        dialog = await run_dialog(desk)
        await until(lambda: "Repository is needed" in dialog._note.text())
        assert not dialog.start.isEnabled()
        line = dialog.fields["repo"]._line
        assert line is not None
        QTest.keyClicks(line, "/projects")
        await until(dialog.start.isEnabled)
        assert len(dialog.commands.commands) == 5
        lines = dialog.commands.text.toPlainText().split("\n")
        assert lines[1:3] == ["ruff check --output-format json .", "in /projects/digest"]
        assert door.launches == []
        QTest.keyClick(dialog, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: "1 live" in desk.window.windowTitle())
        assert door.launches[0].inputs == {"repo": "/projects", "weeks": "1", "tone": "plain", "send": False}
        assert door.launches[0].content == b"{}", "what was shown is what is launched"
        await until(lambda: desk.dialog() is None)


HIDING = ("sh", "-c", f"true;{'a' * 130}=1;touch${{IFS}}/tmp/evil")
LYING = ("echo", "fine\n\nReviewer\nls", "\u202eevil", "<b>x</b>")
LONG = ("sh", "-c", "x" * 9_000 + ";evil")


def whole_lines(document: QTextDocument) -> list[str]:
    """Its lines, those in one piece again that are laid out in several blocks."""
    lines, block = [""], document.begin()
    while block.isValid():
        lines[-1] += block.text()
        if not goes_on(block):
            lines.append("")
        block = block.next()
    return lines[:-1]


async def test_a_command_is_readable_whole_before_it_starts() -> None:
    """Ruling 26: nothing of it is clipped, hidden by its form, or left out without a word and a way to see it."""
    door = FakeDoor((made.loaded(),))
    door.planned = tuple(
        PlannedCommand(f"Agent {n}", "a", "command", argv, "/folder", "/bin/sh")
        for n, argv in enumerate((HIDING, LYING, LONG))
    )
    async with desk_over(door) as desk:
        dialog = await run_dialog(desk)
        QTest.keyClicks(dialog.fields["repo"]._line, "/projects")
        await until(dialog.start.isEnabled)
        view, text = dialog.commands, dialog.commands.text
        shown = whole_lines(text.document())
        assert shown[1] == shlex.join(HIDING)
        assert shown[4] == "echo 'fine\\n\\nReviewer\\nls' '\\u202eevil' '<b>x</b>'"
        assert shown[7].startswith(shlex.join(LONG)[:4_000])
        assert "5,013 more characters: Show all" in shown[7]
        block = text.document().findBlockByNumber(1).layout()
        assert block.lineCount() > 1
        assert (
            max(block.lineAt(n).naturalTextWidth() for n in range(block.lineCount()))
            <= text.viewport().width()
        )
        view.show_all.click()
        assert whole_lines(text.document())[7] == shlex.join(LONG)
        assert text.verticalScrollBar().maximum() > 0
        assert text.horizontalScrollBar().maximum() == 0
        assert view.show_all.isHidden()
        view.copy.click()
        assert QGuiApplication.clipboard().text().split("\n")[0] == shlex.join(HIDING)


async def test_a_refused_launch_says_why_beside_the_field_and_loses_nothing() -> None:
    door = FakeDoor((made.loaded(),))
    async with desk_over(door) as desk:
        dialog = await run_dialog(desk)
        line = dialog.fields["repo"]._line
        assert line is not None
        door.refusal = Refusal(Code.E_INPUT, "There is no folder /nowhere.", (("input", "repo"),))
        QTest.keyClicks(line, "/nowhere")
        await until(lambda: "There is no folder" in dialog.fields["repo"]._said.text())
        assert not dialog.start.isEnabled()
        dialog.reject()
        await until(lambda: desk.dialog() is None)
        again = await run_dialog(desk)
        line = again.fields["repo"]._line
        assert line is not None
        assert line.text() == "/nowhere"


# ------------------------------------------------------------------------------------------- stop and quit


async def test_stop_asks_which_run_and_cancel_is_the_default() -> None:
    door = live_door()
    door.put(made.run_view(2, {"planner": "Running"}))
    async with desk_over(door) as desk:
        await until(lambda: "2 live" in desk.window.windowTitle())
        desk.window.top.stop.click()
        dialog = desk.dialog()
        assert isinstance(dialog, StopDialog)
        assert dialog.cancel.isDefault()
        assert [c.words.split(" · ")[0] for c in dialog.choices] == [
            "Run A",
            "Run B",
            "All 2 live runs of this workflow",
        ]
        button = dialog._group.button(2)
        assert button is not None
        button.setChecked(True)
        dialog.stop.click()
        await until(lambda: len(door.commands) == 2)
        assert sorted(door.commands) == sorted(("stop_run", v.run_id) for v in door.views.values())


async def test_quitting_with_live_runs_asks_and_cancel_keeps_everything() -> None:
    """REC16."""
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        heard: list[QuitAsked] = []
        desk.link.quit_accepted.connect(heard.append)
        desk.window.close()
        dialog = desk.dialog()
        assert isinstance(dialog, QuitDialog)
        assert dialog.stop.isDefault(), "the default leaves no agent running unattended"
        names = {b.accessibleName() for b in dialog.findChildren(QAbstractButton)}
        assert {"Stop them and quit", "Let them finish, then quit", "Cancel quit"} <= names
        dialog.cancel.click()
        await until(lambda: desk.dialog() is None)
        assert desk.window.isVisible()
        assert heard == []


async def test_letting_runs_finish_waits_at_most_the_minutes_given_and_shows_what_is_live() -> None:
    """REC16."""
    door = live_door()
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.close()
        dialog = desk.dialog()
        assert isinstance(dialog, QuitDialog)
        dialog.minutes.setValue(7)
        dialog.finish.click()
        asked = await desk.link.wait_quit()
        assert asked == QuitAsked(Quit.FINISH, 420.0)
        closing = desk.window.findChild(ClosingDialog)
        assert closing is not None
        assert "Waiting for 1 run" in closing._title.text()
        assert not desk.window.top.run.isEnabled(), "nothing new starts while closing"
        assert not closing.isModal(), "a question is answered in the window beside it"
        assert closing.stop.isVisible()
        QTest.mouseClick(closing.stop, Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        assert door.commands[0][0] == "stop_run"


@pytest.mark.parametrize("way", ["button", "Esc"])
async def test_letting_runs_finish_can_be_taken_back_while_they_do(way: str) -> None:
    """REC16: the window stays, runs can be started again, and quitting asks anew."""
    door = live_door()
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link.quit(QuitAsked(Quit.FINISH, 420.0))
        closing = desk.window.findChild(ClosingDialog)
        assert closing is not None
        assert closing.keep.isVisible()
        assert not closing.stop.hasFocus(), "a key that was meant for something else stops nothing"
        QTest.keyClick(closing, Qt.Key.Key_Escape) if way == "Esc" else closing.keep.click()
        await until(lambda: desk.window.top.run.isEnabled(), "the window as before")
        assert door.commands == [("keep_open",)]
        desk.window.close()
        assert isinstance(desk.dialog(), QuitDialog)


async def test_runs_that_are_ended_already_are_not_taken_back() -> None:
    door = live_door()
    door.stays = False
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link.quit(QuitAsked(Quit.FINISH, 420.0))
        closing = desk.window.findChild(ClosingDialog)
        assert closing is not None
        closing.keep.click()
        assert closing.isVisible()
        assert not desk.window.top.run.isEnabled()


async def test_quitting_without_live_runs_asks_nothing() -> None:
    async with desk_over(FakeDoor((made.loaded(),))) as desk:
        desk.window.close()
        assert (await desk.link.wait_quit()).how is Quit.STOP
        assert desk.dialog() is None


# ------------------------------------------------------------------------------------------- questions


async def test_a_question_has_no_focus_no_default_and_ignores_input_at_first() -> None:
    """ux, Approval: exact text; nothing is answered by a key or a click that was meant for something else."""
    door = asking_door("rm -rf \u202ecod\u202c\x1b[2K")
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.waiting.isVisible())
        assert desk.window.top.waiting.text() == "1 needs you"
        desk.window.top.waiting.click()
        await until(lambda: desk.window.inspector.questions.cards)
        card = desk.window.inspector.questions.cards[0]
        assert card.is_quiet
        for button in card.option_buttons:
            assert not button.isEnabled()
            assert not button.isDefault()
            assert not button.autoDefault()
        QTest.mouseClick(card.option_buttons[1], Qt.MouseButton.LeftButton)
        QTest.keyClick(desk.window, Qt.Key.Key_Return)
        assert door.commands == []
        text = card.findChild(QWidget, None)
        assert text is not None
        shown = next(w for w in card.findChildren(QWidget) if w.accessibleName() == "Question text")
        assert shown.toPlainText() == "rm -rf \\u202ecod\\u202c\\x1b[2K"  # type: ignore[attr-defined]
        await until(lambda: not card.is_quiet)
        assert not any(b.hasFocus() for b in card.option_buttons)
        QTest.mouseClick(card.option_buttons[1], Qt.MouseButton.LeftButton)
        await until(lambda: door.commands)
        run = next(iter(door.views))
        assert door.commands == [("answer", run, RequestId("a-1:repo"), "Allow once")]


async def test_a_refused_answer_is_said_and_can_be_given_again() -> None:
    door = asking_door()
    door.refusal = Refusal(Code.E_REQUEST, "That question was answered already.")
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.waiting.isVisible())
        desk.window.actions_["next_waiting"].trigger()
        await until(
            lambda: (
                desk.window.inspector.questions.cards
                and not desk.window.inspector.questions.cards[0].is_quiet
            )
        )
        card = desk.window.inspector.questions.cards[0]
        card.option_buttons[0].click()
        await until(lambda: "answered already" in card._said.text())
        assert card.option_buttons[0].isEnabled()
        assert "answered already" in desk.window.notice.words


# ------------------------------------------------------------------------------------------- inspector


@pytest.mark.parametrize(
    ("word", "button", "verb"), [("Running", "pause", "pause"), ("Paused", "go_on", "continue")]
)
async def test_an_agent_is_paused_and_continued_from_the_inspector(word: str, button: str, verb: str) -> None:
    door = live_door(word)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.click_node("repo")
        await until(lambda: getattr(desk.window.inspector, button).isVisible())
        getattr(desk.window.inspector, button).click()
        await until(lambda: door.commands)
        assert door.commands[0][:1] + door.commands[0][2:] == (verb, SlotId("repo"))


async def test_the_keyboard_stays_where_pause_was_and_the_dock_as_wide_as_it_is() -> None:
    """Pause goes, Continue comes: also where neither is there for a moment."""
    door = live_door("Running")
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        inspector = desk.window.inspector
        desk.click_node("repo")
        await until(inspector.pause.isVisible)
        wide = inspector.minimumSizeHint().width()
        assert wide <= INSPECTOR_W
        inspector.pause.setFocus(Qt.FocusReason.TabFocusReason)
        for word in ("Stopping", "Paused"):
            door.put(made.run_view(1, {"repo": word}))
            await until(lambda word=word: inspector._facts.badge.state == word)  # type: ignore[misc, union-attr]
            assert holds_focus(inspector)
        assert desk.window.focusWidget() is inspector.go_on
        assert inspector.minimumSizeHint().width() <= max(wide, INSPECTOR_W)
        door.put(made.run_view(1, {"repo": "Running"}))
        await until(inspector.pause.isVisible)
        assert desk.window.focusWidget() is inspector.pause


async def test_answering_leaves_the_keyboard_in_the_inspector() -> None:
    door = asking_door()
    async with desk_over(door) as desk:
        await until(lambda: desk.window.top.waiting.isVisible())
        desk.window.top.waiting.click()
        inspector = desk.window.inspector
        await until(lambda: inspector.questions.cards and not inspector.questions.cards[0].is_quiet)
        card = inspector.questions.cards[0]
        card.option_buttons[1].setFocus(Qt.FocusReason.TabFocusReason)
        card.option_buttons[1].click()
        assert holds_focus(card), "at its words, while the answer is on its way"
        assert desk.window.focusWidget() not in card.option_buttons
        await until(lambda: door.commands)
        door.put(made.run_view(1, {"repo": "Running"}))
        await until(lambda: not inspector.questions.cards)
        assert holds_focus(inspector)
        assert holds_focus(inspector.tabs)


async def test_an_error_can_be_copied_whole() -> None:
    door = FakeDoor((made.loaded(),))
    view = made.run_view(1, {"repo": "Failed"})
    bad = made.attempt(1, AttemptStatus.FAILED, 0, 9, errors=(ErrorView("other", "line one\nline two"),))
    door.put(
        replace(
            view, slots=tuple(replace(s, attempts=(bad,)) if s.slot_id == "repo" else s for s in view.slots)
        )
    )
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(view.run_id, SlotId("repo"))
        copy = next(
            b
            for b in desk.window.inspector.findChildren(QAbstractButton)
            if b.accessibleName() == "Copy error"
        )
        copy.click()
        copied = QGuiApplication.clipboard().text()
        assert copied.startswith("Repo researcher failed: check told an error after 4 turns.\nRun A · ")
        assert copied.endswith("\nother: line one\nline two")


async def test_a_missing_transcript_is_said_to_be_missing() -> None:
    door = FakeDoor((made.loaded(),))
    view = made.ended(made.run_view(1, {"repo": "Done"}))
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "none live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(view.run_id, SlotId("repo"))
        desk.window.inspector.open_transcript()
        await until(lambda: "missing" in desk.window.inspector.transcript.text.placeholderText())


# ------------------------------------------------------------------------------------------- files


async def test_a_file_that_does_not_load_shows_all_its_problems_and_reload_mends_it() -> None:
    problems = (
        Problem("$.nodes[2].agent", 41, "There is no agent named x."),
        Problem("$.edges[0]", 0, "A circle."),
    )
    door = FakeDoor((BrokenWorkflow(PATH, problems),))
    async with desk_over(door) as desk:
        await until(lambda: desk.window.middle.currentWidget() is desk.window.problems)
        model = desk.window.problems.model
        assert [[model.index(r, c).data() for c in range(3)] for r in range(2)] == [
            ["41", "$.nodes[2].agent", "There is no agent named x."],
            ["–", "$.edges[0]", "A circle."],
        ]
        assert not desk.window.top.run.isEnabled()
        door.files = (made.loaded(),)
        desk.window.problems.reload.click()
        await until(lambda: desk.window.middle.currentWidget() is desk.window.canvas_page)


async def test_the_picker_names_the_file_that_is_shown_also_when_it_does_not_load() -> None:
    broken = BrokenWorkflow(Path("/folder/b.workflow.json"), (Problem("$", 1, "No."),))
    door = FakeDoor((made.loaded(), broken))
    async with desk_over(door) as desk:
        assert desk.window.top.picker.currentText() == "Ship weekly digest"
        desk.window.watching.choose_file(broken.path)
        assert desk.window.top.picker.currentText() == "b.workflow.json – does not load"
        desk.window.top.picker.setCurrentIndex(0)
        desk.window.top.picker.activated.emit(0)
        assert desk.window.middle.currentWidget() is desk.window.canvas_page


async def test_a_folder_that_cannot_be_read_and_one_without_workflows_say_so() -> None:
    door = FakeDoor(())
    async with desk_over(door) as desk:
        await until(lambda: "No workflow here" in desk.window.empty._title.text())
        door.folder_error = PermissionError(13, "Permission denied")
        desk.window.open_path(Path("/closed"))
        await until(lambda: "Permission denied" in desk.window.empty._words.text())


async def test_an_engine_that_breaks_is_told_to_the_person() -> None:
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.link._ask("Counting", _breaks)
        await until(lambda: "Counting failed: ValueError: broken" in desk.window.notice.words)


async def _breaks() -> None:
    raise ValueError("broken")


# ------------------------------------------------------------------------------------------- canvas


async def test_arrow_keys_walk_along_the_wires_and_enter_opens_the_inspector() -> None:
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        view = desk.window.view
        walked = []
        for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Left):
            QTest.keyClick(view, key)
            walked.append(view.chosen)
        assert walked == ["planner", "web", "repo", "drafter", "web"] or walked == [
            "planner",
            "web",
            "repo",
            "drafter",
            "repo",
        ]
        QTest.keyClick(view, Qt.Key.Key_Escape)
        assert view.chosen is None


async def test_a_click_chooses_the_agent_and_the_outline_follows() -> None:
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.click_node("repo")
        await until(lambda: desk.window.inspector._title.text() == "Repo researcher")
        row = desk.window.agents.table.selectionModel().selectedRows()[0].row()
        assert desk.window.agents.model.rows[row].title == "Repo researcher"


async def test_a_thousand_nodes_are_drawn_at_every_zoom() -> None:
    """Performance 12; the words go below 60 %, the icon and the colour stay."""
    flow = made.workflow("Large", 1000)
    door = FakeDoor((made.loaded(flow),))
    door.put(made.run_view(1, {n.id: "Running" for n in flow.nodes[:40]}, flow))
    async with desk_over(door) as desk:
        await until(lambda: len(desk.window.view.canvas.nodes) == 1000)
        for zoom in (0.1, 0.3, 1.0):
            desk.window.view.set_zoom(zoom)
            assert desk.picture().width() > 100


async def test_the_rail_marks_the_place_where_the_keyboard_is() -> None:
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        rail, actions = desk.window.rail, desk.window.actions_

        def marked() -> list[str]:
            return [name for name, button in rail.buttons.items() if button.property("current")]

        assert marked() == ["go_canvas"]
        desk.window.watching.choose_slot(made.run_view(1).run_id, SlotId("repo"))
        for name in ("go_runs", "go_agents", "go_files", "go_timeline", "go_canvas"):
            actions[name].trigger()
            await until(lambda name=name: marked() == [name], name)
        assert rail.buttons["go_canvas"].accessibleDescription() == "you are here"
        actions["go_runs"].trigger()
        actions["settings"].trigger()
        await until(lambda: desk.dialog() is not None)
        assert marked() == ["go_runs"], "a dialog is no place"


async def test_a_place_of_the_switcher_shows_letter_and_time_and_is_as_wide_as_both() -> None:
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        place = desk.window.canvas_page.switcher._places[0]
        assert place.text() == "A   17m 04s"
        wide = place.fontMetrics().horizontalAdvance("17m 04s") + 60
        await until(lambda: place.width() >= wide, "room for both")
        place.click()
        await until(lambda: place.isChecked())


async def test_many_runs_fill_switcher_and_rows_without_breaking_the_layout() -> None:
    door = FakeDoor((made.loaded(),))
    for number in range(1, 31):
        door.put(made.run_view(number, {"planner": "Running"}))
    async with desk_over(door) as desk:
        await until(lambda: "30 live" in desk.window.windowTitle())
        page = desk.window.canvas_page
        assert page.switcher.geometry().right() <= page.width()
        assert desk.window.view.canvas.nodes["planner"].face.more == 28  # type: ignore[index]


async def test_runs_without_a_place_in_the_switcher_are_counted_and_reached_through_a_menu_of_all() -> None:
    door = FakeDoor((made.loaded(),))
    for number in range(1, 11):
        door.put(made.run_view(number, {"planner": "Running"}))
    async with desk_over(door) as desk:
        await until(lambda: "10 live" in desk.window.windowTitle())
        desk.window.watching.refresh()  # the page has its width
        switcher = desk.window.canvas_page.switcher
        places = [place for place in switcher._places if place.isVisible()]
        assert switcher.more.isVisible()
        assert switcher.more.text() == f"+{10 - len(places)}"
        assert switcher.more.accessibleName() == f"{10 - len(places)} more live runs"
        assert switcher.more.focusPolicy() == Qt.FocusPolicy.StrongFocus, "the keyboard reaches it"
        await until(lambda: switcher.geometry().right() <= desk.window.canvas_page.width(), "room for all")
        menu = switcher.more.menu()
        menu.popup(switcher.mapToGlobal(switcher.rect().bottomLeft()))
        offered = [action.text()[0] for action in menu.actions()]
        assert offered == list("ABCDEFGHIJ")
        QTest.keyClick(menu, Qt.Key.Key_Down)
        QTest.keyClick(menu, Qt.Key.Key_Return)
        first = door.views[min(door.views, key=lambda run: door.views[run].launch_seq)].run_id
        await until(lambda: desk.window.conduct._shown and desk.window.conduct._shown.picked == first)
        shown = [place for place in switcher._places if place.isVisible()]
        assert [place.run for place in shown if place.isChecked()] == [first], "what is picked has a place"
        assert len(shown) == len(places)


async def test_a_switcher_that_has_room_for_all_offers_no_more() -> None:
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        assert not desk.window.canvas_page.switcher.more.isVisible()


# ------------------------------------------------------------------------------------------- names and foreign text


async def test_fixed_accessible_names_are_there_once() -> None:
    """Design §9."""
    async with desk_over(live_door()) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        names = [w.accessibleName() for w in [desk.window, *desk.window.findChildren(QWidget)]]
        for name in ("Quarterdeck", "Workflow canvas", "Runs", "Agents", "Transcript", "Run", "Stop"):
            assert names.count(name) == 1, name
        for button in desk.window.findChildren(QAbstractButton):
            if button.isVisible():
                assert button.accessibleName() or button.text(), button.objectName()


async def test_foreign_text_is_never_interpreted_and_never_moves_the_walls() -> None:
    name = "<b>bold</b><img src=http://x/> \u202e" + "W" * 10_000
    flow = made.workflow(name)
    flow = replace(flow, nodes=tuple(replace(n, title=name) for n in flow.nodes))
    door = FakeDoor((made.loaded(flow),))
    view = made.run_view(1, {"repo": "Running"}, flow, reason=name, outcome_asked=name)
    slots = tuple(
        replace(s, reason=name, attempts=(made.attempt(cwd=name, reason=name, tail=name),))
        if s.slot_id == "repo"
        else s
        for s in view.slots
    )
    door.put(replace(view, slots=slots))
    async with desk_over(door) as desk:
        before = desk.window.size()
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.watching.choose_slot(view.run_id, SlotId("repo"))
        await asyncio.sleep(0)
        assert desk.window.size() == before
        assert desk.window.inspector_dock.width() < 420
        assert "\u202e" not in desk.window.windowTitle()
        for label in desk.window.findChildren(QLabel):
            if label.text():
                assert label.textFormat() == Qt.TextFormat.PlainText, label.text()[:40]
