"""Small widgets that several panels share: plain labels, chips, panel titles, rules, buttons."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolBar,
    QToolButton,
    QWidget,
)

from quarterdeck.ui.badges import Badge
from quarterdeck.ui.icons import ICON_SIZE, SPACED_SIZE, pixmap, spaced_icon
from quarterdeck.ui.language import Texts, shown
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens

tr = Texts("Parts")


def label(text: str = "", look: str = "", parent: QWidget | None = None, *, wrap: bool = False) -> QLabel:
    """A label that never interprets its text."""
    made = QLabel(parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setText(shown(text))
    made.setWordWrap(wrap)
    if look:
        made.setProperty("look", look)
    return made


def set_text(widget: QLabel | QAbstractButton, text: str) -> None:
    """Set a text only where it differs: no repaint and no news for a screen reader otherwise."""
    text = shown(text)
    if widget.text() != text:
        widget.setText(text)


class ElidedLabel(QLabel):
    """One line that is cut with an ellipsis where room is short; its width never follows foreign text."""

    def __init__(self, look: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cut = Qt.TextElideMode.ElideRight
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        if look:
            self.setProperty("look", look)

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def shown_text(self) -> str:
        """What of its text there is room for now."""
        return self.fontMetrics().elidedText(self.text(), self.cut, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shown = self.shown_text()
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)


class Choice(QComboBox):
    """A combo box whose name is heard: on Linux Qt tells its current text as its name, so the name is told beside it."""

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.setAccessibleDescription(name)


class Picker(Choice):
    """A combo box as wide as its current text, within limits, and cut with an ellipsis beyond."""

    WIDTH_MAX = 420

    def sizeHint(self) -> QSize:
        words = self.currentText() or self.placeholderText()
        wide = self.fontMetrics().horizontalAdvance(words) + 44
        return QSize(min(self.WIDTH_MAX, wide), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(90, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        words = self.currentText() or self.placeholderText()
        option.currentText = self.fontMetrics().elidedText(
            words, Qt.TextElideMode.ElideRight, self.width() - 36
        )
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def let_clear(line: QLineEdit) -> None:
    """A button in the line that clears it; Qt gives it no name."""
    line.setClearButtonEnabled(True)
    for made in line.findChildren(QToolButton):
        made.setAccessibleName(tr("Clear"))


def name_overflow(bar: QToolBar) -> None:
    """The button at the end of a tool bar that is too short; Qt gives it no name."""
    for made in bar.findChildren(QToolButton, "qt_toolbar_ext_button"):
        made.setAccessibleName(tr("More of {bar}", bar=bar.windowTitle()))


def restyle(widget: QWidget, name: str, value: object) -> None:
    """Change a dynamic property that the style sheet reads."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        style = widget.style()
        for touched in (widget, *widget.findChildren(QWidget)):
            style.unpolish(touched)
            style.polish(touched)


def rule(parent: QWidget | None = None) -> QFrame:
    """A line of one pixel."""
    made = QFrame(parent)
    made.setProperty("look", "rule")
    return made


