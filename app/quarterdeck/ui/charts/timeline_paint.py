"""How a timeline is painted: lanes, bars, waits, bands, ticks, totals. All places and values come in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen

from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.painting import font_of, set_font, whole_or_dots
from quarterdeck.ui.present_timeline import Bar, Lane, Piece, TimelineFacts
from quarterdeck.ui.timeline_axis import ticks
from quarterdeck.ui.timeline_gaps import Gap
from quarterdeck.ui.tokens import Family, Tokens

TICK_PX_MIN = 84
HEAD_H = 26
HATCH_PX = 7
RADIUS = 4
BAR_PX_MIN = 4
COST_MARGIN_PX = 14
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Frame:
    """Where things are, in pixels of the viewport: columns of names and totals, lanes, scale, scroll."""

    width: int
    height: int
    names_w: int
    totals_w: int
    lane_h: int
    bar_h: int
    scale: float
    """Pixels for each millisecond of the axis."""
    scroll_x: int
    scroll_y: int

    @property
    def plot(self) -> QRect:
        """Where bars are painted."""
        return QRect(
            self.names_w, HEAD_H, max(1, self.width - self.names_w - self.totals_w), self.height - HEAD_H
        )

    def x(self, at: int) -> float:
        """Where a place of the axis is."""
        return self.names_w + at * self.scale - self.scroll_x

    def lane_top(self, place: int) -> int:
        """Where a lane begins."""
        return HEAD_H + place * self.lane_h - self.scroll_y

    def bar_rect(self, place: int, bar: Bar) -> QRectF:
        """Where a bar is; never narrower than can be seen and hit."""
        left = self.x(bar.start)
        width = max(float(BAR_PX_MIN), self.x(bar.end) - left)
        return QRectF(left, self.lane_top(place) + (self.lane_h - self.bar_h) / 2, width, self.bar_h)


def paint_timeline(
    painter: QPainter, facts: TimelineFacts, frame: Frame, t: Tokens, current: str, ring: bool
) -> None:
    """Everything, in order: grid, bands, bars, names and totals over what is scrolled."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shown = _shown_lanes(facts, frame)
    _paint_grid(painter, facts, frame, t, shown)
    painter.save()
    painter.setClipRect(frame.plot)
    for gap in facts.gaps:
        _paint_band(painter, gap, frame, t)
    for place in shown:
        for bar in facts.lanes[place].bars:
            _paint_bar(painter, bar, frame.bar_rect(place, bar), frame, t, ring and bar.key == current)
    for gap in facts.gaps:
        _paint_band_words(painter, gap, frame, t)
    if facts.now_at is not None:
        painter.setPen(QPen(QColor(t.accent), 1, Qt.PenStyle.DotLine))
        x = frame.x(facts.now_at)
        painter.drawLine(QLineF(x, HEAD_H, x, frame.height))
    painter.restore()
    painter.save()
    painter.setClipRect(0, HEAD_H, frame.width, frame.height - HEAD_H)
    for place in shown:
        _paint_names(painter, facts.lanes[place], frame, frame.lane_top(place), t)
    painter.restore()


