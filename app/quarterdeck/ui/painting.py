"""Small things that delegates and canvas items paint alike: letters of runs, chips, fonts. All state comes in."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPen

from quarterdeck.ui.badges import Badge
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.theme import ui_font
from quarterdeck.ui.tokens import Tokens, Tone

CHIP_H = 22
DOTS = "…"


@cache
def font_of(pixels: int, weight: QFont.Weight) -> QFont:
    """One shared font object for each size and weight."""
    return ui_font(pixels, weight)


def set_font(painter: QPainter, pixels: int, weight: QFont.Weight = QFont.Weight.Normal) -> None:
    """Give the painter a shared font."""
    painter.setFont(font_of(pixels, weight))


def begin_row(painter: QPainter) -> None:
    """How a delegate begins; its end is `restore`. Places are worked out from the left, in whatever direction the words run."""
    painter.save()
    painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)


def whole_or_dots(metrics: QFontMetrics, amount: str, room: int) -> str:
    """An amount where it has room, and else dots: a part of one reads as another amount, without its "at least" as a surer one."""
    return amount if metrics.horizontalAdvance(amount) <= room else DOTS


def paint_letter(painter: QPainter, at: QRect, letter: str, t: Tokens, *, filled: bool) -> None:
    """A run's letter in its box; filled for the run that is looked at."""
    painter.setBrush(QColor(t.text if filled else t.hover))
    painter.setPen(QPen(QColor(t.text if filled else t.wire), 1))
    painter.drawRoundedRect(QRectF(at).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    set_font(painter, 11 if len(letter) == 1 else 9, QFont.Weight.Bold)
    painter.setPen(QColor(t.card if filled else t.muted))
    painter.drawText(at, Qt.AlignmentFlag.AlignCenter, letter)


def paint_hatch(painter: QPainter, at: QRectF, tone: Tone) -> None:
    """The band that says that the app was gone: the tint, hatched in the border's colour."""
    painter.fillRect(at, QColor(tone.tint))
    lines = QColor(tone.border)
    lines.setAlpha(70)
    painter.fillRect(at, QBrush(lines, Qt.BrushStyle.BDiagPattern))


def paint_chip(painter: QPainter, at: QRect, badge: Badge, t: Tokens) -> int:
    """A state's chip at the right end of `at`; gives the width it took."""
    tone = t.tones[badge.family]
    set_font(painter, 12, QFont.Weight.DemiBold)
    width = painter.fontMetrics().horizontalAdvance(badge.word) + 34
    top = at.top() + (at.height() - CHIP_H) // 2
    chip = QRect(at.right() - width + 1, top, width, CHIP_H)
    painter.setBrush(QColor(tone.tint))
    painter.setPen(QPen(QColor(tone.border), 1))
    painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), CHIP_H / 2, CHIP_H / 2)
    ratio = painter.device().devicePixelRatioF()
    painter.drawPixmap(chip.left() + 8, chip.top() + 4, pixmap(badge.icon, tone.text, 14, ratio))
    painter.setPen(QColor(tone.text))
    words = chip.adjusted(26, 0, -6, 0)
    painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, badge.word)
    return width
