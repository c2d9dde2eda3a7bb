"""What an action of the window is, as data: id, title, menu, keys, icon, where its keys act. No Qt, and no table."""

from __future__ import annotations

from dataclasses import dataclass

from quarterdeck.ui.language import Texts, shown

tr = Texts("Actions")

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
    said: str = ""
    """More words for the search in the palette, separated by spaces."""

    @property
    def words(self) -> str:
        """The title in the person's language."""
        return shown(self.title)

    @property
    def menu_words(self) -> str:
        """The name of its menu."""
        return shown(self.menu)

    @property
    def name(self) -> str:
        """The title without the mark of what asks first."""
        return self.words.rstrip("…")

    @property
    def sought(self) -> str:
        """Everything that the search looks in besides the title."""
        return f"{self.menu_words} {shown(self.said)}"


MENUS = FILE, CONTROL, AGENT, VIEW, APPEARANCE, HELP = (
    tr.later("File"),
    tr.later("Control"),
    tr.later("Agent"),
    tr.later("View"),
    tr.later("Appearance"),
    tr.later("Help"),
)
