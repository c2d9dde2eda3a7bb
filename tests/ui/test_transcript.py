"""The transcript's panel over the real reader: any length, blocks by kind, find, copy, raw view, following."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.ui import transcript_pager
from quarterdeck.ui.link import Link
from quarterdeck.ui.theme import Scheme, Theme
from quarterdeck.ui.transcript import TranscriptPanel
from quarterdeck.ui.transcript_blocks import Kind
from tests.ui.desk import until
from tests.ui.fake_door import FakeDoor

pytestmark = pytest.mark.qt_loop
RUN, ATTEMPT = RunId("r-1"), AttemptId("a-1")


class Reader:
    """The panel, and the transcript that it reads."""

    def __init__(self, panel: TranscriptPanel, door: FakeDoor) -> None:
        self.panel, self.door = panel, door

    @property
    def text(self) -> str:
        return self.panel.text.toPlainText()

    async def show(self, content: bytes, *, is_live: bool = False, is_protocol: bool = False) -> None:
        self.door.transcripts[ATTEMPT] = content
        if is_protocol:
            self.door.details.protocol.add(ATTEMPT)
        self.panel.show_attempt((RUN, ATTEMPT), is_live=is_live)
        await until(lambda: self.panel.pager.is_known, "the first page")

    async def find(self, words: str) -> None:
        self.panel.find_here()
        self.panel.find_bar.line.setText(words)
        QTest.keyClick(self.panel.find_bar.line, Qt.Key.Key_Return)
        await until(
            lambda: self.panel.finder.places is not None and self.panel.finder.places.is_done, "the search"
        )

    def marked(self) -> str:
        marks = self.panel.text.extraSelections()
        return str(marks[-1].cursor.selectedText()) if marks else ""


@asynccontextmanager
async def reader() -> AsyncIterator[Reader]:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    theme = Theme(app, Scheme.LIGHT)
    door, link = FakeDoor(), Link()
    link.bind(door)
    panel = TranscriptPanel(theme, link.attempts)
    panel.resize(360, 600)
    panel.show()
    try:
        yield Reader(panel, door)
    finally:
        await link.stop()
        panel.close()
        panel.deleteLater()
        theme.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def said(**item: Any) -> bytes:
    return json.dumps(item).encode() + b"\n"


def lines(count: int, start: int = 0) -> bytes:
    return b"".join(b"line %06d of the transcript\n" % i for i in range(start, start + count))


# ------------------------------------------------------------------------------------------- any length


async def test_a_long_transcript_opens_at_its_end_and_reads_no_more_than_is_near() -> None:
    """P15, case 91: 100,000 lines; only pages near the end are asked for."""
    async with reader() as r:
        await r.show(lines(100_000))
        await until(lambda: "line 099999" in r.text)
        assert "line 050000" not in r.text
        assert len(r.door.details.asked) < 8
        assert r.panel.bar.value() == r.panel.bar.maximum()


async def test_scrolling_up_brings_every_line_once_and_the_window_stays_bounded() -> None:
    async with reader() as r:
        await r.show(lines(12_000))
        await until(lambda: "line 011999" in r.text)
        seen: set[str] = set()
        bar = r.panel.text.verticalScrollBar()
        while r.panel.pager.start > 0 or bar.value() > 0:
            seen |= set(r.text.splitlines())
            bar.setValue(max(0, bar.value() - 400))
            await asyncio.sleep(0)
            await until(lambda: r.panel.pager._aim is None)
            assert len(r.panel.text.rows) < 6_000
        seen |= set(r.text.splitlines())
        assert {s for s in seen if s} == set(lines(12_000).decode().splitlines())
        assert r.text.splitlines()[:2] == ["line 000000 of the transcript", "line 000001 of the transcript"]


async def test_what_is_looked_at_stays_while_earlier_lines_come_in() -> None:
    async with reader() as r:
        await r.show(lines(12_000))
        bar = r.panel.text.verticalScrollBar()
        bar.setValue(60)
        top = r.panel.text.rows[r.panel.text.top_row].text
        count = len(r.panel.text.rows)
        await until(lambda: len(r.panel.text.rows) > count)
        assert r.panel.text.rows[r.panel.text.top_row].text == top


async def test_the_bar_reaches_any_place_of_the_file_and_the_keys_its_ends() -> None:
    async with reader() as r:
        await r.show(lines(100_000))
        r.panel.bar.setValue(r.panel.bar.maximum() // 2)
        await until(lambda: "line 050000" in r.text)
        QTest.keyClick(r.panel.text, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: "line 000000" in r.text)
        assert r.panel.bar.value() == 0
        QTest.keyClick(r.panel.text, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
        await until(lambda: "line 099999" in r.text)


async def test_a_line_of_ten_megabytes_passes_and_the_line_after_it_is_whole() -> None:
    """Cases 97 and 98."""
    long = "äöü…" * 1_100_000
    async with reader() as r:
        await r.show(b"first\n" + long.encode() + b"\nlast\n")
        await until(lambda: r.text.endswith("last"))
        assert "…" in r.text
        assert "\ufffd" not in r.text
        assert "first" not in r.text
        r.panel.pager.go_to(0)
        await until(lambda: r.text.startswith("first\näöü…"))
        assert "\ufffd" not in r.text
    async with reader() as r:
        await r.show(said(type="text", text="w" * 132_000) + said(type="turn"), is_protocol=True)
        await until(lambda: "w" * 1000 in r.text)
        assert "more; the raw view has all" in r.text


# ------------------------------------------------------------------------------------------- following


async def test_new_lines_are_followed_until_the_person_scrolls_and_the_pill_leads_back() -> None:
    async with reader() as r:
        await r.show(lines(300), is_live=True)
        await until(lambda: "line 000299" in r.text)
        r.door.transcripts[ATTEMPT] += lines(50, 300)
        await until(lambda: "line 000349" in r.text)
        assert r.panel.text.is_at_end
        assert not r.panel.newest.isVisible()
        bar = r.panel.text.verticalScrollBar()
        bar.setValue(40)
        r.door.transcripts[ATTEMPT] += lines(50, 350)
        await until(lambda: "line 000399" in r.text)
        assert bar.value() == 40
        assert r.panel.newest.isVisible()
        r.panel.pager.go_to_end()
        assert r.panel.text.is_at_end
        assert not r.panel.newest.isVisible()


async def test_following_goes_on_while_old_rows_leave_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_pager, "ROWS_MAX", 400)
    monkeypatch.setattr(transcript_pager, "ROWS_KEPT", 300)
    async with reader() as r:
        await r.show(lines(200), is_live=True)
        for start in range(200, 1_400, 100):
            r.door.transcripts[ATTEMPT] += lines(100, start)
            await until(lambda last=start + 99: f"line {last:06d}" in r.text)  # type: ignore[misc]
            assert r.panel.text.is_at_end
            assert r.panel.pager.is_following
        assert len(r.panel.text.rows) <= 401
        r.panel.pager.go_to(0)
        await until(lambda: "line 000000" in r.text)


async def test_a_line_that_is_still_being_written_grows_in_its_place() -> None:
    async with reader() as r:
        await r.show(b"one\ntw", is_live=True)
        await until(lambda: r.text == "one\ntw")
        r.door.transcripts[ATTEMPT] += b"o\nthr"
        await until(lambda: r.text == "one\ntwo\nthr")
        r.door.transcripts[ATTEMPT] += b"ee\n"
        await until(lambda: r.text == "one\ntwo\nthree")


async def test_a_flood_is_jumped_over_not_read_up_to() -> None:
    async with reader() as r:
        await r.show(lines(10), is_live=True)
        await until(lambda: "line 000009" in r.text)
        asked = len(r.door.details.asked)
        r.door.transcripts[ATTEMPT] += lines(100_000, 10)
        await until(lambda: "line 100009" in r.text)
        assert len(r.door.details.asked) - asked < 10


async def test_nothing_is_asked_while_the_panel_is_hidden_or_the_attempt_is_over() -> None:
    async with reader() as r:
        await r.show(lines(10), is_live=True)
        assert r.panel._poll.isActive()
        r.panel.hide()
        assert not r.panel._poll.isActive()
        r.panel.show()
        r.panel.show_attempt((RUN, ATTEMPT), is_live=False)
        assert not r.panel._poll.isActive()


async def test_a_transcript_whose_end_no_disk_took_says_so() -> None:
    async with reader() as r:
        await r.show(lines(10))
        assert r.panel.lost.isHidden()
        r.panel.show_lost("9,558 bytes of the transcript could not be kept: the disk did not take them")
        assert not r.panel.lost.isHidden()
        assert "It ends early: 9,558 bytes of the transcript" in r.panel.lost.text()
        r.panel.show_lost("")
        assert r.panel.lost.isHidden()


async def test_a_transcript_of_long_lines_that_has_ended_opens_at_its_end_though_its_prompt_comes_later() -> (
    None
):
    """The last line alone is higher than the view."""
    content = b"".join(said(type="text", text=f"line {n} äöü\n{'x' * 3_800}") for n in range(20))
    async with reader() as r:
        await r.show(content, is_protocol=True)
        view = r.panel.text
        await until(lambda: r.panel.pager.start == 0 and r.panel.pager._aim is None, "the whole of it")
        r.panel.show_lost("9,558 bytes of the transcript could not be kept: the disk did not take them")
        r.panel.show_prompt("Write it.")
        await until(lambda: view.rows[0].block.kind is Kind.PROMPT, "the prompt above it")
        assert view.is_at_end
        assert not r.panel.newest.isVisibleTo(view), "there is nothing newer"


async def test_the_line_that_is_looked_at_stays_also_in_the_middle_of_a_long_one() -> None:
    content = b"".join(said(type="text", text=f"line {n} äöü\n{'x' * 3_800}") for n in range(20))
    async with reader() as r:
        await r.show(content, is_protocol=True)
        view, bar = r.panel.text, r.panel.text.verticalScrollBar()
        await until(lambda: r.panel.pager.start == 0 and r.panel.pager._aim is None, "the whole of it")
        bar.setValue(bar.maximum() - 40)
        into = bar.value() - view.firstVisibleBlock().firstLineNumber()
        assert into > 0
        r.panel.show_prompt("Write it.")
        await until(lambda: view.rows[0].block.kind is Kind.PROMPT, "the prompt above it")
        assert bar.value() - view.firstVisibleBlock().firstLineNumber() == into
        assert r.panel.newest.isVisibleTo(view), "who scrolls away stays there"


async def test_missing_and_empty_are_two_things() -> None:
    async with reader() as r:
        r.panel.show_attempt((RUN, AttemptId("a-9")), is_live=False)
        await until(lambda: "missing" in r.panel.text.placeholderText())
        assert r.panel.said.text() == "Missing"
        await r.show(b"")
        assert r.panel.text.placeholderText() == "Nothing printed yet."


# ------------------------------------------------------------------------------------------- blocks

TALK = (
    said(type="session", id="s-1", resumable=True)
    + said(type="text", text="I look at the **log**.\nThen I push.")
    + said(type="text", text="Now.")
    + said(type="effect", id="push", state="intended", kind="git push", target="origin digest")
    + said(type="effect", id="push", state="sent", kind="git push", detail="two commits")
    + b"plain words on stdout\n"
    + said(type="effect", id="push", state="confirmed", kind="git push", target="origin digest")
    + said(type="error", **{"class": "rate_limit"}, message="429")
    + said(type="usage", input_tokens=1200, output_tokens=30, cost_usd="0.02", message_id="m")
)


async def test_an_agents_lines_are_blocks_by_kind_and_effects_are_one_line() -> None:
    async with reader() as r:
        await r.show(TALK, is_protocol=True)
        assert r.text.splitlines() == [
            "Session s-1",
            "Agent ",
            "I look at the **log**.",
            "Then I push.",
            "Now.",
            "▸ git push  sent  origin digest",
            "Other output ",
            "plain words on stdout",
            "▸ git push  confirmed  origin digest",
            "Error ",
            "rate_limit: 429",
            "Usage 1.2k in · 30 out · $0.02",
        ]


async def test_an_effect_opens_and_closes_by_enter_and_by_click() -> None:
    async with reader() as r:
        await r.show(TALK, is_protocol=True)
        place = next(i for i, row in enumerate(r.panel.text.rows) if row.block.kind is Kind.EFFECT)
        cursor = r.panel.text.textCursor()
        cursor.setPosition(r.panel.text.document().findBlockByNumber(place).position())
        r.panel.text.setTextCursor(cursor)
        QTest.keyClick(r.panel.text, Qt.Key.Key_Return)
        opened = r.text.splitlines()
        assert opened[place] == "▾ git push  sent  origin digest"
        assert opened[place + 1 : place + 4] == [
            "   states  intended → sent",
            "   id  push",
            "   two commits",
        ]
        at = r.panel.text.cursorRect(r.panel.text.textCursor()).center()
        QTest.mouseClick(r.panel.text.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert r.text.splitlines()[place] == "▸ git push  sent  origin digest"
        assert len(r.text.splitlines()) == 12


async def test_an_effect_that_goes_on_is_one_line_still() -> None:
    async with reader() as r:
        await r.show(
            said(type="effect", id=1, state="intended", kind="mail", target="a"),
            is_live=True,
            is_protocol=True,
        )
        assert r.text == "▸ mail  intended  a"
        r.door.transcripts[ATTEMPT] += said(type="effect", id=1, state="sent", kind="mail", target="a")
        await until(lambda: r.text == "▸ mail  sent  a")


async def test_the_prompt_stands_above_the_first_line_folded() -> None:
    async with reader() as r:
        await r.show(TALK, is_protocol=True)
        r.panel.show_prompt("Write the digest.\nBe short.")
        assert r.text.splitlines()[0] == "▸ Prompt  Write the digest. Be short."
        r.panel.pager.open_block(0)
        assert r.text.splitlines()[:3] == ["▾ Prompt", "Write the digest.", "Be short."]


async def test_a_prompt_that_is_known_before_the_first_line_stands_above_it_too() -> None:
    async with reader() as r:
        r.panel.show_prompt("Write it.")
        await r.show(TALK, is_protocol=True)
        assert r.text.splitlines()[0] == "▸ Prompt  Write it."
        r.panel.show_prompt("")
        assert r.text.splitlines()[0] == "Session s-1"


async def test_a_text_agents_output_is_plain_even_if_it_looks_like_the_protocol() -> None:
    """AUT6: only who speaks the protocol is understood by it."""
    async with reader() as r:
        await r.show(said(type="error", **{"class": "auth"}, message="401"))
        assert r.text == '{"type": "error", "class": "auth", "message": "401"}'


async def test_the_raw_view_shows_every_character_and_the_place_stays() -> None:
    async with reader() as r:
        await r.show(b"\x1b[31mred\x1b[0m \x1b]0;title\x07end\r\n" + TALK, is_protocol=True)
        assert r.text.splitlines()[1] == "red end"
        r.panel.raw_button.click()
        await until(lambda: "\\x1b[31mred" in r.text)
        assert '{"type": "turn' not in r.text
        assert '{"type": "session"' in r.text
        r.panel.raw_button.click()
        await until(lambda: "Agent" in r.text)


async def test_foreign_text_cannot_reorder_or_hide() -> None:
    async with reader() as r:
        await r.show("a\u202eb\u200bc\x08d\x1b[2Je\n".encode())
        assert r.text == "a\\u202eb\\u200bc\\x08de"


# ------------------------------------------------------------------------------------------- find and copy


async def test_find_looks_through_the_whole_file_and_goes_around() -> None:
    async with reader() as r:
        await r.show(lines(50_000) + b"a Needle here\n" + lines(50_000))
        await r.find("needle")
        await until(lambda: r.marked() == "Needle")
        assert r.panel.find_bar.count.text() == "1 of 1"
        await r.find("line 00001")
        assert r.panel.find_bar.count.text() == "11 of 20", "the first from what is looked at on"
        await until(lambda: r.marked() == "line 00001")
        QTest.keyClick(r.panel.find_bar.line, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
        assert r.panel.find_bar.count.text() == "10 of 20"
        r.panel.text.scroll_to_end()
        QTest.keyClick(r.panel.find_bar.line, Qt.Key.Key_Return)
        assert r.panel.find_bar.count.text() == "11 of 20"
        r.panel.find_bar.case.setChecked(True)
        await r.find("needle")
        await until(lambda: r.panel.find_bar.count.text() == "Not found")
        QTest.keyClick(r.panel.find_bar.line, Qt.Key.Key_Escape)
        assert not r.panel.find_bar.isVisible()
        assert not r.panel.text.extraSelections()


async def test_find_at_the_end_goes_around_to_the_first_place() -> None:
    async with reader() as r:
        await r.show(lines(5_000))
        await r.find("line 00001")
        assert r.panel.find_bar.count.text().startswith("1 of ")


async def test_find_is_literal_and_marks_the_place_that_it_counts() -> None:
    async with reader() as r:
        await r.show(b"a.b axb a.b\n(a.b)\n")
        await r.find("a.b")
        assert r.panel.find_bar.count.text() == "1 of 3", "at the first of what is looked at"
        columns = []
        for _ in range(3):
            r.panel.find_bar.next.click()
            marks = r.panel.text.extraSelections()
            columns.append(marks[-1].cursor.selectionStart())
        assert columns == [8, 13, 0], "around the end"


async def test_find_sees_through_json_escapes_and_opens_what_is_folded() -> None:
    async with reader() as r:
        await r.show(
            said(type="text", text='say "größer"')
            + said(type="effect", id=1, state="sent", kind="x", detail="pssst"),
            is_protocol=True,
        )
        await r.find('"größer"')
        await until(lambda: r.marked() == '"größer"')
        await r.find("pssst")
        await until(lambda: r.marked() == "pssst")


async def test_find_counts_what_is_shown_and_in_the_raw_view_every_character() -> None:
    """B13: keys of the protocol, figures, and what an effect says again are no places; each place that counts is marked."""
    lines_of = (
        said(type="text", text="one type of text")
        + b"no protocol: type\n"
        + said(type="usage", input_tokens=77, output_tokens=1, model="text")
        + said(type="effect", id="e1", state="intended", kind="push", target="text")
        + said(type="effect", id="e1", state="sent", kind="push", target="text")
        + said(type="output", value={"text": ["text"]})
    )
    async with reader() as r:
        await r.show(lines_of, is_protocol=True)
        for words, count in (("type", 2), ("text", 4), ("77", 0), ("push", 1), ("output", 0)):
            await r.find(words)
            wanted = f"of {count}" if count else "Not found"
            await until(lambda w=wanted: r.panel.find_bar.count.text().endswith(w))  # type: ignore[misc]
            seen = set()
            for _ in range(count):
                await until(lambda w=words: r.marked() == w)  # type: ignore[misc]
                marks = r.panel.text.extraSelections()
                seen.add(marks[-1].cursor.selectionStart())
                r.panel.find_bar.next.click()
            assert len(seen) == count, words
        r.panel.raw_button.setChecked(True)
        await until(lambda: r.panel.find_bar.count.text().endswith("of 2"))
        await r.find("type")
        await until(lambda: r.panel.find_bar.count.text().endswith(f"of {lines_of.count(b'type')}"))


async def test_blocks_are_copied_as_markdown() -> None:
    async with reader() as r:
        await r.show(TALK, is_protocol=True)
        r.panel.copy_markdown()
        assert QGuiApplication.clipboard().text() == (
            "- Session s-1\n\nI look at the **log**.\nThen I push.\n\nNow.\n\n"
            "- **Effect** git push sent origin digest\n\n```\nplain words on stdout\n```\n\n"
            "- **Effect** git push confirmed origin digest\n\n**Error**\n\n> rate_limit: 429\n\n"
            "- Usage 1.2k in · 30 out · $0.02\n"
        )
        assert r.panel.said.text() == "Copied all of it, 8 blocks"


async def test_a_fence_is_longer_than_any_in_the_output() -> None:
    async with reader() as r:
        await r.show(b"````\nx\n")
        r.panel.copy_markdown()
        assert QGuiApplication.clipboard().text() == "`````\n````\nx\n`````\n"


# ------------------------------------------------------------------------------------------- programs' own wires


def claude_says(*blocks: Any) -> bytes:
    return json.dumps({"type": "assistant", "message": {"content": list(blocks)}}).encode() + b"\n"


def claude_heard(call: str, content: str) -> bytes:
    block = {"type": "tool_result", "tool_use_id": call, "content": content}
    return json.dumps({"type": "user", "message": {"content": [block]}}).encode() + b"\n"


def claude_piece(text: str) -> bytes:
    event = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}
    return json.dumps({"type": "stream_event", "event": event}).encode() + b"\n"


USES_A_TOOL = claude_says(
    {"type": "thinking", "thinking": "Let me look."},
    {"type": "text", "text": "I look at the folder."},
    {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls -l", "description": "List"}},
)


async def test_a_programs_transcript_is_read_in_blocks_and_its_calls_open_to_their_results() -> None:
    async with reader() as r:
        r.door.details.wires[ATTEMPT] = "claude"
        await r.show(USES_A_TOOL + claude_heard("t1", "total 0\nnotes.md"))
        assert "{" not in r.text
        kinds = [row.block.kind for row in r.panel.text.rows if row.is_first]
        assert kinds == [Kind.THINKING, Kind.AGENT, Kind.CALL]
        assert "▸ Bash  done  ls -l" in r.text
        assert "notes.md" not in r.text
        call = next(n for n, row in enumerate(r.panel.text.rows) if row.block.kind is Kind.CALL)
        r.panel.text.fold_asked.emit(call)
        assert "description: List" in r.text
        assert "notes.md" in r.text
        r.panel.raw_button.setChecked(True)
        await until(lambda: '"tool_use_id": "t1"' in r.text, "the raw lines")


async def test_a_call_that_is_found_is_opened_and_its_place_is_marked() -> None:
    async with reader() as r:
        r.door.details.wires[ATTEMPT] = "claude"
        many = b"".join(claude_says({"type": "text", "text": f"text {n}"}) for n in range(2_000))
        await r.show(USES_A_TOOL + claude_heard("t1", "total 0\nnotes.md") + many)
        assert "Bash" not in r.text
        await r.find("NOTES.md")
        await until(lambda: r.marked() == "notes.md", "the place in the result")
        await r.find("tool_result")
        assert r.panel.finder.places is not None
        assert r.panel.finder.places.count == 0, "what keeps the wire going is in the raw view alone"


async def test_a_text_grows_as_it_is_told_and_stands_once_when_it_came_whole() -> None:
    async with reader() as r:
        r.door.details.wires[ATTEMPT] = "claude"
        content = claude_piece("It begins ")
        await r.show(content, is_live=True)
        assert r.text.splitlines()[-1] == "It begins "
        for more in (
            claude_piece("and goes on"),
            claude_says({"type": "text", "text": "It begins and ends."}),
        ):
            content += more
            r.door.transcripts[ATTEMPT] = content
            await until(lambda size=len(content): r.panel.pager.end == size, "what was printed")
        assert r.text.count("It begins") == 1
        assert r.text.splitlines()[-1] == "It begins and ends."


async def test_a_program_that_shows_little_is_read_up_to_what_it_shows() -> None:
    """Megabytes of pieces that were told whole, before and behind."""
    async with reader() as r:
        r.door.details.wires[ATTEMPT] = "claude"
        whole = claude_says({"type": "text", "text": "The whole text."})
        await r.show(
            claude_piece("piece ") * 8_000 + whole + b'{"type":"system","subtype":"status"}\n' * 20_000
        )
        await until(lambda: "The whole text." in r.text and r.panel.pager.start == 0, "what is far off")


async def test_a_programs_transcript_is_copied_as_what_is_shown() -> None:
    async with reader() as r:
        r.door.details.wires[ATTEMPT] = "claude"
        await r.show(USES_A_TOOL + claude_heard("t1", "total 0\nnotes.md"))
        r.panel.copy_markdown()
        copied = QGuiApplication.clipboard().text()
        assert copied == (
            "**Thinking**\n\n> Let me look.\n\nI look at the folder.\n\n- **Tool call** Bash done ls -l\n\n"
            "```\ncommand: ls -l\ndescription: List\n```\n\n```\ntotal 0\nnotes.md\n```\n"
        )
