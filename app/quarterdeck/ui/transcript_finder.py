"""Finding in a transcript: the search through the whole file, the place gone to, and the marks in the view."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.ids import AttemptId, RunId
from quarterdeck.engine.attempt_details import Sought
from quarterdeck.ui.attempt_link import AttemptLink, SearchMoved
from quarterdeck.ui.find_bar import FindBar, Places
from quarterdeck.ui.transcript_pager import TranscriptPager
from quarterdeck.ui.transcript_view import TranscriptView


class TranscriptFinder(QObject):
    """Joins bar, link, pager and view."""

    def __init__(self, link: AttemptLink, view: TranscriptView, pager: TranscriptPager, bar: FindBar) -> None:
        super().__init__(bar)
        self._link, self._view, self._pager, self._bar = link, view, pager, bar
        self._attempt: tuple[RunId, AttemptId] | None = None
        self._search = 0
        self.places: Places | None = None
        link.search_moved.connect(self._on_search_moved)
        pager.place_reached.connect(self._on_place_reached)
        bar.search_asked.connect(self._on_search_asked)
        bar.step_asked.connect(self._on_step_asked)
        bar.closed.connect(self._on_closed)

    def begin(self) -> None:
        """Open the bar, with the selected words where they are on one line."""
        self._bar.show()
        chosen = self._view.textCursor().selectedText()
        self._bar.begin(chosen if "\u2029" not in chosen and len(chosen) <= 200 else "")

    def look_again(self) -> None:
        """What is shown has changed: blocks show less than the raw view."""
        if self._bar.isVisible() and self._bar.words:
            self._on_search_asked(self._bar.words, self._bar.case.isChecked())

    def close(self, attempt: tuple[RunId, AttemptId] | None) -> None:
        """No marks, no search; what is found next is found in this attempt."""
        self._attempt = attempt
        self._on_closed()

    def _on_closed(self) -> None:
        focus = QApplication.focusWidget()
        had_focus = focus is not None and self._bar.isAncestorOf(focus)
        self._bar.hide()
        self._forget_places()
        if had_focus:
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _forget_places(self) -> None:
        self._search += 1
        self._link.give_up_search()
        self.places = None
        self._bar.show_places(None)
        self._view.mark("", False, None)

    def _on_search_asked(self, words: str, match_case: bool) -> None:
        self._forget_places()
        if words and self._attempt is not None:
            self.places = Places()
            self.places.is_done = False
            self._link.search(self._search, *self._attempt, Sought(words, match_case, self._pager.is_raw))
            self._bar.show_places(self.places)

    def _on_search_moved(self, news: SearchMoved) -> None:
        if news.ticket != self._search or self.places is None:
            return
        self.places.add(news)
        if news.is_done and self.places.current < 0:
            self._go_to(self.places.choose_near(self._view.start_at(self._view.top_row)))
        self._bar.show_places(self.places)

    def _on_step_asked(self, step: int) -> None:
        if self.places is not None:
            self._go_to(self.places.step(step))
            self._bar.show_places(self.places)

    def _go_to(self, offset: int | None) -> None:
        if offset is not None:
            self._pager.go_to(offset)

    def _on_place_reached(self, offset: int) -> None:
        if self.places is None or offset != self.places.offset:
            return
        self._pager.open_block(self._view.row_of(offset), True)
        place = self._place_of(offset)
        self._view.mark(self._bar.words, self._bar.case.isChecked(), place)
        self._view.scroll_to_row(place[0])

    def _place_of(self, offset: int) -> tuple[int, int, int]:
        """Row, from and to of the current place; the last shown one, or the whole row, where not all are shown."""
        assert self.places is not None
        first = self._view.row_of(offset)
        rows = self._view.rows
        block = rows[first].block
        nth = self.places.ordinal_in(block.offset)
        words, is_exact = self._bar.words, self._bar.case.isChecked()
        wanted = words if is_exact else words.lower()
        shown = (first, 0, len(rows[first].text))
        for place in range(first, len(rows)):
            if rows[place].block is not block and rows[place].block.key != block.key:
                break
            text = rows[place].text if is_exact else rows[place].text.lower()
            at = text.find(wanted)
            while at >= 0:
                shown = (place, at, at + len(wanted))
                if nth == 0:
                    return shown
                nth, at = nth - 1, text.find(wanted, at + len(wanted))
        return shown
