"""Every action of the window, once: id, title, keys, icon, menu. Menus, buttons and shortcuts are built from here.

What an action does is bound by the window; whether it can be done is said by the facts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from quarterdeck.ui.icons import icon
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tokens import Tokens

CANVAS = "canvas"
"""Scope of single-letter keys: they act only while the canvas has the focus."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action as data. `keys`: portable sequences, the first is shown. `group`: only one of a group is checked."""

    id: str
    title: str
    menu: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    scope: str = ""
    group: str = ""
    checkable: bool = False


SPECS = (
    ActionSpec("open_folder", "Open folder…", "File", ("Ctrl+O",), "folder-open"),
    ActionSpec("reload", "Reload workflows", "File", ("F5",), "refresh-cw"),
    ActionSpec("quit", "Quit", "File", ("Ctrl+Q",)),
    ActionSpec("run", "Run…", "Control", ("Ctrl+Return", "Ctrl+Enter"), "play"),
    ActionSpec("stop", "Stop…", "Control", ("Ctrl+.",), "square"),
    ActionSpec("next_waiting", "Next that needs you", "Control", ("Ctrl+Shift+A",), "hand"),
    ActionSpec("previous_run", "Previous live run", "Control", ("[",), scope=CANVAS),
    ActionSpec("next_run", "Next live run", "Control", ("]",), scope=CANVAS),
    ActionSpec("go_runs", "Go to runs", "View", ("Ctrl+1",), "history"),
    ActionSpec("go_canvas", "Go to canvas", "View", ("Ctrl+2",), "workflow"),
    ActionSpec("go_inspector", "Go to inspector", "View", ("Ctrl+3",), "panel-right"),
    ActionSpec("go_agents", "Go to agents", "View", ("Ctrl+4",), "list-tree"),
    ActionSpec("toggle_bottom", "Show or hide the bottom panel", "View", ("Ctrl+J",), "panel-bottom"),
    ActionSpec("open_transcript", "Open transcript", "View", ("Ctrl+Shift+T",), "file-text"),
    ActionSpec("fit", "Fit the workflow", "View", ("Shift+1",), "maximize", scope=CANVAS),
    ActionSpec("zoom_full", "100 %", "View", ("Ctrl+0",), "scan"),
    ActionSpec("zoom_in", "Zoom in", "View", ("Ctrl++", "Ctrl+="), "plus"),
    ActionSpec("zoom_out", "Zoom out", "View", ("Ctrl+-",), "minus"),
    ActionSpec("scheme_system", "Colours as the system says", "Appearance", (), "monitor", group="scheme"),
    ActionSpec("scheme_light", "Light", "Appearance", (), "sun", group="scheme"),
    ActionSpec("scheme_dark", "Dark", "Appearance", (), "moon", group="scheme"),
    ActionSpec("reduce_motion", "Reduce motion", "Appearance", (), checkable=True),
    ActionSpec("reset_layout", "Reset layout", "Appearance"),
)
MENUS = ("File", "Control", "View", "Appearance")


class Actions(QObject):
    """The QActions of one window, by id."""

    def __init__(self, theme: Theme, window: QWidget, canvas: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._made: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        for spec in SPECS:
            self._make(spec, window, canvas)
        self._tint()
        theme.theme_changed.connect(self._on_theme_changed)

    def __getitem__(self, action_id: str) -> QAction:
        return self._made[action_id]

    def bind(self, action_id: str, handler: Callable[[], object]) -> None:
        """What the action does; a bound method of a QObject, so that nothing outlives the window."""
        self._made[action_id].triggered.connect(handler)

    def enable(self, action_id: str, can: bool) -> None:
        """Whether it can be done now."""
        action = self._made[action_id]
        if action.isEnabled() != can:
            action.setEnabled(can)

    def menu(self, parent: QWidget) -> QMenu:
        """All actions in one menu with a part for each heading."""
        whole = QMenu(parent)
        for name in MENUS:
            part = whole.addMenu(name)
            for spec in SPECS:
                if spec.menu == name:
                    part.addAction(self._made[spec.id])
        return whole

    def _make(self, spec: ActionSpec, window: QWidget, canvas: QWidget) -> None:
        action = QAction(spec.title, self)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(k) for k in spec.keys])
        owner = canvas if spec.scope == CANVAS else window
        action.setShortcutContext(
            Qt.ShortcutContext.WidgetShortcut if spec.scope == CANVAS else Qt.ShortcutContext.WindowShortcut
        )
        if spec.group:
            action.setCheckable(True)
            group = self._groups.setdefault(spec.group, QActionGroup(self))
            group.addAction(action)
        elif spec.checkable:
            action.setCheckable(True)
        if spec.keys:
            shown = QKeySequence(spec.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
            action.setToolTip(f"{spec.title.rstrip('…')}  ({shown})")
        owner.addAction(action)
        self._made[spec.id] = action

    def _tint(self) -> None:
        t = self._theme.tokens
        for spec in SPECS:
            if spec.icon:
                self._made[spec.id].setIcon(icon(spec.icon, t.text, t.faint))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()
