"""A text view of rows: each paragraph is one row, put in and taken out anywhere; what is looked at stays where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QTextBlockFormat, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from quarterdeck.ui.printed_text import Ink, Piece
from quarterdeck.ui.transcript_blocks import Block, Row

GAP = Piece(" ", Ink("gap"))
"""Ends a heading: a tall space, which keeps the block above at a distance."""


class RowsView(QPlainTextEdit):
    """How rows look is said by subclasses."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def tint(self, row: Row) -> str:
        """The background of a row as `#rrggbb`; empty for none."""
        raise NotImplementedError

    def char_format(self, ink: Ink) -> QTextCharFormat:
        """The look of a piece."""
        raise NotImplementedError

    # ------------------------------------------------------------------ rows

    @property
    def rows(self) -> Sequence[Row]:
        """The rows, one for each paragraph."""
        return self._rows

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Exchange everything."""
        self.clear()
        self._rows = []
        self.insert_rows(0, rows)

    def insert_rows(self, at: int, rows: Sequence[Row]) -> None:
        """Put rows before place `at`; what is looked at stays."""
        if not rows:
            return
        top, into, is_empty = self._top_block(), self._into_block(), not self._rows
        is_after = at >= len(self._rows)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if is_after:
            cursor.movePosition(QTextCursor.MoveOperation.End)
        else:
            cursor.setPosition(self.document().findBlockByNumber(at).position())
        for text, ink in _runs(
            rows, before="\n" if is_after and not is_empty else "", after="" if is_after else "\n"
        ):
            cursor.insertText(text, self.char_format(ink))
        inherited = "" if is_empty else self.tint(self._rows[min(at, len(self._rows) - 1)])
        self._tint_rows(cursor, at, rows, inherited)
        cursor.endEditBlock()
        self._rows[at:at] = rows
        if at <= top and not is_empty:
            self._scroll_block_to_top(top + len(rows), into)

    def remove_rows(self, at: int, count: int) -> None:
        """Take rows out; what is looked at stays."""
        count = min(count, len(self._rows) - at)
        if count <= 0:
            return
        if count == len(self._rows):
            self.show_rows(())
            return
        top, into = self._top_block(), self._into_block()
        is_tail = at + count >= len(self._rows)
        document = self.document()
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        if is_tail:
            cursor.setPosition(document.findBlockByNumber(at).position() - 1)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        else:
            cursor.setPosition(document.findBlockByNumber(at).position())
            there = document.findBlockByNumber(at + count).position()
            cursor.setPosition(there, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        kept = self._rows[at - 1] if is_tail else self._rows[at + count]
        cursor.setBlockFormat(_tinted(self.tint(kept)))
        cursor.endEditBlock()
        del self._rows[at : at + count]
        if at <= top:
            is_kept = top >= at + count
            self._scroll_block_to_top(max(at, top - count), into if is_kept else 0)

    def _tint_rows(self, cursor: QTextCursor, at: int, rows: Sequence[Row], inherited: str) -> None:
        """New paragraphs take the look of the one they were split from; those that differ get their own."""
        for place, row in enumerate(rows):
            if (tint := self.tint(row)) != inherited:
                cursor.setPosition(self.document().findBlockByNumber(at + place).position())
                cursor.setBlockFormat(_tinted(tint))

    # ------------------------------------------------------------------ places

    @property
    def is_at_end(self) -> bool:
        """The last row of the window is in sight."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - 1

    def _top_block(self) -> int:
        return self.firstVisibleBlock().blockNumber()

    def _into_block(self) -> int:
        """How many lines of the first paragraph in sight are above the view: a paragraph may be higher than it."""
        return max(0, self.verticalScrollBar().value() - self.firstVisibleBlock().firstLineNumber())

    @property
    def top_row(self) -> int:
        """Place of the first row in sight."""
        return self._top_block() if self._rows else 0

    @property
    def bottom_row(self) -> int:
        """Place of the last row in sight."""
        seen = self.cursorForPosition(QPoint(4, self.viewport().height() - 4)).blockNumber()
        return min(seen, max(0, len(self._rows) - 1))

    def scroll_to_end(self) -> None:
        """Bring the last row of the window into sight."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def _scroll_block_to_top(self, number: int, into: int = 0) -> None:
        first = self.document().findBlockByNumber(number).firstLineNumber()
        self.verticalScrollBar().setValue(first + into)

    def keep_in_place(self, top: int, caret: int) -> None:
        """After rows were exchanged: the row in the first place again, the caret at the row that was asked."""
        self._scroll_block_to_top(top)
        cursor = QTextCursor(self.document().findBlockByNumber(caret))
        self.setTextCursor(cursor)

    def scroll_to_row(self, place: int) -> None:
        """Bring a row into the upper part of the view."""
        self._scroll_block_to_top(max(0, place - 3))

    def row_of(self, offset: int) -> int:
        """Place of the first row of the line that holds this byte."""
        rows = self._rows
        low, high = 0, len(rows)
        while low < high:
            middle = (low + high) // 2
            if rows[middle].block.key < 0 or rows[middle].block.end <= offset:
                low = middle + 1
            else:
                high = middle
        return min(low, max(0, len(rows) - 1))

    def offset_at(self, place: int) -> int:
        """The first byte of a row's block."""
        rows = self._rows
        return rows[min(place, len(rows) - 1)].block.offset if rows else 0

    def start_at(self, place: int) -> int:
        """The first byte of a row's block."""
        rows = self._rows
        return rows[min(place, len(rows) - 1)].block.offset if rows else 0

    def blocks_in(self, places: range | None = None) -> list[Block]:
        """The blocks of these rows (default: of all), each once."""
        rows = self._rows
        wanted = rows if places is None else [rows[i] for i in places if i < len(rows)]
        return list({row.block.key: row.block for row in wanted}.values())


def _runs(rows: Sequence[Row], before: str, after: str) -> Iterator[tuple[str, Ink]]:
    """The text of rows, each on a line of its own, in as few pieces of one look as it has (each costs)."""
    text, ink = [before], None
    for place, row in enumerate(rows):
        if place:
            text.append("\n")
        for piece in (*row.pieces, GAP) if row.is_head else row.pieces:
            if piece.ink != ink:
                if ink is not None and any(text):
                    yield "".join(text), ink
                    text = []
                ink = piece.ink
            text.append(piece.text)
    yield "".join((*text, after)), ink or Ink()


def _tinted(colour: str) -> QTextBlockFormat:
    made = QTextBlockFormat()
    if colour:
        made.setBackground(QColor(colour))
    return made
