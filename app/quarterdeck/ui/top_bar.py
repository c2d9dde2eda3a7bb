"""The top bar: menu, workflow, its projected state, chips, Stop… and Run."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from quarterdeck.engine.door import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.asked import WorkspaceLoaded
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.icons import icon
from quarterdeck.ui.parts import Chip, Picker, button, label, tint_button
from quarterdeck.ui.present import WindowFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import count_text, one_line

HEIGHT = 56


class TopBar(QWidget):
    """Reads the facts; says what was pressed."""

    file_chosen = Signal(object)
    """Path of a workflow file."""
    waiting_chosen = Signal()

    def __init__(self, theme: Theme, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFixedHeight(HEIGHT)
        self.menu = QToolButton(self)
        self.menu.setMenu(menu)
        self.menu.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu.setAccessibleName("Menu")
        self.menu.setToolTip("Menu  (F10)")
        self.menu.setShortcut("F10")
        self.menu.setIconSize(QSize(20, 20))
        self.picker = Picker(self)
        self.picker.setProperty("look", "title")
        self.picker.setAccessibleName("Workflow")
        self.picker.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.picker.currentTextChanged.connect(self.picker.updateGeometry)
        self.picker.activated.connect(self._on_activated)
        self.badge = Chip(theme, self)
        self.live = Chip(theme, self)
        self.waiting = QPushButton(self)
        self.waiting.setProperty("look", "waiting")
        self.waiting.setCursor(Qt.CursorShape.PointingHandCursor)
        self.waiting.clicked.connect(self.waiting_chosen)
        self.waiting.hide()
        self.elsewhere = label("", "muted", self)
        self.stop = button("Stop…", "Stop", "", self)
        self.run = button("Run", "Run", "primary", self)
        self._lay_out()
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_files(self, news: WorkspaceLoaded) -> None:
        """Fill the picker with the workflows of the folder."""
        self.picker.clear()
        for file in news.files:
            self.picker.addItem(_file_name(file), str(file.path))
            self.picker.setItemData(self.picker.count() - 1, str(file.path), Qt.ItemDataRole.ToolTipRole)
        self.picker.setVisible(bool(news.files))

    def show_facts(self, facts: WindowFacts, path: Path | None, name: str) -> None:
        """Follow the facts."""
        self._show_name(path, name)
        self.badge.setVisible(bool(name))
        self.badge.show_badge(facts.badge, facts.badge_text)
        self.badge.setAccessibleName(f"{facts.workflow_name}: {facts.sentence}")
        self.badge.setToolTip("")
        count = len(facts.live)
        family = Family.RUNNING if count else Family.NEUTRAL
        sign = "loader-circle" if count else "circle-dashed"
        self.live.show_badge(Badge(family, sign, f"{count} live"))
        self.elsewhere.setText(f"+{facts.live_elsewhere} elsewhere" if facts.live_elsewhere else "")
        self.elsewhere.setVisible(facts.live_elsewhere > 0)
        waiting = len(facts.waiting)
        self.waiting.setVisible(waiting > 0)
        words = f"{waiting} {'needs' if waiting == 1 else 'need'} you"
        if self.waiting.text() != words:
            self.waiting.setText(words)
            self.waiting.setAccessibleName(f"{count_text(waiting, 'question', 'questions')} for you")
        self.stop.setEnabled(facts.can_stop)

    def _show_name(self, path: Path | None, name: str) -> None:
        place = self.picker.findData(str(path)) if path is not None else -1
        if place >= 0:
            if self.picker.currentIndex() != place:
                self.picker.setCurrentIndex(place)
        elif self.picker.currentIndex() != -1 or self.picker.placeholderText() != name:
            self.picker.setPlaceholderText(name)
            self.picker.setCurrentIndex(-1)
        self.picker.setVisible(self.picker.count() > 0 or bool(name))

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 14, 0)
        row.setSpacing(8)
        row.addWidget(self.menu)
        row.addWidget(self.picker)
        row.addWidget(self.badge)
        row.addStretch(1)
        for part in (self.elsewhere, self.live, self.waiting):
            row.addWidget(part)
        row.addSpacing(8)
        row.addWidget(self.stop)
        row.addWidget(self.run)

    def _on_activated(self, place: int) -> None:
        path = self.picker.itemData(place)
        if path is not None:
            self.file_chosen.emit(Path(str(path)))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.menu.setIcon(icon("ship-wheel", tokens.accent))
        self.waiting.setIcon(icon("hand", tokens.tones[Family.NEEDS].text))
        self.waiting.setIconSize(QSize(14, 14))
        tint_button(self.stop, "square", self._theme)
        tint_button(self.run, "play", self._theme, primary=True)


def _file_name(file: LoadedWorkflow | BrokenWorkflow) -> str:
    if isinstance(file, LoadedWorkflow):
        return one_line(file.workflow.name, 80)
    return f"{one_line(file.path.name, 70)} – does not load"
