"""Notices that a person has given the window or a dock another size or place, so that a kill does not lose it.

Where to keep it is the window's. What is moved for a while, such as docks beside *Timeline and spend*, is no layout.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QDockWidget, QMainWindow

STILL_MS = 400
"""Sizes change with every move of the mouse: it is kept once nothing has moved for so long."""
_MOVES = frozenset(
    {
        QEvent.Type.Resize,
        QEvent.Type.Move,
        QEvent.Type.WindowStateChange,
        QEvent.Type.ShowToParent,
        QEvent.Type.HideToParent,
    }
)


class LayoutWatch(QObject):
    """One for each window; made once its docks are."""

    def __init__(self, window: QMainWindow, is_aside: Callable[[], bool], keep: Callable[[], None]) -> None:
        """keep: the layout as it is now; is_aside: docks are away for a while."""
        super().__init__(window)
        self._window, self._is_aside, self._keep = window, is_aside, keep
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(STILL_MS)
        self._still.timeout.connect(self._on_still)
        for watched in (window, *window.findChildren(QDockWidget)):
            watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVES and self._window.isVisible():
            self._still.start()
        return False

    def close(self) -> None:
        """The window keeps its layout itself, at last."""
        self._still.stop()
        for watched in (self._window, *self._window.findChildren(QDockWidget)):
            watched.removeEventFilter(self)

    def _on_still(self) -> None:
        if self._window.isVisible() and not self._is_aside():
            self._keep()
