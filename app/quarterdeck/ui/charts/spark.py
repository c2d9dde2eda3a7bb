"""A spark line: one value a day, the newest marked by a dot. It says nothing that the words beside it do not."""

from __future__ import annotations

from decimal import Decimal

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens

WIDTH, HEIGHT = 84, 28
EDGE = 4


class Spark(QWidget):
    """Fixed in size; takes values and a family's colour."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._values: tuple[Decimal | None, ...] = ()
        self._family = Family.RUNNING
        self.setFixedSize(WIDTH, HEIGHT)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_values(self, values: tuple[Decimal | None, ...], family: Family) -> None:
        """Show these; days without a value are passed over."""
        if (values, family) != (self._values, self._family):
            self._values, self._family = values, family
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        known = [(i, v) for i, v in enumerate(self._values) if v is not None]
        if len(known) < 2 or all(v == 0 for _, v in known):
            return
        low, high = min(v for _, v in known), max(v for _, v in known)
        span = high - low or Decimal(1)
        across = (WIDTH - 2 * EDGE) / max(1, len(self._values) - 1)
        points = QPolygonF(
            [
                QPointF(EDGE + i * across, HEIGHT - EDGE - float((v - low) / span) * (HEIGHT - 2 * EDGE))
                for i, v in known
            ]
        )
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self._theme.tokens.tones[self._family].border)
        painter.setPen(
            QPen(colour, 2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        )
        painter.drawPolyline(points)
        painter.setBrush(colour)
        painter.drawEllipse(points.last(), 2, 2)
        painter.end()

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.update()
