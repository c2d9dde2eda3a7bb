"""Lucide icons tinted to the theme's colours, as pixmaps and QIcons; each (name, colour, size) is drawn once."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from quarterdeck.ui.resources import icon_source


@lru_cache(maxsize=1024)
def pixmap(name: str, colour: str, size: int = 16, ratio: float = 1.0) -> QPixmap:
    """One icon; `size` in device-independent pixels, `ratio` device pixels for each of them."""
    svg = icon_source(name).replace("currentColor", colour)
    renderer = QSvgRenderer(QByteArray(svg.encode()))
    side = max(1, round(size * ratio))
    drawn = QPixmap(side, side)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, side, side))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """An icon for buttons and menus, in the sizes that screens of 100–300 % need."""
    made = QIcon()
    for size in (16, 24, 32, 48):
        made.addPixmap(pixmap(name, colour, size))
        if disabled is not None:
            made.addPixmap(pixmap(name, disabled, size), QIcon.Mode.Disabled)
    return made


def spaced_icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """As `icon`, a quarter wider with nothing at its right: words that follow in a button keep their distance."""
    made = QIcon()
    for size in (16, 24, 32, 48):
        made.addPixmap(_widened(pixmap(name, colour, size)))
        if disabled is not None:
            made.addPixmap(_widened(pixmap(name, disabled, size)), QIcon.Mode.Disabled)
    return made


def _widened(drawn: QPixmap) -> QPixmap:
    wide = QPixmap(drawn.width() * 5 // 4, drawn.height())
    wide.fill(Qt.GlobalColor.transparent)
    painter = QPainter(wide)
    painter.drawPixmap(0, 0, drawn)
    painter.end()
    return wide


def app_icon() -> QIcon:
    """The window's icon: the wheel, in the accent of the light theme."""
    made = QIcon()
    for size in (16, 32, 64, 128, 256):
        made.addPixmap(pixmap("ship-wheel", "#0664D3", size))
    return made


ICON_SIZE = QSize(16, 16)
SPACED_SIZE = QSize(20, 16)
SPACED_SMALL = QSize(18, 14)
