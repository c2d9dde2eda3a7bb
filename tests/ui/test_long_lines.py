"""Foreign texts in one line of any length: shown in blocks that can be laid out, marked, and copied to the character."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from quarterdeck.engine.door import PlannedCommand
from quarterdeck.ui.dialogs.commands_view import CommandsView, command_text
from quarterdeck.ui.error_card import ErrorCardView
from quarterdeck.ui.exact_text import PIECE_CHARS_MAX, ExactText, goes_on
from quarterdeck.ui.present_details import PromptFacts
from quarterdeck.ui.present_errors import ErrorCard
from quarterdeck.ui.prompt_page import PromptPage
from quarterdeck.ui.questions import QuestionCard
from quarterdeck.ui.theme import Scheme, Theme
from tests.cli.builders import question

LONG = "0123456789" * 100_000


def taken(view: QPlainTextEdit | QTextEdit, first: int, last: int) -> str:
    """What a copy of the selection gives; places count units of UTF-16 in the document, as Qt does."""
    cursor = QTextCursor(view.document())
    cursor.setPosition(first)
    cursor.setPosition(last, QTextCursor.MoveMode.KeepAnchor)
    view.setTextCursor(cursor)
    return view.createMimeDataFromSelection().text()


def longest(view: QPlainTextEdit | QTextEdit) -> int:
    """Units of the longest block that Qt has to lay out."""
    document = view.document()
    return max(document.findBlockByNumber(n).length() - 1 for n in range(document.blockCount()))


def all_of(view: QPlainTextEdit | QTextEdit) -> str:
    return taken(view, 0, view.document().characterCount() - 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\nb\n",
        LONG,
        f"{LONG}\n\n{LONG}",
        "x\r\ny\rz\u2028v\u00a0w\u2029" * 900,
        "𝔸" * 5_000,
        "e" + "\u0301" * 5_000,
        "ab" + "a\u0301" * 3_000,
        "\t" * 4_001,
    ],
)
def test_a_text_is_laid_out_in_short_blocks_and_copied_to_the_character(qtbot: QtBot, text: str) -> None:
    qtbot.addWidget(view := ExactText())
    view.setPlainText(text)
    assert view.toPlainText() == text
    assert all_of(view) == text
    assert longest(view) <= 2 * PIECE_CHARS_MAX


def test_any_part_of_it_is_copied_as_it_is(qtbot: QtBot) -> None:
    """Against the text itself, whose characters are counted as Qt counts them."""
    random = Random(7)
    text = "".join(random.choice(["a", "𝔸", "\u00a0", "b" * 1_500]) for _ in range(60)) + "\nend"
    qtbot.addWidget(view := ExactText())
    view.setPlainText(text)
    shown = QPlainTextEdit.toPlainText(view).replace(" ", "?").replace("\u00a0", "?")
    bare = text.replace("\u00a0", "?")
    for _ in range(200):
        first, last = sorted(random.randrange(len(shown)) for _ in range(2))
        ours = shown[first:last]
        units = [len(shown[:at].encode("utf-16-le")) // 2 for at in (first, last)]
        copied = taken(view, *units).replace("\u00a0", "?")
        assert copied in bare
        assert copied.replace("\n", "") == ours.replace("\n", "")


def test_a_line_that_goes_on_is_marked_and_said_to_be_one_line(qtbot: QtBot) -> None:
    qtbot.addWidget(view := ExactText())
    view.setPlainText("x" * (2 * PIECE_CHARS_MAX + 1) + "\nshort")
    blocks = [view.document().findBlockByNumber(n) for n in range(view.document().blockCount())]
    assert [goes_on(one) for one in blocks] == [True, True, False, False]
    assert "in pieces" in view.accessibleDescription()
    view.resize(1_200, 700)
    with_mark = view.grab().toImage()
    for one in blocks:
        one.setUserState(-1)
    view.viewport().update()
    assert view.grab().toImage() != with_mark
    view.setPlainText("short")
    assert view.accessibleDescription() == ""


@pytest.mark.parametrize("action", ["", LONG])
def test_a_question_in_one_long_line_is_shown_whole_in_blocks_that_can_be_laid_out(
    qtbot: QtBot, qapp: QApplication, action: str
) -> None:
    """A question of a million characters in one line holds the window no longer than one in many lines."""
    asked = replace(question("n0", LONG, "Deny", "Allow once"), action=action)
    qtbot.addWidget(card := QuestionCard(Theme(qapp, Scheme.LIGHT), asked))
    assert card._exact.toPlainText() == LONG
    assert longest(card._exact) <= PIECE_CHARS_MAX
    card.resize(320, 400)


def test_prompts_and_errors_in_one_long_line_are_shown_in_short_blocks(
    qtbot: QtBot, qapp: QApplication
) -> None:
    qtbot.addWidget(parent := QWidget())
    page, card = (
        PromptPage(Theme(qapp, Scheme.LIGHT), parent),
        ErrorCardView(Theme(qapp, Scheme.LIGHT), parent),
    )
    page.show_facts(PromptFacts("As told", LONG, "", ()))
    card.show_card(ErrorCard("It failed.", "", "", "", "", LONG))
    page.copy_all()
    assert QGuiApplication.clipboard().text() == LONG
    assert max(longest(page.text), longest(card.text)) <= PIECE_CHARS_MAX


def test_commands_of_any_length_are_shown_in_short_blocks_and_copied_unbroken(
    qtbot: QtBot, qapp: QApplication
) -> None:
    qtbot.addWidget(parent := QWidget())
    view = CommandsView(Theme(qapp, Scheme.LIGHT), parent)
    planned = PlannedCommand("Lint", "lint", "command", ("tool", "𝔸b" * 40_000), "/srv", "/bin/tool")
    view.show_commands([planned], [("The settings", LONG)])
    view.show_all.click()
    assert longest(view.text) <= 2 * PIECE_CHARS_MAX
    copied = all_of(view.text)
    assert command_text(planned) in copied.split("\n")
    assert LONG in copied.split("\n")