def _shown_lanes(facts: TimelineFacts, frame: Frame) -> range:
    first = max(0, frame.scroll_y // frame.lane_h)
    last = (frame.scroll_y + frame.height - HEAD_H) // frame.lane_h + 1
    return range(first, min(len(facts.lanes), last))


def _paint_grid(painter: QPainter, facts: TimelineFacts, frame: Frame, t: Tokens, shown: range) -> None:
    plot = frame.plot
    set_font(painter, 12)
    apart = TICK_PX_MIN if frame.lane_h >= 38 else TICK_PX_MIN // 2
    for tick in ticks(facts.stretches, int(apart / frame.scale) if frame.scale > 0 else facts.length):
        x = frame.x(tick.at)
        if plot.left() - 1 <= x <= plot.right() + 1:
            painter.setPen(QPen(QColor(t.line), 1))
            painter.drawLine(QLineF(x, HEAD_H, x, frame.height))
            painter.setPen(QColor(t.faint))
            painter.drawText(QRectF(x - 40, 2, 80, HEAD_H - 6), Qt.AlignmentFlag.AlignCenter, tick.text)
    painter.setPen(QPen(QColor(t.line), 1))
    for place in shown:
        y = frame.lane_top(place) + frame.lane_h - 0.5
        if y > HEAD_H and place + 1 < len(facts.lanes):
            painter.drawLine(QLineF(12, y, frame.width - 12, y))


def widest_cost(lanes: Sequence[Lane]) -> int:
    """Width that the lanes' amounts need, their margins included: a part of an amount is none."""
    metrics = QFontMetrics(font_of(13, QFont.Weight.DemiBold))
    return max((metrics.horizontalAdvance(lane.cost) for lane in lanes), default=0) + COST_MARGIN_PX + 4


def _paint_names(painter: QPainter, lane: Lane, frame: Frame, top: int, t: Tokens) -> None:
    room = frame.names_w - 24
    has_two = frame.lane_h >= 38
    name = QRect(14, top + (4 if has_two else 0), room, 20 if has_two else frame.lane_h)
    set_font(painter, 13, QFont.Weight.DemiBold)
    painter.setPen(QColor(t.text))
    elide = Qt.TextElideMode.ElideRight
    shown = painter.fontMetrics().elidedText(lane.title, elide, room)
    painter.drawText(name, LEFT, shown)
    used = painter.fontMetrics().horizontalAdvance(shown)
    set_font(painter, 12)
    painter.setPen(QColor(t.muted))
    if has_two:
        kind = painter.fontMetrics().elidedText(lane.kind, elide, room)
        painter.drawText(QRect(14, top + 22, room, 16), LEFT, kind)
    elif room - used > 50:
        kind = painter.fontMetrics().elidedText(lane.kind, elide, room - used - 8)
        painter.drawText(QRect(14 + used + 8, top, room - used - 8, frame.lane_h), LEFT, kind)
    set_font(painter, 13, QFont.Weight.DemiBold)
    painter.setPen(QColor(t.text))
    whole = QRect(frame.width - frame.totals_w, top, frame.totals_w - COST_MARGIN_PX, frame.lane_h)
    painter.drawText(whole, RIGHT, whole_or_dots(painter.fontMetrics(), lane.cost, whole.width()))


def _paint_bar(painter: QPainter, bar: Bar, at: QRectF, frame: Frame, t: Tokens, is_current: bool) -> None:
    if at.right() < frame.names_w or at.left() > frame.width - frame.totals_w:
        return
    words_at: QRectF | None = None
    for piece in bar.pieces:
        rect = _piece_rect(piece, at, frame)
        _paint_piece(painter, piece, rect, t, bar.is_live and piece is bar.pieces[-1])
        if not piece.is_wait and (words_at is None or rect.width() > words_at.width()):
            words_at = rect
    if bar.pieces[0].badge.icon == "rotate-cw":
        words_at = None
    for piece in bar.pieces:
        rect = _piece_rect(piece, at, frame)
        if not piece.is_wait and rect != words_at and rect.width() >= 24 and words_at is not None:
            colour = t.tones[piece.badge.family].text
            _paint_icon(painter, piece.badge.icon, QPointF(rect.left() + 7, rect.center().y() - 7), colour)
    if words_at is not None:
        _paint_words(painter, bar, words_at, frame, t)
    if is_current:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(t.text), 2))
        painter.drawRoundedRect(at.adjusted(-2.5, -2.5, 2.5, 2.5), RADIUS + 2, RADIUS + 2)


def _piece_rect(piece: Piece, at: QRectF, frame: Frame) -> QRectF:
    left = frame.x(piece.start)
    return QRectF(left, at.top(), max(float(BAR_PX_MIN), frame.x(piece.end) - left), at.height())


def _paint_piece(painter: QPainter, piece: Piece, at: QRectF, t: Tokens, is_growing: bool) -> None:
    tone = t.tones[piece.badge.family]
    inner = at.adjusted(0.75, 0.75, -0.75, -0.75)
    is_thin = piece.badge.icon == "rotate-cw"
    if is_thin:
        middle = at.center().y()
        painter.setPen(QPen(QColor(tone.border), 2, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(at.left() + 2, middle, at.right() - 2, middle))
        if at.width() > 36:
            painter.fillRect(QRectF(at.center().x() - 10, middle - 8, 20, 16), QColor(t.card))
            _paint_icon(painter, piece.badge.icon, QPointF(at.center().x() - 7, middle - 7), tone.text)
        return
    painter.setBrush(QColor(tone.tint))
    painter.setPen(QPen(QColor(tone.border), 1.5))
    painter.drawRoundedRect(inner, RADIUS, RADIUS)
    if piece.badge.family is Family.INTERRUPTED:
        _hatch(painter, inner, tone.border, 90)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(tone.border), 1.5))
        painter.drawRoundedRect(inner, RADIUS, RADIUS)
    if is_growing:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(tone.border))
        painter.drawRoundedRect(QRectF(at.right() - 4, at.top() + 3, 3, at.height() - 6), 1.5, 1.5)
    if piece.is_wait and at.width() >= 20:
        _paint_icon(painter, piece.badge.icon, QPointF(at.center().x() - 7, at.center().y() - 7), tone.text)


