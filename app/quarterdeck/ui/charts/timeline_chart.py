"""The timeline of a run as a chart: hover tells exact times, arrow keys go from bar to bar, Ctrl+wheel, + and − zoom.

It keeps which bar is current, the zoom and the scroll; everything else comes in as `TimelineFacts`.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from quarterdeck.ui.charts.timeline_paint import HEAD_H, Frame, paint_timeline, widest_cost
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_timeline import Bar, TimelineFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Tokens

tr = Texts("ChartsTimelineChart")

ZOOM_MAX = 400.0
ZOOM_STEP = 1.25
PLOT_MARGIN_PX = 10


class TimelineView(QAbstractScrollArea):
    """Shows the facts at a zoom and a scroll; says what lies under a point. Which bar is current is the chart's."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, *, is_small: bool = False) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: TimelineFacts | None = None
        self._current = ""
        self._zoom = 1.0
        self._costs_w = 0
        self._is_small = is_small
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setStyleSheet("QAbstractScrollArea { background: transparent; border: 0; }")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Timeline chart"))
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.horizontalScrollBar().valueChanged.connect(self.viewport().update)
        self.verticalScrollBar().valueChanged.connect(self.viewport().update)
        theme.theme_changed.connect(self._on_theme_changed)

    # ------------------------------------------------------------------ showing

    @property
    def facts(self) -> TimelineFacts | None:
        """What is shown."""
        return self._facts

    @property
    def current(self) -> Bar | None:
        """The bar that the keyboard is at."""
        return next((b for b in self._bars() if b.key == self._current), None)

    def show_facts(self, facts: TimelineFacts | None) -> None:
        """Show this run; another run begins unzoomed at its first bar."""
        if facts == self._facts:
            return
        is_other = facts is None or self._facts is None or facts.run_id != self._facts.run_id
        self._facts = facts
        self._costs_w = widest_cost(facts.lanes) if facts is not None else 0
        if is_other:
            self._zoom, self._current = 1.0, ""
        self._fit_bars()
        self._describe()
        self.viewport().update()

    def _describe(self) -> None:
        facts = self._facts
        if facts is None:
            said = tr("No run")
        else:
            bar = self.current
            said = bar.spoken if bar is not None else f"{facts.name}, {facts.badge.word}, {facts.line}"
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)

    def _bars(self) -> tuple[Bar, ...]:
        return self._facts.bars if self._facts is not None else ()

    def bar_at(self, at: QPointF) -> Bar | None:
        """The bar under a point of the viewport."""
        frame = self.frame_now()
        if self._facts is None or at.y() < HEAD_H or not frame.plot.contains(at.toPoint()):
            return None
        place = int((at.y() - HEAD_H + frame.scroll_y) // frame.lane_h)
        if not 0 <= place < len(self._facts.lanes):
            return None
        hit = [
            b
            for b in self._facts.lanes[place].bars
            if frame.bar_rect(place, b).adjusted(-2, -6, 2, 6).contains(at)
        ]
        return hit[-1] if hit else None

    def height_wanted(self, lanes_max: int) -> int:
        """Height for all lanes, or for so many."""
        lanes = min(len(self._facts.lanes), lanes_max) if self._facts is not None else 1
        return HEAD_H + max(1, lanes) * self._lane_h + 6

    @property
    def _lane_h(self) -> int:
        return 30 if self._is_small else 44

    def frame_now(self) -> Frame:
        """Where things are now."""
        view = self.viewport()
        is_narrow = self._is_small and view.width() < 560
        names, totals_least = (126, 66) if is_narrow else (170, 92) if view.width() < 900 else (174, 110)
        totals = max(totals_least, min(self._costs_w, view.width() // 3))
        room = max(1, view.width() - names - totals - 2 * PLOT_MARGIN_PX)
        length = self._facts.length if self._facts is not None else 1
        return Frame(
            width=view.width(),
            height=view.height(),
            names_w=names,
            totals_w=totals,
            lane_h=self._lane_h,
            bar_h=20 if self._is_small else 26,
            scale=room * self._zoom / max(1, length),
            scroll_x=self.horizontalScrollBar().value() - PLOT_MARGIN_PX,
            scroll_y=self.verticalScrollBar().value(),
        )

    def _fit_bars(self) -> None:
        frame = self.frame_now()
        lanes = len(self._facts.lanes) if self._facts is not None else 0
        length = self._facts.length if self._facts is not None else 0
        high, page = lanes * self._lane_h, frame.height - HEAD_H
        wide = round(length * frame.scale) + 2 * PLOT_MARGIN_PX
        is_at_now = (
            self._zoom > 1 and self.horizontalScrollBar().value() >= self.horizontalScrollBar().maximum() - 2
        )
        self.verticalScrollBar().setRange(0, max(0, high - page))
        self.verticalScrollBar().setPageStep(max(1, page))
        self.verticalScrollBar().setSingleStep(self._lane_h)
        self.horizontalScrollBar().setRange(0, max(0, wide - frame.plot.width()) if self._zoom > 1 else 0)
        self.horizontalScrollBar().setPageStep(frame.plot.width())
        self.horizontalScrollBar().setSingleStep(40)
        if is_at_now and self._facts is not None and self._facts.is_live:
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().maximum())

    # ------------------------------------------------------------------ zoom

    @property
    def zoom(self) -> float:
        """1.0: the whole run fits."""
        return self._zoom

    def zoom_by(self, factor: float, at_x: float | None = None) -> None:
        """Zoom about a place of the viewport (default: its middle)."""
        frame = self.frame_now()
        x = at_x if at_x is not None else frame.plot.center().x()
        at = (x - frame.names_w + frame.scroll_x) / frame.scale if frame.scale else 0
        self._zoom = min(ZOOM_MAX, max(1.0, self._zoom * factor))
        self._fit_bars()
        new = self.frame_now()
        self.horizontalScrollBar().setValue(round(at * new.scale - (x - new.names_w) + PLOT_MARGIN_PX))
        self.viewport().update()

    # ------------------------------------------------------------------ Qt

    def sizeHint(self) -> QSize:
        return QSize(640, 140)

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 60)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._facts is None:
            return
        painter = QPainter(self.viewport())
        tokens = self._theme.tokens
        paint_timeline(painter, self._facts, self.frame_now(), tokens, self._current, self.hasFocus())
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_bars()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event.pos(), event.globalPos())
            return True
        return super().viewportEvent(event)

    def tip_at(self, at: QPoint) -> str:
        """What hovering there says."""
        bar = self.bar_at(QPointF(at))
        if bar is not None:
            return bar.spoken.replace(", ", "\n")
        frame = self.frame_now()
        for gap in self._facts.gaps if self._facts is not None else ():
            if at.y() >= HEAD_H and frame.x(gap.start) <= at.x() <= frame.x(gap.end):
                return gap.spoken.replace(", ", "\n")
        return ""

    def _show_tip(self, at: QPoint, globally: QPoint) -> None:
        words = self.tip_at(at)
        if words:
            QToolTip.showText(globally, tip(words), self)
        else:
            QToolTip.hideText()

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.viewport().update()


