"""The text view `Transcript`: a window of rows out of a transcript of any length, each paragraph one row.

It shows and asks: which rows there are is the panel's matter. Rows are put in and taken out at either end, and what the
person looks at stays where it is.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.printed_text import Hue, Ink
from quarterdeck.ui.rows_view import RowsView
from quarterdeck.ui.theme import Theme, mono_font, ui_font
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.transcript_blocks import FOLDED, Kind, Row

GUTTER = 26
MARKS_MAX = 400
"""Marked places of a search at a time."""
_ICONS = {
    Kind.PROMPT: "user",
    Kind.AGENT: "bot",
    Kind.SUBAGENT: "bot",
    Kind.THINKING: "ellipsis",
    Kind.TOLD: "user",
    Kind.CALL: "terminal",
    Kind.EFFECT: "terminal",
    Kind.FILE: "file",
    Kind.QUESTION: "hand",
    Kind.ERROR: "circle-alert",
    Kind.RESULT: "circle-check",
    Kind.NOTE: "info",
    Kind.OTHER: "list",
}
_TONES = {
    Kind.ERROR: Family.FAILED,
    Kind.QUESTION: Family.NEEDS,
    Kind.RESULT: Family.DONE,
    Kind.EFFECT: Family.RUNNING,
    Kind.CALL: Family.RUNNING,
}
_HUES = {
    Hue.RED: Family.FAILED,
    Hue.GREEN: Family.DONE,
    Hue.YELLOW: Family.NEEDS,
    Hue.BLUE: Family.RUNNING,
    Hue.CYAN: Family.RUNNING,
    Hue.MAGENTA: Family.INTERRUPTED,
    Hue.GREY: Family.NEUTRAL,
}


class TranscriptView(RowsView):
    """Read-only; the caret is there for the keyboard, and Enter opens and closes what is folded."""

    fold_asked = Signal(int)
    """Place of a row whose block is to be opened or closed."""
    beginning_asked = Signal()
    end_asked = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._formats: dict[Ink, QTextCharFormat] = {}
        self.setReadOnly(True)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        self.setAccessibleName("Transcript")
        self.setObjectName("Transcript")
        self.setFont(mono_font())
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._gutter = Gutter(self)
        self.updateRequest.connect(self._on_update_request)
        theme.theme_changed.connect(self._on_theme_changed)

    # ------------------------------------------------------------------ looks

    def tint(self, row: Row) -> str:
        """Errors and questions stand out, the prompt is set off."""
        t = self._theme.tokens
        match row.block.kind:
            case Kind.ERROR:
                return t.tones[Family.FAILED].tint
            case Kind.QUESTION:
                return t.tones[Family.NEEDS].tint
            case Kind.PROMPT:
                return t.window
            case _:
                return ""

    def char_format(self, ink: Ink) -> QTextCharFormat:
        if ink not in self._formats:
            self._formats[ink] = self._made_format(ink)
        return self._formats[ink]

    def _made_format(self, ink: Ink) -> QTextCharFormat:
        t = self._theme.tokens
        made = QTextCharFormat()
        font = {
            "body": ui_font(13),
            "head": ui_font(12, QFont.Weight.DemiBold),
            "name": ui_font(12, QFont.Weight.DemiBold),
            "state": ui_font(12, QFont.Weight.Medium),
            "muted": ui_font(12),
            "fold": ui_font(15),
            "gap": ui_font(20),
        }.get(ink.role) or mono_font(12)
        if ink.is_bold:
            font.setWeight(QFont.Weight.Bold)
        font.setItalic(ink.is_italic)
        font.setUnderline(ink.is_underlined)
        made.setFont(font)
        colour = t.muted if ink.role in {"muted", "head", "fold"} or ink.is_dim else t.text
        if ink.hue in _HUES:
            colour = t.tones[_HUES[ink.hue]].text
        made.setForeground(QColor(colour))
        return made

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._formats.clear()
        at_end, top = self.is_at_end, self._top_block()
        self.show_rows(tuple(self._rows))
        if at_end:
            self.scroll_to_end()
        else:
            self._scroll_block_to_top(top)

    def set_gutter(self, wanted: bool) -> None:
        """Room for the signs of the kinds; a text without blocks needs none."""
        self.setViewportMargins(GUTTER if wanted else 4, 0, 0, 0)
        self._gutter.setVisible(wanted)

    def paint_gutter(self, event: QPaintEvent) -> None:
        """The sign of each block beside its first row."""
        painter = QPainter(self._gutter)
        block, offset = self.firstVisibleBlock(), self.contentOffset()
        while block.isValid() and block.blockNumber() < len(self._rows):
            area = self.blockBoundingGeometry(block).translated(offset)
            if area.top() > event.rect().bottom():
                return
            row = self._rows[block.blockNumber()]
            if row.is_first and row.block.kind in _ICONS and block.layout().lineCount():
                self._paint_sign(painter, row, round(area.top()), round(block.layout().lineAt(0).height()))
            block = block.next()

    def _paint_sign(self, painter: QPainter, row: Row, top: int, height: int) -> None:
        t = self._theme.tokens
        family = _TONES.get(row.block.kind)
        colour = t.tones[family].text if family is not None else t.muted
        drawn = pixmap(_ICONS[row.block.kind], colour, 14, self.devicePixelRatioF())
        drop = height - 18 if row.is_head else (height - 14) // 2
        painter.drawPixmap(QPoint(7, top + 1 + max(0, drop)), drawn)

    def _on_update_request(self, area: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, area.y(), GUTTER, area.height())

    # ------------------------------------------------------------------ marks

    def mark(self, words: str, match_case: bool, current: tuple[int, int, int] | None) -> None:
        """Mark every place of the words, and the current one (row, from, to) strongly; no words: no marks."""
        marks: list[QTextEdit.ExtraSelection] = []
        t = self._theme.tokens
        flags = QTextDocument.FindFlag.FindCaseSensitively if match_case else QTextDocument.FindFlag(0)
        cursor = QTextCursor(self.document())
        tone = t.tones[Family.NEEDS]
        while words and len(marks) < MARKS_MAX:
            cursor = self.document().find(words, cursor, flags)
            if cursor.isNull():
                break
            marks.append(_selection(cursor, tone.tint, tone.text))
        if current is not None and current[0] < len(self._rows):
            place = self.document().findBlockByNumber(current[0]).position()
            cursor = QTextCursor(self.document())
            cursor.setPosition(place + current[1])
            cursor.setPosition(place + current[2], QTextCursor.MoveMode.KeepAnchor)
            marks.append(_selection(cursor, t.accent, t.on_accent))
        self.setExtraSelections(marks)

    def selected_rows(self) -> range:
        """Places of the rows that the selection touches; empty without one."""
        cursor = self.textCursor()
        if not cursor.hasSelection():
            return range(0)
        first = self.document().findBlock(cursor.selectionStart()).blockNumber()
        return range(first, self.document().findBlock(cursor.selectionEnd()).blockNumber() + 1)

    # ------------------------------------------------------------------ hands

    def _fold_at(self, place: int) -> bool:
        if not 0 <= place < len(self._rows) or self._rows[place].block.kind not in FOLDED:
            return False
        if not self._rows[place].is_first:
            return False
        self.fold_asked.emit(place)
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        match event.key():
            case Qt.Key.Key_Home if control:
                self.beginning_asked.emit()
            case Qt.Key.Key_End if control:
                self.end_asked.emit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if self._fold_at(
                self.textCursor().blockNumber()
            ):
                return
            case _:
                super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            self._fold_at(self.cursorForPosition(event.position().toPoint()).blockNumber())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        place = self.cursorForPosition(event.position().toPoint()).blockNumber()
        folds = (
            place < len(self._rows) and self._rows[place].block.kind in FOLDED and self._rows[place].is_first
        )
        shape = Qt.CursorShape.PointingHandCursor if folds else Qt.CursorShape.IBeamCursor
        if self.viewport().cursor().shape() is not shape:
            self.viewport().setCursor(shape)

    def resizeEvent(self, event: QResizeEvent) -> None:
        at_end = self.is_at_end
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._gutter.setGeometry(inside.left(), inside.top(), GUTTER, inside.height())
        if at_end:
            self.scroll_to_end()


class Gutter(QWidget):
    """The strip at the left of the view."""

    def __init__(self, view: TranscriptView) -> None:
        super().__init__(view)
        self._view = view

    def paintEvent(self, event: QPaintEvent) -> None:
        self._view.paint_gutter(event)


def _selection(cursor: QTextCursor, background: str, colour: str) -> QTextEdit.ExtraSelection:
    made = QTextEdit.ExtraSelection()
    made.cursor = cursor
    form = QTextCharFormat()
    form.setBackground(QColor(background))
    form.setForeground(QColor(colour))
    made.format = form
    return made
