"""The button `+6` of the switcher: every live run in one menu, also those that have no place of their own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import set_text
from quarterdeck.ui.present import LiveRun
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip

tr = Texts("CanvasPage")
SIGN = 16


class MoreRuns(QPushButton):
    """Reached by Tab, opened by Space or a click; hidden where every run has a place."""

    run_picked = Signal(object)
    """RunId."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._live: Sequence[LiveRun] = ()
        self._picked: RunId | None = None
        self.setProperty("look", "segment")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._menu = QMenu(self)
        self._menu.setAccessibleName(tr("All live runs"))
        self._menu.aboutToShow.connect(self._fill)
        self._menu.triggered.connect(self._on_triggered)
        self.setMenu(self._menu)

    def show_runs(self, live: Sequence[LiveRun], without_place: int, picked: RunId | None) -> None:
        """All live runs, how many of them have no place, and the one that the canvas is narrowed to."""
        self._live, self._picked = live, picked
        set_text(self, f"+{without_place:,}")
        name = tr.count("{n} more live runs", "{n} more live run", without_place)
        if self.accessibleName() != name:
            self.setAccessibleName(name)
            self.setToolTip(tip(name))
        self.setVisible(without_place > 0)

    def _fill(self) -> None:
        """Made anew each time that it opens: times and states are of now."""
        self._menu.clear()
        for run in self._live:
            words = f"{run.letter}   {run.elapsed}   {run.badge.word}   {run.short}"
            action = QAction(words, self._menu)
            tone = self._theme.tokens.tones[run.badge.family]
            action.setIcon(pixmap(run.badge.icon, tone.text, SIGN, self.devicePixelRatioF()))
            action.setCheckable(True)
            action.setChecked(run.run_id == self._picked)
            action.setData(run.run_id)
            self._menu.addAction(action)

    def _on_triggered(self, action: QAction) -> None:
        self.run_picked.emit(action.data())
