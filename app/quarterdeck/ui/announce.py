"""Says aloud what a person must hear wherever the focus is: an agent needs somebody, failed, or ended.

Compares what is shown now with what was shown before, for every live run; the first look says nothing. Several at once
are one sentence.
"""

from __future__ import annotations

from PySide6 import QtGui
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.ui.present_nodes import AgentRow
from quarterdeck.ui.tokens import Family

SAID_MAX = 4
_SAID = {Family.NEEDS, Family.FAILED, Family.DONE, Family.INTERRUPTED}
_SILENT_WORDS = {"Retrying", "Paused", "Re-opened, waiting to start", "Still ending"}


class Announcer:
    """Owned by the window, which is what the announcements come from."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._before: dict[tuple[RunId, SlotId], str] = {}
        self.last = ""
        """What was said last; for tests."""

    def show_rows(self, rows: tuple[AgentRow, ...]) -> None:
        """Follow the outline."""
        news = news_of(self._before, rows)
        self._before = {row.key: row.badge.word for row in rows}
        if news:
            self.last = sentence(news)
            self._say(self.last, is_urgent=any(row.badge.family is not Family.DONE for row in news))

    def _say(self, words: str, *, is_urgent: bool) -> None:
        made = getattr(QtGui, "QAccessibleAnnouncementEvent", None)  # Qt 6.8 and later
        if made is None or not QAccessible.isActive():
            return
        event = made(self._window, words)
        if is_urgent:
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Assertive)
        QAccessible.updateAccessibility(event)


def news_of(before: dict[tuple[RunId, SlotId], str], rows: tuple[AgentRow, ...]) -> list[AgentRow]:
    """Rows whose state became one that is said; a row not seen before is no news."""
    return [
        row
        for row in rows
        if before.get(row.key, row.badge.word) != row.badge.word
        and row.badge.family in _SAID
        and row.badge.word not in _SILENT_WORDS
    ]


def sentence(news: list[AgentRow]) -> str:
    """`Repo researcher, run A, needs you. Planner, run B, done. And 3 more.`"""
    said = [
        f"{row.title}, run {row.run.split(' · ')[0]}, {row.badge.word.lower()}" for row in news[:SAID_MAX]
    ]
    more = [f"and {len(news) - SAID_MAX} more"] if len(news) > SAID_MAX else []
    return ". ".join([*said, *more]) + "."
