"""Desktop notices: only while the window is not in front, several at once as one. Where they go is a port.

The person's own command is started whenever a run needs somebody, through the engine, without a shell.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Protocol

from PySide6.QtCore import QObject, QTimer

from quarterdeck.domain.preferences import Preferences
from quarterdeck.ui.house_link import HouseLink
from quarterdeck.ui.news import News, NewsKind, Notice, joined, news_between
from quarterdeck.ui.present import WindowFacts

JOIN_MS = 700


class Notifier(Protocol):
    """Where a notice is shown."""

    def show_notice(self, notice: Notice) -> None:
        """Show it now."""


class ProgramNotifier:
    """Where there is no tray: the desktop's own `notify-send`."""

    def __init__(self, house: HouseLink) -> None:
        self._house = house

    def show_notice(self, notice: Notice) -> None:
        """Start the program and leave it; where it is missing, the log says so. Its body takes markup: names are none."""
        self._house.start(
            ("notify-send", "--app-name=Quarterdeck", "--", notice.title, escape(notice.text, quote=False))
        )


class Notices(QObject):
    """Owned by the window. `is_in_front` is asked when a notice is due, not when its news came."""

    def __init__(
        self,
        notifier: Notifier,
        house: HouseLink,
        is_in_front: Callable[[], bool],
        preferences: Callable[[], Preferences],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.notifier = notifier
        self._house, self._is_in_front, self._preferences = house, is_in_front, preferences
        self._before: WindowFacts | None = None
        self._held: list[News] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(JOIN_MS)
        self._timer.timeout.connect(self.tell)

    def show_facts(self, facts: WindowFacts) -> None:
        """Follow the facts."""
        self._held += news_between(self._before, facts)
        self._before = facts
        if self._held and not self._timer.isActive():
            self._timer.start()

    def tell(self) -> None:
        """Say what is held now."""
        held, self._held = self._held, []
        choices = self._preferences()
        notice = joined(held)
        if notice is not None and choices.notices and not self._is_in_front():
            self.notifier.show_notice(notice)
        needs = joined([n for n in held if n.kind is NewsKind.NEEDS])
        if needs is not None and choices.notice_command:
            self._house.start(_filled(choices.notice_command, needs))

    def close(self) -> None:
        """Nothing further is told."""
        self._timer.stop()
        self._held.clear()


def _filled(argv: tuple[str, ...], notice: Notice) -> tuple[str, ...]:
    """The person's arguments with `{title}` and `{text}` filled in; the program itself is never foreign text."""
    rest = (part.replace("{title}", notice.title).replace("{text}", notice.text) for part in argv[1:])
    return (argv[0], *rest)
