"""The raw transcript of an attempt: text `Transcript`, read through the link in chunks, ten times a second at most.

Bounded: the newest 2 MB are read and at most 20,000 lines are kept; what is left out is said, with a button for it.
Control characters and colour codes are shown as what they are or left out; nothing is interpreted.
"""

from __future__ import annotations

import codecs
import re

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.engine.door import TranscriptChunk
from quarterdeck.ui.asked import TranscriptRead
from quarterdeck.ui.link import Link
from quarterdeck.ui.parts import button, label, set_text
from quarterdeck.ui.theme import mono_font
from quarterdeck.ui.words import shown_plainly, size_text

POLL_MS = 100
FIRST_BYTES = 2_000_000
CHUNK_BYTES = 256_000
LINES_MAX = 20_000
LINE_SHOWN_MAX = 2_000
"""Longer lines are broken for display: a text block of megabytes stops any text view."""
_COLOURS = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_TIDY = str.maketrans({"\r": None})


class TranscriptPanel(QWidget):
    """Follows one attempt at a time."""

    follow_changed = Signal(object)
    """bool: whether new text is scrolled to."""

    def __init__(self, link: Link, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._attempt: tuple[RunId, AttemptId] | None = None
        self._start = 0
        self._next: int | None = None
        self._is_live = False
        self._is_asked = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.text = QPlainTextEdit(self)
        self._earlier = label("", "muted", self, wrap=True)
        self._more = button("Show earlier part", "Show earlier part", "", self)
        self._newest = button("Jump to newest", "Jump to newest", "primary", self)
        self._lay_out()
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._poll.timeout.connect(self._on_poll)
        link.transcript_read.connect(self._on_transcript_read)
        self._more.clicked.connect(self._on_more_clicked)
        self._newest.clicked.connect(self._scroll_down)
        self.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    def _lay_out(self) -> None:
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Transcript")
        self.text.setObjectName("Transcript")
        self.text.setFont(mono_font())
        self.text.setMaximumBlockCount(LINES_MAX)
        self.text.setUndoRedoEnabled(False)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.text.setPlaceholderText("Nothing printed yet.")
        top = QHBoxLayout()
        top.addWidget(self._earlier, 1)
        top.addWidget(self._more)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 10, 0, 0)
        layout.addLayout(top)
        layout.addWidget(self.text, 1)
        layout.addWidget(self._newest, 0, Qt.AlignmentFlag.AlignHCenter)
        self._earlier.hide()
        self._more.hide()
        self._newest.hide()

    # ------------------------------------------------------------------ content

    def show_attempt(self, attempt: tuple[RunId, AttemptId] | None, *, is_live: bool) -> None:
        """Follow this attempt; None empties the view."""
        if attempt != self._attempt:
            self._attempt = attempt
            self._restart(-FIRST_BYTES)
        elif self._is_live and not is_live:
            self._ask()  # the last words, printed as it ended
        self._is_live = is_live
        self._start_or_stop()

    def _restart(self, offset: int) -> None:
        self.text.clear()
        self._decoder.reset()
        self._start, self._next, self._is_asked = 0, None, False
        self._earlier.hide()
        self._more.hide()
        self.text.setPlaceholderText("Nothing printed yet.")
        if self._attempt is not None and self.isVisible():
            self._ask(offset)

    def _ask(self, offset: int | None = None) -> None:
        if self._attempt is None or self._is_asked:
            return
        self._is_asked = True
        wanted = offset if offset is not None else self._next if self._next is not None else -FIRST_BYTES
        limit = FIRST_BYTES if self._next is None else CHUNK_BYTES
        self._link.read_transcript(*self._attempt, wanted, limit)

    def _on_transcript_read(self, read: TranscriptRead) -> None:
        if (read.run, read.attempt) != self._attempt:
            return
        self._is_asked = False
        chunk = read.chunk
        if chunk.missing:
            self.text.setPlaceholderText(
                "Nothing printed yet." if self._is_live else "The transcript is missing: no file was kept."
            )
            return
        if self._next is not None and chunk.offset != self._next:
            return
        if self._next is None:
            self._start = chunk.offset
            self._say_earlier()
        self._next = chunk.offset + len(chunk.content)
        self._append(chunk)
        if self._next < chunk.size_bytes:
            self._ask()

    def _append(self, chunk: TranscriptChunk) -> None:
        text = _shown(self._decoder.decode(chunk.content))
        if not text:
            return
        bar = self.text.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(text)
        if is_at_end:
            self._scroll_down()
        else:
            self._newest.show()
        if self.text.blockCount() >= LINES_MAX:
            self._say_earlier(is_cut=True)

    def _say_earlier(self, *, is_cut: bool = False) -> None:
        if self._start > 0:
            set_text(self._earlier, f"Earlier part not shown ({size_text(self._start)}).")
        elif is_cut:
            set_text(self._earlier, f"Only the newest {LINES_MAX:,} lines are shown; the file holds all.")
        self._earlier.setVisible(self._start > 0 or is_cut)
        self._more.setVisible(self._start > 0)

    # ------------------------------------------------------------------ events

    def _start_or_stop(self) -> None:
        if self._is_live and self.isVisible():
            self._poll.start()
        else:
            self._poll.stop()

    def _on_poll(self) -> None:
        self._ask()

    def _on_more_clicked(self) -> None:
        self._restart(max(0, self._start - FIRST_BYTES))

    def _scroll_down(self) -> None:
        bar = self.text.verticalScrollBar()
        bar.setValue(bar.maximum())
        self._newest.hide()

    def _on_scrolled(self, value: int) -> None:
        if value >= self.text.verticalScrollBar().maximum() - 4:
            self._newest.hide()

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self._ask()
        self._start_or_stop()

    def hideEvent(self, event: object) -> None:
        super().hideEvent(event)  # type: ignore[arg-type]
        self._poll.stop()


def _shown(text: str) -> str:
    """Printed text as it may be shown: colour codes left out, invisible characters as escapes, long lines broken."""
    plain = shown_plainly(_COLOURS.sub("", text).translate(_TIDY))
    if max(map(len, plain.split("\n")), default=0) <= LINE_SHOWN_MAX:
        return plain
    return "\n".join(
        "\n".join(line[i : i + LINE_SHOWN_MAX] for i in range(0, len(line), LINE_SHOWN_MAX) or (0,))
        for line in plain.split("\n")
    )
