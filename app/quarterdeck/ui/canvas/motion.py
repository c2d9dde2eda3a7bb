"""The one timer of the canvas: icons of work that goes on turn, and dots run along a wire that data just passed.

15 frames a second while somebody can see something move; stopped otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QObject, QTimer
from shiboken6 import isValid

from quarterdeck.ui.canvas.edge_item import EdgeItem
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.node_item import FULL_DETAIL, NodeItem
from quarterdeck.ui.theme import Theme

if TYPE_CHECKING:
    from quarterdeck.ui.canvas.view import CanvasView

FRAME_MS = 66
TURN_MS = 1200
FLOW_MS = 600


class Motion(QObject):
    """Stopped when nothing moves, when the view is hidden, minimized or far, and where motion is reduced."""

    def __init__(self, view: CanvasView, theme: Theme, look: CanvasLook) -> None:
        super().__init__(view)
        self._view, self._theme, self._look = view, theme, look
        self._flows: dict[EdgeItem, int] = {}
        self._clock = QElapsedTimer()
        self._clock.start()
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._on_frame)

    @property
    def is_running(self) -> bool:
        """Whether the timer runs."""
        return self._timer.isActive()

    def show_flow(self, wires: Iterable[EdgeItem]) -> None:
        """Data has just passed these wires."""
        if self._can_move():
            now = self._clock.elapsed()
            self._flows.update((wire, now) for wire in wires)

    def start_or_stop(self) -> None:
        """Follow what is shown now."""
        wanted = self._can_move() and bool(self._view.canvas.turning or self._flows)
        if wanted and not self._timer.isActive():
            self._timer.start()
        elif not wanted:
            self.stop()

    def stop(self) -> None:
        """Nothing moves."""
        self._timer.stop()
        self._look.phase = 0.0
        for wire in self._flows:
            if isValid(wire):
                wire.show_flow(None)
        self._flows = {}

    def forget(self) -> None:
        """The wires are about to be taken away."""
        self._flows = {}

    def _can_move(self) -> bool:
        view = self._view
        return view.isVisible() and not self._theme.is_motion_reduced and view.zoom >= FULL_DETAIL

    def _on_frame(self) -> None:
        if not self._can_move() or not (self._view.canvas.turning or self._flows):
            self.stop()
            return
        if self._view.window().isMinimized():
            return
        now = self._clock.elapsed()
        for wire, begun in list(self._flows.items()):
            done = (now - begun) / FLOW_MS
            wire.show_flow(done if done < 1 else None)
            if done >= 1:
                del self._flows[wire]
        self._look.phase = (now % TURN_MS) * 360 / TURN_MS or 1.0
        for item in self._view.items(self._view.viewport().rect()):
            if isinstance(item, NodeItem) and item.is_turning:
                item.update_turning()
