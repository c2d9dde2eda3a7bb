"""The transcript of an attempt: text `Transcript` with its scroll bar for the whole file, find, copy, raw view, pill.

Read ten times a second at most while the agent lives and the panel is seen; nothing is asked of the file otherwise.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollBar, QVBoxLayout, QWidget

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.domain.views import MessageView
from quarterdeck.ui.attempt_link import AttemptLink
from quarterdeck.ui.find_bar import FindBar
from quarterdeck.ui.icon_button import IconButton
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, button, label, set_text, tint_button
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens
from quarterdeck.ui.transcript_blocks import markdown_of
from quarterdeck.ui.transcript_finder import TranscriptFinder
from quarterdeck.ui.transcript_pager import TranscriptPager
from quarterdeck.ui.transcript_view import TranscriptView
from quarterdeck.ui.words import size_text

tr = Texts("Transcript")

POLL_MS = 100
STEPS = 1_000_000
"""Of the scroll bar over a file that is not wholly in the window."""
MISSING = tr.later("The transcript is missing: no file was kept.")


class TranscriptPanel(QWidget):
    """Follows one attempt at a time."""

    def __init__(self, theme: Theme, link: AttemptLink, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._attempt: tuple[RunId, AttemptId] | None = None
        self._is_live = False
        self._is_setting = False
        self.text = TranscriptView(theme, self)
        self.pager = TranscriptPager(link, self.text, self)
        self.bar = QScrollBar(Qt.Orientation.Vertical, self)
        self.bar.setAccessibleName(tr("Place in the transcript"))
        self.find_bar = FindBar(theme, self)
        self.finder = TranscriptFinder(link, self.text, self.pager, self.find_bar)
        self.said = ElidedLabel("muted", self)
        self.lost = label("", "problem", self, wrap=True)
        self.lost.hide()
        self._copied = ""
        self._is_copy_due = False
        self.find_button = IconButton("search", tr("Find"), theme, self)
        self.raw_button = IconButton("file-text", tr("Raw view"), theme, self)
        self.raw_button.setCheckable(True)
        self.copy_button = IconButton("copy", tr("Copy as Markdown"), theme, self)
        self.newest = button(tr("Jump to newest"), tr("Jump to newest"), "primary", self.text)
        self._poll = QTimer(self)
        self._poll.setInterval(POLL_MS)
        self._lay_out()
        self._connect()
        self._on_theme_changed(theme.tokens)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self.said, 1)
        for part in (self.find_button, self.raw_button, self.copy_button):
            top.addWidget(part)
        whole = QHBoxLayout()
        whole.setSpacing(2)
        whole.addWidget(self.text, 1)
        whole.addWidget(self.bar)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 0)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self.lost)
        column.addWidget(self.find_bar)
        column.addLayout(whole, 1)
        self.find_bar.hide()
        self.newest.hide()
        self.text.installEventFilter(self)
        self.setTabOrder(self.text, self.newest)

    def _connect(self) -> None:
        self._theme.theme_changed.connect(self._on_theme_changed)
        self._poll.timeout.connect(self.pager.look_on)
        self.pager.moved.connect(self._on_moved)
        self.text.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.text.verticalScrollBar().rangeChanged.connect(self._on_moved)
        self.text.fold_asked.connect(self.pager.open_block)
        self.text.beginning_asked.connect(self._on_beginning_asked)
        self.text.end_asked.connect(self.pager.go_to_end)
        self.bar.valueChanged.connect(self._on_bar_moved)
        self.raw_button.toggled.connect(self._on_raw_toggled)

    # ------------------------------------------------------------------ content

    def show_attempt(self, attempt: tuple[RunId, AttemptId] | None, *, is_live: bool) -> None:
        """Follow this attempt; None empties the view."""
        if attempt != self._attempt:
            self._attempt = attempt
            self._is_copy_due = False
            self.finder.close(attempt)
            self.pager.open(attempt if self.isVisible() else None)
        elif self._is_live and not is_live:
            self.pager.look_on()  # the last words, printed as it ended
        self._is_live = is_live
        self._on_moved()
        self._start_or_stop()

    def show_lost(self, words: str) -> None:
        """What of it no disk took; empty where it is whole."""
        set_text(self.lost, tr("It ends early: {words}.", words=in_words(words)) if words else "")
        self.lost.setVisible(bool(words))

    def show_prompt(self, prompt: str) -> None:
        """What the agent was told, above its first words."""
        self.pager.show_prompt(prompt)

    def show_messages(self, messages: tuple[MessageView, ...]) -> None:
        """What a person said to the agent, each where it was said."""
        self.pager.show_messages(messages)

    def copy_once_read(self) -> None:
        """`copy_markdown`, as soon as the transcript is read."""
        self._is_copy_due = not self.pager.is_known
        if not self._is_copy_due:
            self.copy_markdown()

    def copy_markdown(self) -> None:
        """Put what is selected (else what is loaded) on the clipboard as Markdown, and say how much that was."""
        places = self.text.selected_rows()
        blocks = self.text.blocks_in(places if len(places) else None)
        if not blocks:
            return
        QGuiApplication.clipboard().setText(markdown_of(blocks))
        is_whole = not len(places) and self.pager.start == 0 and self.pager.end == self.pager.size
        part = (
            tr("the selection")
            if len(places)
            else tr("all of it")
            if is_whole
            else tr("the part that is loaded")
        )
        self._copied = tr.count(
            "Copied {part}, {n} blocks", "Copied {part}, {n} block", len(blocks), part=part
        )
        set_text(self.said, self._copied)

    def find_here(self) -> None:
        """Open the find bar (Ctrl+F)."""
        self.finder.begin()

    # ------------------------------------------------------------------ scrolling

    def _on_scrolled(self) -> None:
        if self._is_setting:
            return
        at_end = self.text.is_at_end and self.pager.end == self.pager.size
        if self.isVisible():
            self.pager.is_following = at_end
        self._on_moved()
        self.pager.look_around()

    def _on_bar_moved(self, value: int) -> None:
        if self._is_setting:
            return
        if self._is_whole:
            self.text.verticalScrollBar().setValue(value)
        elif value >= self.bar.maximum():
            self.pager.go_to_end()
        else:
            self.pager.go_to(value * self.pager.size // max(1, self.bar.maximum()))

    def _on_beginning_asked(self) -> None:
        self.pager.go_to(0)
        self.text.verticalScrollBar().setValue(0)

    @property
    def _is_whole(self) -> bool:
        return self.pager.start == 0 and self.pager.end == self.pager.size

    def _on_moved(self) -> None:
        self._is_setting = True
        try:
            inner = self.text.verticalScrollBar()
            if self._is_whole:
                self.bar.setRange(0, inner.maximum())
                self.bar.setPageStep(inner.pageStep())
                self.bar.setValue(inner.value())
            else:
                self.bar.setRange(0, STEPS)
                self.bar.setPageStep(max(1, STEPS // 50))
                is_last = self.pager.end == self.pager.size and self.text.is_at_end
                here = self.text.offset_at(self.text.top_row)
                self.bar.setValue(STEPS if is_last else STEPS * here // max(1, self.pager.size))
        finally:
            self._is_setting = False
        self._say()
        if self._is_copy_due and self.pager.is_known:
            self._is_copy_due = False
            self.copy_markdown()

    def _say(self) -> None:
        pager = self.pager
        empty = tr("Nothing printed yet.") if self._is_live or not pager.is_missing else MISSING.now
        if self.text.placeholderText() != empty:
            self.text.setPlaceholderText(empty)
        if pager.is_missing and not self._is_live:
            set_text(self.said, tr("Missing"))
        elif not self._copied or self.said.text() != self._copied or pager.is_following:
            set_text(self.said, size_text(pager.size) if pager.is_known else "")
        is_behind = pager.is_known and not (pager.end == pager.size and self.text.is_at_end)
        if self.newest.isVisibleTo(self.text) != is_behind:
            self.newest.setVisible(is_behind)
            self._place_pill()

    def _place_pill(self) -> None:
        wanted = self.newest.sizeHint()
        area = self.text.rect()
        self.newest.setGeometry(
            (area.width() - wanted.width()) // 2,
            area.height() - wanted.height() - 12,
            wanted.width(),
            wanted.height(),
        )

    # ------------------------------------------------------------------ events

    def _on_raw_toggled(self, is_raw: bool) -> None:
        self.pager.show_raw(is_raw)
        self.finder.look_again()

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        tint_button(self.newest, "arrow-down", self._theme, primary=True)

    def _start_or_stop(self) -> None:
        if self._is_live and self.isVisible():
            self._poll.start()
        else:
            self._poll.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.text and isinstance(event, QResizeEvent):
            self._place_pill()
        return super().eventFilter(watched, event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self.pager.is_known:
            self.pager.open(self._attempt)
        else:
            self.pager.look_on()
        self._start_or_stop()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._poll.stop()
