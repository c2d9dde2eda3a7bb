"""One item a node (performance 12): paints a frozen `NodeFace` and repaints only the line that changed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from quarterdeck.ui.canvas.look import CanvasLook
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.painting import font_of, paint_hatch, set_font
from quarterdeck.ui.present_nodes import NodeFace, NodeRow
from quarterdeck.ui.tokens import NODE_WIDTH, RADIUS_CARD, Family

HEADER_H, ROW_H, MORE_H, FOOT_H = 58, 28, 20, 6
PORT_Y = 30.0
HALO = 8.0
PORT_R = 4.5
ELAPSED_W = 34
FULL_DETAIL = 0.595
"""60 %, less what fitting rounds away."""
BATCH_DETAIL = 0.25
"""Below this zoom the view paints all nodes in one go and items stay silent."""
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class NodeItem(QGraphicsItem):
    """Position and content come from the face; the item owns nothing but its cached elisions."""

    def __init__(self, face: NodeFace, look: CanvasLook) -> None:
        super().__init__()
        self._face = face
        self._look = look
        self._elided: dict[tuple[str, int], str] = {}
        self.has_input = self.has_output = False
        """Whether a wire ends, or begins, here: then there is a port."""
        self.setPos(QPointF(*face.position))
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIsSelectable)
        self.setToolTip("")

    @property
    def face(self) -> NodeFace:
        """The shown value."""
        return self._face

    def show_face(self, face: NodeFace) -> bool:
        """Take a new value; only what differs is repainted. True where the height changed."""
        old, self._face = self._face, face
        if old == face:
            return False
        is_resized = _height(old) != _height(face)
        if is_resized:
            self._face = old
            self.prepareGeometryChange()
            self._face = face
        if old.position != face.position:
            self.setPos(QPointF(*face.position))
        same_frame = (old.title, old.subtitle, old.icon, old.loudest, old.more, len(old.rows)) == (
            face.title,
            face.subtitle,
            face.icon,
            face.loudest,
            face.more,
            len(face.rows),
        )
        if not same_frame:
            self._elided.clear()
            self.update()
            return is_resized
        for place, (before, after) in enumerate(zip(old.rows, face.rows, strict=True)):
            if before != after:
                self.update(QRectF(row_rect(place)))
        return is_resized

    def row_at(self, y: float) -> NodeRow | None:
        """The row below a point of the item; None on the header."""
        for place, row in enumerate(self._face.rows):
            if row_rect(place).top() <= y <= row_rect(place).bottom():
                return row
        return None

    def update_turning(self) -> None:
        """Repaint the icons that turn."""
        for place, row in enumerate(self._face.rows):
            if row.badge.is_turning:
                at = row_rect(place)
                self.update(QRectF(_icon_left(row) - 2, at.top(), 20, ROW_H))

    @property
    def is_turning(self) -> bool:
        """True while any row shows work that goes on by itself."""
        return any(row.badge.is_turning for row in self._face.rows)

    def card_rect(self) -> QRectF:
        """The node without halo and shadow."""
        return QRectF(0, 0, NODE_WIDTH, _height(self._face))

    # ------------------------------------------------------------------ Qt

    def boundingRect(self) -> QRectF:
        return self.card_rect().adjusted(-HALO, -HALO, HALO, HALO)

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        detail = option.levelOfDetailFromTransform(painter.worldTransform())
        if detail < BATCH_DETAIL:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        t = self._look.tokens
        if detail < FULL_DETAIL:
            self._paint_card(painter, fill=t.tones[self._face.loudest.family].tint)
            self._paint_sign(painter, detail)
            return
        self._paint_card(painter, fill=t.card)
        self._paint_header(painter)
        for place, row in enumerate(self._face.rows):
            self._paint_row(painter, row_rect(place), row)
        if not self._face.rows:
            self._paint_nothing_yet(painter)
        self._paint_more(painter)

    # ------------------------------------------------------------------ parts

    def _paint_card(self, painter: QPainter, *, fill: str) -> None:
        t = self._look.tokens
        if self.isSelected():
            self._paint_chosen(painter, self.card_rect())
        family = self._face.loudest.family
        is_quiet = family in {Family.NEUTRAL, Family.DONE}
        colour = t.accent if self.isSelected() else t.wire if is_quiet else t.tones[family].border
        width = 1.2 if is_quiet and not self.isSelected() else 1.8
        stamps = self._look.stamps
        stamps.paint_card(painter, _height(self._face), colour, width, t, fill)
        if self.has_input:
            stamps.paint_port(painter, QPointF(0, PORT_Y), PORT_R, colour, t.card)
        if self.has_output:
            stamps.paint_port(painter, QPointF(NODE_WIDTH, PORT_Y), PORT_R, colour, t.card)

    def _paint_chosen(self, painter: QPainter, card: QRectF) -> None:
        """A halo of 5 px in the accent; with the keyboard here, a ring of 2 px in the text's colour around it."""
        t = self._look.tokens
        halo = QColor(t.accent)
        halo.setAlpha(90)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(halo, 5))
        painter.drawRoundedRect(card.adjusted(-2.5, -2.5, 2.5, 2.5), RADIUS_CARD + 2.5, RADIUS_CARD + 2.5)
        if self._look.has_focus:
            painter.setPen(QPen(QColor(t.text), 2))
            painter.drawRoundedRect(card.adjusted(-6, -6, 6, 6), RADIUS_CARD + 6, RADIUS_CARD + 6)

    def _paint_sign(self, painter: QPainter, detail: float) -> None:
        """Too small for words: a 16 px state icon on the family's tint (never colour alone)."""
        t, card = self._look.tokens, self.card_rect()
        tone = t.tones[self._face.loudest.family]
        side = 16 / detail
        drawn = pixmap(self._face.loudest.icon, tone.text, 16, painter.device().devicePixelRatioF())
        at = QRectF(card.center().x() - side / 2, card.center().y() - side / 2, side, side)
        painter.drawPixmap(at, drawn, QRectF(drawn.rect()))

    def _paint_header(self, painter: QPainter) -> None:
        t, face = self._look.tokens, self._face
        ratio = self._look.ratio
        tile = QRectF(12, 12, 34, 34)
        self._look.stamps.paint_band(painter, tile, t.line)
        self._look.stamps.paint_band(painter, tile.adjusted(1, 1, -1, -1), t.window)
        _icon(painter, face.icon, t.text, QRectF(20, 20, 18, 18), ratio)
        room = NODE_WIDTH - 56 - 12
        texts = self._look.texts
        painter.setPen(QColor(t.text))
        texts.draw(painter, 56, 20, self._short(face.title, room, 13), 13, QFont.Weight.DemiBold)
        painter.setPen(QColor(t.muted))
        texts.draw(painter, 56, 37.5, self._short(face.subtitle, room, 11), 11)
        painter.fillRect(QRectF(0.8, HEADER_H - 1, NODE_WIDTH - 1.6, 1), QColor(t.line))

    def _paint_row(self, painter: QPainter, at: QRect, row: NodeRow) -> None:
        t = self._look.tokens
        tone = t.tones[row.badge.family]
        if row.badge.family is Family.INTERRUPTED:
            paint_hatch(painter, QRectF(at).adjusted(5, 1, -5, -1), tone)
        if row.badge.family is Family.NEEDS:
            self._look.stamps.paint_band(painter, QRectF(at).adjusted(5, 1, -5, -1), tone.tint)
        box = QRect(10, at.top() + 4, 20, 20)
        if row.letter:
            is_looked_at = row.run_id == self._look.run
            self._look.stamps.paint_letter(painter, box, row.letter, t, filled=is_looked_at)
        else:
            _icon(painter, "history", t.faint, QRectF(box).adjusted(2, 2, -2, -2), self._look.ratio)
        self._paint_state_icon(painter, at, row, tone.text)
        left = _icon_left(row) + 20
        word = f"{row.badge.word} {row.part}" if row.part else row.badge.word
        wanted = self._look.texts.width(word, 12, QFont.Weight.DemiBold) + 6
        right = NODE_WIDTH - 12
        right -= self._paint_right(painter, at, right, row.cost, t.text, bold=True)
        if right - left - wanted >= ELAPSED_W:  # the state's word comes before the time
            right -= self._paint_right(painter, at, right, row.elapsed, t.muted, bold=False)
        weight = QFont.Weight.DemiBold if row.badge.family is not Family.NEUTRAL else QFont.Weight.Medium
        painter.setPen(QColor(tone.text))
        shown = self._short(word, max(20, right - left), 12)
        self._look.texts.draw(painter, left, at.top() + ROW_H / 2, shown, 12, weight)

    def _paint_nothing_yet(self, painter: QPainter) -> None:
        """The workflow was never run: said in the place of the first row."""
        badge, at = self._face.loudest, row_rect(0)
        tone = self._look.tokens.tones[badge.family]
        _icon(painter, badge.icon, tone.text, QRectF(13, at.top() + 7, 14, 14), self._look.ratio)
        set_font(painter, 12, QFont.Weight.Medium)
        painter.setPen(QColor(tone.text))
        painter.drawText(QRect(33, at.top(), NODE_WIDTH - 45, ROW_H), LEFT, badge.word)

    def _paint_state_icon(self, painter: QPainter, at: QRect, row: NodeRow, colour: str) -> None:
        place = QRectF(_icon_left(row), at.top() + 7, 14, 14)
        if not row.badge.is_turning or self._look.phase == 0:
            _icon(painter, row.badge.icon, colour, place, self._look.ratio)
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.translate(place.center())
        painter.rotate(self._look.phase)
        _icon(painter, row.badge.icon, colour, QRectF(-7, -7, 14, 14), self._look.ratio)
        painter.restore()

    def _paint_right(
        self, painter: QPainter, at: QRect, right: int, text: str, colour: str, *, bold: bool
    ) -> int:
        if not text:
            return 0
        weight, texts = QFont.Weight.DemiBold if bold else QFont.Weight.Normal, self._look.texts
        width = texts.width(text, 12, weight)
        painter.setPen(QColor(colour))
        texts.draw(painter, right - width, at.top() + ROW_H / 2, text, 12, weight)
        return width + 9

    def _paint_more(self, painter: QPainter) -> None:
        if not self._face.more:
            return
        top = row_rect(len(self._face.rows)).top()
        set_font(painter, 11, QFont.Weight.DemiBold)
        painter.setPen(QColor(self._look.tokens.muted))
        painter.drawText(QRect(10, top, 100, MORE_H), LEFT, f"+{self._face.more}")

    def _short(self, text: str, room: int, pixels: int) -> str:
        key = (text, room * 100 + pixels)
        if key not in self._elided:
            if len(self._elided) > 40:
                self._elided.clear()
            metrics_font = font_of(pixels, QFont.Weight.DemiBold)
            self._elided[key] = self._look.elide(metrics_font, text, room)
        return self._elided[key]


def row_rect(place: int) -> QRect:
    """Where the row of that place lies in its node."""
    return QRect(0, HEADER_H + 2 + place * ROW_H, NODE_WIDTH, ROW_H)


def _height(face: NodeFace) -> int:
    return HEADER_H + 2 + max(1, len(face.rows)) * ROW_H + (MORE_H if face.more else 0) + FOOT_H


def _icon_left(row: NodeRow) -> int:
    return 38


def _icon(painter: QPainter, name: str, colour: str, at: QRectF, ratio: float) -> None:
    drawn = pixmap(name, colour, round(at.width()), ratio)
    painter.drawPixmap(at, drawn, QRectF(drawn.rect()))
