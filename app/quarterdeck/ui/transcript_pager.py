"""Which part of a transcript is in the view: pages are asked for as the person moves, and as the agent prints.

One question at a time is open. The window of rows is bounded at both ends, so a transcript of any length costs the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.views import MessageView
from quarterdeck.engine.attempt_details import TranscriptPage, Way
from quarterdeck.ui.attempt_link import AttemptLink, PageRead
from quarterdeck.ui.transcript_blocks import (
    HEADED,
    PROMPT_KEY,
    Block,
    Kind,
    Row,
    block_rows,
    blocks_of,
    prompt_block,
    rows_of,
    with_messages,
)
from quarterdeck.ui.transcript_view import TranscriptView

ROWS_MAX = 4_000
ROWS_KEPT = 3_000
NEAR_ROWS = 80
"""So near to an end of the window the next page is asked for."""
FAR_BEHIND_BYTES = 128 * 1024
"""An end that is farther away is jumped to, not read up to."""
END = 2**62


class Aim(StrEnum):
    """What the open question is for."""

    TAIL = "tail"
    AROUND = "around"
    EARLIER = "earlier"
    LATER = "later"


class TranscriptPager(QObject):
    """Owned by the panel."""

    moved = Signal()
    """The window, the size, or what is known of them changed."""
    place_reached = Signal(int)
    """The byte offset that was asked for is in the window."""

    def __init__(self, link: AttemptLink, view: TranscriptView, parent: QObject) -> None:
        super().__init__(parent)
        self._link, self._view = link, view
        self._attempt: tuple[RunId, AttemptId] | None = None
        self._ticket, self._prompt = 0, ""
        self._aim: Aim | None = None
        self._wanted: int | None = None
        self._messages: tuple[MessageView, ...] = ()
        self.forget()
        link.page_read.connect(self._on_page_read)

    def forget(self) -> None:
        """Nothing is known."""
        self._ticket += 1
        self._aim = self._wanted = None
        self._last: Block | None = None
        self._opened: frozenset[int] = frozenset()
        self.start = self.end = self.size = 0
        self.is_known = self.is_missing = self.is_protocol = self.is_raw = False
        self.is_following = True
        self._view.show_rows(())

    # ------------------------------------------------------------------ asking

    def open(self, attempt: tuple[RunId, AttemptId] | None) -> None:
        """Show an attempt from its end; None: nothing."""
        is_raw = self.is_raw
        self.forget()
        self._attempt, self.is_raw = attempt, is_raw
        self.go_to_end()

    def go_to_end(self) -> None:
        """Show the newest, and follow it."""
        self.is_following = True
        if self.is_known and self.end == self.size and not self.is_missing:
            self._view.scroll_to_end()
            self.moved.emit()
        else:
            self._ask(Aim.TAIL, END, Way.BEFORE)

    def go_to(self, offset: int) -> None:
        """Show the line that holds this byte."""
        self.is_following = False
        if self.is_known and self.start <= offset < self.end:
            self._reach(offset)
        else:
            self._wanted = offset
            self._ask(Aim.AROUND, offset, Way.AROUND)

    def look_on(self) -> None:
        """The agent may have printed more."""
        if not self.is_known or self.is_missing:
            self._ask(Aim.TAIL, END, Way.BEFORE, patiently=True)
        else:
            self._ask(Aim.LATER, self._resume_at, Way.AFTER, patiently=True)

    def look_around(self) -> None:
        """Ask for what is missing near the rows in sight."""
        if not self.is_known or self._aim is not None or self.is_missing:
            return  # where nothing of the page is shown, what is may stand farther off
        if self.start > 0 and self._view.top_row < NEAR_ROWS:
            self._ask(Aim.EARLIER, self.start, Way.BEFORE)
        elif self.end < self.size and self._view.bottom_row > len(self._view.rows) - NEAR_ROWS:
            self._ask(Aim.LATER, self._resume_at, Way.AFTER)

    def _ask(self, aim: Aim, at: int, way: Way, *, patiently: bool = False) -> None:
        """patiently: not while another question is open; else that one's answer is no longer wanted."""
        if self._attempt is None or (patiently and self._aim is not None):
            return
        self._ticket += 1
        self._aim = aim
        self._link.read_page(self._ticket, *self._attempt, at, way, self.is_raw)

    @property
    def _resume_at(self) -> int:
        """Where reading on begins: at the last block where that may still grow."""
        return self._last.offset if self._last is not None else self.end

    # ------------------------------------------------------------------ answers

    def _on_page_read(self, news: PageRead) -> None:
        if news.ticket != self._ticket or self._aim is None:
            return
        aim, self._aim = self._aim, None
        page = news.page
        self.is_missing, self.is_protocol = page.missing, page.is_protocol
        if page.missing:
            self.size, self.is_known = 0, True
            self.moved.emit()
            return
        self.size = page.size_bytes
        was_following = self.is_following
        match aim:
            case Aim.TAIL | Aim.AROUND:
                self._show(page, aim)
            case Aim.EARLIER:
                self._prepend(page)
            case Aim.LATER:
                self._append(page)
        self.is_following = was_following  # rows that come and go move the view: no wish of the person
        if was_following and aim is not Aim.AROUND:
            self._view.scroll_to_end()
        self.is_known = True
        self.moved.emit()
        self._reach_wanted()
        self.look_around()

    def _show(self, page: TranscriptPage, aim: Aim) -> None:
        blocks = self._blocks(page)
        self._view.set_gutter(page.is_protocol and not self.is_raw)
        self.start, self.end = page.start, page.end
        self._view.show_rows(self._with_prompt(rows_of(blocks, self._opened, None)))
        self._last = _growing(page, blocks)
        if aim is Aim.TAIL:
            self._view.scroll_to_end()

    def _prepend(self, page: TranscriptPage) -> None:
        if page.end != self.start:
            return
        blocks = self._blocks(page)
        rows = rows_of(blocks, self._opened, None)
        if _share_a_heading(rows, self._view.rows):
            self._view.remove_rows(0, 1)
        self.start = page.start
        self._view.insert_rows(0, self._with_prompt(rows))
        if len(self._view.rows) > ROWS_MAX:
            self._cut_end()

    def _append(self, page: TranscriptPage) -> None:
        if page.start != self._resume_at:
            return
        if page.end <= self.end:
            if page.size_bytes > self.end:
                self._last = None  # a block longer than a page does not grow any more here
            return
        if page.size_bytes - page.end > FAR_BEHIND_BYTES and self.is_following:
            self._ask(Aim.TAIL, END, Way.BEFORE)
            return
        rows = self._view.rows
        stale = _stale_from(rows, self._last, self._resume_at)
        self._view.remove_rows(stale, len(rows) - stale)
        blocks = self._blocks(page)
        before = rows[-1].block.kind if rows else None
        self._view.insert_rows(len(rows), rows_of(blocks, self._opened, before))
        self.end = page.end
        self._last = _growing(page, blocks)
        if len(rows) > ROWS_MAX:
            self._cut_start()

    def _blocks(self, page: TranscriptPage) -> list[Block]:
        blocks = blocks_of(page.lines, self.is_protocol, self.is_raw)
        return blocks if self.is_raw else with_messages(blocks, self._messages, page)

    # ------------------------------------------------------------------ bounds

    def _cut_start(self) -> None:
        rows = self._view.rows
        place = _line_beginning(rows, len(rows) - ROWS_KEPT)
        self.start = rows[place].block.offset
        self._view.remove_rows(0, place)

    def _cut_end(self) -> None:
        rows = self._view.rows
        place = _line_beginning(rows, ROWS_KEPT)
        self.end = rows[place].block.offset
        self._last = None
        self._view.remove_rows(place, len(rows) - place)

    # ------------------------------------------------------------------ places

    def _reach_wanted(self) -> None:
        if self._wanted is not None and (self.start <= self._wanted < self.end or self._wanted >= self.size):
            offset, self._wanted = self._wanted, None
            self._reach(offset)

    def _reach(self, offset: int) -> None:
        self._view.scroll_to_row(self._view.row_of(offset))
        self.place_reached.emit(offset)
        self.moved.emit()
        self.look_around()

    # ------------------------------------------------------------------ ways of showing

    def show_prompt(self, prompt: str) -> None:
        """The prompt, above the beginning."""
        if prompt == self._prompt:
            return
        count = sum(1 for row in self._view.rows[:ROWS_MAX] if row.block.kind is Kind.PROMPT)
        self._view.remove_rows(0, count)
        self._prompt = prompt
        if self.is_known and self.start == 0 and not self.is_missing:
            was_following = self.is_following  # rows that come move the view: no wish of the person
            self._view.insert_rows(0, self._with_prompt([]))
            if was_following:
                self.go_to_end()

    def show_messages(self, messages: tuple[MessageView, ...]) -> None:
        """What a person said, between what the agent printed. The place stays."""
        if messages != self._messages:
            self._messages = messages
            if self.is_known and not self.is_missing and not self.is_raw:
                self._show_anew()

    def _with_prompt(self, rows: list[Row]) -> list[Row]:
        if self.start > 0 or not self._prompt or self.is_raw or not self.is_protocol:
            return rows
        return [*block_rows(prompt_block(self._prompt), PROMPT_KEY in self._opened), *rows]

    def show_raw(self, is_raw: bool) -> None:
        """Every character, or blocks; the place stays."""
        if is_raw == self.is_raw:
            return
        self.is_raw = is_raw
        self._show_anew()

    def _show_anew(self) -> None:
        at, was_following = self._view.offset_at(self._view.top_row), self.is_following
        self.is_known, self._last = False, None
        if was_following:
            self.go_to_end()
        else:
            self.go_to(at)

    def open_block(self, place: int, is_open: bool | None = None) -> None:
        """Open or close what is folded at a row."""
        rows = self._view.rows
        block = rows[place].block
        was_open = block.key in self._opened
        if is_open is None:
            is_open = not was_open
        if was_open == is_open:
            return
        self._opened = self._opened ^ {block.key}
        first, last = _rows_of_block(rows, place)
        at_end = self._view.is_at_end and self.is_following
        fresh = block_rows(block, is_open, is_first=block.kind not in HEADED)
        top = self._view.top_row
        self._view.insert_rows(last + 1, fresh)
        self._view.remove_rows(first, last + 1 - first)
        self._view.keep_in_place(top, first)
        if at_end and not is_open:
            self._view.scroll_to_end()


