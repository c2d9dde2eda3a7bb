"""Small sentences that the window owes: a close that is heard, a question named by who asks, text shown whole words at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from quarterdeck.domain.ids import SlotId
from quarterdeck.domain.views import RunView
from quarterdeck.ui.dialogs.quit_dialog import QuitDialog
from quarterdeck.ui.dialogs.stop_dialog import StopChoice, StopDialog
from quarterdeck.ui.inspector_feet import STILL_BILLED
from quarterdeck.ui.news import NewsKind, Notice
from quarterdeck.ui.notices import ProgramNotifier
from quarterdeck.ui.overview_page import LATEST_SHOWN_MAX, _last_words
from quarterdeck.ui.present_problems import problem_lines
from tests.ui import made
from tests.ui.desk import desk_over, until
from tests.ui.fake_door import FakeDoor


def asking() -> RunView:
    view = made.run_view(1, {"repo": "Needs you", "web": "Needs you"})
    slots = tuple(
        replace(s, approvals=(made.question(view.run_id, s.slot_id),)) if s.slot_id in {"repo", "web"} else s
        for s in view.slots
    )
    return replace(view, slots=slots)


@pytest.mark.qt_loop
async def test_closing_the_window_is_heard_while_a_dialog_is_open() -> None:
    door = FakeDoor((made.loaded(),))
    door.put(made.run_view(1, {"web": "Running"}))
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        desk.window.shell.ask_about()
        about = desk.dialog()
        assert about is not None
        desk.window.close()
        asked = desk.dialog()
        assert isinstance(asked, QuitDialog)
        assert asked.parent() is about, "it is asked over what is open"
        desk.window.close()
        assert desk.dialog() is asked, "asked once"
        asked.cancel.click()
        assert desk.dialog() is about, "what was open is as it was"
        desk.window.conduct.ask_stop()
        assert desk.dialog() is about, "no other dialog takes its place"
        about.done(0)
        assert desk.dialog() is None


@pytest.mark.qt_loop
async def test_the_questions_of_a_run_are_shown_with_who_asks_also_when_its_row_is_pressed_twice() -> None:
    view = asking()
    door = FakeDoor((made.loaded(),))
    door.put(view)
    async with desk_over(door) as desk:
        await until(lambda: "1 live" in desk.window.windowTitle())
        cards = desk.window.inspector.questions
        desk.window.watching.choose_run(view.run_id)
        await until(lambda: [c.asker for c in cards.cards] == [""], "those of the agent that asks")
        desk.window.watching.choose_run(view.run_id)
        await until(lambda: len(cards.cards) == 2, "those of the run")
        assert [c.asker for c in cards.cards] == ["Web researcher", "Repo researcher"]
        headings = [label.text() for c in cards.cards for label in c.findChildren(QLabel)]
        assert "Repo researcher asks you" in headings
        card = cards.cards[1]
        await until(lambda: not card.is_quiet)
        card.option_buttons[1].click()
        await until(lambda: door.commands)
        assert door.commands == [("answer", view.run_id, card.question.request_id, "Allow once")]
        desk.window.watching.choose_slot(view.run_id, SlotId("web"))
        assert [c.asker for c in cards.cards] == [""]


def test_a_notice_of_the_desktop_shows_a_name_as_it_is_written() -> None:
    """The body of `notify-send` takes markup."""
    started: list[tuple[str, ...]] = []

    class House:
        def start(self, argv: tuple[str, ...]) -> None:
            started.append(argv)

    ProgramNotifier(House()).show_notice(Notice("a & b", "<b>R&D</b>, run A done", NewsKind.ENDED))
    assert started[0][-2:] == ("a & b", "&lt;b&gt;R&amp;D&lt;/b&gt;, run A done")


def test_stopping_says_that_what_was_sent_may_still_be_billed(qapp: QApplication) -> None:
    dialog = StopDialog("Stop?", [StopChoice("Run A", ())])
    assert any(STILL_BILLED in label.text() for label in dialog.findChildren(QLabel))
    dialog.deleteLater()


def test_the_latest_message_begins_at_a_word() -> None:
    assert _last_words("short") == "short"
    words = " ".join(f"word{n:03d}" for n in range(200))
    shown = _last_words(words)
    assert shown.startswith("… word")
    assert shown.split()[1] in words.split()
    assert words.endswith(shown.removeprefix("… "))
    assert len(_last_words("x" * 1000)) == LATEST_SHOWN_MAX + 2, "one word without end is cut after all"
    assert _last_words("y " + "x" * LATEST_SHOWN_MAX) == "… " + "x" * LATEST_SHOWN_MAX


def test_a_fault_of_ours_is_told_under_a_heading_of_ours() -> None:
    view = made.run_view(1, fault="A fault of Quarterdeck ended it.")
    (line,) = problem_lines({view.run_id: view}, {}, (), ())
    assert (line.kind, line.words) == ("Fault", "A fault of Quarterdeck ended it.")