class Chip(QFrame):
    """A state or a number in a pill: icon and words together."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._badge: Badge | None = None
        self._icon = QLabel(self)
        self._words = label("", "", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 10, 0)
        row.setSpacing(6)
        row.addWidget(self._icon)
        row.addWidget(self._words)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.theme_changed.connect(self._on_theme_changed)

    def show_badge(self, badge: Badge, text: str | None = None) -> None:
        """Show a state; `text` says more than its word."""
        set_text(self._words, text if text is not None else badge.word)
        self.setAccessibleName(self._words.text())
        if badge != self._badge:
            self._badge = badge
            restyle(self, "chip", str(badge.family))
            self._tint()

    @property
    def text(self) -> str:
        """The words of the chip."""
        return self._words.text()

    @property
    def badge(self) -> Badge | None:
        """The shown badge."""
        return self._badge

    def _tint(self) -> None:
        if self._badge is not None:
            tone = self._theme.tokens.tones[self._badge.family]
            ratio = self.devicePixelRatioF()
            self._icon.setPixmap(pixmap(self._badge.icon, tone.text, 14, ratio))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()


ENTER = "enter"


def enter_is_harmless(dialog: QDialog) -> None:
    """Enter does the default of this dialog wherever the focus is: what it asks is not answered by a key pressed too often (REC8)."""
    dialog.setProperty(ENTER, "harmless")


class PushButton(QPushButton):
    """A button that Enter presses where it has the focus, in a dialog: left to Qt, Enter presses the dialog's default instead.

    Not in a main window, where no question may be answered by Enter, and not by a key that is held down since before.
    """

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enters = event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}
        if (
            not enters
            or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            or not self._is_pressed_by_enter()
        ):
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            self.click()

    def _is_pressed_by_enter(self) -> bool:
        window = self.window()
        return isinstance(window, QDialog) and window.property(ENTER) is None


def button(text: str, name: str, look: str = "", parent: QWidget | None = None) -> QPushButton:
    """A push button with an accessible name that stays."""
    made = PushButton(text, parent)
    made.setAccessibleName(name)
    made.setObjectName(name)
    made.setAutoDefault(False)
    if look:
        made.setProperty("look", look)
    return made


def action_button(action: QAction, parent: QWidget | None = None) -> QToolButton:
    """An icon button for a registered action."""
    made = QToolButton(parent)
    made.setDefaultAction(action)
    made.setIconSize(ICON_SIZE)
    made.setAccessibleName(action.text().rstrip("…"))
    return made


def radio(words: str, parent: QWidget) -> QRadioButton:
    """One of some choices; an `&` in its words is an `&`."""
    made = QRadioButton(words.replace("&", "&&"), parent)
    made.setAccessibleName(words)
    return made


def fit_dialog(dialog: QDialog, width: int) -> None:
    """As wide as `width` or as its widest row, and as high as its wrapped words then are, in any language."""
    layout = dialog.layout()
    assert layout is not None
    for part in dialog.findChildren(QWidget):
        part.ensurePolished()
    layout.activate()
    wide = max(width, layout.totalMinimumSize().width())
    dialog.setMinimumWidth(wide)
    high = max(layout.totalHeightForWidth(wide), layout.totalMinimumSize().height())
    resize_within_screen(dialog, wide, high)


def grow_with_words(dialog: QDialog) -> None:
    """Higher where its wrapped words need more lines than they had; never lower, and never beyond the screen."""
    layout = dialog.layout()
    high = layout.totalHeightForWidth(dialog.width()) if layout is not None else 0
    if high > dialog.height():
        resize_within_screen(dialog, dialog.width(), high)


def dialog_feet(*buttons: QPushButton) -> QHBoxLayout:
    """The last row of a dialog: its buttons, at the right."""
    row = QHBoxLayout()
    row.addStretch(1)
    for one in buttons:
        row.addWidget(one)
    return row


def room_of(window: QWidget) -> QSize:
    """How large a dialog may be on its screen, in logical pixels: its frame and a strip of what is behind have room, too."""
    room = window.screen().availableGeometry()
    return QSize(room.width() - 40, room.height() - 60)


def resize_within_screen(window: QWidget, width: int, height: int) -> None:
    """As asked in logical pixels, as far as the screen has room: what a person presses stands at the foot."""
    window.resize(QSize(width, height).boundedTo(room_of(window)))


def fit_headings(header: QHeaderView) -> None:
    """No column is narrower than its heading; one that stretches, than the shortest."""
    header.setMinimumSectionSize(min(header.sectionSizeHint(column) for column in range(header.count())))
    for column in range(header.count()):
        header.resizeSection(column, max(header.sectionSize(column), header.sectionSizeHint(column)))


def tint_button(target: QPushButton, name: str, theme: Theme, *, primary: bool = False) -> None:
    """Give a button its icon in the theme's colours."""
    t = theme.tokens
    look = target.property("look")
    colour = t.on_accent if primary else t.tones[Family.FAILED].text if look == "danger" else t.text
    target.setIcon(spaced_icon(name, colour, t.faint))
    target.setIconSize(SPACED_SIZE)
