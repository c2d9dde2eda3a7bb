"""One live run in the switcher above the canvas: its letter in a box, how long it has run, its state's sign."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter, QWidget

from quarterdeck.domain.ids import RunId
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.painting import paint_letter
from quarterdeck.ui.parts import set_text
from quarterdeck.ui.present import LiveRun
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens

tr = Texts("CanvasPage")

EDGE, GAP, BOX_H, SIGN = 8, 8, 20, 16


class RunPlace(QPushButton):
    """Checkable; its text is what an eye reads in it, though it paints that itself."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: LiveRun | None = None
        self._is_looked_at = False
        self.setProperty("look", "segment")
        self.setCheckable(True)
        theme.theme_changed.connect(self._on_theme_changed)

    @property
    def run(self) -> RunId | None:
        """The run of this place."""
        return self._shown.run_id if self._shown is not None else None

    def show_run(self, run: LiveRun, is_picked: bool, is_looked_at: bool) -> None:
        """Show this run; a filled letter is that of the run looked at."""
        before = (self._shown.badge, self._is_looked_at) if self._shown is not None else None
        self._shown, self._is_looked_at = run, is_looked_at
        set_text(self, f"{run.letter}   {run.elapsed}")
        self.setChecked(is_picked)
        name = tr("Run {letter} {run}, {state}", letter=run.letter, run=run.short, state=run.badge.word)
        if self.accessibleName() != name:
            self.setAccessibleName(name)
        if before != (run.badge, is_looked_at):
            self.update()

    def sizeHint(self) -> QSize:
        if self._shown is None:
            return super().sizeHint()
        words = self.fontMetrics().horizontalAdvance(self._shown.elapsed)
        wide = EDGE + self._box_w() + GAP + words + GAP + SIGN + EDGE
        return QSize(wide, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _box_w(self) -> int:
        return BOX_H if self._shown is None or len(self._shown.letter) == 1 else BOX_H + 6

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        run, t = self._shown, self._theme.tokens
        if run is None:
            return
        middle = self.rect().center().y()
        box = QRect(EDGE, middle - BOX_H // 2 + 1, self._box_w(), BOX_H)
        tone = t.tones[run.badge.family]
        sign = QRect(self.width() - EDGE - SIGN, middle - SIGN // 2 + 1, SIGN, SIGN)
        painter.drawPixmap(sign.topLeft(), pixmap(run.badge.icon, tone.text, SIGN, self.devicePixelRatioF()))
        painter.setFont(self.font())
        painter.setPen(QColor(t.text))
        words = QRect(box.right() + GAP, 0, sign.left() - box.right() - GAP, self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, run.elapsed)
        painter.setRenderHint(QStylePainter.RenderHint.Antialiasing)
        paint_letter(painter, box, run.letter, t, filled=self._is_looked_at)

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self.update()
