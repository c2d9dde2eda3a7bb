"""A button that starts something, while nothing can be recorded: off, and it says why to the eye and to a screen reader (JNL8)."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton

from quarterdeck.ui.tips import tip


def say_off(
    button: QAbstractButton, why: str, *, can: bool = True, usual: str = "", described: str = ""
) -> None:
    """why: why nothing can be started now; empty: it can. can: whether else it could be pressed. usual, described: the tip and
    the description that it has where nothing stands in its way.
    """
    button.setEnabled(can and not why)
    button.setToolTip(tip(why or usual))
    button.setAccessibleDescription(why or described)