def _paint_words(painter: QPainter, bar: Bar, at: QRectF, frame: Frame, t: Tokens) -> None:
    """Icon, and the longest label that fits; at the bar's visible part, so that it stays while scrolling."""
    tone = t.tones[bar.pieces[0].badge.family if not bar.pieces[0].is_wait else bar.badge.family]
    badge = next((p.badge for p in bar.pieces if not p.is_wait), bar.badge)
    left = max(at.left(), float(frame.names_w))
    room = at.right() - left
    if room < 22:
        return
    _paint_icon(painter, badge.icon, QPointF(left + 7, at.center().y() - 7), tone.text)
    set_font(painter, 12, QFont.Weight.DemiBold)
    painter.setPen(QColor(tone.text))
    for words in (bar.words, bar.short):
        if words and painter.fontMetrics().horizontalAdvance(words) + 34 <= room:
            painter.drawText(QRectF(left + 26, at.top(), room - 30, at.height()), LEFT, words)
            return


def _paint_icon(painter: QPainter, name: str, at: QPointF, colour: str) -> None:
    painter.drawPixmap(at, pixmap(name, colour, 14, painter.device().devicePixelRatioF()))


def _band_rect(gap: Gap, frame: Frame) -> QRectF:
    left = frame.x(gap.start)
    return QRectF(left, HEAD_H, max(2.0, frame.x(gap.end) - left), frame.height - HEAD_H)


def _paint_band(painter: QPainter, gap: Gap, frame: Frame, t: Tokens) -> None:
    at = _band_rect(gap, frame)
    tone = t.tones[Family.INTERRUPTED if gap.is_closed else Family.NEUTRAL]
    painter.fillRect(at, QColor(tone.tint))
    _hatch(painter, at, tone.border, 110 if gap.is_closed else 60)
    painter.setPen(QPen(QColor(tone.border), 1, Qt.PenStyle.DashLine))
    for x in (at.left(), at.right()):
        painter.drawLine(QLineF(x, at.top(), x, at.bottom()))


def _paint_band_words(painter: QPainter, gap: Gap, frame: Frame, t: Tokens) -> None:
    at = _band_rect(gap, frame).intersected(QRectF(frame.plot))
    tone = t.tones[Family.INTERRUPTED if gap.is_closed else Family.NEUTRAL]
    set_font(painter, 12)
    wide = max(
        painter.fontMetrics().horizontalAdvance(gap.words), painter.fontMetrics().horizontalAdvance(gap.title)
    )
    if at.width() < wide + 28 or at.height() < 52:
        return
    box = QRectF(at.center().x() - wide / 2 - 12, at.center().y() - 21, wide + 24, 42)
    painter.setBrush(QColor(t.card))
    painter.setPen(QPen(QColor(tone.border), 1))
    painter.drawRoundedRect(box, 6, 6)
    set_font(painter, 12, QFont.Weight.DemiBold)
    painter.setPen(QColor(tone.text))
    centre = Qt.AlignmentFlag.AlignCenter
    painter.drawText(QRectF(box.left(), box.top() + 3, box.width(), 18), centre, gap.title)
    set_font(painter, 12)
    painter.setPen(QColor(t.muted))
    painter.drawText(QRectF(box.left(), box.top() + 20, box.width(), 18), centre, gap.words)


def _hatch(painter: QPainter, at: QRectF, colour: str, alpha: int) -> None:
    painter.save()
    path = QPainterPath()
    path.addRoundedRect(at, RADIUS, RADIUS)
    painter.setClipPath(path, Qt.ClipOperation.IntersectClip)
    tint = QColor(colour)
    tint.setAlpha(alpha)
    painter.setPen(QPen(tint, 1))
    window = painter.viewport()
    first = max(at.left() - at.height(), -at.height() - HATCH_PX)
    last = min(at.right(), window.width() + at.height())
    x = at.left() - at.height() + max(0, int((first - at.left() + at.height()) // HATCH_PX)) * HATCH_PX
    lines = []
    while x < last:
        lines.append(QLineF(x, at.bottom(), x + at.height(), at.top()))
        x += HATCH_PX
    painter.drawLines(lines)
    painter.restore()
