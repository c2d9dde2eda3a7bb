"""Laid out words that nodes share: a text in a font is shaped once, however often it is painted."""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QStaticText, QTransform

from quarterdeck.ui.painting import font_of

KEPT_MAX = 6_000


class Texts:
    """Owned by the canvas's look. Forgets everything when it has grown large: times tick, so texts come and go."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int, QFont.Weight], tuple[QStaticText, int, int]] = {}

    def width(self, text: str, pixels: int, weight: QFont.Weight) -> int:
        """Pixels that the text takes."""
        return self._laid_out(text, pixels, weight)[1]

    def draw(
        self,
        painter: QPainter,
        left: float,
        middle: float,
        text: str,
        pixels: int,
        weight: QFont.Weight = QFont.Weight.Normal,
    ) -> None:
        """The text on one line; `middle`: the height of its middle. The painter's pen gives the colour."""
        laid_out, _, height = self._laid_out(text, pixels, weight)
        painter.setFont(font_of(pixels, weight))
        painter.drawStaticText(QPointF(left, middle - height / 2), laid_out)

    def _laid_out(self, text: str, pixels: int, weight: QFont.Weight) -> tuple[QStaticText, int, int]:
        key = (text, pixels, weight)
        found = self._kept.get(key)
        if found is None:
            if len(self._kept) >= KEPT_MAX:
                self._kept.clear()
            font = font_of(pixels, weight)
            laid_out = QStaticText(text)
            laid_out.setTextFormat(Qt.TextFormat.PlainText)
            laid_out.prepare(QTransform(), font)
            metrics = QFontMetrics(font)
            found = self._kept[key] = (laid_out, metrics.horizontalAdvance(text), metrics.height())
        return found
