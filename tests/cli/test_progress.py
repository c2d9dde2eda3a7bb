"""The live block and the plain lines. A small terminal of the test's own judges what a person would see."""

from __future__ import annotations

import asyncio
import re
import unicodedata
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.cli.console import PacedWriter
from quarterdeck.cli.plain_text import escaped, width
from quarterdeck.cli.progress import (
    RECORDING_RESUMED,
    RECORDING_STOPPED,
    LiveBlock,
    PlainLines,
    frame_lines,
)
from quarterdeck.domain.states import AttemptStatus
from quarterdeck.domain.views import RunView
from tests.cli.builders import START_MS, attempt, ended, figures, run_view, slot
from tests.cli.call import MemorySink

NOW = START_MS + 65_000


class Screen:
    """A naive terminal: text, new lines, carriage return, cursor up, clear to the end of line and below."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.rows: list[list[str]] = [[]]
        self.y, self.x = 0, 0

    def feed(self, text: str) -> None:
        for piece in re.findall(r"\x1b\[\??[0-9]*[A-Za-z]|[^\x1b]", text):
            if piece.startswith("\x1b"):
                self._control(piece)
            elif piece == "\n":
                self._line_feed()
            elif piece == "\r":
                self.x = 0
            else:
                self._put(piece)

    def _control(self, piece: str) -> None:
        number = int(re.sub(r"\D", "", piece) or "1")
        if piece.endswith("A"):
            self.y = max(0, len(self.rows) - self.lines, self.y - number)
        elif piece.endswith("K"):
            del self.rows[self.y][self.x :]
        elif piece.endswith("J"):
            del self.rows[self.y][self.x :]
            del self.rows[self.y + 1 :]
        else:
            assert piece in ("\x1b[?2026h", "\x1b[?2026l"), piece

    def _line_feed(self) -> None:
        self.y, self.x = self.y + 1, 0
        if self.y == len(self.rows):
            self.rows.append([])

    def _put(self, char: str) -> None:
        wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if self.x + wide > self.columns:
            self._line_feed()
        row = self.rows[self.y]
        row.extend(" " * (self.x - len(row)))
        row[self.x : self.x + wide] = [char, *[""] * (wide - 1)]
        self.x += wide

    def text(self) -> list[str]:
        return ["".join(row).rstrip() for row in self.rows if "".join(row).strip()]


def working(name: str = "lint", **changes: object) -> RunView:
    at_work = attempt(figures=figures(3, "0.13"), tail="one\nlast words\n")
    return run_view(
        slot(name, "Running", at_work, turns=3, cost_usd=Decimal("0.13"), **changes), slot("report")
    )


def test_a_line_tells_state_time_turns_cost_and_last_words() -> None:
    lint, report, run = frame_lines(working(), NOW, 100, 20)
    assert lint == "▸ Lint    Running       1m 04s   3 turns    $0.13  last words"
    assert report == "○ Report  Not started"
    assert run.startswith("Repository check r-111111111111  1m 05s  $0.42  1 running · 1 not started")


def test_an_unknown_cost_is_called_unknown() -> None:
    view = run_view(slot("lint", "Running", attempt(), cost_usd=None, cost_is_complete=False))
    assert "unknown" in frame_lines(view, NOW, 100, 20)[0]


def test_practice_is_labelled_where_it_shows() -> None:
    assert "Lint (practice)" in frame_lines(working(is_practice=True), NOW, 100, 20)[0]


@given(st.integers(1, 200), st.integers(1, 50), st.integers(1, 60), st.text(max_size=80))
def test_a_frame_never_exceeds_its_columns_and_lines(
    columns: int, lines: int, count: int, title: str
) -> None:
    slots = [slot(f"n{i}", "Running", attempt(tail=title), title=title) for i in range(count)]
    frame = frame_lines(run_view(*slots), NOW, columns, lines)
    assert len(frame) <= lines
    assert all(width(line) <= columns and line == escaped(line) for line in frame)


def test_agents_at_work_are_shown_first_when_not_all_fit_and_the_rest_is_counted() -> None:
    slots = [
        slot(f"n{i}", "Running" if i == 30 else "Not started", *([attempt()] if i == 30 else []))
        for i in range(40)
    ]
    frame = frame_lines(run_view(*slots), NOW, 100, 6)
    assert len(frame) == 6
    assert any(line.startswith("▸ N30") for line in frame)
    assert "and 36 agents more" in frame[-2]


async def drawn(sink: MemorySink, *steps: object) -> None:
    writer = PacedWriter(sink)
    block = LiveBlock(writer)
    try:
        for step in steps:
            if isinstance(step, RunView):
                block.show(step, NOW)
            elif isinstance(step, tuple):
                sink.columns, sink.lines = step
            else:
                block.say(str(step))
            await writer.drained(5)
        block.close()
        await writer.drained(5)
    finally:
        writer.close()


async def test_the_block_is_redrawn_in_place() -> None:
    sink = MemorySink(is_terminal=True)
    await drawn(sink, working(), "Warning: a sentence", ended(working()))
    screen = Screen(100, 24)
    screen.feed(sink.text)
    assert screen.text()[0] == "Warning: a sentence"
    assert [line[0] for line in screen.text()[1:]] == ["▸", "○", "R"]


async def test_a_frame_that_looks_the_same_is_not_written_again() -> None:
    sink = MemorySink(is_terminal=True)
    await drawn(sink, working(), working(), working())
    assert sink.text.count("\x1b[?2026h") == 1


@pytest.mark.parametrize("columns", [20, 37, 61, 140])
async def test_after_a_resize_nothing_of_the_old_block_is_left(columns: int) -> None:
    sink = MemorySink(is_terminal=True, columns=100)
    await drawn(sink, working("日本"), (columns, 24), working("lint"))
    screen = Screen(100, 24)
    first, second = sink.text.split("\x1b[?2026l")[:2]
    screen.feed(first)
    narrow = Screen(columns, 24)  # a terminal wraps what stood there when it becomes narrower
    narrow.feed("\n".join(screen.text()) + "\n")
    narrow.feed(second)
    assert len([line for line in narrow.text() if "Running" in line or "▸" in line]) == 1
    assert len(narrow.text()) == 3


async def test_a_terminal_that_cannot_say_an_icon_gets_plain_shapes() -> None:
    sink = MemorySink(is_terminal=True, encoding="ascii")
    await drawn(sink, working())
    assert "> Lint" in sink.text


async def test_plain_lines_tell_changes_only() -> None:
    sink = MemorySink()
    writer = PacedWriter(sink)
    lines = PlainLines(writer)
    done = attempt(status=AttemptStatus.SUCCEEDED, figures=figures(2))
    for view in (run_view(slot("lint")), working(), working(), run_view(slot("lint", "Done", done, turns=2))):
        lines.show(view, NOW)
    await writer.drained(5)
    writer.close()
    assert sink.text.splitlines() == ["Lint: Running", "Lint: Done, 3s, 2 turns, $0.00"]


async def test_plain_lines_say_once_that_recording_stopped_and_once_that_it_goes_on() -> None:
    """JNL8; not knowing is no claim."""
    sink = MemorySink()
    writer = PacedWriter(sink)
    lines = PlainLines(writer)
    for recording in (None, True, False, False, True):
        lines.show(replace(run_view(), recording=recording), NOW)
    await writer.drained(5)
    writer.close()
    assert sink.text.splitlines() == [RECORDING_STOPPED, RECORDING_RESUMED]


async def test_a_run_that_is_over_is_not_said_to_be_recorded_again() -> None:
    """JNL8: of another process's run, whose folder took nothing and whose owner is gone, nobody knows that."""
    sink = MemorySink()
    writer = PacedWriter(sink)
    lines = PlainLines(writer)
    lines.show(replace(run_view(), recording=False), NOW)
    lines.show(replace(ended(run_view()), recording=None), NOW)
    await writer.drained(5)
    writer.close()
    assert RECORDING_RESUMED not in sink.text


