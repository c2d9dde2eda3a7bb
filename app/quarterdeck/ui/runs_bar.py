"""The bar below a live run in the list: a piece for each agent, or where there are too many, one for all that stand alike."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from quarterdeck.ui.present_runs import RunRow
from quarterdeck.ui.tokens import Family, Tokens

SEGMENT_GAP, SHARE_GAP, SHARE_W_MIN = 3, 2, 4


def paint_bar(painter: QPainter, at: QRect, row: RunRow, t: Tokens) -> None:
    """Nothing where no agent is known."""
    painter.setPen(Qt.PenStyle.NoPen)
    if row.segments:
        _paint_segments(painter, at, row.segments, t)
    elif row.shares:
        _paint_shares(painter, at, row.shares, t)


def share_widths(shares: tuple[tuple[Family, int], ...], width: int) -> tuple[tuple[Family, float], ...]:
    """How wide each piece is, in pixels: by its share, and never too narrow to be seen. They fill `width` with their gaps."""
    room = width - SHARE_GAP * (len(shares) - 1) - SHARE_W_MIN * len(shares)
    whole = sum(count for _, count in shares)
    return tuple((family, SHARE_W_MIN + room * count / whole) for family, count in shares)


def _paint_segments(painter: QPainter, at: QRect, segments: tuple[Family, ...], t: Tokens) -> None:
    count = len(segments)
    width = (at.width() - SEGMENT_GAP * (count - 1)) / count
    for place, family in enumerate(segments):
        painter.setBrush(QColor(t.tones[family].border))
        left = at.left() + place * (width + SEGMENT_GAP)
        painter.drawRoundedRect(QRect(round(left), at.top(), max(2, round(width)), at.height()), 2, 2)


def _paint_shares(painter: QPainter, at: QRect, shares: tuple[tuple[Family, int], ...], t: Tokens) -> None:
    left = float(at.left())
    for family, width in share_widths(shares, at.width()):
        painter.setBrush(QColor(t.tones[family].border))
        painter.drawRoundedRect(QRectF(left, at.top(), width, at.height()), 2, 2)
        left += width + SHARE_GAP
