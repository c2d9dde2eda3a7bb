"""Sign-ins in the window: the banner of those that fail, the row of those that are limited, and the page *Sign-ins…*."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.domain.moment import Moment
from quarterdeck.engine.sign_ins import Standing
from quarterdeck.ui.canvas.page import NoticeBar
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_sign_ins import failure_words, limit_words
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.watching import Shown

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("SignIns")


class SignInActs(QObject):
    """One for each window."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._standing = Standing()
        self._told: dict[NoticeBar, frozenset[str]] = {}
        self.fails = NoticeBar(window.theme, Family.FAILED, "lock", window, closable=True)
        self.limited = NoticeBar(window.theme, Family.NEEDS, "hourglass", window, closable=True)
        for place, bar in enumerate((self.fails, self.limited)):
            window.banners.add(bar, place)
        window.actions_.bind("sign_ins", self.ask_sign_ins)
        window.actions_.bind("try_limited", self._on_try)
        window.actions_.enable("try_limited", False)
        window.actions_.drive("sign_ins", self.fails.act)
        window.actions_.drive("try_limited", self.limited.act)
        window.link.sign_ins.standing_changed.connect(self._on_standing_changed)

    def ask_sign_ins(self) -> None:
        """Sign-ins…"""
        from quarterdeck.ui.dialogs.sign_ins_dialog import SignInsDialog

        dialog = SignInsDialog(self._standing, self._window.clock, self._window)
        link = self._window.link.sign_ins
        link.standing_changed.connect(dialog.show_standing)
        link.listed.connect(dialog.show_list)
        link.saved.connect(dialog.show_saved)
        link.tested.connect(dialog.show_tested)
        dialog.saved.connect(self._on_saved)
        dialog.removed.connect(link.remove)
        dialog.test_asked.connect(link.test)
        dialog.signed_in.connect(link.say_signed_in)
        dialog.list_asked.connect(link.read)
        self._window.conduct.show_dialog(dialog)
        link.read()

    def _on_saved(self, asked: object) -> None:
        if isinstance(asked, tuple):
            self._window.link.sign_ins.save(*asked)

    def _on_try(self) -> None:
        for source in dict.fromkeys(limit.use.source for limit in self._standing.limits):
            self._window.link.sign_ins.try_now(source)

    def show(self, shown: Shown) -> None:
        """Follow the clock: a limit whose time has come is told no more."""
        if self._standing.limits:
            self._show(shown.now)

    def _on_standing_changed(self, standing: Standing) -> None:
        self._standing = standing
        self._show(self._window.clock())

    def _show(self, now: Moment) -> None:
        remembered = self._standing.remembered
        limits = tuple(one for one in self._standing.limits if one.until_wall_ms > now.wall_ms)
        self._window.actions_.enable("try_limited", bool(limits))
        failures = frozenset(one.use.attempt_id for one in remembered)
        self._tell(self.fails, failure_words(remembered, now), tr("Sign-ins…"), failures)
        limited = frozenset(one.use.attempt_id for one in limits)
        self._tell(self.limited, limit_words(limits, now), tr("Try now"), limited)

    def _tell(self, bar: NoticeBar, words: str, act: str, what: frozenset[str]) -> None:
        """One that was put away comes back for another failure, not for one more agent that it concerns (AUT7)."""
        is_news, self._told[bar] = what != self._told.get(bar), what
        if not words:
            bar.say("")
        elif is_news or (bar.isVisible() and bar.words != words):
            bar.offer(words, act)