@pytest.mark.parametrize("kind", [PlainLines, LiveBlock])
async def test_a_run_that_waits_for_its_folder_says_so_for_what_and_how_to_end_it(kind: type[Any]) -> None:
    """JNL8: with the folder moved away it waited ten minutes without a word of it."""
    sink = MemorySink()
    writer = PacedWriter(sink)
    shown = kind(writer)
    gone = replace(run_view(), recording=False, waits_for="/data/runs: No such file or directory\x1b[2J")
    for view in (run_view(), gone, gone):
        shown.show(view, NOW)
    await writer.drained(5)
    writer.close()
    assert sink.text.count("The run waits for /data/runs: No such file or directory") == 1
    assert "Ctrl+C ends the run" in sink.text
    assert "\x1b[2J" not in sink.text


async def test_of_what_cannot_be_kept_for_good_nothing_is_said_to_be_waited_for() -> None:
    sink = MemorySink()
    writer = PacedWriter(sink)
    lines = PlainLines(writer)
    for view in (run_view(), replace(run_view(), recording=False, fault="Its spend is not kept.")):
        lines.show(view, NOW)
    await writer.drained(5)
    writer.close()
    assert sink.text == ""


async def test_a_writer_whose_reader_does_not_read_never_holds_up_the_loop() -> None:
    import threading

    class Stuck(MemorySink):
        gate = threading.Event()

        def write(self, content: bytes) -> None:
            self.gate.wait(10)
            super().write(content)

    sink = Stuck(is_terminal=True)
    writer = PacedWriter(sink)
    block = LiveBlock(writer)
    for turns in range(50):
        block.show(run_view(slot("lint", "Running", attempt(), turns=turns)), NOW)
    frames_waiting = writer._count
    sink.gate.set()
    await writer.drained(5)
    await asyncio.to_thread(writer.close)
    assert frames_waiting == 1
