"""Budgets…: what all runs of a night, and of the shown workflow, may spend together. From menu and palette alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from quarterdeck.domain.shared_limits import SharedSpending
from quarterdeck.ui.in_words import in_words
from quarterdeck.ui.language import Texts
from quarterdeck.ui.present_shared import SharedFacts, shared_facts
from quarterdeck.ui.watching import Shown
from quarterdeck.ui.words import one_line

if TYPE_CHECKING:
    from quarterdeck.ui.window import Window

tr = Texts("BudgetActs")


class BudgetActs(QObject):
    """One for each window. The dialog opens once it is known how the limits stand."""

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self._window = window
        self._link = window.link.budgets
        self._shown: Shown | None = None
        self._is_asked = False
        window.actions_.bind("budgets", self.ask_budgets)
        self._link.told.connect(self._on_told)
        self._link.kept.connect(self._on_kept)

    def show(self, shown: Shown) -> None:
        """Follow what is looked at."""
        self._shown = shown

    def ask_budgets(self) -> None:
        """Budgets…"""
        self._is_asked = True
        self._link.ask()

    def _on_told(self, spending: SharedSpending) -> None:
        if not self._is_asked:
            return
        self._is_asked = False
        if spending.fault:
            words = tr("Nothing is started: the budgets cannot be told. {why}", why=in_words(spending.fault))
            self._window.notice.say(one_line(words, 400))
            return
        from quarterdeck.ui.dialogs.budgets_dialog import BudgetsDialog

        dialog = BudgetsDialog(self._facts(spending), self._window)
        dialog.wanted.connect(self._link.keep)
        self._window.conduct.show_dialog(dialog)

    def _facts(self, spending: SharedSpending) -> SharedFacts:
        workflow = self._shown.workflow if self._shown is not None else None
        if workflow is None:
            return shared_facts(spending, None, "")
        return shared_facts(spending, workflow.id, workflow.name)

    def _on_kept(self, fault: str) -> None:
        if fault:
            words = tr("The budgets were not saved. {fault}", fault=in_words(fault))
            self._window.notice.say(one_line(words, 400))
        else:
            self._window.notice.tell(tr("The budgets hold from now on, for every run."))
