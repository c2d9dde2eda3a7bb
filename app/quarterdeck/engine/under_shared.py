"""One live run under the limits that it shares with other runs: its caps, its warning, its end (ruling 12, ADR 0095)."""

from __future__ import annotations

from decimal import Decimal

from quarterdeck.domain.budget import WARN_SHARE
from quarterdeck.domain.budget_words import BUDGET_WORDS, REASON_OF, Shared
from quarterdeck.domain.events import BudgetWarned, RunStopRequested
from quarterdeck.domain.ids import AttemptId
from quarterdeck.domain.money import EXACT
from quarterdeck.domain.shared_limits import Standing
from quarterdeck.domain.states import EndReason
from quarterdeck.engine.claiming import Claims
from quarterdeck.engine.run_book import RunBook
from quarterdeck.engine.shared_budgets import SharedBudgets
from quarterdeck.engine.supervision import Supervision, stop_order


class UnderShared:
    """Used in the actor's turn, but for `is_due` and `stop_at_once`, which only look and tell agents to end."""

    def __init__(
        self, budgets: SharedBudgets, book: RunBook, supervision: Supervision, claims: Claims
    ) -> None:
        self._budgets, self._book = budgets, book
        self._supervision, self._claims = supervision, claims
        self._limits: tuple[tuple[Shared, Decimal], ...] = ()
        """The limits by which the caps of the living agents were told last."""

    def is_due(self, standings: tuple[Standing, ...]) -> bool:
        """Whether `take` would do anything."""
        if not self._book.state.is_live:
            return False
        is_new = self._limits_of(standings) != self._limits
        return is_new or self._is_ending(standings) or any(map(self._is_to_warn, standings))

    def stop_at_once(self, standings: tuple[Standing, ...]) -> None:
        """Tell agents to end without waiting for the actor's turn; the stop is journaled in its turn."""
        if self._is_ending(standings):
            self._supervision.send_all(stop_order(REASON_OF[_first_spent(standings).scope]))

    async def take(self, standings: tuple[Standing, ...]) -> None:
        """Warn, end the run, or tell its agents the caps that hold now. Waits for the disk as long as it takes."""
        if not self._book.state.is_live:
            return
        for one in standings:
            if self._is_to_warn(one):
                self._budgets.warned.add(one.key)
                await self._book.record_surely(
                    BudgetWarned(one.scope, one.spent.cost_usd, one.limit_usd, one.spent.source)
                )
        if self._is_ending(standings):
            await self.stop(REASON_OF[_first_spent(standings).scope])
        elif (limits := self._limits_of(standings)) != self._limits:
            self._claims.tell_caps()
            self._limits = limits

    async def stop(self, reason: EndReason) -> None:
        """End every agent, claim nothing more; the run then waits for a person."""
        self._supervision.send_all(stop_order(reason))
        if self._book.state.stop_requested is None:
            await self._book.record_surely(RunStopRequested(self._book.state.header.actor, reason))

    async def follow_cap(self, attempt: AttemptId) -> None:
        """An agent whose keeper ended it at the rest of a limit of many runs: it is spent for its siblings as well."""
        ended = self._book.state.attempts[attempt].ended
        if ended is not None and ended.reason in BUDGET_WORDS and self._book.state.is_live:
            await self.stop(ended.reason)

    def _is_ending(self, standings: tuple[Standing, ...]) -> bool:
        """A spent limit ends a run that has an agent at work; one that has none is stopped when it wants to claim."""
        is_at_work = bool(self._book.state.open_attempts)
        is_spent = any(one.is_spent for one in standings)
        return is_spent and is_at_work and self._book.state.stop_requested is None

    def _is_to_warn(self, one: Standing) -> bool:
        spent = one.spent.cost_usd
        if one.limit_usd <= 0 or spent < EXACT.multiply(one.limit_usd, WARN_SHARE):
            return False
        return (
            one.key not in self._budgets.warned and (one.scope, one.limit_usd) not in self._book.state.warned
        )

    @staticmethod
    def _limits_of(standings: tuple[Standing, ...]) -> tuple[tuple[Shared, Decimal], ...]:
        return tuple((one.scope, one.limit_usd) for one in standings)


def _first_spent(standings: tuple[Standing, ...]) -> Standing:
    return next(one for one in standings if one.is_spent)
