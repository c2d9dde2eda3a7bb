"""One wire: a Bezier from the right port of a node to the left port of another, with its condition in words."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from quarterdeck.domain.workflow import Edge
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.canvas.node_item import BATCH_DETAIL, FULL_DETAIL, PORT_Y, NodeItem
from quarterdeck.ui.language import Texts
from quarterdeck.ui.painting import set_font
from quarterdeck.ui.tokens import NODE_WIDTH, Family
from quarterdeck.ui.words import one_line

tr = Texts("CanvasEdgeItem")

ARROW = 7.0
ARROW_AT = 8.0
DOTS_BEHIND = (0.0, 0.14, 0.28)
"""Three dots, each a part of the way behind the first."""


def _when(condition: str) -> str:
    match condition:
        case "success":
            return ""
        case "failure":
            return tr("on failure")
        case "always":
            return tr("always")
        case _:
            return condition


class EdgeItem(QGraphicsItem):
    """Green once something went through it and no shown run has yet to come to it (`present_wires`)."""

    def __init__(self, edge: Edge, source: NodeItem, target: NodeItem, look: CanvasLook) -> None:
        super().__init__()
        self.edge = edge
        self._source, self._target, self._look = source, target, look
        self.is_green = False
        self._flow: float | None = None
        source.has_output = target.has_input = True
        self._path = QPainterPath()
        self._words = one_line(_when(edge.when), 28)
        if edge.loop is not None:
            self._words = tr.count(
                "again, at most {n} times", "again, at most {n} time", edge.loop.max_rounds
            )
        self.setZValue(-1)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self.follow_nodes()

    def follow_nodes(self) -> None:
        """Lay the wire anew between the two nodes."""
        self.prepareGeometryChange()
        start = self._source.pos() + QPointF(NODE_WIDTH, PORT_Y)
        end = self._target.pos() + QPointF(-ARROW_AT, PORT_Y)
        path = QPainterPath(start)
        if end.x() >= start.x() - 20:
            reach = max(36.0, abs(end.x() - start.x()) / 2)
            path.cubicTo(start + QPointF(reach, 0), end - QPointF(reach, 0), end)
        else:
            low = max(self._source.card_rect().height(), self._target.card_rect().height()) + 50
            path.cubicTo(start + QPointF(130, low), end + QPointF(-130, low), end)
        self._path = path

    def show_green(self, is_green: bool) -> None:
        """Whether all shown runs are done with it."""
        self.is_green = is_green
        self.update()

    def show_flow(self, done: float | None) -> None:
        """Dots on their way, `done` of it (0 to 1); None: none."""
        if self._flow != done:
            self._flow = done
            self.update()

    def line(self) -> tuple[QPointF, QPointF]:
        """Both ends, for the far zoom."""
        return self._path.pointAtPercent(0), self._path.pointAtPercent(1)

    def boundingRect(self) -> QRectF:
        return self._path.boundingRect().adjusted(-60, -14, 60, 14)

    def shape(self) -> QPainterPath:
        return QPainterPath()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        detail = option.levelOfDetailFromTransform(painter.worldTransform())
        if detail < BATCH_DETAIL:
            return
        t = self._look.tokens
        done = QColor(t.tones[Family.DONE].border)
        colour = done if self.is_green else QColor(t.wire)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(colour, 2)
        if self.edge.loop is not None or self.edge.when != "success":
            pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        end = self._path.pointAtPercent(1)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        tip = end + QPointF(ARROW_AT, 0)
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-ARROW, -4.5), tip + QPointF(-ARROW, 4.5)]))
        if self._flow is not None:
            self._paint_flow(painter, done)
        if self._words and detail >= FULL_DETAIL:
            self._paint_words(painter)

    def _paint_flow(self, painter: QPainter, colour: QColor) -> None:
        assert self._flow is not None
        painter.setBrush(colour)
        for behind in DOTS_BEHIND:
            at = self._flow * (1 + DOTS_BEHIND[-1]) - behind
            if 0 <= at <= 1:
                painter.drawEllipse(self._path.pointAtPercent(at), 4.5, 4.5)

    def _paint_words(self, painter: QPainter) -> None:
        t = self._look.tokens
        set_font(painter, 11)
        middle = self._path.pointAtPercent(0.5)
        width = painter.fontMetrics().horizontalAdvance(self._words) + 12
        box = QRectF(middle.x() - width / 2, middle.y() - 9, width, 18)
        painter.setBrush(QColor(t.canvas))
        painter.setPen(QPen(QColor(t.line), 1))
        painter.drawRoundedRect(box, 9, 9)
        painter.setPen(QColor(t.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._words)
