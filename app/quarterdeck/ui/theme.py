"""Light, dark, high contrast or as the system says: Fusion, a QPalette and one style sheet, all made from the token table."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from quarterdeck.domain.looks import Scheme
from quarterdeck.ui.resources import font_files
from quarterdeck.ui.style_sheet import style_sheet
from quarterdeck.ui.tokens import CONTRAST, DARK, LIGHT, MONO_FONT, UI_FONT, Tokens

__all__ = ["Scheme", "Theme", "load_fonts", "mono_font", "palette", "system_reduces_motion", "ui_font"]
BASE_PIXELS = 13
MIDDLE_LIGHTNESS = 128
FONTS_LOADED = "quarterdeck_fonts_loaded"


class Theme(QObject):
    """Owns the look of the application; widgets that paint themselves read `tokens` and listen."""

    theme_changed = Signal(object)
    """Tokens: the table now in force."""

    def __init__(
        self, app: QApplication, scheme: Scheme = Scheme.SYSTEM, *, asks_system: bool = True
    ) -> None:
        """Without `asks_system`, what the system says is taken from its palette until `ask_system`."""
        super().__init__(app)
        self._app = app
        self._scheme = scheme
        self.tokens = LIGHT
        self.is_motion_reduced = False
        load_fonts(app)
        app.setStyle("Fusion")
        app.setFont(ui_font())
        if asks_system:
            self.ask_system()
        else:
            self._show(self._guessed())

    def ask_system(self) -> None:
        """Ask for its scheme and its wish for contrast, and follow them from now on.

        After the first paint: the names of Qt's own values take 20 ms to load, and nothing before it needs them.
        """
        self._app.styleHints().colorSchemeChanged.connect(self._on_system_scheme_changed)
        self._apply()

    @property
    def scheme(self) -> Scheme:
        """The person's choice."""
        return self._scheme

    def choose(self, scheme: Scheme) -> None:
        """Switch at once; `theme_changed` follows where the colours differ."""
        self._scheme = scheme
        self._apply()

    def _on_system_scheme_changed(self) -> None:
        if self._scheme is Scheme.SYSTEM:
            self._apply()

    def _apply(self) -> None:
        before = self.tokens
        self._show(self._wanted())
        if before is not self.tokens:
            self.theme_changed.emit(self.tokens)

    def _show(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self._app.setPalette(palette(tokens))
        self._app.setStyleSheet(style_sheet(tokens))

    def _guessed(self) -> Tokens:
        """Without Qt's names: Fusion's own palette is dark where the system's scheme is."""
        if self._scheme is not Scheme.SYSTEM:
            return self._wanted()
        window = self._app.style().standardPalette().color(QPalette.ColorRole.Window)
        return DARK if window.lightness() < MIDDLE_LIGHTNESS else LIGHT

    def _wanted(self) -> Tokens:
        match self._scheme:
            case Scheme.LIGHT:
                return LIGHT
            case Scheme.DARK:
                return DARK
            case Scheme.CONTRAST:
                return CONTRAST
            case Scheme.SYSTEM:
                return _of_system(self._app)


def _of_system(app: QApplication) -> Tokens:
    from PySide6.QtCore import Qt  # not before the first paint

    if _wants_contrast(app):
        return CONTRAST
    return DARK if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else LIGHT


def _wants_contrast(app: QApplication) -> bool:
    """The system's wish for high contrast, where this Qt tells it (from 6.10 on)."""
    from PySide6.QtCore import Qt

    accessibility = getattr(app.styleHints(), "accessibility", None)
    preference = getattr(Qt, "ContrastPreference", None)
    if accessibility is None or preference is None:
        return False
    return bool(accessibility().contrastPreference() == preference.HighContrast)


def system_reduces_motion(app: QApplication) -> bool:
    """The system's wish for less motion, where this Qt tells it (from 6.12 on)."""
    from PySide6.QtCore import Qt

    accessibility = getattr(app.styleHints(), "accessibility", None)
    preference = getattr(Qt, "MotionPreference", None)
    told = getattr(accessibility(), "motionPreference", None) if accessibility is not None else None
    return told is not None and preference is not None and told() == preference.ReducedMotion


def load_fonts(app: QApplication) -> None:
    """Make Inter and JetBrains Mono known to Qt, once; asking Qt for all families of the system takes as long as this."""
    if app.property(FONTS_LOADED):
        return
    for file in font_files():
        QFontDatabase.addApplicationFont(str(file))
    app.setProperty(FONTS_LOADED, True)


def ui_font(pixels: int = BASE_PIXELS, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Inter in a size, with tabular digits, so that timers do not jitter."""
    font = QFont(UI_FONT)
    font.setPixelSize(pixels)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(pixels: int = 12) -> QFont:
    """JetBrains Mono: ids, commands, times, transcripts."""
    font = QFont(MONO_FONT)
    font.setPixelSize(pixels)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFeature(QFont.Tag("liga"), 0)
    font.setFeature(QFont.Tag("calt"), 0)
    return font


def palette(tokens: Tokens) -> QPalette:
    """The palette that Fusion paints with."""
    made = QPalette()
    role = QPalette.ColorRole
    pairs = (
        (role.Window, tokens.window),
        (role.WindowText, tokens.text),
        (role.Base, tokens.field),
        (role.AlternateBase, tokens.window),
        (role.Text, tokens.text),
        (role.Button, tokens.card),
        (role.ButtonText, tokens.text),
        (role.ToolTipBase, tokens.card),
        (role.ToolTipText, tokens.text),
        (role.PlaceholderText, tokens.faint),
        (role.Highlight, tokens.accent),
        (role.HighlightedText, tokens.on_accent),
        (role.Link, tokens.accent),
        (role.Mid, tokens.line),
        (role.Midlight, tokens.line),
        (role.Light, tokens.card),
        (role.Dark, tokens.line),
        (role.Shadow, tokens.line),
        (role.Accent, tokens.accent),
    )
    for which, colour in pairs:
        made.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, which, QColor(tokens.faint))
    return made
