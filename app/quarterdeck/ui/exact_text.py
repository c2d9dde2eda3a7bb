"""A read-only text of any length and any lines: laid out in short blocks, copied as it is. Foreign texts are shown in it.

Qt lays out one block at a time and wholly, in a time that grows with the square of its length: a million characters in one
line hold the window for minutes. So a long line is shown in pieces. A piece that goes on is marked, outside of the text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from PySide6.QtCore import QMimeData, QPoint, QPointF
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QTextBlock, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from quarterdeck.ui.language import Texts
from quarterdeck.ui.tips import tip

tr = Texts("ExactText")

PIECE_CHARS_MAX = 2_000
"""Characters of a block; Qt needs about a millisecond for it."""
MARK = "↩"
CONTINUED = 1
"""User state of a block that goes on the line of the block above."""
_ENDS = re.compile("\r\n|[\r\n\u2028\u2029\ufdd0\ufdd1]")
_MARKS_MAX = 20


def pieces_of(line: str) -> Iterator[str]:
    """The line in pieces of at most PIECE_CHARS_MAX characters, none of which begins with a combining mark; at least one."""
    start = 0
    while len(line) - start > PIECE_CHARS_MAX:
        end = start + PIECE_CHARS_MAX
        for _ in range(_MARKS_MAX):
            if not unicodedata.combining(line[end]):
                break
            end -= 1
        yield line[start:end]
        start = end
    yield line[start:]


class ExactText(QPlainTextEdit):
    """`toPlainText` and what is copied are what was set, to the character, however it is laid out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._exact = ""
        self._starts: list[int] = [0]
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)

    def toPlainText(self) -> str:
        return self._exact

    def setPlainText(self, text: str) -> None:
        shown, starts, continued = _laid_out(text)
        self._exact, self._starts = text, starts
        super().setPlainText("\n".join(shown))
        for number in continued:
            self.document().findBlockByNumber(number).setUserState(CONTINUED)
        told = tr("Long lines are shown in pieces, marked {mark}; a copy has them whole.", mark=MARK)
        self.setAccessibleDescription(told if continued else "")
        self.setToolTip(tip(told if continued else ""))

    def createMimeDataFromSelection(self) -> QMimeData:
        """The characters themselves, without the breaks that are ours."""
        cursor, found = self.textCursor(), QMimeData()
        first, last = self._place(cursor.selectionStart()), self._place(cursor.selectionEnd())
        found.setText(self._exact[first:last])
        return found

    def _place(self, position: int) -> int:
        """The place in the text of a position in the document, which counts in units of UTF-16."""
        block = self.document().findBlock(position)
        start = self._starts[block.blockNumber()]
        units = (position - block.position()) * 2
        before = block.text().encode("utf-16-le", "surrogatepass")[:units]
        return start + len(before.decode("utf-16-le", "surrogatepass"))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        block, offset = self.firstVisibleBlock(), self.contentOffset()
        while block.isValid():
            top = self.blockBoundingGeometry(block).translated(offset).topLeft()
            if top.y() > event.rect().bottom():
                break
            _mark(self, block, top)
            block = block.next()


class PiecesText(QTextEdit):
    """A text with looks, whose blocks with the state CONTINUED go on the one above: copied without the break between them."""

    def createMimeDataFromSelection(self) -> QMimeData:
        """The characters of the selection, plain."""
        found = QMimeData()
        found.setText(_selected(self.textCursor()))
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        scrolled = QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())
        block = self.cursorForPosition(QPoint(0, 0)).block()
        while block.isValid():
            top = block.layout().position() - scrolled
            if top.y() > event.rect().bottom():
                break
            _mark(self, block, top)
            block = block.next()


def _mark(view: QPlainTextEdit | QTextEdit, block: QTextBlock, top: QPointF) -> None:
    """Behind the last line of a block that goes on."""
    lines = block.layout().lineCount()
    if not lines or not goes_on(block):
        return
    painter = QPainter(view.viewport())
    painter.setPen(QPen(view.palette().color(QPalette.ColorRole.PlaceholderText)))
    line = block.layout().lineAt(lines - 1)
    wide = view.fontMetrics().horizontalAdvance(MARK)
    left = min(top.x() + line.x() + line.naturalTextWidth() + 2, view.viewport().width() - wide - 1)
    painter.drawText(QPointF(left, top.y() + line.y() + line.ascent()), MARK)


def goes_on(block: QTextBlock) -> bool:
    """Whether the line of this block goes on in the next."""
    after = block.next()
    return after.isValid() and after.userState() == CONTINUED


def _laid_out(text: str) -> tuple[list[str], list[int], list[int]]:
    """The blocks, the place in the text where each begins, and the numbers of those that go on a line."""
    shown: list[str] = []
    starts: list[int] = []
    continued: list[int] = []
    at = 0
    for end in [*((one.start(), one.end()) for one in _ENDS.finditer(text)), (len(text), len(text))]:
        for number, piece in enumerate(pieces_of(text[at : end[0]])):
            if number:
                continued.append(len(shown))
            shown.append(piece)
            starts.append(at)
            at += len(piece)
        at = end[1]
    return shown, starts, continued


def _selected(cursor: QTextCursor) -> str:
    said: list[str] = []
    first, last = cursor.selectionStart(), cursor.selectionEnd()
    block = cursor.document().findBlock(first)
    while block.isValid() and block.position() <= last:
        if block.position() > first and block.userState() != CONTINUED:
            said.append("\n")
        units = block.text().encode("utf-16-le", "surrogatepass")
        kept = units[max(0, first - block.position()) * 2 : max(0, last - block.position()) * 2]
        said.append(kept.decode("utf-16-le", "surrogatepass"))
        block = block.next()
    return "".join(said)
