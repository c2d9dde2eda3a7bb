"""The top bar: menu, workflow, its projected state, chips, Stop… and Run."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from quarterdeck.engine.planned import BrokenWorkflow, LoadedWorkflow
from quarterdeck.ui.asked import WorkspaceLoaded
from quarterdeck.ui.badges import Badge
from quarterdeck.ui.icons import SPACED_SIZE, SPACED_SMALL, icon, spaced_icon
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import Chip, ElidedLabel, button, set_text, tint_button
from quarterdeck.ui.present import WindowFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Family, Tokens
from quarterdeck.ui.words import one_line
from quarterdeck.ui.workflow_picker import WorkflowPicker

tr = Texts("TopBar")

HEIGHT = 56
BUSY_AFTER_MS = 300
SEARCH_FROM, FILE_STATE_FROM, BADGE_FROM, LIVE_FROM = 1180, 1320, 820, 640
"""Widths from which there is room for each; the title of the window always says state and number."""
ICON_W = 46
REVISION_SHOWN = 8
"""Characters of a revision."""


class TopBar(QWidget):
    """Reads the facts; says what was pressed."""

    file_chosen = Signal(object)
    """Path of a workflow file."""
    waiting_chosen = Signal()

    def __init__(self, theme: Theme, menu: QMenu, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._files: dict[Path, LoadedWorkflow | BrokenWorkflow] = {}
        self.setFixedHeight(HEIGHT)
        self.menu = QToolButton(self)
        self.menu.setMenu(menu)
        self.menu.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu.setAccessibleName(tr("Menu"))
        self.menu.setToolTip(tip(f"{tr('Menu')}  (F10)"))
        self.menu.setShortcut("F10")
        self.menu.setIconSize(QSize(20, 20))
        self.picker = WorkflowPicker(theme, self)
        self.picker.activated.connect(self._on_activated)
        self.badge = Chip(theme, self)
        self.live = Chip(theme, self)
        self.waiting = QPushButton(self)
        self.waiting.setProperty("look", "waiting")
        self.waiting.setCursor(Qt.CursorShape.PointingHandCursor)
        self.waiting.clicked.connect(self.waiting_chosen)
        self.waiting.hide()
        self.elsewhere = ElidedLabel("muted", self)  # long words must not hold the window wide
        self.elsewhere.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._live_elsewhere = 0
        self.file_state = ElidedLabel("muted", self)
        self.file_state.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.search = SearchButton(theme, self)
        self._make_busy()
        self.stop = button(tr("Stop…"), "Stop", "", self)
        self.run = button(tr("Run"), "Run", "primary", self)
        self._lay_out()
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)

    def show_files(self, news: WorkspaceLoaded) -> None:
        """Fill the picker with the workflows of the folder."""
        self.picker.show_files(news.files)
        self.picker.setVisible(bool(news.files))
        self._files = {file.path: file for file in news.files}

    def show_facts(self, facts: WindowFacts, path: Path | None, name: str) -> None:
        """Follow the facts."""
        self._show_name(path, name)
        self.badge.setVisible(bool(name) and self.width() >= BADGE_FROM)
        self._show_file_state(path)
        self.badge.show_badge(facts.badge, facts.badge_text)
        self.badge.setAccessibleName(f"{facts.workflow_name}: {facts.sentence}")
        self.badge.setToolTip("")
        count = len(facts.live)
        family = Family.RUNNING if count else Family.NEUTRAL
        sign = "loader-circle" if count else "circle-dashed"
        words = tr("{count} live", count=f"{count:,}")
        self.live.show_badge(Badge(family, sign, words), words)
        self._live_elsewhere = facts.live_elsewhere
        self._show_elsewhere()
        self.waiting.setVisible(facts.asking > 0)
        set_text(self.waiting, tr.count("{n} need you", "{n} needs you", facts.asking))
        said = tr.count("{n} questions for you", "{n} question for you", len(facts.waiting))
        if self.waiting.accessibleName() != said:
            self.waiting.setAccessibleName(said)
        self.stop.setEnabled(facts.can_stop)

    def _show_elsewhere(self) -> None:
        """The live runs of the workflows that are not shown; in a narrow window the name says which they are."""
        count = f"{self._live_elsewhere:,}"
        words = tr("+{count} live in other workflows", count=count) if self._live_elsewhere else ""
        is_short = self._live_elsewhere and self.width() < SEARCH_FROM
        set_text(self.elsewhere, tr("+{count} elsewhere", count=count) if is_short else words)
        self.elsewhere.setAccessibleName(words)
        self.elsewhere.setToolTip(tip(words))
        self.elsewhere.setVisible(self._live_elsewhere > 0)

    def _show_file_state(self, path: Path | None) -> None:
        file = self._files.get(path) if path is not None else None
        words = _state_of(file) if file is not None else ""
        if self.file_state.text() != words:
            self.file_state.setText(words)
            self.file_state.setAccessibleName(tr("File {words}", words=words) if words else "")
            self.file_state.setToolTip(tip(str(path) if file is not None else ""))

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
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 14, 0)
        row.setSpacing(8)
        row.addWidget(self.menu)
        row.addWidget(self.picker)
        row.addWidget(self.file_state)
        row.addWidget(self.badge)
        row.addStretch(1)
        for part in (self.busy, self.search, self.elsewhere, self.live, self.waiting):
            row.addWidget(part)
        row.addSpacing(8)
        row.addWidget(self.stop)
        row.addWidget(self.run)

    # ------------------------------------------------------------------ what takes longer

    def _make_busy(self) -> None:
        self.busy = ElidedLabel("muted", self)
        self.busy.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.busy.hide()
        self._line = QProgressBar(self)
        self._line.setRange(0, 0)
        self._line.setTextVisible(False)
        self._line.setAccessibleName(tr("Busy"))
        self._line.hide()
        self._owed: tuple[str, ...] = ()
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(BUSY_AFTER_MS)
        self._late.timeout.connect(self._on_late)

    def show_busy(self, owed: tuple[str, ...]) -> None:
        """What is asked of the engine and not answered yet; said once it takes longer than BUSY_AFTER_MS."""
        self._owed = owed
        if not owed:
            self._late.stop()
            self.busy.hide()
            self._line.hide()
        elif self.busy.isHidden():
            if not self._late.isActive():
                self._late.start()
        else:
            self._on_late()

    def close_busy(self) -> None:
        """Nothing further is told."""
        self._late.stop()

    def _on_late(self) -> None:
        if self._owed:
            words = f"{one_line(self._owed[0], 60)}…"
            set_text(self.busy, words)
            self.busy.setAccessibleName(words)
            self.busy.show()
            self._line.setVisible(not self._theme.is_motion_reduced)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width()
        self._line.setGeometry(0, self.height() - 3, width, 3)
        self.search.set_wide(width >= SEARCH_FROM)
        self._show_elsewhere()
        self.file_state.setVisible(width >= FILE_STATE_FROM)
        has_name = bool(self.picker.currentText() or self.picker.placeholderText())
        self.badge.setVisible(width >= BADGE_FROM and has_name)
        self.live.setVisible(width >= LIVE_FROM)
        self.busy.setMaximumWidth(240 if width >= SEARCH_FROM else 110)

    def minimumSizeHint(self) -> QSize:
        """As in a narrow window, also while it is wide or was not shown yet: what has no room there does not hold it wide."""
        row = self._row
        yielding = [part for part in (self.badge, self.file_state) if not part.isHidden()]
        less = sum(part.minimumSizeHint().width() + row.spacing() for part in yielding)
        less += self.search.minimumSizeHint().width() - ICON_W
        return QSize(row.minimumSize().width() - less, HEIGHT)

    def _on_activated(self, place: int) -> None:
        path = self.picker.itemData(place)
        if path is not None:
            self.file_chosen.emit(Path(str(path)))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.menu.setIcon(icon("ship-wheel", tokens.accent))
        self.waiting.setIcon(spaced_icon("hand", tokens.tones[Family.NEEDS].text))
        self.waiting.setIconSize(SPACED_SMALL)
        tint_button(self.stop, "square", self._theme)
        tint_button(self.run, "play", self._theme, primary=True)


class SearchButton(QPushButton):
    """Looks like a field and opens the palette; only its icon in a narrow window."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._keys = "Ctrl+K"
        self._is_wide = True
        self.setProperty("look", "search")
        self.setAccessibleName(tr("Search or run a command"))
        self.setIconSize(SPACED_SIZE)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed(theme.tokens)
        self._say()

    def set_wide(self, wide: bool) -> None:
        """Whether there is room for the words."""
        if wide != self._is_wide:
            self._is_wide = wide
            self._say()

    def minimumSizeHint(self) -> QSize:
        """Where there is room for the words they are not cut: the workflow's name is, first. Else its icon alone."""
        wide = self.sizeHint().width() if self._is_wide else ICON_W
        return QSize(wide, super().minimumSizeHint().height())

    def show_keys(self, keys: str) -> None:
        """The keys of the palette as they are now."""
        self._keys = keys
        self._say()

    def _say(self) -> None:
        words = f"{tr('Search or run a command')}     {self._keys}".rstrip()
        self.setText(words if self._is_wide else "")
        self.setToolTip(tip(words))

    def _on_theme_changed(self, tokens: Tokens) -> None:
        self.setIcon(spaced_icon("search", tokens.muted))


def _state_of(file: LoadedWorkflow | BrokenWorkflow) -> str:
    if isinstance(file, BrokenWorkflow):
        return tr.count("{n} problems", "{n} problem", len(file.problems))
    parts = [file.path.name]
    if file.revision is not None:
        parts.append(tr("revision {revision}", revision=file.revision[:REVISION_SHOWN]))
    if file.warnings:
        parts.append(tr.count("{n} warnings", "{n} warning", len(file.warnings)))
    if file.not_built:
        parts.append(tr("cannot run yet"))
    return one_line(" · ".join(parts), 120)