def _line_beginning(rows: Sequence[Row], place: int) -> int:
    """The first place from this one on where another block begins."""
    while place + 1 < len(rows) and (rows[place].block is rows[place - 1].block):
        place += 1
    return place


def _share_a_heading(rows: Sequence[Row], below: Sequence[Row]) -> bool:
    """Whether what stands below goes on under the heading of these rows."""
    if not rows or not below or not below[0].is_head:
        return False
    return rows[-1].block.kind is below[0].block.kind is not Kind.ERROR


def _growing(page: TranscriptPage, blocks: Sequence[Block]) -> Block | None:
    """The last block where more of the file may belong to it."""
    printed = [block for block in blocks if block.kind is not Kind.PERSON]
    is_open = bool(page.lines) and not page.lines[-1].ends and page.end == page.size_bytes
    may_grow = bool(printed) and printed[-1].may_grow
    return printed[-1] if printed and (is_open or may_grow) else None


def _stale_from(rows: Sequence[Row], last: Block | None, resume_at: int) -> int:
    """Where the rows begin that are read anew: a block that may have grown, and what a person said behind that place."""
    place = len(rows)
    while place and rows[place - 1].block.kind is Kind.PERSON and rows[place - 1].block.offset >= resume_at:
        place -= 1
    while last is not None and place and rows[place - 1].block.key == last.key:
        place -= 1
    return place


def _rows_of_block(rows: Sequence[Row], place: int) -> tuple[int, int]:
    """First and last row of the block that has a row at `place`."""
    key, first, last = rows[place].block.key, place, place
    while first > 0 and rows[first - 1].block.key == key:
        first -= 1
    while last + 1 < len(rows) and rows[last + 1].block.key == key:
        last += 1
    return first, last
