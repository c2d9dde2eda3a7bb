"""The middle of the window: the canvas with the run switcher above it and the zoom bar below, and notices."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.actions import Actions
from quarterdeck.ui.canvas.minimap import Minimap
from quarterdeck.ui.canvas.more_runs import MoreRuns
from quarterdeck.ui.canvas.run_place import RunPlace
from quarterdeck.ui.canvas.view import CanvasView
from quarterdeck.ui.icons import SPACED_SMALL, icon, pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import action_button, label, restyle, set_text
from quarterdeck.ui.present import LiveRun, WindowFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import short_id

tr = Texts("CanvasPage")

EDGE = 14
MAP_ROOM_W, MAP_ROOM_H = 440, 280
"""A smaller canvas has no room for the map."""
NOTE_MIN_W, NOTE_MAX_W, NOTE_AROUND = 180, 560, 52
PLACES_MAX, PLACE_W, ALL_W, MORE_W = 8, 124, 190, 64
"""Of more live runs than this the newest have a place, and that which is picked; the others are in the menu `+6`."""


class Switcher(QFrame):
    """`All live runs (2) | A 17m 04s | B 0m 13s`; a past run has a place of its own while it is shown."""

    run_picked = Signal(object)
    """RunId, or None for all live runs."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._page = theme, parent
        self.setProperty("look", "float")
        self.setAccessibleName(tr("Shown runs"))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(4, 4, 4, 4)
        self._row.setSpacing(2)
        self._all = self._place("")
        self._all.clicked.connect(self._on_all_clicked)
        self._places: list[RunPlace] = []
        self.more = MoreRuns(theme, self)
        self.more.run_picked.connect(self.run_picked)
        self._row.addWidget(self.more)
        self._past = label("", "", self)
        self._past.setContentsMargins(8, 0, 10, 0)
        self._row.addWidget(self._past)

    def show_runs(self, facts: WindowFacts, picked: RunId | None, looked_at: RunId | None = None) -> None:
        """Follow the live runs, what is picked, and the run looked at, whose letter is filled."""
        live = self._with_place(facts.live, picked)
        while len(self._places) < len(live):
            place = RunPlace(self._theme, self)
            self._row.insertWidget(self._row.indexOf(self.more), place)
            place.clicked.connect(self._on_place_clicked)
            self._places.append(place)
        set_text(self._all, tr("All live runs ({count})", count=f"{len(facts.live):,}"))
        self._all.setVisible(bool(facts.live))
        self._all.setChecked(picked is None)
        for at, place in enumerate(self._places):
            place.setVisible(at < len(live))
            if at < len(live):
                place.show_run(live[at], picked == live[at].run_id, looked_at == live[at].run_id)
        self.more.show_runs(facts.live, len(facts.live) - len(live), picked)
        self._show_past(facts)
        self.setVisible(bool(facts.live) or facts.showing_past)
        self.adjustSize()

    def _with_place(self, live: Sequence[LiveRun], picked: RunId | None) -> tuple[LiveRun, ...]:
        """Those that there is room for: the newest, and whichever is picked."""
        room = self._page.width() - ALL_W
        if len(live) > min(PLACES_MAX, room // PLACE_W):
            room -= MORE_W
        count = max(1, min(PLACES_MAX, room // PLACE_W))
        newest = tuple(live[-count:])
        chosen = next((run for run in live if run.run_id == picked), None)
        return newest if chosen is None or chosen in newest else (chosen, *newest[1:])

    def _show_past(self, facts: WindowFacts) -> None:
        self._past.setVisible(facts.showing_past)
        if not facts.showing_past:
            return
        run = facts.shown[0]
        row = next((r for r in facts.run_rows if r.run_id == run), None)
        word = row.badge.word if row is not None and row.badge is not None else ""
        name = tr("Last run") if run == facts.projected else tr("Past run")
        set_text(self._past, f"{name} {short_id(run)} · {word} · {row.when if row else ''}")

    def _place(self, text: str) -> QPushButton:
        made = QPushButton(text, self)
        made.setProperty("look", "segment")
        made.setCheckable(True)
        made.setIconSize(SPACED_SMALL)
        made.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._row.addWidget(made)
        return made

    def _on_all_clicked(self) -> None:
        self.run_picked.emit(None)

    def _on_place_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, RunPlace):
            self.run_picked.emit(sender.run)


class NoticeBar(QFrame):
    """One sentence above the canvas: recording stopped, or a command that was refused."""

    act_pressed = Signal()

    def __init__(self, theme: Theme, family: Family, sign: str, parent: QWidget, *, closable: bool) -> None:
        super().__init__(parent)
        self._theme, self._look = theme, (family, sign)
        self._now = self._look
        self.setProperty("notice", str(family))
        self._sign = QLabel(self)
        self._words = label("", "", self, wrap=True)
        self._words.setProperty("tone", str(family))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 8, 8, 8)
        row.addWidget(self._sign)
        row.addWidget(self._words, 1)
        self.act = QPushButton(self)
        self.act.setAutoDefault(False)
        self.act.setAccessibleName(tr("Notice action"))
        self.act.clicked.connect(self.act_pressed)
        self.act.hide()
        row.addWidget(self.act)
        self._close = QToolButton(self)
        self._close.setAccessibleName(tr("Dismiss notice"))
        self._close.setVisible(closable)
        self._close.clicked.connect(self.hide)
        row.addWidget(self._close)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.hide()

    def say(self, words: str) -> None:
        """Show a sentence; empty: hide."""
        set_text(self._words, words)
        self.setAccessibleName(words or tr("Notice"))
        self.act.hide()
        self._wear(self._look)
        self.setVisible(bool(words))

    def tell(self, words: str) -> None:
        """Show a sentence about something that was done and needs nobody."""
        self.say(words)
        self._wear((Family.DONE, "check"))

    def offer(self, words: str, act: str) -> None:
        """Show a sentence, and a button for what can be done about it → `act_pressed`."""
        self.say(words)
        set_text(self.act, act)
        self.act.setAccessibleName(act)
        self.act.show()

    @property
    def words(self) -> str:
        """What is said."""
        return self._words.text()

    def _wear(self, look: tuple[Family, str]) -> None:
        if look == self._now:
            return
        self._now = look
        restyle(self, "notice", str(look[0]))
        restyle(self._words, "tone", str(look[0]))
        self._on_theme_changed(self._theme.tokens)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        family, sign = self._now
        tone = tokens.tones[family]
        self._sign.setPixmap(pixmap(sign, tone.text, 16, self.devicePixelRatioF()))
        self._close.setIcon(icon("x", tone.text))


class DrawnNote(QFrame):
    """How what is drawn differs from the file, below the switcher."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("look", "float")
        self._sign = QLabel(self)
        self._words = label("", "muted", self, wrap=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._words, 1)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self.hide()

    def say(self, words: str) -> None:
        """Show sentences; empty: hide."""
        set_text(self._words, words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))

    @property
    def words(self) -> str:
        """What is said."""
        return self._words.text()

    def place(self, above: int, width: int) -> int:
        """Stand below the switcher; the pixels that both take from the upper edge."""
        if self.isHidden():
            return above
        whole = self._words.fontMetrics().horizontalAdvance(self.words) + NOTE_AROUND
        wide = max(NOTE_MIN_W, min(NOTE_MAX_W, width - 2 * EDGE, whole))
        self.setGeometry(EDGE, EDGE + above, wide, self.heightForWidth(wide))
        return above + self.height() + EDGE // 2

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self._sign.setPixmap(pixmap("history", tokens.muted, 16, self.devicePixelRatioF()))


class CanvasPage(QWidget):
    """Canvas and what floats over it."""

    def __init__(
        self, theme: Theme, view: CanvasView, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.view = view
        view.setParent(self)
        self.switcher = Switcher(theme, self)
        self.drawn_note = DrawnNote(theme, self)
        self.minimap = Minimap(theme, view, self)
        self._zoom_bar = QFrame(self)
        self._zoom_bar.setProperty("look", "float")
        row = QHBoxLayout(self._zoom_bar)
        row.setContentsMargins(3, 3, 3, 3)
        row.setSpacing(2)
        self._percent = label("100 %", "value", self._zoom_bar)
        self._percent.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._percent.setMinimumWidth(48)
        row.addWidget(action_button(actions["zoom_out"], self._zoom_bar))
        row.addWidget(self._percent)
        row.addWidget(action_button(actions["zoom_in"], self._zoom_bar))
        row.addWidget(action_button(actions["fit"], self._zoom_bar))
        view.zoom_changed.connect(self._on_zoom_changed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.view.setGeometry(self.rect())
        self.place_floats()
        self.view.fit_if_due()

    def place_floats(self) -> None:
        """Put switcher, zoom bar and map at their corners."""
        has_map = self.width() >= MAP_ROOM_W and self.height() >= MAP_ROOM_H
        self.switcher.adjustSize()
        self.switcher.setMaximumWidth(max(120, self.width() - 2 * EDGE))
        self.switcher.move(EDGE, EDGE)
        self._zoom_bar.adjustSize()
        self._zoom_bar.move(EDGE, self.height() - self._zoom_bar.height() - EDGE)
        self.minimap.move(
            self.width() - self.minimap.width() - EDGE, self.height() - self.minimap.height() - EDGE
        )
        above = self.drawn_note.place(self.switcher.sizeHint().height() + EDGE // 2, self.width())
        band = QRect(0, 0, self.width(), EDGE + above)  # as wide as more runs may make it
        corners = [self._zoom_bar.geometry(), *([self.minimap.geometry()] if has_map else [])]
        self.view.keep_free((band, *corners))
        self.minimap.setVisible(has_map)
        self.minimap.raise_()
        self.switcher.raise_()
        self.drawn_note.raise_()
        self._zoom_bar.raise_()

    def say_drawn(self, words: str) -> None:
        """How what is drawn differs from the file; `place_floats` puts it in its place."""
        self.drawn_note.say(words)

    def _on_zoom_changed(self, zoom: float) -> None:
        set_text(self._percent, f"{zoom * 100:.0f} %")
