"""What the door shows of runs beyond the runs themselves: those that were interrupted, and what is kept. Loaded when asked for."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from quarterdeck.domain.ids import RunId
from quarterdeck.domain.shared_limits import SharedSpending
from quarterdeck.domain.views import RunSummary
from quarterdeck.engine.looking_parts import LookingParts
from quarterdeck.engine.no_runs import OwnRuns
from quarterdeck.engine.opening import Opened

if TYPE_CHECKING:
    from quarterdeck.engine.context import EngineContext
    from quarterdeck.engine.export_secrets import KeptSecrets
    from quarterdeck.engine.foreign import ForeignRuns
    from quarterdeck.engine.local_keeping import LocalKeeping
    from quarterdeck.engine.local_sign_ins import LocalSignIns
    from quarterdeck.engine.recovering import Recovering
    from quarterdeck.engine.run_secrets import RunSecrets
    from quarterdeck.engine.shared_budgets import SharedBudgets
    from quarterdeck.engine.sign_in_reading import SignInReading


class KeptParts(LookingParts, ABC):
    """Base of the engine, which gives `_opened` and `_live`."""

    _opened: Opened
    _live: OwnRuns
    _context: EngineContext | None = None
    """What its own runs share; None where it has none."""

    @property
    @abstractmethod
    def _foreign(self) -> ForeignRuns: ...

    @abstractmethod
    def runs(self) -> tuple[RunSummary, ...]: ...

    @abstractmethod
    def unreadable(self) -> Mapping[RunId, str]: ...

    @abstractmethod
    async def refresh(self) -> None: ...

    def pinned(self) -> frozenset[RunId]:
        """Runs that a person pinned, as of the last look."""
        return self._opened.catalog.pinned

    def last_saved_ms(self) -> int | None:
        """When records became durable last, by the boot clock."""
        return self._store.writer.saved_boot_ms

    async def shared_spending(self) -> SharedSpending:
        """How the limits of workflow and night stand."""
        budgets = self._shared_budgets
        await asyncio.to_thread(budgets.refresh)
        return SharedSpending(budgets.standings(), budgets.fault, budgets.limits)

    @cached_property
    def _shared_budgets(self) -> SharedBudgets:
        """Of the runs of this process, and of all others; a process that owns none looks at all of them from outside."""
        from quarterdeck.engine.shared_budgets import SharedBudgets
        from quarterdeck.store.machine import now

        if (own := self._live.budgets) is not None:
            return own
        budgets = SharedBudgets(self._store, now)
        budgets.others = lambda: [line for line in self.runs() if line.is_live]
        return budgets

    @cached_property
    def recovery(self) -> Recovering:
        """Interrupted runs, and what a person may do about them."""
        from quarterdeck.engine.recovering import Recovering

        return Recovering(
            self._store,
            self.runs,
            self.unreadable,
            self._live.view,
            lambda: self._foreign,
            self._actor(),
            self.refresh if self._opened.session is not None else None,
            self._kept_secrets,
            self._hidden_of,
        )

    @cached_property
    def sign_ins(self) -> LocalSignIns:
        """The credentials list, tests, and what is remembered of sign-ins in this process."""
        from quarterdeck.engine.local_sign_ins import LocalSignIns
        from quarterdeck.engine.sign_in_memory import SignInMemory

        session, context = self._opened.session, self._context
        memory = context.sign_ins if context is not None else SignInMemory()
        own = session.session_id if session is not None else None
        return LocalSignIns(self._reading, memory, self._store.sessions, own, self._store.config())

    @cached_property
    def _reading(self) -> SignInReading:
        """The one of its own runs, where it has some: what only this process holds is there."""
        from quarterdeck.engine.secret_vault import SecretVault
        from quarterdeck.engine.sign_in_reading import reading_of

        if self._context is not None:
            return self._context.sign_in_reading
        return reading_of(SecretVault(), self._store)

    @cached_property
    def _kept_secrets(self) -> KeptSecrets:
        from quarterdeck.engine.export_secrets import KeptSecrets

        return KeptSecrets(self._secrets_of, self._handed, self._unasked)

    @cached_property
    def _run_secrets(self) -> RunSecrets:
        from quarterdeck.engine.run_secrets import RunSecrets

        return RunSecrets(self._store, self._kept_secrets)

    def _hidden_of(self, run: RunId) -> Iterable[str]:
        return self._run_secrets.of(run)

    def _handed(self) -> Iterable[str]:
        return self._context.sign_in_reading.handed if self._context is not None else ()

    def _unasked(self, names: Iterable[str]) -> Mapping[str, str | None]:
        return self._reading.secrets_of(names, asks_keyring=False)

    def _secrets_of(self, names: Iterable[str]) -> Mapping[str, str | None]:
        return self._reading.secrets_of(names)

    @cached_property
    def keeping(self) -> LocalKeeping:
        """Discard and its undo, the caps of the store, files that cannot be read."""
        from quarterdeck.engine.local_keeping import LocalKeeping

        opened = self._opened
        forget, unsettled = self._live.forget, opened.unsettled
        tell, actor = self.refresh, self._actor()
        return LocalKeeping(
            self._store, opened.session, tell, forget, actor, unsettled, lambda: opened.catalog.left
        )

    def _actor(self) -> str:
        from quarterdeck.engine.context import default_actor

        return self._live.actor or default_actor()
