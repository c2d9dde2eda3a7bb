"""The rail at the left: the places of the window, settings at the bottom."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QToolBar, QToolButton, QWidget

from quarterdeck.ui.actions import Actions
from quarterdeck.ui.language import Texts
from quarterdeck.ui.parts import action_button, label, restyle, set_text

tr = Texts("Rail")

WIDTH = 48
ICON = QSize(20, 20)
PLACES = ("go_canvas", "go_runs", "go_agents", "go_timeline", "go_files")
BELOW = ("settings",)


class Rail(QToolBar):
    """Buttons of registered actions; a place that does not exist yet has no button."""

    def __init__(self, actions: Actions, parent: QWidget) -> None:
        super().__init__(tr("Rail"), parent)
        self.setObjectName("rail")
        self.setAccessibleName(tr("Places"))
        self.setMovable(False)
        self.setOrientation(Qt.Orientation.Vertical)
        self.setFixedWidth(WIDTH)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.buttons: dict[str, QToolButton] = {}
        self._add(actions, PLACES)
        gap = QWidget(self)
        gap.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        self.addWidget(gap)
        self._add(actions, BELOW)
        self.count = label("", "count", self.buttons["go_runs"])
        self.count.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.count.setGeometry(20, 0, 17, 17)
        self.count.hide()

    def mark(self, place: str) -> None:
        """Show which place the person is at: the name of its action."""
        for name, made in self.buttons.items():
            is_here = name == place
            restyle(made, "current", is_here)
            made.setAccessibleDescription(tr("you are here") if is_here else "")

    def show_waiting(self, count: int) -> None:
        """How many questions are open, as a number at the runs' button."""
        words = str(count) if count < 10 else "9+"
        set_text(self.count, words)
        self.count.setAccessibleName(tr.count("{n} questions open", "{n} question open", count))
        self.count.setVisible(count > 0)

    def _add(self, actions: Actions, names: tuple[str, ...]) -> None:
        for name in names:
            if name in actions:
                made = action_button(actions[name], self)
                made.setIconSize(ICON)
                self.buttons[name] = made
                self.addWidget(made)
