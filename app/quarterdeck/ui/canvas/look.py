"""What all items of one canvas share while painting: colours, the run looked at, the turning icon's angle."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.canvas.stamps import Stamps
from quarterdeck.ui.canvas.texts import Texts
from quarterdeck.ui.tokens import Tokens


class CanvasLook:
    """Owned by the view, read by its items."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.stamps = Stamps()
        self.texts = Texts()
        self.run: RunId | None = None
        """The run whose letter is filled."""
        self.phase = 0.0
        """Angle of turning icons in degrees; 0 while nothing moves."""
        self.ratio = 1.0
        """Device pixels for each painted pixel: screen ratio times zoom, in steps, so that icons stay crisp."""
        self.has_focus = False

    def elide(self, font: QFont, text: str, room: int) -> str:
        """The text cut to `room` pixels."""
        return QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, room)
