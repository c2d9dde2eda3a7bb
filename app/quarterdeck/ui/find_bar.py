"""The bar that finds a literal text in the whole transcript, and what it knows of the places found."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from quarterdeck.ui.attempt_link import SearchMoved
from quarterdeck.ui.icon_button import IconButton
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import ElidedLabel, set_text
from quarterdeck.ui.theme import Theme

tr = Texts("FindBar")

PAUSE_MS = 150
"""Of typing, before a search begins."""


class Places:
    """Byte offsets found so far, ascending. `count` also counts those beyond what is kept."""

    def __init__(self) -> None:
        self.offsets = array("Q")
        self.count = 0
        self.current = -1
        self.is_done = True
        self.searched_to = 0

    def add(self, news: SearchMoved) -> None:
        """One more part of the search."""
        self.offsets.extend(news.part.offsets)
        self.count += news.part.count
        self.searched_to, self.is_done = news.part.searched_to, news.is_done

    @property
    def offset(self) -> int | None:
        """The current place."""
        return self.offsets[self.current] if 0 <= self.current < len(self.offsets) else None

    def step(self, step: int) -> int | None:
        """The next or previous place, around the ends."""
        if self.offsets:
            self.current = (self.current + step) % len(self.offsets)
        return self.offset

    def choose_near(self, offset: int) -> int | None:
        """The first place from this byte on; the first of all where there is none."""
        if self.offsets:
            self.current = bisect_left(self.offsets, offset) % len(self.offsets)
        return self.offset

    def ordinal_in(self, start: int) -> int:
        """How many places before the current one lie at or after `start`."""
        return self.current - bisect_right(self.offsets, start - 1) if start else self.current

    @property
    def words(self) -> str:
        """`3 of 128`, while searching `12 so far …`."""
        if not self.is_done:
            return tr("{count} so far …", count=f"{self.count:,}")
        if not self.count:
            return tr("Not found")
        if self.count > len(self.offsets):
            return tr(
                "{current} of {count} (the first {reached} can be gone to)",
                current=f"{self.current + 1:,}",
                count=f"{self.count:,}",
                reached=f"{len(self.offsets):,}",
            )
        return tr("{current} of {count}", current=f"{self.current + 1:,}", count=f"{self.count:,}")


class FindBar(QWidget):
    """Asks by signals; the panel answers with `show_places`."""

    search_asked = Signal(str, bool)
    """Words (empty: no search) and whether upper and lower case are told apart."""
    step_asked = Signal(int)
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.line = QLineEdit(self)
        self.line.setPlaceholderText(tr("Find in the whole transcript"))
        self.line.setAccessibleName(tr("Find in transcript"))
        self.line.installEventFilter(self)
        self.case = QCheckBox(tr("Match case"), self)
        self.count = ElidedLabel("muted", self)
        self.count.setAccessibleName(tr("Places found"))
        self.previous = IconButton("chevron-up", tr("Previous place"), theme, self, "Shift+Enter")
        self.next = IconButton("chevron-down", tr("Next place"), theme, self, "Enter")
        self.close_ = IconButton("x", tr("Close find"), theme, self, "Esc")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._on_pause)
        self._lay_out()
        self.line.textChanged.connect(self._on_text_changed)
        self.case.toggled.connect(self._on_pause)
        self.previous.clicked.connect(self._on_previous)
        self.next.clicked.connect(self._on_next)
        self.close_.clicked.connect(self.closed)

    def _lay_out(self) -> None:
        top, under = QHBoxLayout(), QHBoxLayout()
        top.setSpacing(2)
        under.setSpacing(14)
        top.addWidget(self.line, 1)
        for part in (self.previous, self.next, self.close_):
            top.addWidget(part)
        under.addWidget(self.case)
        under.addWidget(self.count, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(top)
        column.addLayout(under)

    @property
    def words(self) -> str:
        """What is looked for."""
        return self.line.text()

    def begin(self, words: str) -> None:
        """Take the keyboard; `words` replaces what was typed, where it is not empty."""
        if words:
            self.line.setText(words)
        self.line.selectAll()
        self.line.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_places(self, places: Places | None) -> None:
        """Say where the search stands."""
        set_text(self.count, places.words if places is not None else "")
        can = places is not None and bool(places.offsets)
        self.previous.setEnabled(can)
        self.next.setEnabled(can)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.line and isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self._search_now() if self._pause.isActive() else self.step_asked.emit(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        return super().eventFilter(watched, event)

    def _search_now(self) -> None:
        self._pause.stop()
        self._on_pause()

    def _on_text_changed(self) -> None:
        self._pause.start()

    def _on_pause(self) -> None:
        self.search_asked.emit(self.line.text(), self.case.isChecked())

    def _on_previous(self) -> None:
        self.step_asked.emit(-1)

    def _on_next(self) -> None:
        self.step_asked.emit(1)

    def hideEvent(self, event: object) -> None:
        super().hideEvent(event)  # type: ignore[arg-type]
        self._pause.stop()
