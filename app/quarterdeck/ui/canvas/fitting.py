"""Where a view looks so that all is seen, and no node lies below a part that floats over it. Pure but for Qt's rectangles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF

FIT_ZOOM_MAX = 1.0
FIT_MARGIN, EDGE_MIN = 26, 8
READABLE = 0.605
"""From here on nodes show their words. A workflow that would be fitted a little too small for them takes some of the
margin, never more than there is."""
ROOM_MIN = 80.0

Covers = Callable[[QRectF], bool]
"""Whether a part of the scene shows a node."""


@dataclass(frozen=True, slots=True)
class Look:
    """A zoom, and the point of the scene in the middle of the view."""

    zoom: float
    middle: QPointF

    def area(self, port: QSizeF, part: QRectF | None = None) -> QRectF:
        """The part of the scene that is seen in all of the view, or in this part of it."""
        seen = part if part is not None else QRectF(QPointF(), port)
        offset = seen.topLeft() - QPointF(port.width() / 2, port.height() / 2)
        return QRectF(self.middle + offset / self.zoom, seen.size() / self.zoom)


def fitted(content: QRectF, port: QSizeF, floats: tuple[QRectF, ...], covers: Covers) -> Look:
    """Everything as large as may be. floats: parts over the view, in its pixels, which hide no node."""
    look = _largest(content, port, floats, covers, FIT_MARGIN)
    if look.zoom < READABLE:
        nearer = _largest(content, port, floats, covers, EDGE_MIN)
        if nearer.zoom >= READABLE:
            return Look(READABLE, nearer.middle)
    return look


def readable(content: QRectF, port: QSizeF, floats: tuple[QRectF, ...], covers: Covers) -> Look:
    """What does not fit with its words: its beginning with words. Its first row lies below no float, if it has the room."""
    begin = content.left() + (port.width() / 2 - FIT_MARGIN) / READABLE
    across = min(begin, content.center().x())
    looks = [Look(READABLE, QPointF(across, content.center().y()))]
    for room in _rooms(port, floats, EDGE_MIN):
        if content.height() * READABLE <= room.height():
            below = (room.center().y() - port.height() / 2) / READABLE
            looks.append(Look(READABLE, QPointF(across, content.center().y() - below)))
    return next((look for look in looks if not _hides(look, port, floats, covers)), looks[-1])


def _largest(
    content: QRectF, port: QSizeF, floats: tuple[QRectF, ...], covers: Covers, margin: float
) -> Look:
    looks = [_in_room(content, port, room) for room in _rooms(port, floats, margin)][::-1]
    by_size = sorted(looks, key=lambda look: -look.zoom)  # of one size that which is free of most
    return next((look for look in by_size if not _hides(look, port, floats, covers)), looks[0])


def _in_room(content: QRectF, port: QSizeF, room: QRectF) -> Look:
    zoom = min(room.width() / content.width(), room.height() / content.height(), FIT_ZOOM_MAX)
    aside = room.center() - QPointF(port.width() / 2, port.height() / 2)
    return Look(zoom, content.center() - aside / zoom)


def _rooms(port: QSizeF, floats: tuple[QRectF, ...], margin: float) -> Iterator[QRectF]:
    """All of the view, then without what lies above, then without more and more; the last is free of every float."""
    above, below, right = margin, {margin}, margin
    for part in floats:
        if part.center().y() < port.height() / 2:
            above = max(above, part.bottom() + EDGE_MIN)
        else:
            below.add(max(margin, port.height() - part.top() + EDGE_MIN))
            if part.center().x() > port.width() / 2:
                right = max(right, port.width() - part.left() + EDGE_MIN)
    yield _room(port, margin, margin, margin, margin)
    for low in sorted(below):
        yield _room(port, margin, above, margin, low)
        if right > margin and low < max(below):
            yield _room(port, margin, above, right, low)


def _room(port: QSizeF, left: float, above: float, right: float, below: float) -> QRectF:
    """At least so large that something is seen, in the lowest window too."""
    wide, high = max(ROOM_MIN, port.width() - left - right), max(ROOM_MIN, port.height() - above - below)
    return QRectF(left, above, wide, high)


def _hides(look: Look, port: QSizeF, floats: tuple[QRectF, ...], covers: Covers) -> bool:
    return any(covers(look.area(port, part)) for part in floats)
