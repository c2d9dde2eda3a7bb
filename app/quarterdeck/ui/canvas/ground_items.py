"""What stands beside the nodes, from the workflow's file: group frames and notes. Shown, not yet edited."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from quarterdeck.domain.workflow import Frame, Note
from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.painting import font_of, set_font
from quarterdeck.ui.tokens import RADIUS_CARD, Family
from quarterdeck.ui.words import one_line, shown_plainly

FRAME_EDGE, FRAME_HEAD = 24.0, 40.0
"""Room between a frame and its nodes, and above them for its title."""
NOTE_W, NOTE_EDGE = 220.0, 10.0
NOTE_SHOWN_MAX = 2_000
WORDS_MIN = 0.45
"""Below this zoom titles and notes drop their words."""
WRAPPED = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap


class FrameItem(QGraphicsItem):
    """A dashed group behind its nodes."""

    def __init__(self, frame: Frame, look: CanvasLook) -> None:
        super().__init__()
        self.frame, self._look = frame, look
        self._title = one_line(frame.title, 120)
        self._area = QRectF()
        self.setZValue(-3)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def surround(self, cards: list[QRectF]) -> None:
        """Lie around these nodes, or where the file says."""
        area = QRectF(*self.frame.rect) if self.frame.rect is not None else QRectF()
        if self.frame.rect is None:
            for card in cards:
                area = area.united(card)
            if not area.isEmpty():
                area.adjust(-FRAME_EDGE, -FRAME_HEAD, FRAME_EDGE, FRAME_EDGE)
        if area != self._area:
            self.prepareGeometryChange()
            self._area = area

    def boundingRect(self) -> QRectF:
        return self._area.adjusted(-2, -2, 2, 2)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        if self._area.isEmpty():
            return
        t = self._look.tokens
        fill = QColor(t.card)
        fill.setAlpha(90)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(QColor(t.wire), 1.2)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        painter.setBrush(fill)
        painter.drawRoundedRect(self._area, RADIUS_CARD, RADIUS_CARD)
        if option.levelOfDetailFromTransform(painter.worldTransform()) < WORDS_MIN:
            return
        set_font(painter, 11, QFont.Weight.DemiBold)
        painter.setPen(QColor(t.muted))
        room = self._area.adjusted(14, 10, -14, 0)
        shown = self._look.elide(font_of(11, QFont.Weight.DemiBold), self._title, int(room.width()))
        painter.drawText(QRectF(room.left(), room.top(), room.width(), 18), Qt.AlignmentFlag.AlignLeft, shown)


class NoteItem(QGraphicsItem):
    """A sheet with plain words."""

    def __init__(self, note: Note, look: CanvasLook) -> None:
        super().__init__()
        self._look = look
        words = shown_plainly(note.text[:NOTE_SHOWN_MAX])
        self._words = f"{words}…" if len(note.text) > NOTE_SHOWN_MAX else words
        self._size = QRectF(0, 0, *(note.size or self._wanted()))
        self.setPos(*note.position)
        self.setZValue(-2)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def _wanted(self) -> tuple[float, float]:
        room = QRectF(0, 0, NOTE_W - 2 * NOTE_EDGE, 10_000).toRect()
        taken = QFontMetrics(font_of(12, QFont.Weight.Normal)).boundingRect(room, int(WRAPPED), self._words)
        return NOTE_W, taken.height() + 2 * NOTE_EDGE + 2

    def boundingRect(self) -> QRectF:
        return self._size.adjusted(-1, -1, 1, 1)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        t = self._look.tokens
        tone = t.tones[Family.NEEDS]
        paper = QColor(tone.tint)
        paper.setAlphaF(0.75)
        edge = QColor(tone.border)
        edge.setAlphaF(0.45)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(paper)
        painter.drawRoundedRect(self._size, 6, 6)
        if option.levelOfDetailFromTransform(painter.worldTransform()) < WORDS_MIN:
            return
        set_font(painter, 12)
        painter.setPen(QColor(t.text))
        painter.drawText(
            self._size.adjusted(NOTE_EDGE, NOTE_EDGE - 1, -NOTE_EDGE, -4), int(WRAPPED), self._words
        )
