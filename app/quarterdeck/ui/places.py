"""Going to places of the window, and how it looks: the actions that change nothing but what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QWidget

from quarterdeck.ui.theme import Scheme

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window


class Places(QObject):
    """One for each window; binds its actions."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        actions = window.actions_
        for name, handler in (
            ("next_waiting", window.watching.next_waiting),
            ("previous_run", self._on_previous_run),
            ("next_run", self._on_next_run),
            ("go_runs", self._on_go_runs),
            ("go_canvas", self._on_go_canvas),
            ("go_inspector", self.go_inspector),
            ("go_agents", self._on_go_agents),
            ("toggle_bottom", self._on_toggle_bottom),
            ("open_transcript", self._on_open_transcript),
            ("fit", window.view.fit),
            ("zoom_full", window.view.zoom_full),
            ("zoom_in", window.view.zoom_in),
            ("zoom_out", window.view.zoom_out),
            ("scheme_system", self._on_scheme_system),
            ("scheme_light", self._on_scheme_light),
            ("scheme_dark", self._on_scheme_dark),
            ("reduce_motion", self._on_reduce_motion),
            ("reset_layout", window.reset_layout),
        ):
            actions.bind(name, handler)
        actions[f"scheme_{window.theme.scheme}"].setChecked(True)
        actions["reduce_motion"].setChecked(window.theme.is_motion_reduced)

    # ------------------------------------------------------------------ going to places

    def _on_previous_run(self) -> None:
        self._window.watching.step_run(-1)

    def _on_next_run(self) -> None:
        self._window.watching.step_run(1)

    def _on_go_runs(self) -> None:
        self._go(self._window.runs_dock, self._window.runs.table)

    def _on_go_canvas(self) -> None:
        self._window.view.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def go_inspector(self) -> None:
        """Bring the inspector forward and give it the keyboard."""
        self._go(self._window.inspector_dock, self._window.inspector.tabs.tabBar())

    def _on_go_agents(self) -> None:
        self._go(self._window.agents_dock, self._window.agents.table)

    def _go(self, dock: QWidget, target: QWidget) -> None:
        dock.show()
        dock.raise_()
        target.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _on_toggle_bottom(self) -> None:
        self._window.agents_dock.setVisible(not self._window.agents_dock.isVisible())

    def _on_open_transcript(self) -> None:
        self._window.inspector_dock.show()
        self._window.inspector.open_transcript()

    # ------------------------------------------------------------------ looks

    def _on_scheme_system(self) -> None:
        self._choose(Scheme.SYSTEM)

    def _on_scheme_light(self) -> None:
        self._choose(Scheme.LIGHT)

    def _on_scheme_dark(self) -> None:
        self._choose(Scheme.DARK)

    def _choose(self, scheme: Scheme) -> None:
        self._window.theme.choose(scheme)
        self._window.keep_setting("scheme", str(scheme))

    def _on_reduce_motion(self) -> None:
        reduced = self._window.actions_["reduce_motion"].isChecked()
        self._window.theme.is_motion_reduced = reduced
        self._window.keep_setting("reduce_motion", reduced)
