"""Says aloud what a person must hear wherever the focus is: an agent needs somebody, failed, or ended.

Compares each run's view with the one before, for every live run, whatever workflow is looked at; the first look says
nothing. Several at once are one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6 import QtGui
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from quarterdeck.domain.ids import RunId, SlotId
from quarterdeck.domain.moment import Moment
from quarterdeck.domain.views import RunView
from quarterdeck.ui.badges import NEVER_RUN, badge_of_slot
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_budgets import nearly_spent
from quarterdeck.ui.present_nodes import AgentRow, agent_row
from quarterdeck.ui.tokens import Family
from quarterdeck.ui.words import short_id

tr = Texts("Announce")

SAID_MAX = 4
_SAID = {Family.NEEDS, Family.FAILED, Family.DONE, Family.INTERRUPTED}
_URGENT = {Family.NEEDS, Family.FAILED, Family.INTERRUPTED}
_SAID_STATES = {"Stopped"}
_SILENT_STATES = {"Retrying", "Paused", "Re-opened, waiting to start", "Still ending"}


class Announcer:
    """Owned by the window, which is what the announcements come from."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._views: dict[RunId, RunView] = {}
        self._before: dict[tuple[RunId, SlotId], str] = {}
        self._letters: dict[RunId, str] = {}
        self._has_looked = False
        self.last = ""
        """What was said last; for tests."""

    def show_views(self, views: Mapping[RunId, RunView], letters: Mapping[RunId, str], now: Moment) -> None:
        """Follow the views of all runs. A run that begins after the first look had nothing before."""
        self._letters |= letters
        news: list[AgentRow] = []
        limits: list[str] = []
        for run, view in views.items():
            if self._views.get(run) is not view:
                limits += self._limits_of(view, self._letters.get(run, ""))
                news += self._news_of_run(view, self._letters.get(run, ""), now)
        for run in self._views.keys() - views.keys():
            self._forget(run)
        self._views = dict(views)
        self._has_looked = True
        if news or limits:
            self.last = " ".join([*([sentence(news)] if news else []), *limits[:SAID_MAX]])
            self._say(self.last, is_urgent=bool(limits) or any(row.badge.family in _URGENT for row in news))

    def _limits_of(self, view: RunView, letter: str) -> list[str]:
        """Limits that became nearly spent since the last look."""
        if not self._has_looked:
            return []
        before = self._views.get(view.run_id)
        known = {near.key for near in nearly_spent(before)} if before is not None else set()
        run = letter or short_id(view.run_id)
        return [
            tr("{title}, run {run}: {words}.", title=near.title, run=run, words=near.words)
            if near.title
            else tr("Run {run}: {words}.", run=run, words=near.words)
            for near in nearly_spent(view)
            if near.key not in known
        ]

    def _news_of_run(self, view: RunView, letter: str, now: Moment) -> list[AgentRow]:
        is_new = self._has_looked and view.is_live and view.run_id not in self._views
        before = (
            {(view.run_id, slot.slot_id): NEVER_RUN.state for slot in view.slots} if is_new else self._before
        )
        states = {(view.run_id, slot.slot_id): badge_of_slot(slot).state for slot in view.slots}
        changed = [
            s for s in view.slots if before.get(k := (view.run_id, s.slot_id)) not in {None, states[k]}
        ]
        news = news_of(before, tuple(agent_row(view.run_id, letter, slot, now) for slot in changed))
        self._before |= states
        return news

    def _forget(self, run: RunId) -> None:
        self._letters.pop(run, None)
        for slot in self._views[run].slots:
            self._before.pop((run, slot.slot_id), None)

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
        if before.get(row.key, row.badge.state) != row.badge.state
        and (row.badge.family in _SAID or row.badge.state in _SAID_STATES)
        and row.badge.state not in _SILENT_STATES
    ]


def sentence(news: list[AgentRow]) -> str:
    """`Repo researcher, run A, needs you. Planner, run B, done. And 3 more.`"""
    said = [
        tr(
            "{title}, run {run}, {state}",
            title=row.title,
            run=row.run.split(" · ")[0],
            state=row.badge.inner,
        )
        for row in news[:SAID_MAX]
    ]
    more = [tr("and {count} more", count=f"{len(news) - SAID_MAX:,}")] if len(news) > SAID_MAX else []
    return ". ".join([*said, *more]) + "."
