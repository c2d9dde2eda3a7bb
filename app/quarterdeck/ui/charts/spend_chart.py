"""Spend per day as stacked bars. Amounts stay decimals; only places on the screen are floats."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFocusEvent, QHelpEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from quarterdeck.domain.money import ZERO
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.painting import set_font
from quarterdeck.ui.present_spend import SpendBar, SpendFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import money_text

tr = Texts("ChartsSpendChart")

ORDER = (Family.RUNNING, Family.DONE, Family.NEEDS, Family.INTERRUPTED, Family.FAILED, Family.NEUTRAL)
AXIS_W, FOOT_H, HEAD_H = 56, 26, 8
LABEL_PX_MIN = 26


def colour_of(place: int, t: Tokens) -> str:
    """The colour of a group by its place; its name always stands beside it."""
    return t.tones[ORDER[place % len(ORDER)]].border


def nice_top(most: Decimal) -> tuple[Decimal, Decimal]:
    """(top of the axis, step between its lines) for amounts up to `most`."""
    if most <= 0:
        return Decimal(1), Decimal("0.5")
    size = Decimal(1).scaleb(most.adjusted())
    for factor in (Decimal("0.2"), Decimal("0.5"), Decimal(1), Decimal(2), Decimal(5)):
        step = size * factor
        lines = int((most / step).to_integral_value(ROUND_CEILING))
        if lines <= 4:
            return step * max(1, lines), step
    return size * 10, size * 5


class SpendChart(QWidget):
    """Focusable: Left and Right go from bar to bar and say each."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._facts: SpendFacts | None = None
        self._current = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Spend chart"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(150)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_facts(self, facts: SpendFacts) -> None:
        """Show these bars."""
        before = self._facts
        self._facts = facts
        if before is None or before.bars != facts.bars or before.groups != facts.groups:
            self._current = min(self._current, len(facts.bars) - 1)
            self._describe()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(520, 260)

    def bars(self) -> tuple[SpendBar, ...]:
        """What is shown."""
        return self._facts.bars if self._facts is not None else ()

    def _slot_w(self) -> float:
        return max(1.0, (self.width() - AXIS_W - 12) / max(1, len(self.bars())))

    def _describe(self) -> None:
        bars = self.bars()
        if 0 <= self._current < len(bars):
            said = self.tip(bars[self._current]).replace("\n", ", ")
        else:
            said = ". ".join(
                (tr.count("{n} bars", "{n} bar", len(bars)), *(b.spoken for b in bars if b.cost_usd))
            )[:2000]
        if said != self.accessibleDescription():
            self.setAccessibleDescription(said)

    def tip(self, bar: SpendBar) -> str:
        """A bar in lines of words."""
        groups = self._facts.groups if self._facts is not None else ()
        parts = [
            f"{shown(name)}: {money_text(part)}"
            for name, part in zip(groups, bar.parts, strict=False)
            if part
        ]
        return "\n".join([bar.spoken, *parts])

    # ------------------------------------------------------------------ Qt

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bars = self.bars()
        top, step = nice_top(max((b.cost_usd for b in bars), default=ZERO))
        plot = QRectF(AXIS_W, HEAD_H, self.width() - AXIS_W - 12, self.height() - HEAD_H - FOOT_H)
        has_any = any(bar.cost_usd for bar in bars)
        if has_any:
            self._paint_axis(painter, plot, top, step)
        every = max(1, int(-(-LABEL_PX_MIN // self._slot_w())))
        for place, bar in enumerate(bars):
            self._paint_bar(painter, plot, place, bar, top, (len(bars) - 1 - place) % every == 0)
        if not has_any:
            set_font(painter, 13)
            painter.setPen(QColor(self._theme.tokens.muted))
            painter.drawText(plot, Qt.AlignmentFlag.AlignCenter, tr("Nothing was spent in this time."))
        painter.end()

    def _paint_axis(self, painter: QPainter, plot: QRectF, top: Decimal, step: Decimal) -> None:
        t = self._theme.tokens
        set_font(painter, 12)
        lines = int(top / step)
        for place in range(lines + 1):
            y = plot.bottom() - plot.height() * place / lines
            painter.setPen(QPen(QColor(t.line), 1))
            painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
            painter.setPen(QColor(t.faint))
            amount = step * place
            words = f"${amount.normalize():f}" if amount % 1 == 0 else f"${amount:.2f}"
            if 0 < amount < Decimal("0.01"):
                words = f"${amount.normalize():f}"
            at = QRectF(0, y - 9, AXIS_W - 8, 18)
            painter.drawText(at, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, words)

    def _paint_bar(
        self, painter: QPainter, plot: QRectF, place: int, bar: SpendBar, top: Decimal, has_label: bool
    ) -> None:
        t = self._theme.tokens
        slot_w = self._slot_w()
        left = AXIS_W + place * slot_w
        wide = max(2.0, min(30.0, slot_w * 0.62))
        x = left + (slot_w - wide) / 2
        bottom = plot.bottom()
        for group, part in enumerate(bar.parts):
            high = plot.height() * float(part / top)
            if high > 0:
                shown = max(1.0, high - 1)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(colour_of(group, t)))
                painter.drawRoundedRect(
                    QRectF(x, bottom - high, wide, shown), min(2.0, shown / 2), min(2.0, shown / 2)
                )
                bottom -= high
        painter.setPen(QColor(t.faint))
        set_font(painter, 12)
        if has_label:
            at = QRectF(left - 20, plot.bottom() + 5, slot_w + 40, FOOT_H - 6)
            painter.drawText(at, Qt.AlignmentFlag.AlignCenter, bar.label)
        if not bar.complete:
            painter.drawText(QRectF(left, bottom - 18, slot_w, 16), Qt.AlignmentFlag.AlignCenter, "≥")
        if self.hasFocus() and place == self._current:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(t.text), 2))
            painter.drawRoundedRect(
                QRectF(x - 3, min(bottom, plot.bottom() - 6) - 3, wide + 6, plot.bottom() - bottom + 6), 4, 4
            )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        last = len(self.bars()) - 1
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or last < 0:
            super().keyPressEvent(event)
            return
        self._current = min(last, max(0, self._current + step))
        self._describe()
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self._current < 0:
            self._current = len(self.bars()) - 1
        self._describe()
        self.update()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = int((QPointF(event.pos()).x() - AXIS_W) // self._slot_w())
            words = self.tip(self.bars()[place]) if 0 <= place < len(self.bars()) else ""
            QToolTip.showText(event.globalPos(), tip(words), self)
            return True
        return super().event(event)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.update()
