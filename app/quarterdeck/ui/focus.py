"""Where the keyboard is, asked of the window that a part belongs to: also while that window is not the active one."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def holds_focus(part: QWidget) -> bool:
    """True where the keyboard is at this part, or at one inside it."""
    focus = _focus_of(part.window())
    return focus is not None and (focus is part or part.isAncestorOf(focus))


def _focus_of(window: QWidget) -> QWidget | None:
    """Qt tells none of a window that never had the keyboard, whatever its stubs say."""
    return window.focusWidget()
