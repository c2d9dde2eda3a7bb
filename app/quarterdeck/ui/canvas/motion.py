"""The one timer of the canvas: icons of work that goes on by itself turn, while somebody can see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.node_item import FULL_DETAIL
from quarterdeck.ui.theme import Theme

if TYPE_CHECKING:
    from quarterdeck.ui.canvas.view import CanvasView

FRAME_MS = 66
TURN_MS = 1200


class Motion(QObject):
    """Stopped when nothing turns, when the view is hidden or far, and where motion is reduced."""

    def __init__(self, view: CanvasView, theme: Theme, look: CanvasLook) -> None:
        super().__init__(view)
        self._view, self._theme, self._look = view, theme, look
        self._timer = QTimer(self)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._on_frame)

    def start_or_stop(self) -> None:
        """Follow what is shown now."""
        can = self._view.isVisible() and not self._theme.is_motion_reduced and self._view.zoom >= FULL_DETAIL
        wanted = can and any(item.is_turning for item in self._view.canvas.nodes.values())
        if wanted and not self._timer.isActive():
            self._timer.start()
        elif not wanted:
            self.stop()

    def stop(self) -> None:
        """Nothing moves."""
        self._timer.stop()
        self._look.phase = 0.0

    def _on_frame(self) -> None:
        if self._view.window().isMinimized() or self._view.zoom < FULL_DETAIL:
            return
        self._look.phase = (self._look.phase + 360 * FRAME_MS / TURN_MS) % 360
        seen = self._view.mapToScene(self._view.viewport().rect()).boundingRect()
        for item in self._view.canvas.nodes.values():
            if item.is_turning and seen.intersects(item.sceneBoundingRect()):
                item.update_turning()
