"""A small button that shows an icon only: its name is heard, and shown with its key when the pointer rests on it."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton, QWidget

from quarterdeck.ui.icons import icon
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Tokens


class IconButton(QToolButton):
    """Takes the theme's colours; reached by Tab."""

    def __init__(self, picture: str, name: str, theme: Theme, parent: QWidget, key: str = "") -> None:
        super().__init__(parent)
        self._picture = picture
        self.setAccessibleName(name)
        self.setObjectName(name)
        self.setToolTip(tip(f"{name}  ({key})" if key else name))
        self.setIconSize(QSize(16, 16))
        self._on_theme_changed(theme.tokens)
        theme.theme_changed.connect(self._on_theme_changed)

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.setIcon(icon(self._picture, tokens.text, tokens.faint))