class TimelineChart(TimelineView):
    """Focusable; `bar_chosen` carries a Bar."""

    bar_chosen = Signal(object)

    # ------------------------------------------------------------------ going from bar to bar

    def go(self, bar: Bar | None, *, choose: bool = False) -> None:
        """Make a bar current and bring it into view."""
        if bar is None:
            return
        self._current = bar.key
        self._bring(bar)
        self._describe()
        self.viewport().update()
        if choose:
            self.bar_chosen.emit(bar)

    def step(self, by: int) -> None:
        """The next or previous bar; lane by lane."""
        bars = self._bars()
        if not bars:
            return
        place = next((i for i, b in enumerate(bars) if b.key == self._current), -1 if by > 0 else len(bars))
        self.go(bars[min(len(bars) - 1, max(0, place + by))])

    def step_lane(self, by: int) -> None:
        """The nearest bar of the next lane that has one."""
        here = self.current
        lanes = [lane for lane in (self._facts.lanes if self._facts is not None else ()) if lane.bars]
        if here is None or not lanes:
            self.step(1)
            return
        place = next(i for i, lane in enumerate(lanes) if here in lane.bars)
        lane = lanes[min(len(lanes) - 1, max(0, place + by))]
        self.go(min(lane.bars, key=lambda b: abs(b.start - here.start)))

    def _bring(self, bar: Bar) -> None:
        frame = self.frame_now()
        place = next(i for i, lane in enumerate(self._facts.lanes) if bar in lane.bars) if self._facts else 0
        top = frame.lane_top(place) - HEAD_H
        page = frame.height - HEAD_H
        if top < 0 or top + self._lane_h > page:
            self.verticalScrollBar().setValue(frame.scroll_y + top - max(0, (page - self._lane_h) // 2))
        rect = frame.bar_rect(place, bar)
        if rect.right() < frame.plot.left() + 20 or rect.left() > frame.plot.right() - 20:
            moved = round(rect.left() - frame.plot.left() - frame.plot.width() / 4)
            self.horizontalScrollBar().setValue(self.horizontalScrollBar().value() + moved)

    # ------------------------------------------------------------------ Qt

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.current is None and self._bars():
            self.go(self._bars()[0])
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        bars = self._bars()
        match event.key():
            case Qt.Key.Key_Right:
                self.step(1)
            case Qt.Key.Key_Left:
                self.step(-1)
            case Qt.Key.Key_Down:
                self.step_lane(1)
            case Qt.Key.Key_Up:
                self.step_lane(-1)
            case Qt.Key.Key_Home if bars:
                self.go(bars[0])
            case Qt.Key.Key_End if bars:
                self.go(bars[-1])
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_by(ZOOM_STEP)
            case Qt.Key.Key_Minus:
                self.zoom_by(1 / ZOOM_STEP)
            case Qt.Key.Key_0:
                self.zoom_by(1 / ZOOM_MAX)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if self.current is not None:
                self.go(self.current, choose=True)
            case _:
                super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            self.zoom_by(ZOOM_STEP**steps, event.position().x())
            event.accept()
        else:
            super().wheelEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        bar = self.bar_at(event.position())
        if bar is not None and event.button() == Qt.MouseButton.LeftButton:
            self.go(bar, choose=True)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
