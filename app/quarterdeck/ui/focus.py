"""Where the keyboard is, asked of the window that a part belongs to: also while that window is not the active one."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def holds_focus(part: QWidget) -> bool:
    """True where the keyboard is at this part, or at one inside it."""
    focus: QWidget | None = part.window().focusWidget()  # None where nothing has it, whatever the stubs say
    return focus is not None and (focus is part or part.isAncestorOf(focus))
