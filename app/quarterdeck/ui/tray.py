"""Tray icon and task bar: they read the same facts as the window. Where the desktop has no tray, nothing is shown."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from quarterdeck.ui.actions import Actions
from quarterdeck.ui.icons import pixmap
from quarterdeck.ui.language import Texts
from quarterdeck.ui.news import NewsKind, Notice
from quarterdeck.ui.present import WindowFacts
from quarterdeck.ui.theme import Theme
from quarterdeck.ui.tips import tip
from quarterdeck.ui.tokens import LIGHT, Family, Tokens

tr = Texts("Tray")

TOOLTIP_MAX = 120
MENU = ("next_waiting", "run", "stop", "quit")


@dataclass(frozen=True, slots=True)
class TrayFacts:
    """What tray and task bar say: the family of the dot (None: no dot), words, and the number on the task bar."""

    family: Family | None
    words: str
    count: int


def tray_facts(facts: WindowFacts) -> TrayFacts:
    """Needs you before running; with nothing live, no dot. The number counts the open questions. Dot and words are of all
    live runs, whatever workflow is looked at (OWN6). Pure.
    """
    live = [row for row in facts.run_rows if row.is_live]
    if not live:
        return TrayFacts(None, facts.title[:TOOLTIP_MAX], 0)
    asking = facts.waiting[0].run_id if facts.waiting else None
    named = next((row for row in live if row.run_id == asking), live[0])
    words = [tr("{count} live", count=f"{len(live):,}")]
    if facts.waiting:
        words.append(tr.count("{n} questions", "{n} question", len(facts.waiting)))
    run = tr(
        "{workflow}, run {run}: {state}",
        workflow=named.workflow_name,
        run=f"{named.letter} {named.short}" if named.letter else named.short,
        state=named.badge.word if named.badge is not None else "",
    )
    family = Family.NEEDS if facts.waiting else Family.RUNNING
    text = tr("Quarterdeck: {counts}. {run}", counts=", ".join(words), run=run)
    return TrayFacts(family, text[:TOOLTIP_MAX], len(facts.waiting))


class Tray(QObject):
    """Owned by the window."""

    def __init__(self, theme: Theme, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.shown: TrayFacts | None = None
        self.icon: QSystemTrayIcon | None = None
        if QSystemTrayIcon.isSystemTrayAvailable():
            self.icon = QSystemTrayIcon(self)
            self._menu = QMenu(window)
            self._menu.addAction(tr("Show Quarterdeck"), self.show_window)
            for name in MENU:
                self._menu.addAction(actions[name])
            self.icon.setContextMenu(self._menu)
            self.icon.activated.connect(self._on_activated)
            self.icon.messageClicked.connect(self.show_window)

    def show_facts(self, facts: WindowFacts) -> None:
        """Follow the facts."""
        wanted = tray_facts(facts)
        if wanted == self.shown:
            return
        before, self.shown = self.shown, wanted
        if wanted.count != (before.count if before is not None else 0):
            _set_badge_number(wanted.count)
        if self.icon is not None:
            if before is None or before.family is not wanted.family:
                self.icon.setIcon(_tray_icon(wanted.family, LIGHT))
            self.icon.setToolTip(tip(wanted.words))
            self.icon.show()

    def show_notice(self, notice: Notice) -> None:
        """A notice of the desktop, by the tray."""
        if self.icon is not None:
            kinds = QSystemTrayIcon.MessageIcon
            sign = kinds.Warning if notice.kind is NewsKind.FAILED else kinds.Information
            self.icon.showMessage(notice.title, notice.text, sign)

    def show_window(self) -> None:
        """Bring the window forward."""
        self._window.showNormal() if self._window.isMinimized() else self._window.show()
        self._window.raise_()
        self._window.activateWindow()

    def close(self) -> None:
        """Take the icon away."""
        if self.shown is not None and self.shown.count:
            _set_badge_number(0)
        if self.icon is not None:
            self.icon.hide()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.show_window()


def _set_badge_number(count: int) -> None:
    """The number on the task bar's icon, where desktop and Qt (from 6.5 on) have one; Qt finds it by the desktop file."""
    app = QGuiApplication.instance()
    setter = getattr(app, "setBadgeNumber", None)
    if setter is not None and QGuiApplication.desktopFileName():
        setter(count)


def _tray_icon(family: Family | None, tokens: Tokens) -> QIcon:
    made = QIcon()
    for size in (16, 22, 32, 48):
        drawn = QPixmap(pixmap("ship-wheel", tokens.accent, size))
        if family is not None:
            painter = QPainter(drawn)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            side = size * 0.5
            painter.setBrush(QColor(tokens.tones[family].border))
            painter.drawEllipse(QRectF(size - side, size - side, side, side))
            painter.end()
        made.addPixmap(drawn)
    return made
