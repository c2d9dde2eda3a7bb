"""The QActions of one window, made from the table `action_specs` and bound by the window.

What an action does is bound by the window; whether it can be done is said by the facts; its keys may be rebound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidget

from quarterdeck.ui.action_spec import CANVAS, MENUS, ActionSpec
from quarterdeck.ui.action_specs import SPECS, keys_of
from quarterdeck.ui.icons import icon
from quarterdeck.ui.language import shown
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import Tokens

ACTION = "action"
"""Property of a button that stands for an action: its id."""


class Actions(QObject):
    """By id."""

    keys_changed = Signal()

    def __init__(self, theme: Theme, window: QWidget, canvas: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._made: dict[str, QAction] = {}
        self._groups: dict[str, QActionGroup] = {}
        self._buttons: dict[str, list[_Driven]] = {}
        self._why: dict[str, str] = {}
        for spec in SPECS:
            self._make(spec, window, canvas)
        self.rebind({})
        self._tint()
        theme.theme_changed.connect(self._on_theme_changed)

    def __getitem__(self, action_id: str) -> QAction:
        return self._made[action_id]

    def __contains__(self, action_id: str) -> bool:
        return action_id in self._made

    def bind(self, action_id: str, handler: Callable[[], object]) -> None:
        """What the action does; a bound method of a QObject, so that nothing outlives the window."""
        self._made[action_id].triggered.connect(handler)

    def drive(self, action_id: str, button: QAbstractButton, *, follows: bool = False) -> None:
        """Make a button stand for an action: pressing it is triggering that, and what is checked is so in both.

        follows: the button is there always, and enabled as its action is; else it is shown only where the action applies.
        """
        action = self._made[action_id]
        button.setProperty(ACTION, action_id)
        self._buttons.setdefault(action_id, []).append(_Driven(button, follows))
        if action.isCheckable():
            button.setCheckable(True)
            button.setChecked(action.isChecked())
            button.toggled.connect(action.setChecked)
            action.toggled.connect(button.setChecked)
            # `trigger` would check once more what the click has checked; by index, since the plain signals lose `checked`
            button.clicked[bool].connect(action.triggered[bool])  # type: ignore[index]
        else:
            button.clicked.connect(action.trigger)
        if follows:
            button.setEnabled(action.isEnabled())
            action.enabledChanged.connect(button.setEnabled)

    def enable(self, action_id: str, can: bool) -> None:
        """Whether it can be done now."""
        action = self._made[action_id]
        if action.isEnabled() != can:
            action.setEnabled(can)

    def allow(self, action_id: str, applies: bool, why: str = "") -> None:
        """Whether it applies, and why it cannot be done though it does: that is said wherever it is offered. Empty: it can."""
        said = why if applies else ""
        self.enable(action_id, applies and not why)
        if said == self._why.get(action_id, ""):
            return
        self._why[action_id] = said
        self._show_tip(action_id)
        for driven in self._buttons.get(action_id, ()):
            driven.explain(said)
        for owner in self._made[action_id].associatedObjects():
            if isinstance(owner, QMenu):
                owner.setToolTipsVisible(any(self.why(one.objectName()) for one in owner.actions()))

    def why(self, action_id: str) -> str:
        """Why it cannot be done though it applies; empty: nothing stands in its way, or it does not apply."""
        return self._why.get(action_id, "")

    def rebind(self, rebound: Mapping[str, tuple[str, ...]]) -> None:
        """Give each action its keys: those of the settings, else those it came with."""
        for action_id, keys in keys_of(rebound).items():
            action = self._made[action_id]
            action.setShortcuts([QKeySequence(key) for key in keys])
            self._show_tip(action_id)
        self.keys_changed.emit()

    def _show_tip(self, action_id: str) -> None:
        """Its name and key; why it cannot be done where something stands in its way."""
        action, keys = self._made[action_id], self.key_text(action_id)
        plain = action.text().rstrip("…")
        usual = f"{plain}  ({keys})" if keys else plain
        action.setToolTip(tip(self.why(action_id) or usual))

    def key_text(self, action_id: str) -> str:
        """The first key as this system writes it; empty where there is none."""
        return self._made[action_id].shortcut().toString(QKeySequence.SequenceFormat.NativeText)

    def menu(self, parent: QWidget) -> QMenu:
        """All actions in one menu with a part for each heading."""
        whole = QMenu(parent)
        for name in MENUS:
            part = whole.addMenu(shown(name))
            for spec in SPECS:
                if spec.menu == name:
                    part.addAction(self._made[spec.id])
        return whole

    def _make(self, spec: ActionSpec, window: QWidget, canvas: QWidget) -> None:
        action = QAction(spec.words, self)
        action.setObjectName(spec.id)
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
        owner.addAction(action)
        self._made[spec.id] = action

    def _tint(self) -> None:
        t = self._theme.tokens
        for spec in SPECS:
            if spec.icon:
                self._made[spec.id].setIcon(icon(spec.icon, t.text, t.faint))

    def _on_theme_changed(self, _tokens: Tokens) -> None:
        self._tint()


class _Driven:
    """A button that stands for an action, and what it says of itself while nothing stands in the action's way."""

    def __init__(self, button: QAbstractButton, follows: bool) -> None:
        self._button, self._follows = button, follows
        self._usual = ("", "")
        self._is_explained = False

    def explain(self, why: str) -> None:
        """Off, and why; empty: as it was. One that follows its action is on and off with that."""
        if not self._is_explained:
            self._usual = (self._button.toolTip(), self._button.accessibleDescription())
        self._is_explained = bool(why)
        usual, described = self._usual
        self._button.setToolTip(tip(why or usual))
        self._button.setAccessibleDescription(why or described)
        if not self._follows:
            self._button.setEnabled(not why)
